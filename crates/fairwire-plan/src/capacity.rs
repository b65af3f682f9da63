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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_holds_from_its_instant_on_and_counts_in_the_time_asked_for_alone() {
        let change = |(s, mbps): (u64, u64)| LinkChange {
            at: Instant::ZERO + Span::from_millis(s * 1_000),
            capacity: BitRate::from_mbps(mbps),
        };
        let (first, changes) = (BitRate::from_mbps(100), [(1, 50), (4, 200), (9, 400)].map(change));
        let at = |ns: u64| capacity_at(first, &changes, Instant::from_nanos(ns)).as_bps() / 1_000_000;
        assert_eq!([0, 999_999_999, 1_000_000_000, 3_999_999_999, 4_000_000_000].map(at), [100, 100, 50, 50, 200]);
        let mean = |from: u64, until: u64| {
            mean_capacity_bps(first, &changes, Span::from_millis(from * 1_000), Span::from_millis(until * 1_000)) / 1e6
        };
        assert_eq!(mean(0, 2), 75.0, "a second each");
        assert_eq!(mean(2, 6), 125.0, "two seconds each; what was before and what is to come does not count");
        assert_eq!(mean(10, 20), 400.0);
    }
}
