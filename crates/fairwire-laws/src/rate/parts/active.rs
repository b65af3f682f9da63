//! Which flows are active, as ERICA counts them: those of which a packet came in an averaging interval.

use super::averaging::{Averaging, Load};
use crate::rate::packets::Packets;
use crate::rate::{PortView, Terms};
use fairwire_core::{Instant, Span};

/// Averaging intervals of a port, and what the flows that are active in them have in sum. It rests after an interval
/// without a packet.
#[derive(Clone, Debug)]
pub struct ActiveFlows {
    averaging: Averaging,
    /// The number of the interval that goes on, from 1 on.
    interval: u64,
    counted: Sums,
}

/// Sums over active flows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// N: how many they are.
    pub flows: u32,
    /// Σ w.
    pub weights: f64,
    /// Σ MR in bit/s.
    pub minimums_bps: f64,
}

impl ActiveFlows {
    /// Intervals of `interval`, which is above zero, or of `most_packets` if that is earlier; 0 packets for by time alone.
    pub fn new(interval: Span, most_packets: Packets) -> Self {
        let most_packets = Some(most_packets.0).filter(|packets| *packets > 0);
        Self { averaging: Averaging::new(interval, most_packets), interval: 1, counted: Sums::default() }
    }

    /// The number of the interval that goes on, from 1 on.
    pub fn interval(&self) -> u64 {
        self.interval
    }

    /// A packet comes of the flow that was last heard in interval `heard_in`, which is brought up to date. It belongs to
    /// the interval that goes on; if the one before is over with it, what that one brought.
    #[inline]
    pub fn on_packet(
        &mut self,
        now: Instant,
        size_bytes: u32,
        port: &PortView,
        heard_in: &mut u64,
        terms: &Terms,
    ) -> Option<(Load, Sums)> {
        let load = self.averaging.on_packet(now, size_bytes, port);
        let over = load.map(|load| (load, self.next_interval()));
        if *heard_in != self.interval {
            *heard_in = self.interval;
            self.counted.flows += 1;
            self.counted.weights += terms.weight;
            self.counted.minimums_bps += terms.minimum_bps;
        }
        over
    }

    /// What the interval brought, if it is over at `now`.
    pub fn on_timeout(&mut self, now: Instant, port: &PortView) -> Option<(Load, Sums)> {
        let load = self.averaging.on_timeout(now, port)?;
        let sums = self.next_interval();
        if sums.flows == 0 {
            self.averaging.rest();
        }
        Some((load, sums))
    }

    /// When the interval will be over.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.averaging.poll_timeout()
    }

    fn next_interval(&mut self) -> Sums {
        self.interval += 1;
        std::mem::take(&mut self.counted)
    }
}

/// The earlier of two times at which a law wants to be woken.
pub fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}
