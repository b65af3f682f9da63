//! Indices that sum up how even a set of rates is.

/// Jain's fairness index, (Σb)² / (N Σb²): 1 when all values are equal, 1/N
/// when one has everything.
///
/// Pass the values of the flows that were active in the interval. Without any
/// value, or when all are zero, everybody is treated alike and the index is 1.
pub fn jain_index(values: &[f64]) -> f64 {
    // Scaling by the largest value keeps the squares from overflowing.
    let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(sum, squares), value| {
        let scaled = value / largest;
        (sum + scaled, squares + scaled * scaled)
    });
    sum * sum / (values.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::jain_index;

    #[test]
    fn equal_shares_score_one_and_a_monopoly_one_over_n() {
        assert_eq!(jain_index(&[3.0, 3.0, 3.0]), 1.0);
        assert_eq!(jain_index(&[7.0, 0.0, 0.0, 0.0]), 0.25);
        assert!((jain_index(&[1.0, 2.0, 3.0]) - 36.0 / 42.0).abs() < 1e-15);
        assert_eq!(jain_index(&[1e300, 1e300]), 1.0);
        assert_eq!(jain_index(&[]), 1.0);
        assert_eq!(jain_index(&[0.0, 0.0]), 1.0);
    }
}
