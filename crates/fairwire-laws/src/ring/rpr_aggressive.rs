//! The packet ring's aggressive mode, as the DVSR paper analyses it.
//!
//! A congested station tells those upstream what it adds itself, filtered, and each of
//! them holds every destination past it to that; when congestion clears, all climb
//! again. Unbalanced traffic makes it swing for ever.
//!
//! Source: [dvsr] §II-B, §II-C, §IV. Left open there and chosen here: the fixed
//! increment is a 64th of what is missing, as in its own §IV-B; the filter weighs a
//! sample 1/64; the own station is not held to what it tells.

use super::rpr::prelude::*;

dvsr_paper_params! {
    /// low_threshold, as a part of the secondary transit queue: deeper than that is congested.
    stq_low_threshold: Fraction = Fraction::clamped(0.125),
}

/// The law.
pub type Law = Station<Aggressive>;

/// What makes it this law.
pub struct Aggressive;

impl Profile for Aggressive {
    type Params = Params;
    type Rule = AggressiveRate;
    type Limits = PerDestination;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-aggressive",
        summary: "A congested station tells upstream stations its own filtered add rate; all hold to it, then climb",
        source: "[dvsr] §II-C",
    };

    const WEIGHTED: bool = false;

    fn settings(params: &Params, site: &RingSite) -> Settings {
        settings(params, gauge(params, site))
    }

    fn rule(_params: &Params) -> AggressiveRate {
        AggressiveRate
    }
}

/// Where there is no secondary transit queue, the load of the link alone tells congestion.
fn gauge(params: &Params, site: &RingSite) -> Gauge {
    match site.secondary_buffer {
        Some(secondary) => {
            let low = secondary.get() as f64 * params.stq_low_threshold.get();
            Gauge::Depth(Marks::halved(low, low))
        }
        None => {
            let unreserved = site.unreserved().as_bps_f64();
            Gauge::Rate(Marks::halved(unreserved * (1.0 + 1e-9), unreserved))
        }
    }
}
