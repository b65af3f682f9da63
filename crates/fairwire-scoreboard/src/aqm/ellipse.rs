//! Delay against goodput over seeds, as an ellipse: RFC 7928 §2.7.

use serde::Serialize;

/// The normal distribution that fits (queueing delay, goodput) over seeds: its mean and
/// its covariance, of which the page draws the curve one standard deviation away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ellipse {
    /// Mean over seeds of the mean queueing delay, ns.
    pub delay_ns: f64,
    /// Mean over seeds of the goodput, bit/s.
    pub goodput_bps: f64,
    /// Variance of the delay over seeds, ns²; with n − 1, as both others.
    pub delay_variance: f64,
    /// Variance of the goodput over seeds, (bit/s)².
    pub goodput_variance: f64,
    /// Covariance of the two, ns · bit/s.
    pub covariance: f64,
}

impl Ellipse {
    /// Of these (delay, goodput); a point if there is one only, nothing if there is none.
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        if points.is_empty() {
            return None;
        }
        let delay_ns = points.iter().map(|point| point.0).sum::<f64>() / count;
        let goodput_bps = points.iter().map(|point| point.1).sum::<f64>() / count;
        let spread = |product: &dyn Fn(f64, f64) -> f64| {
            let sum: f64 = points.iter().map(|point| product(point.0 - delay_ns, point.1 - goodput_bps)).sum();
            sum / (count - 1.0).max(1.0)
        };
        Some(Self {
            delay_ns,
            goodput_bps,
            delay_variance: spread(&|x, _| x * x),
            goodput_variance: spread(&|_, y| y * y),
            covariance: spread(&|x, y| x * y),
        })
    }

    /// So many points of the curve one standard deviation away, as (ns, bit/s), all the way round.
    pub fn outline(&self, points: usize) -> Vec<(f64, f64)> {
        // The covariance is L·Lᵀ with L lower triangular (Cholesky); L maps the unit circle to the ellipse.
        let delay = self.delay_variance.sqrt();
        let shared = if delay > 0.0 { self.covariance / delay } else { 0.0 };
        let own = (self.goodput_variance - shared * shared).max(0.0).sqrt();
        let angle = |point: usize| point as f64 / points as f64 * std::f64::consts::TAU;
        let at = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            (self.delay_ns + delay * cos, self.goodput_bps + shared * cos + own * sin)
        };
        (0..points).map(|point| at(angle(point))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_is_one_standard_deviation_away_whatever_the_slope() {
        let points = [(1.0, 10.0), (2.0, 14.0), (3.0, 12.0), (4.0, 18.0), (5.0, 16.0)];
        let ellipse = Ellipse::of(&points).unwrap();
        assert_eq!((ellipse.delay_ns, ellipse.goodput_bps), (3.0, 14.0));
        assert_eq!((ellipse.delay_variance, ellipse.goodput_variance, ellipse.covariance), (2.5, 10.0, 4.0));
        // Mahalanobis distance of every point of the curve is 1.
        let determinant = 2.5 * 10.0 - 4.0 * 4.0;
        for (x, y) in ellipse.outline(24) {
            let (x, y) = (x - 3.0, y - 14.0);
            let distance = (10.0 * x * x - 2.0 * 4.0 * x * y + 2.5 * y * y) / determinant;
            assert!((distance - 1.0).abs() < 1e-9, "({x}, {y}) is {distance} away");
        }
    }

    #[test]
    fn one_point_is_a_point() {
        let ellipse = Ellipse::of(&[(7.0, 1.0)]).unwrap();
        assert!(ellipse.outline(8).iter().all(|&point| point == (7.0, 1.0)));
        assert_eq!(Ellipse::of(&[]), None);
    }
}
