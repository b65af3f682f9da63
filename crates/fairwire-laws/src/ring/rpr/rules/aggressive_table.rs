//! Aggressive mode by the queue's depth alone ([rpr-enhanced-conservative] Table I).

use super::{FairRateRule, LocalRate, State};
use crate::ring::rpr::situation::Situation;

/// Table I.
#[derive(Clone, Copy, Debug, Default)]
pub struct AggressiveTable {
    state: State,
}

impl FairRateRule for AggressiveTable {
    fn age(&mut self, now: &Situation) -> LocalRate {
        let unreserved = now.unreserved_bps;
        let add = now.sample.lp_add_bps.min(unreserved);
        let (rate_bps, state) = match self.state {
            // Row 2: L = LpAddRate.
            State::Uncg if now.fill.above_low() => (add, State::Cgst),
            // Row 3 (and 1): L = R.
            State::Uncg => (unreserved, State::Uncg),
            // Row 4: L = R.
            State::Cgst if !now.fill.above_low() => (unreserved, State::Uncg),
            // Row 5: L = LpAddRate.
            State::Cgst => (add, State::Cgst),
        };
        self.state = state;
        LocalRate { rate_bps, congested: state == State::Cgst }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{calm, deep};
    use super::*;

    /// From a state at a depth: the rate in Mb/s and the next state.
    fn row(state: State, kb: f64) -> (f64, State) {
        let mut table = AggressiveTable { state };
        let local = table.age(&deep(calm(), kb));
        assert_eq!(local.congested, table.state == State::Cgst);
        (local.rate_bps / 1e6, table.state)
    }

    #[test]
    fn row_1_begins_uncongested_at_r() {
        let mut table = AggressiveTable::default();
        assert_eq!(table.age(&calm()), LocalRate { rate_bps: 600e6, congested: false });
    }

    #[test]
    fn row_2_tells_the_add_rate() {
        assert_eq!(row(State::Uncg, 32.001), (200.0, State::Cgst));
    }

    #[test]
    fn row_3_stays_uncongested_at_the_mark() {
        assert_eq!(row(State::Uncg, 32.0), (600.0, State::Uncg));
    }

    #[test]
    fn row_4_leaves_at_the_mark() {
        assert_eq!(row(State::Cgst, 32.0), (600.0, State::Uncg));
    }

    #[test]
    fn row_5_follows_the_add_rate() {
        assert_eq!(row(State::Cgst, 100.0), (200.0, State::Cgst));
        let mut now = deep(calm(), 100.0);
        now.sample.lp_add_bps = 7e6;
        assert_eq!(AggressiveTable { state: State::Cgst }.age(&now).rate_bps, 7e6);
    }
}
