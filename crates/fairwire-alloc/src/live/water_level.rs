//! At which level one link fills up, given how far each flow could rise.

/// Reusable storage for [`Self::of`].
#[derive(Debug, Clone, Default)]
pub(super) struct WaterLevel {
    /// Level up to which each user rises, and its weight.
    users: Vec<(f64, f64)>,
}

impl WaterLevel {
    /// The level at which users that rise to the given levels (with their
    /// weights) fill `capacity`; infinite if they do not.
    pub fn of(&mut self, capacity: f64, users: impl Iterator<Item = (f64, f64)>) -> f64 {
        self.users.clear();
        self.users.extend(users);
        let all: f64 = self.users.iter().map(|(level, weight)| level * weight).sum();
        if all <= capacity {
            return f64::INFINITY;
        }
        // Whoever stops below the level that the others could share stops for
        // good; the level only rises by that.
        let mut left = capacity.max(0.0);
        loop {
            let weight: f64 = self.users.iter().map(|user| user.1).sum();
            let level = left.max(0.0) / weight;
            let before = self.users.len();
            self.users.retain(|&(stops_at, weight)| {
                let stops = stops_at <= level;
                if stops {
                    left -= stops_at * weight;
                }
                !stops
            });
            if self.users.is_empty() {
                // They fit but for rounding.
                return level;
            }
            if self.users.len() == before {
                return level;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WaterLevel;

    #[test]
    fn modest_users_stop_and_the_rest_share() {
        let mut water = WaterLevel::default();
        let mut of = |capacity: f64, users: &[(f64, f64)]| water.of(capacity, users.iter().copied());
        assert_eq!(of(10.0, &[(1.0, 1.0), (f64::INFINITY, 1.0), (f64::INFINITY, 2.0)]), 3.0);
        assert_eq!(of(10.0, &[(1.0, 1.0), (2.0, 2.0)]), f64::INFINITY);
        assert_eq!(of(10.0, &[(9.0, 1.0), (4.0, 2.0)]), 10.0 / 3.0);
        assert_eq!(of(0.0, &[(9.0, 1.0)]), 0.0);
        assert_eq!(of(5.0, &[]), f64::INFINITY);
    }
}
