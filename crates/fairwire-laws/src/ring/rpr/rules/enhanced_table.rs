//! The enhanced conservative mode ([rpr-enhanced-conservative] Table III, eqs. (1)–(4)).

use super::{Exit, FairRateRule, LocalRate, State};
use crate::ring::rpr::situation::Situation;
use fairwire_core::Instant;

/// α and β.
#[derive(Clone, Copy, Debug)]
pub struct EnhancedCoefficients {
    /// α, of the way up.
    pub alpha: f64,
    /// β, of the way down.
    pub beta: f64,
    /// Whether row 7 is there.
    pub row_7: bool,
}

/// Table III. Chosen where it is silent: a station that is alone keeps L = R; row 6
/// never lowers L; row 7 comes after row 5 or 6, in every interval, and neither waits
/// for the round trip nor resets it; row 7 looks at the deepest queue of the interval, since the station stops adding
/// at that same mark, so that the queue hardly stays above it.
///
/// With the printed exit test, eq. (1) can give a station that weighs more than all
/// others an L above R, with which it would leave and come back in every other
/// interval, starving: then the equal part is taken.
#[derive(Clone, Copy, Debug)]
pub struct EnhancedTable {
    state: State,
    rate_bps: f64,
    /// When the round trip was last reset.
    reset: Instant,
    coefficients: EnhancedCoefficients,
    exit: Exit,
}

impl EnhancedTable {
    /// A table with these coefficients.
    pub fn new(coefficients: EnhancedCoefficients, exit: Exit) -> Self {
        Self { state: State::Uncg, rate_bps: 0.0, reset: Instant::ZERO, coefficients, exit }
    }

    /// Row 2, eq. (1): what a station with little to add leaves to the others is theirs.
    fn onset(&mut self, now: &Situation) {
        let (unreserved, weight, add) = (now.unreserved_bps, now.weight, now.sample.lp_add_bps);
        let equal = weight * unreserved / now.active_weight();
        self.rate_bps = if now.sample.active_weight <= 0.0 {
            self.exit.largest(weight, unreserved)
        } else if add < equal {
            let left = weight * (unreserved - add) / now.sample.active_weight;
            if self.passes(left, now) { equal } else { left }
        } else {
            equal
        };
        self.reset = now.now;
        self.state = State::Cgst;
    }

    fn passes(&self, rate_bps: f64, now: &Situation) -> bool {
        self.exit.passes(rate_bps, now.weight, now.unreserved_bps, now.aging.as_secs_f64())
    }

    fn congested(&mut self, now: &Situation) {
        let unreserved = now.unreserved_bps;
        // Row 4: L = R.
        if self.passes(self.rate_bps, now) {
            (self.state, self.rate_bps) = (State::Uncg, unreserved);
            return;
        }
        let trip_over = now.now.since(self.reset) >= now.round_trip;
        if trip_over && now.fill.above_medium() {
            // Row 5, eq. (2): L = L - L/β.
            self.rate_bps -= self.rate_bps / self.coefficients.beta;
            self.reset = now.now;
        } else if trip_over && now.fill.below_low() {
            // Row 6, eq. (3): L = min(R, L + (R - (LpAddRate + LpFwRate))/α).
            let spare = (unreserved - now.sample.lp_total_bps()).max(0.0);
            let largest = self.exit.largest(now.weight, unreserved);
            self.rate_bps = largest.min(self.rate_bps + spare / self.coefficients.alpha);
            self.reset = now.now;
        }
        if self.coefficients.row_7 && now.fill.was_above_high() {
            self.severe(now);
        }
    }

    /// Row 7, eq. (4): the onset saw too few active stations.
    fn severe(&mut self, now: &Situation) {
        let sample = &now.sample;
        let others = sample.active_weight;
        if others > 0.0 && sample.lp_add_bps / now.weight < sample.lp_forward_bps / others {
            self.rate_bps = self.rate_bps.min(now.weight * sample.lp_total_bps() / now.active_weight());
        }
    }
}

impl FairRateRule for EnhancedTable {
    const AWAITS_ROUND_TRIP: bool = true;
    const ASKS_FOR_HIGHEST: bool = true;

