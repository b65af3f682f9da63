//! Throughput loss over a cycle.

use serde::Serialize;

/// Eq. (7) of `[dvsr]` §IV-B, as printed and as it has to be read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// (1/N)·Σ_{k=0}^{N} (R − r_k) in bit/s: N + 1 terms over N, as printed.
    pub printed_bps: f64,
    /// The same as a part of R, as the paper's percentages are.
    pub normalised: f64,
    /// The same with rates above R counted as R: what lies above it makes up for nothing.
    pub clipped: f64,
    /// N + 1 terms over N + 1, as a part of R: 1 − (mean rate)/R.
    pub mean: f64,
}

impl Loss {
    /// The loss of rates r_0 … r_N against `fair_bps` = R. Fewer than two rates
    /// make no cycle; their N counts as 1.
    pub fn of(rates_bps: &[f64], fair_bps: f64) -> Self {
        let steps = rates_bps.len().saturating_sub(1).max(1) as f64;
        let missing: f64 = rates_bps.iter().map(|rate| fair_bps - rate).sum();
        let clipped: f64 = rates_bps.iter().map(|rate| (fair_bps - rate).max(0.0)).sum();
        Self {
            printed_bps: missing / steps,
            normalised: missing / steps / fair_bps,
            clipped: clipped / steps / fair_bps,
            mean: missing / rates_bps.len().max(1) as f64 / fair_bps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Loss;

    #[test]
    fn a_made_up_cycle() {
        let loss = Loss::of(&[2.0, 6.0, 12.0], 10.0);
        assert_eq!(loss.printed_bps, (8.0 + 4.0 - 2.0) / 2.0);
        assert_eq!(loss.normalised, 0.5);
        assert_eq!(loss.clipped, 0.6);
        assert!((loss.mean - 1.0 / 3.0).abs() < 1e-15);
    }
}
