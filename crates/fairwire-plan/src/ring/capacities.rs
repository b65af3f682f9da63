//! What the links of a ring carry, now and later.

use super::plan::RingPlan;
use crate::capacity::{LinkChange, mean_capacity_bps};
use crate::error::PlanError;
use fairwire_core::{BitRate, Instant, Ringlet, StationId};

/// From some time on a link has another capacity, and all laws of its ringlet are told. A packet that is being sent
/// then is sent to its end at the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapacityChange {
    /// From when on. Of several changes of a link at one instant the last one counts.
    pub at: Instant,
    /// The ringlet of the link.
    pub ringlet: Ringlet,
    /// The station that it leaves.
    pub from: StationId,
    /// Bits per second, above zero.
    pub capacity: BitRate,
}

impl RingPlan {
    /// When the link of `ringlet` that leaves station `from` has which other capacity, in order of time.
    pub fn changes_of_link(&self, ringlet: Ringlet, from: usize) -> Vec<LinkChange> {
        let of_link = |change: &&CapacityChange| (change.ringlet, change.from.index()) == (ringlet, from);
        let changes = self.capacity_changes.iter().filter(of_link);
        let mut changes: Vec<_> =
            changes.map(|change| LinkChange { at: change.at, capacity: change.capacity }).collect();
        changes.sort_by_key(|change| change.at);
        changes
    }

    /// What it carries on average after the warm-up, in bit/s.
    pub fn measured_capacity_bps(&self, ringlet: Ringlet, from: usize) -> f64 {
        let first = self.links[ringlet.index()][from].capacity;
        mean_capacity_bps(first, &self.changes_of_link(ringlet, from), self.warmup, self.duration)
    }

    /// The most that it ever carries.
    pub fn most_of_link(&self, ringlet: Ringlet, from: usize) -> BitRate {
        let changes = self.changes_of_link(ringlet, from);
        changes.iter().map(|change| change.capacity).fold(self.links[ringlet.index()][from].capacity, BitRate::max)
    }

    /// The least that it ever carries.
    pub fn least_of_link(&self, ringlet: Ringlet, from: usize) -> BitRate {
        let changes = self.changes_of_link(ringlet, from);
        changes.iter().map(|change| change.capacity).fold(self.links[ringlet.index()][from].capacity, BitRate::min)
    }

    /// What any link of `ringlet` ever carries, in no order.
    pub(super) fn capacities(&self, ringlet: Ringlet) -> impl Iterator<Item = BitRate> {
        let changes = self.capacity_changes.iter().filter(move |change| change.ringlet == ringlet);
        self.links[ringlet.index()].iter().map(|link| link.capacity).chain(changes.map(|change| change.capacity))
    }

    /// Changes are about links that are there, and leave each something to carry.
    pub(super) fn check_capacity_changes(&self) -> Result<(), PlanError> {
        for CapacityChange { ringlet, from, capacity, .. } in &self.capacity_changes {
            if from.index() >= self.stations.len() {
                return Err(PlanError::Range(format!(
                    "the capacity of link r{ringlet}:{from} is to change, and there is none"
                )));
            }
            if *capacity == BitRate::ZERO {
                return Err(PlanError::Range(format!("link r{ringlet}:{from} is to have no capacity")));
            }
        }
        Ok(())
    }
}
