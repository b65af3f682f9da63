//! How many flows of each host are backlogged, and the share of a turn that leaves for one.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, Piece of CAKE, LANMAN 2018, §III
//! (triple flow isolation): a flow's quantum is divided by the larger of its source's and its
//! destination's backlogged flows.

use crate::slots::Slots;
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

/// Backlogged flows of each host.
#[derive(Clone, Debug, Default)]
pub(in crate::queue) struct HostShare {
    isolation: Isolation,
    sources: Counts,
    destinations: Counts,
}

/// A count for each host for which it is not zero.
#[derive(Clone, Debug, Default)]
struct Counts {
    hosts: Slots,
    /// By slot.
    counts: Vec<u32>,
}

/// The two ends of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::queue) struct Hosts {
    pub source: u32,
    pub destination: u32,
}

impl HostShare {
    pub(in crate::queue) fn new(isolation: Isolation) -> Self {
        Self { isolation, ..Self::default() }
    }

    /// A flow between these hosts became backlogged.
    pub(in crate::queue) fn add(&mut self, hosts: Hosts) {
        self.sources.add(hosts.source);
        self.destinations.add(hosts.destination);
    }

    /// It is no longer.
    pub(in crate::queue) fn remove(&mut self, hosts: Hosts) {
        self.sources.remove(hosts.source);
        self.destinations.remove(hosts.destination);
    }

    /// By what the quantum of a flow between these hosts is divided; at least 1.
    pub(in crate::queue) fn divisor(&self, hosts: Hosts) -> u32 {
        let source = self.sources.get(hosts.source);
        let destination = self.destinations.get(hosts.destination);
        let flows = match self.isolation {
            Isolation::Triple => source.max(destination),
            Isolation::Source => source,
            Isolation::Destination => destination,
            Isolation::Flow => 1,
        };
        flows.max(1)
    }
}

impl Counts {
    fn get(&self, host: u32) -> u32 {
        self.hosts.find(host).map_or(0, |slot| self.counts[slot as usize])
    }

    fn add(&mut self, host: u32) {
        let slot = self.hosts.find_or_take(host) as usize;
        if self.counts.len() <= slot {
            self.counts.push(0);
        }
        self.counts[slot] += 1;
    }

    fn remove(&mut self, host: u32) {
        if let Some(slot) = self.hosts.find(host) {
            self.counts[slot as usize] -= 1;
            if self.counts[slot as usize] == 0 {
                self.hosts.give_back(slot);
            }
        }
    }
}
