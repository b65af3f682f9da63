//! Who shares a link, and whether anybody is ahead of one of them.
//!
//! How far somebody is ahead is a rate: the difference of the levels (rates
//! per unit of weight) times the smaller weight. So the one with the highest
//! level need not be the one who is farthest ahead, and everybody is compared
//! with everybody. Parties of similar weight stand together, the highest
//! level first, so that most comparisons are settled by the first of each
//! class.

/// One who takes part.
#[derive(Debug, Clone, Copy)]
struct Party {
    number: usize,
    level: f64,
    weight: f64,
}

/// Parties whose weights differ by less than a factor of two.
#[derive(Debug, Clone)]
struct Class {
    exponent: i32,
    heaviest: f64,
    /// Descending by level.
    parties: Vec<Party>,
}

/// All who share something.
#[derive(Debug, Clone, Default)]
pub(super) struct Rivals {
    classes: Vec<Class>,
}

impl Rivals {
    /// Takes in a party of this number.
    pub fn add(&mut self, number: usize, level: f64, weight: f64) {
        let exponent = weight.log2().floor() as i32;
        let party = Party { number, level, weight };
        match self.classes.iter_mut().find(|class| class.exponent == exponent) {
            Some(class) => {
                class.heaviest = class.heaviest.max(weight);
                class.parties.push(party);
            }
            None => self.classes.push(Class { exponent, heaviest: weight, parties: vec![party] }),
        }
    }

    /// Puts the parties into their order, once all are in.
    pub fn sort(&mut self) {
        for class in &mut self.classes {
            class.parties.sort_by(|a, b| b.level.total_cmp(&a.level).then(a.number.cmp(&b.number)));
        }
    }

    /// The number and level of a party that is ahead of this one by more than `slack`; of several the one with the
    /// highest level.
    pub fn ahead(&self, level: f64, weight: f64, slack: f64) -> Option<(usize, f64)> {
        let mut first: Option<Party> = None;
        for class in &self.classes {
            let lead_at_most = (class.parties[0].level - level) * weight.min(class.heaviest);
            if lead_at_most <= slack {
                continue;
            }
            let is_ahead = |party: &&Party| (party.level - level) * weight.min(party.weight) > slack;
            if let Some(found) = class.parties.iter().find(is_ahead)
                && first.is_none_or(|first| first.level < found.level)
            {
                first = Some(*found);
            }
        }
        first.map(|party| (party.number, party.level))
    }
}

#[cfg(test)]
mod tests {
    use super::Rivals;

    #[test]
    fn nobody_hides_behind_a_leader_of_tiny_weight() {
        let mut rivals = Rivals::default();
        for (number, (rate, weight)) in [(100.0, 1e6), (500.0, 1e6), (0.000001, 1e-6)].into_iter().enumerate() {
            rivals.add(number, rate / weight, weight);
        }
        rivals.sort();
        assert_eq!(rivals.ahead(100.0 / 1e6, 1e6, 6e-6), Some((1, 500.0 / 1e6)));
        assert_eq!(rivals.ahead(500.0 / 1e6, 1e6, 6e-6), None);
        assert_eq!(rivals.ahead(1.0, 1e-6, 0.0), None);
    }

    #[test]
    fn a_whole_class_is_searched_where_its_first_is_too_light() {
        let mut rivals = Rivals::default();
        rivals.add(0, 3.0, 1.0);
        rivals.add(1, 2.9, 1.9);
        rivals.add(2, 1.0, 4.0);
        rivals.sort();
        // The first is ahead by 2, the second by 3.61.
        assert_eq!(rivals.ahead(1.0, 4.0, 3.0), Some((1, 2.9)));
        assert_eq!(rivals.ahead(1.0, 4.0, 1.0), Some((0, 3.0)));
        assert_eq!(rivals.ahead(1.0, 4.0, 4.0), None);
    }
}
