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
    let distances: Vec<f64> = measured.iter().zip(expected).map(distance).collect();
    // Not-a-number is close to nothing.
    let holds = measured.len() == expected.len() && distances.iter().all(|distance| *distance <= limit);
    Comparison { worst: distances.into_iter().fold(0.0, f64::max), holds }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn wrong_answers_do_not_hold() {
        let claim =
            catalogue().iter().find(|claim| claim.id == "dvsr-fig16-parking-lot-dvsr").expect("an id of the catalogue");
        let quarter = [0.25; 4];
        assert!(compare(claim, &[0.251, 0.25, 0.249, 0.25], &quarter).holds);
        assert!(!compare(claim, &[0.253, 0.25, 0.25, 0.25], &quarter).holds);
        assert!(!compare(claim, &[f64::NAN, 0.25, 0.25, 0.25], &quarter).holds);
        assert!(!compare(claim, &[0.25; 3], &quarter).holds);
    }
}
