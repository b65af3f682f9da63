//! When a flow is active.

use fairwire_core::{RandomStream, Span};
use rand::RngExt;

/// Periods of equal length, in each of which a flow is active or silent.
#[derive(Clone, Debug)]
pub struct Periods {
    every: u64,
    active: Vec<bool>,
}

impl Periods {
    /// Active at all times.
    pub fn always() -> Self {
        Self { every: u64::MAX, active: vec![true] }
    }

    /// Periods of a run of `duration`, each active with this `probability`.
    pub fn draw(every: Span, probability: f64, duration: Span, rng: &mut RandomStream) -> Self {
        let every = every.as_nanos().max(1);
        let count = duration.as_nanos().div_ceil(every).max(1);
        Self { every, active: (0..count).map(|_| rng.random::<f64>() < probability).collect() }
    }

    /// Whether the flow is active at all times.
    pub fn are_always(&self) -> bool {
        self.every == u64::MAX && self.active == [true]
    }

    /// Each period's.
    pub fn active(&self) -> &[bool] {
        &self.active
    }

    fn index(&self, t: u64) -> usize {
        usize::try_from(t / self.every).unwrap_or(usize::MAX)
    }

    /// Whether the flow is active at `t`; beyond the last period it is silent.
    #[inline]
    pub fn is_active(&self, t: u64) -> bool {
        self.active.get(self.index(t)).is_some_and(|active| *active)
    }

    /// The first instant from `t` on at which the flow is active, `u64::MAX` if there is none.
    pub fn next_active(&self, t: u64) -> u64 {
        self.next(t, true)
    }

    /// The first instant from `t` on at which the flow is silent, `u64::MAX` if there is
    /// none before the run ends.
    pub fn next_silent(&self, t: u64) -> u64 {
        self.next(t, false)
    }

    fn next(&self, t: u64, wanted: bool) -> u64 {
        let first = self.index(t);
        let ahead = self.active.iter().enumerate().skip(first);
        match ahead.into_iter().find(|(_, active)| **active == wanted) {
            Some((index, _)) => t.max(index as u64 * self.every),
            None => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_from_any_instant() {
        let periods = Periods { every: 10, active: vec![false, true, true, false, true] };
        assert_eq!([0, 9, 10, 15, 30, 49, 50].map(|t| periods.next_active(t)), [10, 10, 10, 15, 40, 49, u64::MAX]);
        assert_eq!([0, 9, 10, 29, 39, 40].map(|t| periods.next_silent(t)), [0, 9, 30, 30, 39, u64::MAX]);
        assert_eq!([9, 10, 29, 30, 50].map(|t| periods.is_active(t)), [false, true, true, false, false]);
        assert!(Periods::always().is_active(u64::MAX - 1));
        assert_eq!(Periods::always().next_silent(0), u64::MAX);
    }
}
