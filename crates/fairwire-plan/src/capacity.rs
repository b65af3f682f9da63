//! Links whose capacity becomes another on the way.

use fairwire_core::{BitRate, Instant, Span};

/// From some time on a link has another capacity. A packet that is being sent then is
/// sent to its end at the old one. The laws that go by it are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// From when on.
    pub at: Instant,
    /// Bits per second, above zero.
    pub capacity: BitRate,
}

/// What a link carries at `at` that carries `first` at the start; `changes` in order of time.
pub fn capacity_at(first: BitRate, changes: &[LinkChange], at: Instant) -> BitRate {
    changes.iter().take_while(|change| change.at <= at).last().map_or(first, |change| change.capacity)
}

/// The same on average from `from` on and up to `until`, in bit/s.
pub fn mean_capacity_bps(first: BitRate, changes: &[LinkChange], from: Span, until: Span) -> f64 {
    let (mut capacity, mut since, mut bits) = (first, from, 0.0);
    let mut hold = |capacity: BitRate, since: Span, until: Span| {
        bits += capacity.as_bps_f64() * (until - since).as_secs_f64();
    };
    for change in changes {
        let at = change.at.since(Instant::ZERO).min(until);
        if at > since {
            hold(capacity, since, at);
            since = at;
        }
        capacity = change.capacity;
    }
    hold(capacity, since, until.max(since));
    let lasts = (until - from).as_secs_f64();
    if lasts > 0.0 { bits / lasts } else { first.as_bps_f64() }
}
