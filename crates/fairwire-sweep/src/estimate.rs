//! What several runs come to together, and how sure that is.

use fairwire_results::measures::Interval;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use std::sync::OnceLock;

/// How runs are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// By their mean, with Student's t; of what cannot be negative, such as rates and times.
    Mean,
    /// The same, of what lies from 0 to 1, such as losses.
    MeanOfParts,
    /// By the share of runs that say yes, with Wilson's interval.
    Share,
}

/// What runs came to, and a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Runs with a value.
    pub n: usize,
    /// Runs without one: where it never happened, or there was nothing to measure.
    pub missing: usize,
    /// The mean, or the share of runs that say yes; none without values.
    pub mean: Option<f64>,
    /// Half of the interval; none below two values.
    pub half_width: Option<f64>,
    /// The lower end, clipped to what the measure can be.
    pub low: Option<f64>,
    /// The upper end, clipped likewise.
    pub high: Option<f64>,
}

/// Values of runs 0 to n − 1, none where a run has none.
pub type Sample = [Option<f64>];

const CONFIDENCE: f64 = 0.95;

/// What a sample comes to.
pub fn estimate(kind: Kind, sample: &Sample) -> Estimate {
    let values: Vec<f64> = sample.iter().copied().flatten().collect();
    let missing = sample.len() - values.len();
    match kind {
        Kind::Mean => of_interval(values.len(), missing, interval(&values)).clipped(0.0, f64::INFINITY),
        Kind::MeanOfParts => of_interval(values.len(), missing, interval(&values)).clipped(0.0, 1.0),
        Kind::Share => {
            Estimate { missing, ..binomial(values.iter().filter(|value| **value > 0.5).count(), values.len()) }
        }
    }
}

impl Estimate {
    /// With ends that the measure can have. What was measured stays inside, whatever rounding did to it.
    fn clipped(self, least: f64, most: f64) -> Self {
        let Some(mean) = self.mean else { return self };
        Self {
            low: self.low.map(|low| low.max(least.min(mean))),
            high: self.high.map(|high| high.min(most.max(mean))),
            ..self
        }
    }
}

fn of_interval(n: usize, missing: usize, Interval { mean, half_width }: Interval) -> Estimate {
    let mean = Some(mean).filter(|mean| mean.is_finite());
    let half_width = half_width.filter(|width| width.is_finite());
    let end = |sign: f64| Some(mean? + sign * half_width?);
    Estimate { n, missing, mean, half_width, low: end(-1.0), high: end(1.0) }
}

/// Mean and half-width as [`Interval::of`] tells them, with what Student's t costs most asked for once for each number of values.
fn interval(values: &[f64]) -> Interval {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return Interval { mean, half_width: None };
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Interval { mean, half_width: Some(t_quantile(values.len() - 1) * (variance / count).sqrt()) }
}

/// The quantile of Student's t that 2.5 % lie above.
fn t_quantile(freedom: usize) -> f64 {
    static KNOWN: [OnceLock<f64>; 512] = [const { OnceLock::new() }; 512];
    let computed = || {
        let t = StudentsT::new(0.0, 1.0, freedom as f64);
        t.map_or(f64::NAN, |t| t.inverse_cdf(0.5 + CONFIDENCE / 2.0))
    };
    KNOWN.get(freedom).map_or_else(computed, |known| *known.get_or_init(computed))
}

/// Wilson's interval for the share of `yes` among `n`: Wilson 1927, as Brown, Cai and DasGupta 2001 advise.
pub fn binomial(yes: usize, n: usize) -> Estimate {
    if n == 0 {
        return Estimate { n, missing: 0, mean: None, half_width: None, low: None, high: None };
    }
    static Z: OnceLock<f64> = OnceLock::new();
    let z = *Z.get_or_init(|| Normal::standard().inverse_cdf(0.5 + CONFIDENCE / 2.0));
    let (count, share) = (n as f64, yes as f64 / n as f64);
    let room = 1.0 + z * z / count;
    let middle = (share + z * z / (2.0 * count)) / room;
    let half = z / room * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    // Where all say the same the end is exact.
    let low = if yes == 0 { 0.0 } else { middle - half };
    let high = if yes == n { 1.0 } else { middle + half };
    Estimate {
        n,
        missing: 0,
        mean: Some(share),
        half_width: Some((high - low) / 2.0),
        low: Some(low),
        high: Some(high),
    }
}

