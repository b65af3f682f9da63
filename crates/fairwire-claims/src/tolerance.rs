//! Is it close enough?

use crate::catalogue::{Claim, number};

/// The distance between what was measured and what was expected, against the
/// claim's own `rel` or `abs` tolerance (exact without either).
pub struct Comparison {
    /// Largest distance found, relative or absolute as the tolerance is.
    pub worst: f64,
    /// Whether none is beyond the tolerance.
    pub holds: bool,
}

/// Compares number by number; different lengths never match.
pub fn compare(claim: &Claim, measured: &[f64], expected: &[f64]) -> Comparison {
    let given = |key| claim.tolerance.get(key).and_then(number);
    let (relative, limit) = match (given("rel"), given("abs")) {
        (Some(limit), _) => (true, limit),
        (None, Some(limit)) => (false, limit),
        (None, None) => (false, 0.0),
    };
    let distance = |(measured, expected): (&f64, &f64)| {
        let distance = (measured - expected).abs();
        if relative { distance / expected.abs() } else { distance }
    };
    let worst = measured.iter().zip(expected).map(distance).fold(0.0, f64::max);
    Comparison { worst, holds: measured.len() == expected.len() && worst <= limit }
}

/// Rounded for people and for JSON: six significant digits.
pub fn rounded(values: &[f64]) -> Vec<f64> {
    values.iter().map(|&value| round(value)).collect()
}

/// Six significant digits.
pub fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(5 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}
