//! What flows run on: a ring or a network.

use crate::event::{self, Event};
use crate::flow::Flow;
use crate::flow::traffic::Traffic;
use crate::network::Network;
use crate::ring::Ring;
use crate::run::Rows;
use fairwire_core::{Bytes, Span};
use serde::Serialize;

/// What a row says of a link.
const NUMBERS_A_LINK: u64 = 3;
/// What a row says of a TCP connection: window, threshold, round trip and state.
const NUMBERS_A_CONNECTION: u64 = 4;

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

    /// What bounds the rows of its tables over time, with these flows and events.
    pub(crate) fn rows(&self, flows: &[Flow], events: &[Event]) -> Rows {
        Rows { longest: self.longest_row(events), numbers: self.numbers_a_row(flows) }
    }

    /// The longest stretch of time in which the bytes of every link fit into 32 bits, as tables count them.
    fn longest_row(&self, events: &[Event]) -> Span {
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
    /// How many numbers a row has: what a flow got; what a link sent, and what waited and was dropped or the most that
    /// waited; and where a TCP connection stands.
    fn numbers_a_row(&self, flows: &[Flow]) -> u64 {
        let links = match self {
            Self::Ring(ring) => 2 * usize::from(ring.stations),
            Self::Network(network) => network.links.len(),
        };
        let of_flow = |flow: &Flow| match flow.traffic {
            Traffic::Tcp(_) => 1 + NUMBERS_A_CONNECTION * u64::from(flow.micro_flows),
            Traffic::Datagrams(_) | Traffic::Rate(_) => 1,
        };
        NUMBERS_A_LINK * links as u64 + flows.iter().map(of_flow).sum::<u64>()
    }
}
