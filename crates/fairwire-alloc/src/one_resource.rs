//! Max-min shares of a single resource.

/// Weighted max-min shares of one resource, by water-filling
/// (`[rias-benchmark-slides]`, Step I).
///
/// Nobody gets more than its demand, and all who get less than their demand
/// get the same share per unit of weight. The shares of users with equal
/// demand per weight are equal to the bit. `capacity` and `demands` have the
/// same unit; demands may be infinite.
///
/// `demands` and `weights` must have the same length; weights are positive.
/// A user without a weight would get nothing.
pub fn max_min_shares(capacity: f64, demands: &[f64], weights: &[f64]) -> Vec<f64> {
    let users = demands.len().min(weights.len());
    let level = |user: usize| demands[user] / weights[user];
    let mut order: Vec<usize> = (0..users).collect();
    order.sort_by(|&a, &b| level(a).total_cmp(&level(b)));

    // Sums from the back instead of a running difference: no cancellation.
    let mut weight_left = vec![0.0; users + 1];
    for position in (0..users).rev() {
        weight_left[position] = weight_left[position + 1] + weights[order[position]];
    }

    let mut shares = vec![0.0; demands.len()];
    let mut left = capacity.max(0.0);
    for (position, &user) in order.iter().enumerate() {
        let water = left / weight_left[position];
        if level(user) > water {
            for &short in &order[position..] {
                shares[short] = weights[short] * water;
            }
            break;
        }
        shares[user] = demands[user];
        left = (left - demands[user]).max(0.0);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::max_min_shares;

    #[test]
    fn small_demands_are_met_and_the_rest_is_split_by_weight() {
        assert_eq!(max_min_shares(1.0, &[0.1, 0.5, 0.9], &[1.0; 3]), [0.1, 0.45, 0.45]);
        let infinite = f64::INFINITY;
        assert_eq!(max_min_shares(10.0, &[infinite; 4], &[1.0, 2.0, 3.0, 4.0]), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(max_min_shares(10.0, &[1.0, 2.0], &[1.0, 1.0]), [1.0, 2.0]);
        assert_eq!(max_min_shares(0.0, &[infinite, 0.0], &[1.0, 1.0]), [0.0, 0.0]);
        assert!(max_min_shares(1.0, &[], &[]).is_empty());
    }
}
