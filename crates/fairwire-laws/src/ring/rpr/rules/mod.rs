//! How a station finds the fair rate of its own link: one rule a file.
//!
//! | file | rule |
//! | --- | --- |
//! | `aggressive_rate` | [dvsr] §II-C |
//! | `conservative_rate` | [dvsr] §II-D |
//! | `aggressive_table` | [rpr-enhanced-conservative] Table I |
//! | `original_table` | [rpr-enhanced-conservative] Table II |
//! | `enhanced_table` | [rpr-enhanced-conservative] Table III |

mod aggressive_rate;
mod aggressive_table;
mod conservative_rate;
mod enhanced_table;
mod exit_test;
mod original_table;

pub use aggressive_rate::AggressiveRate;
pub use aggressive_table::AggressiveTable;
pub use conservative_rate::ConservativeRate;
pub use enhanced_table::{EnhancedCoefficients, EnhancedTable};
pub use exit_test::{Exit, ExitTest};
pub use original_table::OriginalTable;

use super::situation::Situation;

/// What a station finds about its own link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalRate {
    /// L, the fair rate for this station's own weight, in bit/s.
    pub rate_bps: f64,
    /// Whether the link is congested.
    pub congested: bool,
}

/// A rule for the local fair rate.
pub trait FairRateRule {
    /// Whether the station holds itself to its own local fair rate while congested.
    const OBEYED: bool = true;

    /// Whether it asks who is active, or how far away: most rules divide among those who are, or let a round trip to the
    /// farthest of them pass.
    const ASKS_WHO_IS_ACTIVE: bool = true;

    /// Whether it lets a round trip pass from one change to the next.
    const AWAITS_ROUND_TRIP: bool = false;

    /// Whether it asks how much has waited at most in the aging interval ([`super::situation::Reading::was_above_high`]).
    const ASKS_FOR_HIGHEST: bool = false;

    /// An aging interval ends: what the local fair rate is now. At a link that was not congested
    /// and that nothing passes or waits for, the answer is the same as before, and nothing changes.
    fn age(&mut self, situation: &Situation) -> LocalRate;
}

/// The two states of Tables I–III after INIT: row 1 sets L = R and goes to UNCG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Uncongested.
    #[default]
    Uncg,
    /// Congested.
    Cgst,
}

#[cfg(test)]
mod testing {
    use super::*;
    use crate::ring::rpr::situation::{Marks, Reading};
    use fairwire_core::{Instant, Span};

    /// Depths of a queue with marks at 32, 48 and 64 kB ([rpr-enhanced-conservative] §III-C).
    pub fn depth_kb(kb: f64) -> Reading {
        let marks = Marks::halved(32e3, 64e3);
        assert_eq!(marks.medium, 48e3);
        Reading { level: kb * 1e3, highest: kb * 1e3, marks, starved: false }
    }

    /// R = 600 Mb/s, weight 1, one station active upstream, both filtered rates 200 Mb/s.
    pub fn calm() -> Situation {
        let mut situation = Situation {
            now: Instant::ZERO,
            aging: Span::from_micros(100),
            unreserved_bps: 600e6,
            weight: 1.0,
            sample: Default::default(),
            fill: depth_kb(0.0),
            waiting: false,
            round_trip: Span::from_millis(1),
        };
        situation.sample.active_others = 1.0;
        situation.sample.active_weight = 1.0;
        situation.sample.lp_add_bps = 200e6;
        situation.sample.lp_forward_bps = 200e6;
        situation
    }

    pub fn at_us(situation: Situation, us: u64) -> Situation {
        Situation { now: Instant::ZERO + Span::from_micros(us), ..situation }
    }

    pub fn deep(situation: Situation, kb: f64) -> Situation {
        Situation { fill: depth_kb(kb), ..situation }
    }
}
