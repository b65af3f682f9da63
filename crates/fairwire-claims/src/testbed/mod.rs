//! The testbed of the paper on DVSR ([dvsr] §VIII), rebuilt with the packets of this machine's own kernel.
//!
//! These checks need somebody who carries real packets through a ring: whoever asks for the claims brings a [`Carrier`], and
//! without one the claims are `not-run`.

mod checks;
mod cost;
mod ring;

use crate::catalogue::Claim;
use crate::row::Finding;
use crate::runs::{Run, Trouble};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::RingPlan;

/// Carries real packets through rings.
pub trait Carrier: Sync {
    /// Sends what the plan's flows send through its ring under `law`, as real packets, and tells what was counted.
    ///
    /// # Errors
    /// In words, what this machine lacks, or why nothing can be said of the run.
    fn carry(&self, plan: RingPlan, law: &RingLawChoice) -> Result<Carried, String>;
}

/// A run with real packets.
pub struct Carried {
    /// What was run, and what was counted.
    pub run: Run,
    /// What the run says of itself: `undisturbed`, or `disturbed` and why.
    pub how: String,
}

/// Measures one claim with real packets.
pub(crate) type TestbedCheck = fn(&Claim, &dyn Carrier) -> Result<Finding, Trouble>;

/// All that need them.
pub(crate) const CHECKS: &[(&str, TestbedCheck)] = &[
    ("dvsr-sec8-instruction-counts", cost::visit),
    ("dvsr-sec8-testbed-configuration", checks::configuration),
    ("dvsr-sec8-two-flow", checks::two_flows),
    ("dvsr-sec8-three-flow", checks::three_flows),
    ("dvsr-sec8-unbalanced", checks::unbalanced),
];

/// Why they are not run without.
pub(crate) const NEEDS_REAL_PACKETS: &str =
    "measured with real packets: `fairwire reproduce --real dvsr`, on Linux and without root";
