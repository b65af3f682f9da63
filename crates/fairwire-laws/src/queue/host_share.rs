//! How many flows of each host are backlogged, and the share of a turn that leaves for one.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, Piece of CAKE, LANMAN 2018, §III
//! (triple flow isolation): a flow's quantum is divided by the larger of its source's and its
//! destination's backlogged flows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Between whom capacity is shared before it is shared between flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Between sources and between destinations, whoever has more flows.
    #[default]
    Triple,
    /// Between sources.
    Source,
    /// Between destinations.
    Destination,
    /// Between flows only.
    Flow,
}

/// Backlogged flows of each host, by its number.
#[derive(Clone, Debug, Default)]
pub(super) struct HostShare {
    isolation: Isolation,
    sources: Vec<u32>,
    destinations: Vec<u32>,
}

/// The two ends of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hosts {
    pub source: u32,
    pub destination: u32,
}

impl HostShare {
    pub(super) fn new(isolation: Isolation) -> Self {
        Self { isolation, ..Self::default() }
    }

    /// A flow between these hosts became backlogged.
    pub(super) fn add(&mut self, hosts: Hosts) {
        for (counts, host) in [(&mut self.sources, hosts.source), (&mut self.destinations, hosts.destination)] {
            if counts.len() <= host as usize {
                counts.resize(host as usize + 1, 0);
            }
            counts[host as usize] += 1;
        }
    }

    /// It is no longer.
    pub(super) fn remove(&mut self, hosts: Hosts) {
        self.sources[hosts.source as usize] -= 1;
        self.destinations[hosts.destination as usize] -= 1;
    }

    /// By what the quantum of a flow between these hosts is divided; at least 1.
    pub(super) fn divisor(&self, hosts: Hosts) -> u32 {
        let source = self.sources.get(hosts.source as usize).copied().unwrap_or(0);
        let destination = self.destinations.get(hosts.destination as usize).copied().unwrap_or(0);
        let flows = match self.isolation {
            Isolation::Triple => source.max(destination),
            Isolation::Source => source,
            Isolation::Destination => destination,
            Isolation::Flow => 1,
        };
        flows.max(1)
    }
}
