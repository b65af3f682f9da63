//! What flows run on: a ring or a network.

use crate::event::{self, Event};
use crate::network::Network;
use crate::ring::Ring;
use fairwire_core::{Bytes, Span};
use serde::Serialize;

/// What the flows run on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// Two counter-rotating ringlets.
    Ring(Ring),
    /// Nodes and links.
    Network(Network),
}

impl Topology {
    /// The network, if this is one.
    pub fn network(&self) -> Option<&Network> {
        match self {
            Self::Ring(_) => None,
            Self::Network(network) => Some(network),
        }
    }

    /// Propagation time once around, if this is a ring.
    pub(crate) fn lap(&self) -> Span {
        match self {
            Self::Ring(ring) => ring.lap(),
            Self::Network(_) => Span::ZERO,
        }
    }

    /// The longest stretch of time in which the bytes of every link fit into 32 bits, as tables count them.
    pub(crate) fn longest_row(&self, events: &[Event]) -> Span {
        let fastest = match self {
            Self::Ring(ring) => {
                ring.capacities().into_iter().chain(event::links::of_ring(events).map(|(.., capacity)| capacity)).max()
            }
            Self::Network(network) => {
                let links = network.links.iter().enumerate();
                links.map(|(number, link)| event::links::most(link, number, events)).max()
            }
        };
        Bytes::new(u32::MAX.into()) / fastest.unwrap_or_default()
    }
}