/// The difference of two samples, run by run: both ran with the same random numbers, so what they owe to these cancels.
pub fn paired(one: &Sample, base: &Sample) -> Estimate {
    let pairs = one.iter().zip(base);
    let differences: Vec<Option<f64>> = pairs.map(|(one, base)| Some((*one)? - (*base)?)).collect();
    let values: Vec<f64> = differences.iter().copied().flatten().collect();
    of_interval(values.len(), differences.len() - values.len(), interval(&values))
}

/// Half of the interval of the difference of two means, as if both samples had nothing to do with each other: Welch 1947.
pub fn unpaired(one: &Sample, base: &Sample) -> Option<f64> {
    let spread = |sample: &Sample| {
        let values: Vec<f64> = sample.iter().copied().flatten().collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (values.len() > 1).then_some((variance / n, n - 1.0))
    };
    let ((a, a_freedom), (b, b_freedom)) = (spread(one)?, spread(base)?);
    if a + b == 0.0 {
        return Some(0.0);
    }
    let freedom = (a + b).powi(2) / (a * a / a_freedom + b * b / b_freedom);
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(t.inverse_cdf(0.5 + CONFIDENCE / 2.0) * (a + b).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_mean_has_the_interval_of_the_results() {
        let values: Vec<f64> = (0..40).map(|k| f64::from(k * k % 17)).collect();
        for n in 2..40 {
            let (ours, theirs) = (interval(&values[..n]), Interval::of(&values[..n]));
            assert_eq!(ours, theirs, "{n}");
        }
        // 600 values are beyond what is remembered.
        let many: Vec<f64> = (0..600).map(|k| f64::from(k % 7)).collect();
        assert_eq!(interval(&many), Interval::of(&many));
        let one = estimate(Kind::Mean, &sample(&[3.0]));
        assert_eq!((one.n, one.mean, one.half_width, one.low), (1, Some(3.0), None, None));
    }

    #[test]
    fn missing_values_are_counted_and_not_averaged() {
        let found = estimate(Kind::Mean, &[Some(1.0), None, Some(3.0)]);
        assert_eq!((found.n, found.missing, found.mean), (2, 1, Some(2.0)));
        let none = estimate(Kind::Mean, &[None, None]);
        assert_eq!((none.n, none.missing, none.mean), (0, 2, None));
    }

    #[test]
    fn intervals_stay_where_the_measure_can_be() {
        let ends = |kind, values: &[f64]| {
            let found = estimate(kind, &sample(values));
            (found.low.unwrap(), found.high.unwrap())
        };
        assert_eq!(ends(Kind::MeanOfParts, &[0.0, 0.0, 1e-5]).0, 0.0);
        assert_eq!(ends(Kind::MeanOfParts, &[0.9, 1.0]).1, 1.0);
        let (low, high) = ends(Kind::Mean, &[0.0, 5.0]);
        assert!(low == 0.0 && high > 30.0, "a rate has no upper end: {high}");
        // The half-width stays what Student's t says, and differences may be negative.
        let found = estimate(Kind::MeanOfParts, &sample(&[0.0, 1e-2]));
        assert!(found.half_width > found.mean, "{found:?}");
        assert!(paired(&sample(&[0.0, 0.0]), &sample(&[0.1, 0.3])).low.unwrap() < -0.2);
    }

    #[test]
    fn shares_have_the_intervals_of_the_textbooks() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (yes, n, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let found = binomial(yes, n);
            let (l, h) = (found.low.unwrap(), found.high.unwrap());
            assert!((l - low).abs() < 5e-5 && (h - high).abs() < 5e-5, "{yes} of {n}: {l} {h}");
        }
        assert_eq!(binomial(7, 7).high, Some(1.0));
        assert_eq!(binomial(0, 0).mean, None);
    }

    #[test]
    fn pairs_lose_what_both_owe_to_chance() {
        let chance = [5.0, -3.0, 8.0, 1.0, -6.0, 2.0];
        let base = sample(&chance);
        let one = sample(&chance.map(|value| value + 0.5));
        let found = paired(&one, &base);
        assert_eq!((found.mean, found.half_width), (Some(0.5), Some(0.0)));
        assert!(unpaired(&one, &base).unwrap() > 5.0);
        // By hand: variances 1.6667 / 4 and 13.3 / 5, so 5.18 degrees of freedom, t = 2.5446.
        let width = unpaired(&sample(&[1.0, 2.0, 3.0, 4.0]), &sample(&[2.0, 4.0, 6.0, 9.0, 11.0])).unwrap();
        assert!((width - 4.4633).abs() < 2e-3, "{width}");
    }
}
