//! What the rest of its way allows a flow: [wmfqc] §2.3 and §3.1.

/// ERf and ERb: the explicit rate that was last seen in either direction, in bit/s.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// ERf.
    pub forward_bps: f64,
    /// ERb.
    pub backward_bps: f64,
}

impl Limits {
    /// ERm: what the rest of the way allows.
    pub fn least_bps(self) -> f64 {
        self.forward_bps.min(self.backward_bps)
    }
}
