//! Percentiles that are values of the sample.

/// Of sorted values, the smallest that a part of at least `part` of all does not exceed; none of none.
pub fn percentile(sorted: &[f64], part: f64) -> Option<f64> {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_values_that_were_seen() {
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!([0.5, 0.9, 0.99].map(|part| percentile(&ten, part)), [Some(5.0), Some(9.0), Some(10.0)]);
        assert_eq!(percentile(&[3.0], 0.5), Some(3.0));
        assert_eq!(percentile(&[], 0.5), None);
    }
}
