//! The packet ring's original conservative mode.
//!
//! A station whose secondary transit queue grows tells all an equal part of its link,
//! and then lowers or raises it once a fixed round trip by the queue's depth.
//!
//! Source: [rpr-enhanced-conservative] §III-C, Table II. Left open there and chosen
//! here: weights do not count, as the text says and row 2 does not; the exit test
//! subtracts beta bytes an aging interval.

use super::rpr::prelude::*;

enhanced_paper_params! {
    /// Ramp coefficient: the fair rate sinks by one in so many, and climbs by one in so many of what it is short of.
    beta: Coefficient = Coefficient::clamped(64),
    /// What tells that the fair rate has come close enough to the whole.
    exit_test: ExitTest = ExitTest::BytesPerInterval,
    /// The fixed round trip: the fair rate moves once in it.
    rtt: Interval = Interval::micros(20_000),
}

/// The law.
pub type Law = Station<Original>;

/// What makes it this law.
pub struct Original;

impl Profile for Original {
    type Params = Params;
    type Rule = OriginalTable;
    type Limits = TwoLimits;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-conservative-original",
        summary: "A congested station tells an equal part and moves it once a fixed round trip by its queue's depth",
        source: "[rpr-enhanced-conservative] §III-C, Table II",
    };

    const WEIGHTED: bool = false;

    fn settings(params: &Params, site: &RingSite) -> Settings {
        Settings { round_trip: RoundTripWay::Fixed, fixed_round_trip: params.rtt.span(), ..settings(params, site) }
    }

    fn rule(params: &Params) -> OriginalTable {
        let beta = params.beta.get();
        OriginalTable::new(beta, Exit { test: params.exit_test, beta, ramp_up: beta })
    }

    fn stq_thresholds(params: &Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        thresholds(params, secondary, max_packet)
    }
}
