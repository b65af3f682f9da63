//! Changes to links.

use super::amount::{Amount, Kind};
use super::words::Words;
use super::{Proposal, ProposalError};
use crate::Scenario;
use crate::expect::matches;
use crate::ring::FASTEST;
use crate::topology::Topology;
use fairwire_core::{BitRate, Ringlet};

const LOST: &[&str] = &["lost", "removed", "gone", "down"];

impl Proposal {
    pub(super) fn change_link(&mut self, words: &mut Words) -> Result<(), ProposalError> {
        let name = words.need("which link", "write `link NAME +10%` or `link NAME lost`")?;
        let links = links_called(&self.changed, &name)?;
        if words.peek() == Some("capacity") {
            words.next();
        }
        let lost = words.peek().is_some_and(|word| LOST.contains(&word));
        let amount = if lost {
            words.next();
            None
        } else {
            Some(Amount::read(Kind::Rate, &words.until(&[]), &format!("link {name}"))?)
        };
        links.into_iter().try_for_each(|link| match amount {
            None => self.lose(link),
            Some(amount) => self.resize(link, amount),
        })
    }

    fn lose(&mut self, link: usize) -> Result<(), ProposalError> {
        let problem = self.changed.offered_problem();
        let name = &problem.links[link].id;
        if !self.lost.insert(link) {
            return Err(ProposalError::new(format!("link {name} is lost already"), "lose it once"));
        }
        let crossing = |flow: &usize| problem.flows[*flow].route.contains(&link) && !self.gone.contains(flow);
        let stranded: Vec<usize> = (0..problem.flows.len()).filter(crossing).collect();
        self.said.push(match stranded.len() {
            0 => format!("link {name} is lost; no flow crosses it"),
            1 => format!("link {name} is lost, and flow {} with it", problem.flows[stranded[0]].id),
            count => format!("link {name} is lost, and the {count} flows over it"),
        });
        stranded.into_iter().for_each(|flow| self.silence(flow));
        Ok(())
    }

    fn resize(&mut self, link: usize, amount: Amount) -> Result<(), ProposalError> {
        let of_link = &self.changed.offered_problem().links[link];
        let name = &of_link.id;
        if self.lost.contains(&link) {
            return Err(ProposalError::new(format!("link {name} is lost already"), "change it, or lose it"));
        }
        let called = format!("link {name}");
        let before = BitRate::from_bps_f64(of_link.capacity_bps);
        let after = BitRate::from_bps_f64(amount.applied(before.as_bps_f64(), &called)?);
        if after == BitRate::ZERO || after > FASTEST {
            let message = format!("{called} cannot carry {}", if amount == Amount::None { "all" } else { "that" });
            let help = format!("a capacity lies above zero and goes up to {FASTEST}; `link {name} lost` takes it away");
            return Err(ProposalError::new(message, help));
        }
        self.said.push(format!("{called} carries {after} instead of {before}"));
        match &mut self.changed.topology {
            Topology::Network(network) => network.links[link].capacity = after,
            Topology::Ring(ring) => {
                let stations = usize::from(ring.stations);
                let (ringlet, from) = (Ringlet::BOTH[link / stations], (link % stations) as u16);
                ring.set_capacity((ringlet, from), after);
            }
        }
        Ok(())
    }
}

/// The links that a name or pattern stands for, by their positions in the problem.
pub(super) fn links_called(scenario: &Scenario, name: &str) -> Result<Vec<usize>, ProposalError> {
    let problem = scenario.offered_problem();
    if scenario.is_ring() && name.parse::<usize>().is_ok() {
        return link_of_station(&problem, name).map(|link| vec![link]);
    }
    let found: Vec<usize> = (0..problem.links.len()).filter(|&link| matches(name, &problem.links[link].id)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = problem.links.iter().map(|link| link.id.as_str()).collect();
    Err(ProposalError::unknown(format!("there is no link \"{name}\""), name, &names))
}

/// `4` is the link of either ringlet that leaves station 4, if flows use only one of them.
fn link_of_station(problem: &fairwire_alloc::Problem, station: &str) -> Result<usize, ProposalError> {
    let both = ["r0", "r1"].map(|ringlet| format!("{ringlet}:{station}"));
    let link = |name: &String| problem.links.iter().position(|link| link.id == *name);
    let [Some(zero), Some(one)] = both.each_ref().map(link) else {
        let last = problem.nodes.len() - 1;
        let message = format!("no link leaves a station {station}");
        return Err(ProposalError::new(message, format!("the ring has stations 0 to {last}; use one of them")));
    };
    let is_used = |link: usize| problem.flows.iter().any(|flow| flow.route.contains(&link));
    match (is_used(zero), is_used(one)) {
        (_, false) => Ok(zero),
        (false, true) => Ok(one),
        (true, true) => {
            let message = format!("two links that flows use leave station {station}");
            Err(ProposalError::new(message, format!("write `link {}` or `link {}`", both[0], both[1])))
        }
    }
}
