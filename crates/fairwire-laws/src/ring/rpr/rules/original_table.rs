//! The original conservative mode ([rpr-enhanced-conservative] Table II).

use super::{Exit, FairRateRule, LocalRate, State};
use crate::ring::rpr::situation::Situation;
use fairwire_core::Instant;

/// Table II. Row 2 prints the weight; the text has this mode ignore weights, so
/// stations that run it all weigh one.
#[derive(Clone, Copy, Debug)]
pub struct OriginalTable {
    state: State,
    rate_bps: f64,
    /// When the round trip was last reset.
    reset: Instant,
    beta: f64,
    exit: Exit,
}

impl OriginalTable {
    /// A table with these coefficients.
    pub fn new(beta: f64, exit: Exit) -> Self {
        Self { state: State::Uncg, rate_bps: 0.0, reset: Instant::ZERO, beta, exit }
    }

    fn congested(&mut self, now: &Situation) {
        let unreserved = now.unreserved_bps;
        if self.exit.passes(self.rate_bps, now.weight, unreserved, now.aging.as_secs_f64()) {
            // Row 4: L = R.
            (self.state, self.rate_bps) = (State::Uncg, unreserved);
        } else if now.now.since(self.reset) < now.round_trip {
            // Rows 5 and 6 wait for the round trip.
        } else if now.fill.above_high() {
            // Row 5: L = L - L/β.
            self.rate_bps -= self.rate_bps / self.beta;
            self.reset = now.now;
        } else if !now.fill.above_low() {
            // Row 6: L = min(R, L + (R - L)/β).
            self.rate_bps = unreserved.min(self.rate_bps + (unreserved - self.rate_bps) / self.beta);
            self.reset = now.now;
        }
    }
}

impl FairRateRule for OriginalTable {
    const AWAITS_ROUND_TRIP: bool = true;

    fn age(&mut self, now: &Situation) -> LocalRate {
        match self.state {
            State::Uncg if now.fill.above_low() => {
                // Row 2: L = R / ActiveStations; reset RTT.
                self.rate_bps = now.unreserved_bps / (now.sample.active_others + 1.0);
                self.reset = now.now;
                self.state = State::Cgst;
            }
            // Row 3 (and 1): L = R.
            State::Uncg => self.rate_bps = now.unreserved_bps,
            State::Cgst => self.congested(now),
        }
        LocalRate { rate_bps: self.rate_bps, congested: self.state == State::Cgst }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_us, calm, deep};
    use super::super::{ExitTest, LocalRate};
    use super::*;

    fn table(state: State, mbps: f64) -> OriginalTable {
        let exit = Exit { test: ExitTest::BytesPerInterval, beta: 64.0, ramp_up: 64.0 };
        OriginalTable { state, rate_bps: mbps * 1e6, ..OriginalTable::new(64.0, exit) }
    }

    /// A round trip (1 ms) after the reset, or not yet.
    fn row(state: State, mbps: f64, kb: f64, us: u64) -> (f64, State, bool) {
        let mut table = table(state, mbps);
        let local = table.age(&at_us(deep(calm(), kb), us));
        (local.rate_bps / 1e6, table.state, table.reset > Instant::ZERO)
    }

    #[test]
    fn row_1_begins_uncongested_at_r() {
        let mut fresh = table(State::default(), 0.0);
        assert_eq!(fresh.age(&calm()), LocalRate { rate_bps: 600e6, congested: false });
    }

    #[test]
    fn row_2_shares_equally_among_the_active_and_itself() {
        assert_eq!(row(State::Uncg, 600.0, 32.001, 7), (300.0, State::Cgst, true));
    }

    #[test]
    fn row_3_stays_at_r() {
        assert_eq!(row(State::Uncg, 600.0, 32.0, 7), (600.0, State::Uncg, false));
    }

    /// Before all others, without waiting for the round trip.
    #[test]
    fn row_4_leaves_near_r() {
        assert_eq!(row(State::Cgst, 594.9, 100.0, 7), (600.0, State::Uncg, false));
        assert_eq!(row(State::Cgst, 594.8, 100.0, 7).1, State::Cgst);
    }

    #[test]
    fn row_5_sinks_above_the_high_mark() {
        assert_eq!(row(State::Cgst, 320.0, 64.001, 1_000), (315.0, State::Cgst, true));
        assert_eq!(row(State::Cgst, 320.0, 64.001, 999), (320.0, State::Cgst, false), "not before a round trip");
        assert_eq!(row(State::Cgst, 320.0, 64.0, 1_000), (320.0, State::Cgst, false), "nor at the mark");
    }

    #[test]
    fn row_6_climbs_at_the_low_mark_or_below() {
        assert_eq!(row(State::Cgst, 280.0, 32.0, 1_000), (285.0, State::Cgst, true));
        assert_eq!(row(State::Cgst, 280.0, 32.0, 999), (280.0, State::Cgst, false));
        assert_eq!(row(State::Cgst, 280.0, 32.001, 1_000), (280.0, State::Cgst, false), "between the marks it stays");
    }
}
