//! What each user of a resource could claim if it alone were insatiable.

/// Reusable storage for [`Insatiable::shares`].
#[derive(Debug, Default)]
pub(crate) struct Insatiable {
    order: Vec<usize>,
    levels: Vec<f64>,
    claims_before: Vec<f64>,
    weight_from: Vec<f64>,
}

impl Insatiable {
    /// Writes, for every user, its weighted max-min share of `capacity` when
    /// its own claim is infinite and everybody else claims what is given.
    ///
    /// This is the first level of the hierarchical share: antitone in the
    /// claims of the others. All users together cost O(k log k).
    pub fn shares(&mut self, capacity: f64, claims: &[f64], weights: &[f64], out: &mut Vec<f64>) {
        let users = claims.len();
        self.levels.clear();
        self.levels.extend(claims.iter().zip(weights).map(|(claim, weight)| claim / weight));
        self.order.clear();
        self.order.extend(0..users);
        let levels = &self.levels;
        self.order.sort_unstable_by(|&a, &b| levels[a].total_cmp(&levels[b]).then(a.cmp(&b)));

        self.claims_before.clear();
        let mut before = 0.0;
        for &user in &self.order {
            self.claims_before.push(before);
            before += claims[user];
        }
        self.claims_before.push(before);
        self.weight_from.clear();
        self.weight_from.resize(users + 1, 0.0);
        for position in (0..users).rev() {
            self.weight_from[position] = self.weight_from[position + 1] + weights[self.order[position]];
        }

        // Claims below the common water level stand as they are; from
        // `wet` on everybody is cut to the level, insatiable or not.
        let wet = self.first_at_or_over(0, capacity, 0.0, 0.0);
        let common = (wet < users).then(|| (capacity - self.claims_before[wet]).max(0.0) / self.weight_from[wet]);
        out.clear();
        out.resize(users, 0.0);
        for position in 0..users {
            let user = self.order[position];
            let weight = weights[user];
            out[user] = match common {
                Some(level) if position >= wet => weight * level,
                _ => {
                    let own = claims[user];
                    let dry = self.first_at_or_over(position + 1, capacity, own, weight);
                    let left = capacity - (self.claims_before[dry] - own);
                    weight * left.max(0.0) / (self.weight_from[dry] + weight)
                }
            };
        }
    }

    /// The share of one user alone, in the terms of [`Self::shares`], in
    /// O(k) a claim that turns out to be smaller than its part.
    pub fn share(&mut self, capacity: f64, claims: &[f64], weights: &[f64], user: usize) -> f64 {
        self.order.clear();
        self.order.extend((0..claims.len()).filter(|&other| other != user));
        let mut left = capacity;
        loop {
            let weight: f64 = weights[user] + self.order.iter().map(|&other| weights[other]).sum::<f64>();
            let level = left.max(0.0) / weight;
            let before = self.order.len();
            // Who claims less than the level keeps its claim and leaves.
            self.order.retain(|&other| {
                let stays = claims[other] > level * weights[other];
                if !stays {
                    left -= claims[other];
                }
                stays
            });
            if self.order.len() == before {
                return weights[user] * level;
            }
        }
    }

    /// First position from `from` on whose level, as the common level of all
    /// with larger claims and of one insatiable user of weight
    /// `extra_weight` in place of its claim `own`, uses up `capacity`.
    fn first_at_or_over(&self, from: usize, capacity: f64, own: f64, extra_weight: f64) -> usize {
        let (mut low, mut high) = (from, self.order.len());
        while low < high {
            let middle = low.midpoint(high);
            let level = self.levels[self.order[middle]];
            let used = self.claims_before[middle] - own + level * (self.weight_from[middle] + extra_weight);
            if used >= capacity {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::Insatiable;
    use crate::max_min_shares;

    #[test]
    fn agrees_with_one_water_filling_per_user() {
        let cases: [(f64, &[f64], &[f64]); 6] = [
            (1.0, &[0.3], &[2.0]),
            (1.0, &[0.1, 0.5, 0.9], &[1.0, 1.0, 1.0]),
            (10.0, &[1.0, 1.0, 1.0, 1.0], &[1.0, 2.0, 3.0, 4.0]),
            (10.0, &[0.0, 9.0, 4.0, 4.0, 4.0], &[1.0, 2.0, 1.0, 1.0, 5.0]),
            (2.0, &[2.0, 2.0, 2.0], &[1.0, 1.0, 1.0]),
            (0.0, &[1.0, 0.0], &[1.0, 1.0]),
        ];
        for (capacity, claims, weights) in cases {
            let mut shares = Vec::new();
            Insatiable::default().shares(capacity, claims, weights, &mut shares);
            for user in 0..claims.len() {
                let mut demands = claims.to_vec();
                demands[user] = f64::INFINITY;
                let expected = max_min_shares(capacity, &demands, weights)[user];
                assert!((shares[user] - expected).abs() < 1e-12, "{claims:?} user {user}");
                let alone = Insatiable::default().share(capacity, claims, weights, user);
                assert!((alone - expected).abs() < 1e-12, "{claims:?} user {user} alone");
            }
        }
    }
}
