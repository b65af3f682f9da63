//! Darwin, the proposal of early 2002 that merged Gandalf and Aladdin: the framework of
//! the packet ring with the aggressive mode and two transit queues as its default.
//!
//! It has no code of its own: it is `rpr-aggressive` under its name. Whether stations
//! queue by destination was optional; a scenario's `station-queues` tells.
//!
//! Source: [rias-benchmark-slides]; that both have the same mechanics is our reading.

use super::rpr::prelude::*;
use super::rpr_aggressive::Aggressive;

pub use super::rpr_aggressive::Params;

/// The law.
pub type Law = Station<Darwin>;

/// What makes it this law: its name.
pub struct Darwin;

impl Profile for Darwin {
    type Params = Params;
    type Rule = <Aggressive as Profile>::Rule;
    type Limits = <Aggressive as Profile>::Limits;

    const ABOUT: LawAbout = LawAbout {
        name: "darwin",
        summary: "The merged 802.17 proposal of 2002: rpr-aggressive under its own name",
        source: "[rias-benchmark-slides]",
    };

    const WEIGHTED: bool = false;

    fn settings(params: &Params, site: &RingSite) -> Settings {
        Aggressive::settings(params, site)
    }

    fn rule(params: &Params) -> Self::Rule {
        Aggressive::rule(params)
    }
}
