//! What was agreed for a flow.

/// The terms of one flow ([wmfqc] §2.2), which its source, its destination and every port on its way know. All rates in
/// bit/s, finite and not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// MR: the minimum rate, which is promised.
    pub minimum_bps: f64,
    /// PR: the peak rate, above which the source never sends; not below MR.
    pub peak_bps: f64,
    /// SR: the supported rate, above which the destination does not want to receive; not below MR.
    pub supported_bps: f64,
    /// Its share of what the minimums leave, relative to others; above zero.
    pub weight: f64,
}

impl Terms {
    /// The most that the flow can have: min(PR, SR).
    pub fn most_bps(&self) -> f64 {
        self.peak_bps.min(self.supported_bps)
    }

    /// The most that it can have beyond its minimum.
    pub fn most_excess_bps(&self) -> f64 {
        (self.most_bps() - self.minimum_bps).max(0.0)
    }
}
