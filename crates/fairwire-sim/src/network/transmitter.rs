//! The link behind a queue: how long packets take, and which are lost.

use fairwire_core::{RandomStream, Serialiser, Streams};
use fairwire_plan::{LinkChange, NetworkLinkPlan};
use rand::{Rng, RngExt};

/// Sends packets one after the other.
#[derive(Debug)]
pub struct Transmitter {
    serialiser: Serialiser,
    delay: u64,
    /// When the packet in transmission, or the last one, ends.
    pub free_at: u64,
    /// When that packet's transmission begins.
    pub begun_at: u64,
    /// When the capacity changes next, `u64::MAX` if never.
    change_at: u64,
    /// Changes to come, the next one at the end.
    changes: Vec<LinkChange>,
    /// Whether there is loss or reordering.
    irregular: bool,
    loss: f64,
    loss_rng: Option<RandomStream>,
    reordering: u64,
    reordering_rng: Option<RandomStream>,
}

impl Transmitter {
    pub fn new(plan: &NetworkLinkPlan, streams: &Streams) -> Self {
        let mut changes = plan.changes.clone();
        changes.reverse();
        let loses = plan.random_loss > 0.0;
        let reordering = plan.reordering.as_nanos();
        let stream = |kind: &str| streams.component(&format!("{kind}/{}", plan.name));
        Self {
            serialiser: Serialiser::new(plan.capacity),
            delay: plan.delay.as_nanos(),
            free_at: 0,
            begun_at: 0,
            change_at: changes.last().map_or(u64::MAX, |change| change.at.as_nanos()),
            changes,
            irregular: loses || reordering > 0,
            loss: plan.random_loss,
            loss_rng: loses.then(|| stream("loss")),
            reordering,
            reordering_rng: (reordering > 0).then(|| stream("reordering")),
        }
    }

    /// Sends a packet from `start` on, when the link is free: when it arrives, or
    /// none if it is lost.
    #[inline(always)]
    pub fn send(&mut self, start: u64, size_bytes: u32) -> Option<u64> {
        if start >= self.change_at {
            self.change_capacity(start);
        }
        self.begun_at = start;
        // Every transmission takes at least 1 ns. Otherwise a packet could arrive before the law hears of its departure.
        self.free_at = start + self.serialiser.transmit(size_bytes).as_nanos().max(1);
        if self.irregular {
            return self.irregular_arrival();
        }
        Some(self.free_at + self.delay)
    }

    /// The latest time at which a packet sent so far can have been taken in: those that may overtake each other are never taken
    /// in before they arrive.
    pub fn busy_until(&self) -> u64 {
        self.free_at + self.delay
    }

    #[cold]
    fn change_capacity(&mut self, now: u64) {
        while let Some(change) = self.changes.pop_if(|change| change.at.as_nanos() <= now) {
            self.serialiser = Serialiser::new(change.capacity);
        }
        self.change_at = self.changes.last().map_or(u64::MAX, |change| change.at.as_nanos());
    }

    #[inline(never)]
    fn irregular_arrival(&mut self) -> Option<u64> {
        if let Some(rng) = &mut self.loss_rng
            && rng.random::<f64>() < self.loss
        {
            return None;
        }
        let extra = self.reordering_rng.as_mut().map_or(0, |rng| times_fraction(self.reordering + 1, rng.next_u64()));
        Some(self.free_at + self.delay + extra)
    }
}

/// `value` times a fraction given in units of 2^-64, rounded down.
fn times_fraction(value: u64, fraction: u64) -> u64 {
    ((u128::from(value) * u128::from(fraction)) >> 64) as u64
}
