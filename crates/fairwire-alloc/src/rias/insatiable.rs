//! What each user of a resource could claim if it alone were insatiable.

/// A link (or a budget) and those who want a part of it.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    /// What is shared, bit/s.
    pub capacity: f64,
    /// What each user wants of it, bit/s.
    pub claims: &'a [f64],
    /// What each user is promised, bit/s, together no more than `capacity`;
    /// empty if nobody is promised anything.
    pub minimums: &'a [f64],
    /// The weight of each user.
    pub weights: &'a [f64],
}

/// Reusable storage for [`Insatiable::shares`].
#[derive(Debug, Default)]
pub(crate) struct Insatiable {
    order: Vec<usize>,
    levels: Vec<f64>,
    /// Claims beyond the minimums.
    excess: Vec<f64>,
    claims_before: Vec<f64>,
    weight_from: Vec<f64>,
}

impl Insatiable {
    /// Writes, for every user, its weighted max-min share of what a link has
    /// when its own claim is infinite and everybody else claims what is given.
    ///
    /// This is the first level of the hierarchical share: antitone in the
    /// claims of the others. All users together cost O(k log k).
    pub fn shares(&mut self, link: &Shared, out: &mut Vec<f64>) {
        let &Shared { capacity, claims, minimums, weights } = link;
        let users = claims.len();
        let minimum = |user: usize| minimums.get(user).copied().unwrap_or(0.0);
        let granted = |user: usize| claims[user].min(minimum(user));
        self.excess.clear();
        self.excess.extend((0..users).map(|user| claims[user] - granted(user)));
        let capacity = capacity - (0..users).map(granted).sum::<f64>();
        self.levels.clear();
        self.levels.extend(self.excess.iter().zip(weights).map(|(claim, weight)| claim / weight));
        self.order.clear();
        self.order.extend(0..users);
        let levels = &self.levels;
        self.order.sort_unstable_by(|&a, &b| levels[a].total_cmp(&levels[b]).then(a.cmp(&b)));

        self.claims_before.clear();
        let mut before = 0.0;
        for &user in &self.order {
            self.claims_before.push(before);
            before += self.excess[user];
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
            // What the user would first take of its own minimum.
            let unclaimed = minimum(user) - granted(user);
            let beyond = match common {
                Some(level) if position >= wet && unclaimed == 0.0 => weight * level,
                _ => {
                    let (own, capacity) = (self.excess[user], capacity - unclaimed);
                    let dry = self.first_at_or_over(position + 1, capacity, own, weight);
                    let left = capacity - (self.claims_before[dry] - own);
                    weight * left.max(0.0) / (self.weight_from[dry] + weight)
                }
            };
            out[user] = minimum(user) + beyond;
        }
    }

    /// The share of one user alone, in the terms of [`Self::shares`], in
    /// O(k) a claim that turns out to be smaller than its part.
    pub fn share(&mut self, link: &Shared, user: usize) -> f64 {
        let &Shared { capacity, claims, minimums, weights } = link;
        let minimum = |user: usize| minimums.get(user).copied().unwrap_or(0.0);
        let granted = |user: usize| claims[user].min(minimum(user));
        self.order.clear();
        self.order.extend((0..claims.len()).filter(|&other| other != user));
        let mut left = capacity - minimum(user) - self.order.iter().map(|&other| granted(other)).sum::<f64>();
        loop {
            let weight: f64 = weights[user] + self.order.iter().map(|&other| weights[other]).sum::<f64>();
            let level = left.max(0.0) / weight;
            let before = self.order.len();
            // Who claims less than the level keeps its claim and leaves.
            self.order.retain(|&other| {
                let excess = claims[other] - granted(other);
                let stays = excess > level * weights[other];
                if !stays {
                    left -= excess;
                }
                stays
            });
            if self.order.len() == before {
                return minimum(user) + weights[user] * level;
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
    use super::{Insatiable, Shared};
    use crate::max_min_shares;

    #[test]
    fn agrees_with_one_water_filling_per_user() {
        type Case<'a> = (f64, &'a [f64], &'a [f64], &'a [f64]);
        let cases: [Case; 9] = [
            (1.0, &[0.3], &[], &[2.0]),
            (1.0, &[0.1, 0.5, 0.9], &[], &[1.0, 1.0, 1.0]),
            (10.0, &[1.0, 1.0, 1.0, 1.0], &[], &[1.0, 2.0, 3.0, 4.0]),
            (10.0, &[0.0, 9.0, 4.0, 4.0, 4.0], &[], &[1.0, 2.0, 1.0, 1.0, 5.0]),
            (2.0, &[2.0, 2.0, 2.0], &[], &[1.0, 1.0, 1.0]),
            (0.0, &[1.0, 0.0], &[], &[1.0, 1.0]),
            (10.0, &[0.0, 9.0, 4.0, 4.0, 4.0], &[3.0, 0.0, 2.0, 5.0, 0.0], &[1.0, 2.0, 1.0, 1.0, 5.0]),
            (10.0, &[9.0, 9.0, 9.0], &[2.0, 3.0, 5.0], &[1.0, 1.0, 1.0]),
            (10.0, &[1.0, 1.0, 9.0], &[2.0, 3.0, 5.0], &[1.0, 1.0, 1.0]),
        ];
        for (capacity, claims, minimums, weights) in cases {
            let link = Shared { capacity, claims, minimums, weights };
            let mut shares = Vec::new();
            Insatiable::default().shares(&link, &mut shares);
            let minimum = |user: usize| minimums.get(user).copied().unwrap_or(0.0);
            for user in 0..claims.len() {
                let mut demands = claims.to_vec();
                demands[user] = f64::INFINITY;
                let granted: f64 = (0..claims.len()).map(|other| demands[other].min(minimum(other))).sum();
                let excess: Vec<f64> = (0..claims.len()).map(|o| demands[o] - demands[o].min(minimum(o))).collect();
                let expected = minimum(user) + max_min_shares(capacity - granted, &excess, weights)[user];
                assert!((shares[user] - expected).abs() < 1e-12, "{claims:?} user {user}: {shares:?}, {expected}");
                let alone = Insatiable::default().share(&link, user);
                assert!((alone - expected).abs() < 1e-12, "{claims:?} user {user} alone");
            }
        }
    }
}
