//! The packet ring's aggressive mode by the depth of its queue alone.
//!
//! A station is congested while its secondary transit queue is deeper than the low
//! threshold; then it tells what it adds itself, filtered, and holds itself to it, too.
//!
//! Source: [rpr-enhanced-conservative] §III-B, Table I. Left open there and chosen
//! here: the weight of a sample (1/64), and who contributes to congestion downstream.

use super::rpr::prelude::*;

enhanced_paper_params! {}

/// The law.
pub type Law = Station<AggressiveStq>;

/// What makes it this law.
pub struct AggressiveStq;

impl Profile for AggressiveStq {
    type Params = Params;
    type Rule = AggressiveTable;
    type Limits = TwoLimits;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-aggressive-stq",
        summary: "As rpr-aggressive, but only the depth of the transit queue tells congestion, and weights count",
        source: "[rpr-enhanced-conservative] §III-B, Table I",
    };

    fn settings(params: &Params, site: &RingSite) -> Settings {
        settings(params, site)
    }

    fn rule(_params: &Params) -> AggressiveTable {
        AggressiveTable::default()
    }

    fn stq_thresholds(params: &Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        thresholds(params, secondary, max_packet)
    }
}
