//! The conservative mode with the defaults of the final standard, IEEE 802.17-2004.
//!
//! The enhanced mode with the corrected exit test, weights of active stations over 64 aging
//! intervals, and a round trip that is measured by frames.
//!
//! Source: the public MIB of the standard for names, defaults and ranges;
//! [rpr-enhanced-conservative] §III-D for the rules. Which is which stands in
//! `docs/laws/rpr-2004-conservative.md`.

use super::rpr::prelude::*;

final_standard_params! {
    /// What tells that the fair rate has come close enough to the whole.
    exit_test: ExitTest = ExitTest::Corrected,
    /// How a head knows the round trip of its congestion domain.
    round_trip: RoundTripWay = RoundTripWay::Measured,
    /// The round trip where it is fixed.
    rtt: Interval = Interval::micros(20_000),
    /// How often the tail makes the difference of delays visible.
    fdd_interval: Interval = Interval::micros(10_000),
}

/// The law.
pub type Law = Station<Conservative2004>;

/// What makes it this law.
pub struct Conservative2004;

impl Profile for Conservative2004 {
    type Params = Params;
    type Rule = EnhancedTable;
    type Limits = TwoLimits;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-2004-conservative",
        summary: "The conservative mode with the defaults of IEEE 802.17-2004",
        source: "IEEE-802DOT17-RPR-MIB; [rpr-enhanced-conservative] §III-D",
    };
    const SENDS_DOWNSTREAM: bool = true;

    fn settings(params: &Params, site: &RingSite) -> Settings {
        Settings {
            round_trip: params.round_trip,
            fixed_round_trip: params.rtt.span(),
            pair_every: params.fdd_interval.span(),
            ..settings(params, site)
        }
    }

    /// One coefficient for the way up and the way down; 64 bytes an interval for the printed exit test.
    fn rule(params: &Params) -> EnhancedTable {
        let ramp = params.ramp_up_coef.get();
        EnhancedTable::new(
            EnhancedCoefficients { alpha: ramp, beta: ramp, row_7: true },
            Exit { test: params.exit_test, beta: ramp, ramp_up: ramp },
        )
    }

    fn stq_thresholds(params: &Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        thresholds(params, secondary, max_packet)
    }
}
