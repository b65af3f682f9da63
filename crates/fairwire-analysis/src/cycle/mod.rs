//! One cycle of a swing, step by step, and the throughput that it costs.
//!
//! Both models are the paper's: two rates, one aging interval a step, no noise.
//! What it leaves open (`rampcoef`, the filter, the queue's threshold) stands
//! in [`ModeParameters`].

mod aggressive;
mod conservative;
mod loss;

pub use aggressive::{AggressiveModel, AggressiveTrace, loss_against_downstream_rate};
pub use conservative::{ConservativeModel, ConservativeTrace, loss_against_flows};
pub use loss::Loss;

use crate::AnalysisError;
use crate::error::parameter;
use serde::Serialize;

/// Steps after which a cycle counts as endless.
pub const LONGEST_CYCLE: usize = 10_000_000;

/// What both modes are run with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ModeParameters {
    /// An uncongested rate climbs by one such part of what is missing to C each step.
    pub rampcoef: f64,
    /// The filter gives one such part of its weight to the newest sample.
    pub lpcoef: f64,
    /// τ_a: the length of a step, in seconds.
    pub aging_interval_s: f64,
    /// τ_p: how long a congestion message is on its way, in seconds.
    pub propagation_s: f64,
    /// B_t: where aggressive mode sees congestion, in bytes queued.
    pub threshold_bytes: f64,
    /// Where conservative mode sees congestion, as a part of C.
    pub low_threshold: f64,
}

impl Default for ModeParameters {
    /// Of the paper: τ_a = τ_p = 0.1 ms, an eighth of 200 kB, 0.8. It gives
    /// neither rampcoef nor LPCOEF; 64 is what 802.17 uses.
    fn default() -> Self {
        Self {
            rampcoef: 64.0,
            lpcoef: 64.0,
            aging_interval_s: 1e-4,
            propagation_s: 1e-4,
            threshold_bytes: 25_000.0,
            low_threshold: 0.8,
        }
    }
}

impl ModeParameters {
    /// Refuses what would make no sense.
    ///
    /// # Errors
    /// [`AnalysisError::Parameter`] for the first that does not.
    pub fn validate(&self) -> Result<(), AnalysisError> {
        parameter("rampcoef", self.rampcoef, |value| value > 1.0, "above 1")?;
        parameter("lpcoef", self.lpcoef, |value| value >= 1.0, "at least 1")?;
        parameter("aging_interval_s", self.aging_interval_s, |value| value > 0.0, "above 0")?;
        parameter("propagation_s", self.propagation_s, |value| value >= 0.0, "at least 0")?;
        parameter("threshold_bytes", self.threshold_bytes, |value| value >= 0.0, "at least 0")?;
        parameter("low_threshold", self.low_threshold, |value| value > 0.0 && value <= 1.0, "above 0 and at most 1")
    }

    /// [dvsr] §IV-B: r_k = r_{k-1} + (C - r_{k-1})/rampcoef.
    fn climbed(&self, rate_bps: f64, capacity_bps: f64) -> f64 {
        rate_bps + (capacity_bps - rate_bps) / self.rampcoef
    }
}

/// The rates of one cycle, a step apart; after the last the first follows again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cycle {
    /// r_0 … r_N, in bit/s.
    pub rates_bps: Vec<f64>,
    /// R, in bit/s.
    pub fair_bps: f64,
    /// The length of a step, in seconds.
    pub aging_interval_s: f64,
}

impl Cycle {
    /// How long it takes until the first rate comes again, in seconds.
    pub fn period_s(&self) -> f64 {
        self.rates_bps.len() as f64 * self.aging_interval_s
    }

    /// Lowest and highest rate, in bit/s.
    pub fn range_bps(&self) -> (f64, f64) {
        let extreme = |pick: fn(f64, f64) -> f64, from| self.rates_bps.iter().copied().fold(from, pick);
        (extreme(f64::min, f64::INFINITY), extreme(f64::max, 0.0))
    }

    /// What it costs: eq. (7).
    pub fn loss(&self) -> Loss {
        Loss::of(&self.rates_bps, self.fair_bps)
    }
}
