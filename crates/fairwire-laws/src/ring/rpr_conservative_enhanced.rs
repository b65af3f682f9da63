//! The packet ring's enhanced conservative mode.
//!
//! As the original one, with weights, a better first estimate where the station itself
//! has little to add, an earlier reaction at a medium threshold, a quick one when severely
//! congested, and a round trip that fits the congestion domain.
//!
//! Source: [rpr-enhanced-conservative] §III-D, Table III. Left open there and chosen
//! here: how the round trip is known; when rows are guarded (`rpr/rules/enhanced_table.rs`);
//! the exit test subtracts beta bytes an aging interval.

use super::rpr::prelude::*;

enhanced_paper_params! {
    /// Ramp-up coefficient: the fair rate climbs by one in so many of what the link has spare.
    alpha: Coefficient = Coefficient::clamped(64),
    /// Ramp-down coefficient: the fair rate sinks by one in so many.
    beta: Coefficient = Coefficient::clamped(64),
    /// What tells that the fair rate has come close enough to the whole.
    exit_test: ExitTest = ExitTest::BytesPerInterval,
    /// Row 7 of Table III: a station that is severely congested estimates anew in every aging interval.
    row_7: bool = true,
    /// How a head knows the round trip of its congestion domain.
    round_trip: RoundTripWay = RoundTripWay::Computed,
    /// The round trip where it is fixed.
    rtt: Interval = Interval::micros(20_000),
    /// How often the tail makes the difference of delays visible where the round trip is measured.
    fdd_interval: Interval = Interval::micros(10_000),
}

/// The law.
pub type Law = Station<Enhanced>;

/// What makes it this law.
pub struct Enhanced;

impl Profile for Enhanced {
    type Params = Params;
    type Rule = EnhancedTable;
    type Limits = TwoLimits;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-conservative-enhanced",
        summary: "A congested station estimates a weighted fair rate and moves it once a round trip of its domain",
        source: "[rpr-enhanced-conservative] §III-D, Table III",
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

    fn rule(params: &Params) -> EnhancedTable {
        let [alpha, beta] = [params.alpha, params.beta].map(Coefficient::get);
        EnhancedTable::new(
            EnhancedCoefficients { alpha, beta, row_7: params.row_7 },
            Exit { test: params.exit_test, beta, ramp_up: alpha },
        )
    }

    fn stq_thresholds(params: &Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        thresholds(params, secondary, max_packet)
    }
}
