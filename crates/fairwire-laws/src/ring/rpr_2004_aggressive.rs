//! The aggressive mode with the defaults of the final standard, IEEE 802.17-2004.
//!
//! A station is congested by its transit queue, or without a secondary one by the load
//! of its link and its access timer; then it tells what it adds, filtered, over its weight.
//!
//! Source: the public MIB of the standard for names, defaults and ranges;
//! [rpr-enhanced-conservative] §III for the rules. Which is which stands in
//! `docs/laws/rpr-2004-aggressive.md`.

use super::rpr::prelude::*;

final_standard_params! {}

/// The law.
pub type Law = Station<Aggressive2004>;

/// What makes it this law.
pub struct Aggressive2004;

impl Profile for Aggressive2004 {
    type Params = Params;
    type Rule = AggressiveTable;
    type Limits = TwoLimits;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-2004-aggressive",
        summary: "The aggressive mode with the defaults of IEEE 802.17-2004",
        source: "IEEE-802DOT17-RPR-MIB; [rpr-enhanced-conservative] §III",
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
