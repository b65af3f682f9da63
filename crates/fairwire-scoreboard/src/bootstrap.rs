//! How sure a number over a sample is.

use fairwire_core::Streams;
use fairwire_results::measures::percentile;
use rand::RngExt;
use serde::Serialize;

/// A number over a sample and the 95 % interval of the percentile bootstrap:
/// Efron 1979.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Over the sample itself.
    pub value: f64,
    /// Below it lie 2.5 % of the resamples.
    pub low: f64,
    /// Above it lie 2.5 % of the resamples.
    pub high: f64,
}

const RESAMPLES: usize = 1_000;
const SEED: u64 = 95;

/// `statistic` of `sample`, with its interval over resamples drawn with
/// replacement; always the same ones for samples of one size. Infinite values
/// are values like others. None of an empty sample.
pub fn estimate(sample: &[f64], statistic: fn(&mut [f64]) -> f64) -> Option<Estimate> {
    let each: Vec<&[f64]> = sample.iter().map(std::slice::from_ref).collect();
    estimate_of_groups(&each, statistic)
}

/// The same where values of one group belong together: groups are drawn, and all values of a group with it.
pub fn estimate_of_groups(groups: &[&[f64]], statistic: fn(&mut [f64]) -> f64) -> Option<Estimate> {
    let groups: Vec<&[f64]> = groups.iter().copied().filter(|group| !group.is_empty()).collect();
    if groups.is_empty() {
        return None;
    }
    let mut draw = Streams::new(SEED, 0).component("bootstrap");
    let mut resample = Vec::new();
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            resample.clear();
            groups.iter().for_each(|_| resample.extend_from_slice(groups[draw.random_range(0..groups.len())]));
            statistic(&mut resample)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let value = statistic(&mut groups.concat());
    Some(Estimate { value, low: percentile(&values, 0.025)?, high: percentile(&values, 0.975)? })
}

/// The mean.
pub fn mean(values: &mut [f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value in the middle: of two, the lower, so that it is one of the sample.
pub fn median(values: &mut [f64]) -> f64 {
    let middle = (values.len() - 1) / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The value that 95 % do not exceed.
pub fn p95(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    percentile(values, 0.95).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_that_of_the_normal_law() {
        // A uniform sample of 400 has a standard error of 0.2887 / 20.
        let sample: Vec<f64> = (0..400).map(|k| (f64::from(k) + 0.5) / 400.0).collect();
        let found = estimate(&sample, mean).unwrap();
        assert!((found.value - 0.5).abs() < 1e-12);
        assert!((found.high - found.low - 2.0 * 1.96 * 0.2887 / 20.0).abs() < 0.006, "{found:?}");
        assert_eq!(estimate(&sample, mean), Some(found), "always the same");
    }

    #[test]
    fn values_of_a_group_are_drawn_together() {
        // Eight values that are all alike within their groups say no more than two.
        let groups: [&[f64]; 2] = [&[0.0; 4], &[1.0; 4]];
        let found = estimate_of_groups(&groups, mean).unwrap();
        assert_eq!((found.low, found.value, found.high), (0.0, 0.5, 1.0));
        let apart = estimate(&groups.concat(), mean).unwrap();
        assert!(apart.low > 0.0 && apart.high < 1.0, "{apart:?}");
    }

    #[test]
    fn never_is_a_value() {
        let mut sample = vec![1.0, 2.0, 3.0, f64::INFINITY, f64::INFINITY];
        let found = estimate(&sample, median).unwrap();
        assert_eq!((found.value, found.high), (3.0, f64::INFINITY));
        assert_eq!(median(&mut sample[..4]), 2.0);
        assert_eq!(estimate(&[], median), None);
        let same = estimate(&[7.0; 9], median).unwrap();
        assert_eq!((same.low, same.value, same.high), (7.0, 7.0, 7.0));
    }
}