    fn age(&mut self, now: &Situation) -> LocalRate {
        match self.state {
            State::Uncg if now.fill.above_low() => self.onset(now),
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

    fn table(state: State, mbps: f64) -> EnhancedTable {
        let exit = Exit { test: ExitTest::BytesPerInterval, beta: 64.0, ramp_up: 64.0 };
        let coefficients = EnhancedCoefficients { alpha: 32.0, beta: 64.0, row_7: true };
        EnhancedTable { state, rate_bps: mbps * 1e6, ..EnhancedTable::new(coefficients, exit) }
    }

    /// R = 600 Mb/s; W = 2, others active with 4; these filtered rates in Mb/s.
    fn weighted(add: f64, forward: f64) -> Situation {
        let mut now = Situation { weight: 2.0, ..calm() };
        now.sample.active_weight = 4.0;
        (now.sample.lp_add_bps, now.sample.lp_forward_bps) = (add * 1e6, forward * 1e6);
        now
    }

    fn row(table: EnhancedTable, now: Situation, kb: f64, us: u64) -> (f64, State, bool) {
        let mut table = table;
        let local = table.age(&at_us(deep(now, kb), us));
        assert_eq!(local.congested, table.state == State::Cgst);
        (local.rate_bps / 1e6, table.state, table.reset > Instant::ZERO)
    }

    #[test]
    fn row_1_begins_uncongested_at_r() {
        let mut fresh = table(State::default(), 0.0);
        assert_eq!(fresh.age(&calm()), LocalRate { rate_bps: 600e6, congested: false });
    }

    #[test]
    fn row_2_gives_away_what_a_small_demand_leaves() {
        let uncg = table(State::Uncg, 600.0);
        // Equal would be 2 * 600 / 6 = 200; 2 * (600 - 80) / 4 = 260.
        assert_eq!(row(uncg, weighted(80.0, 500.0), 32.001, 7), (260.0, State::Cgst, true));
        assert_eq!(row(uncg, weighted(200.0, 400.0), 32.001, 7), (200.0, State::Cgst, true));
        let mut light = weighted(0.0, 600.0);
        light.sample.active_weight = 1.0;
        assert_eq!(row(uncg, light, 33.0, 7).0, 400.0, "2 * 600 / 1 would leave at once");
        let mut corrected = uncg;
        corrected.exit.test = ExitTest::Corrected;
        light.sample.active_weight = 1.5;
        assert_eq!(row(corrected, light, 33.0, 7).0, 800.0, "400 for each unit of weight");
        light.sample.active_weight = 0.0;
        assert_eq!(row(uncg, light, 33.0, 7).0, 600.0, "alone");
    }

    #[test]
    fn row_3_stays_at_r() {
        assert_eq!(row(table(State::Uncg, 1.0), calm(), 32.0, 7), (600.0, State::Uncg, false));
    }

    /// Before all others, even when row 7 would come.
    #[test]
    fn row_4_leaves_near_r() {
        assert_eq!(row(table(State::Cgst, 594.9), weighted(10.0, 600.0), 100.0, 7), (600.0, State::Uncg, false));
        assert_eq!(row(table(State::Cgst, 594.8), calm(), 40.0, 7), (594.8, State::Cgst, false));
    }

    #[test]
    fn row_5_sinks_above_the_medium_mark() {
        let cgst = table(State::Cgst, 320.0);
        assert_eq!(row(cgst, calm(), 48.001, 1_000), (315.0, State::Cgst, true));
        assert_eq!(row(cgst, calm(), 48.001, 999), (320.0, State::Cgst, false), "not before a round trip");
        assert_eq!(row(cgst, calm(), 48.0, 1_000), (320.0, State::Cgst, false), "nor at the mark");
    }

    #[test]
    fn row_6_climbs_below_the_low_mark_by_what_is_spare() {
        let cgst = table(State::Cgst, 280.0);
        assert_eq!(row(cgst, calm(), 31.999, 1_000), (280.0 + 200.0 / 32.0, State::Cgst, true));
        assert_eq!(row(cgst, calm(), 31.999, 999), (280.0, State::Cgst, false));
        assert_eq!(row(cgst, calm(), 32.0, 1_000), (280.0, State::Cgst, false), "not at the mark");
        assert_eq!(row(cgst, weighted(300.0, 330.0), 1.0, 1_000), (280.0, State::Cgst, true), "never down");
        let near = table(State::Cgst, 590.0);
        let mut idle = calm();
        (idle.sample.lp_add_bps, idle.sample.lp_forward_bps) = (0.0, 0.0);
        assert_eq!(row(near, idle, 1.0, 1_000).0, 600.0, "never above R");
    }

    #[test]
    fn row_7_takes_what_is_served_for_the_whole() {
        let cgst = table(State::Cgst, 320.0);
        // 30/2 < 570/4, so L = 2 * 600 / 6, in any interval and without a reset.
        assert_eq!(row(cgst, weighted(30.0, 570.0), 64.001, 7), (200.0, State::Cgst, false));
        assert_eq!(row(cgst, weighted(30.0, 570.0), 64.0, 7), (320.0, State::Cgst, false), "not at the mark");
        assert_eq!(row(cgst, weighted(200.0, 400.0), 70.0, 7), (320.0, State::Cgst, false), "not with its share");
        // 150/2 < 400/4 though 150 · 2 is more.
        assert_eq!(row(cgst, weighted(150.0, 400.0), 70.0, 7).0, 2.0 * 550.0 / 6.0);
        let low = table(State::Cgst, 100.0);
        assert_eq!(row(low, weighted(30.0, 570.0), 70.0, 7).0, 100.0, "never up");
        let mut alone = weighted(30.0, 270.0);
        alone.sample.active_weight = 0.0;
        assert_eq!(row(cgst, alone, 70.0, 7).0, 320.0, "alone");
    }

    #[test]
    fn rows_5_and_7_come_in_one_interval() {
        let now = weighted(30.0, 570.0);
        assert_eq!(row(table(State::Cgst, 320.0), now, 64.001, 1_000), (200.0, State::Cgst, true));
        let mut without = table(State::Cgst, 320.0);
        without.coefficients.row_7 = false;
        assert_eq!(row(without, now, 64.001, 1_000), (315.0, State::Cgst, true));
    }
}
