//! The two ends of a flow: what makes packets, and what answers them. They know
//! neither links nor rings; time and packets go in, packets and wake-ups come out.

pub mod connection;
pub mod crowd;
pub mod periods;
mod ranks;
pub mod rate_end;
pub mod schedule;
pub mod session;
pub mod source;
pub mod steady;
pub mod stream;
mod timers;

use fairwire_core::{BitRate, Instant, RandomStream, Span};
use fairwire_plan::DemandChange;
use rand::Rng;

/// When `flow` offers which other rates.
pub fn demand_changes(changes: &[DemandChange], flow: usize) -> impl Iterator<Item = (Instant, BitRate)> {
    changes.iter().filter(move |change| change.flow == flow).map(|change| (change.at, change.demand))
}

/// Later than `start` by a uniform time up to `most`.
pub fn later(start: Instant, most: Span, rng: &mut RandomStream) -> Instant {
    let possible = u128::from(most.as_nanos()) + 1;
    start + Span::from_nanos(((possible * u128::from(rng.next_u64())) >> 64) as u64)
}
