//! Means over seeds, and how sure they are.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean of independent values, and half of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The mean; not a number without values.
    pub mean: f64,
    /// The true mean lies within so much of it with a confidence of 95 %, if values
    /// are normally distributed (Student's t); none below two values.
    pub half_width: Option<f64>,
}

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

impl Interval {
    /// Of values seen once a seed.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let freedom = count - 1.0;
        let half_width = StudentsT::new(0.0, 1.0, freedom).ok().map(|distribution| {
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom;
            distribution.inverse_cdf((1.0 + CONFIDENCE) / 2.0) * (variance / count).sqrt()
        });
        Self { mean, half_width }
    }

    /// The ends of the interval; both the mean where there is none.
    pub fn ends(&self) -> [f64; 2] {
        let half = self.half_width.unwrap_or(0.0);
        [self.mean - half, self.mean + half]
    }

    /// Whether the whole interval lies below all of `other`'s.
    pub fn is_below(&self, other: &Self) -> bool {
        self.ends()[1] < other.ends()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // t(0.975, 9) = 2.262157; the deviation of 1 … 10 is 3.02765.
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let interval = Interval::of(&values);
        assert_eq!(interval.mean, 5.5);
        let expected = 2.262_157_163 * 3.027_650_354 / 10f64.sqrt();
        assert!((interval.half_width.expect("ten values") - expected).abs() < 1e-6);
        assert!(interval.is_below(&Interval::of(&[9.0, 9.0])));
        assert!(!interval.is_below(&Interval::of(&[7.0, 7.0])));
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(Interval::of(&[2.0]), Interval { mean: 2.0, half_width: None });
        assert!(Interval::of(&[]).mean.is_nan());
        assert_eq!(Interval::of(&[1.0, 1.0]).half_width, Some(0.0));
    }
}
