//! Changes to stations and nodes as ingresses.

use super::amount::{Amount, Kind};
use super::words::Words;
use super::{Proposal, ProposalError};
use crate::IngressMinimum;
use crate::topology::Topology;
use fairwire_alloc::{LARGEST_WEIGHT, LEAST_WEIGHT};
use fairwire_core::BitRate;

const KEYS: &[&str] = &["weight", "min-rate"];

impl Proposal {
    pub(super) fn change_ingress(&mut self, words: &mut Words) -> Result<(), ProposalError> {
        let name = words.need("which ingress", "write `station 4 weight 2` or `node NAME min-rate 10 Mb/s`")?;
        let node = self.ingress(&name)?;
        let key = words.need("what changes", "write `weight 2` or `min-rate 10 Mb/s`")?;
        let (weights, minimums, noun) = match &mut self.changed.topology {
            Topology::Ring(ring) => (&mut ring.weights, &mut ring.min_rates, "station"),
            Topology::Network(network) => (&mut network.weights, &mut network.min_rates, "node"),
        };
        let called = format!("the {key} of {noun} {name}");
        match key.as_str() {
            "weight" => {
                let amount = Amount::read(Kind::Number, &words.until(&[]), &called)?;
                let (before, after) = (weights[node], weight(amount, weights[node], &called)?);
                weights[node] = after;
                self.said.push(format!("{noun} {name} weighs {after} instead of {before}"));
            }
            "min-rate" => {
                let amount = Amount::read(Kind::Rate, &words.until(&[]), &called)?;
                let before = minimums.get(node).map_or(BitRate::ZERO, |minimum| minimum.rate);
                let after = promise(amount, before, &called)?;
                if minimums.is_empty() {
                    minimums.resize(weights.len(), IngressMinimum { rate: BitRate::ZERO, span: 0..0 });
                }
                minimums[node].rate = after;
                self.said.push(format!("{noun} {name} is promised {after} instead of {before}"));
            }
            other => {
                return Err(ProposalError::unknown(format!("a {noun} has no \"{other}\" to change"), other, KEYS));
            }
        }
        Ok(())
    }

    /// The position of a station or node.
    pub(super) fn ingress(&self, name: &str) -> Result<usize, ProposalError> {
        let nodes = self.changed.offered_problem().nodes;
        nodes.iter().position(|node| node == name).ok_or_else(|| match self.changed.is_ring() {
            true => ProposalError::new(
                format!("there is no station \"{name}\""),
                format!("write a number from 0 to {}", nodes.len() - 1),
            ),
            false => {
                let known: Vec<&str> = nodes.iter().map(String::as_str).collect();
                ProposalError::unknown(format!("there is no node \"{name}\""), name, &known)
            }
        })
    }
}

/// A weight as a scenario file may have it.
pub(super) fn weight(amount: Amount, before: f64, called: &str) -> Result<f64, ProposalError> {
    let after = amount.applied(before, called)?;
    if (LEAST_WEIGHT..=LARGEST_WEIGHT).contains(&after) {
        return Ok(after);
    }
    let message = format!("{called} goes from {LEAST_WEIGHT} to {LARGEST_WEIGHT}, not {after}");
    Err(ProposalError::new(message, "write a number above zero, such as 2"))
}

/// A minimum rate: finite, `none` for zero.
pub(super) fn promise(amount: Amount, before: BitRate, called: &str) -> Result<BitRate, ProposalError> {
    match amount {
        Amount::None => Ok(BitRate::ZERO),
        amount => Ok(BitRate::from_bps_f64(amount.applied(before.as_bps_f64(), called)?)),
    }
}
