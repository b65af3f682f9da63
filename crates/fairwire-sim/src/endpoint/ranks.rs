//! Which of many places are taken: how many before a place, and which one has so many before it.

/// Sums of ranges of places, after Fenwick, "A New Data Structure for Cumulative Frequency Tables", Software: Practice and
/// Experience 24(3), 1994.
#[derive(Debug, Default)]
pub struct Ranks {
    /// That at `i` counts the places from `i` without its lowest bit up to `i`.
    sums: Vec<u32>,
    count: usize,
}

impl Ranks {
    /// None of so many `places` is taken.
    pub fn of_none(places: usize) -> Self {
        Self { sums: vec![0; places + 1], count: 0 }
    }

    /// How many are taken.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// `place`, which was free, is taken.
    pub fn insert(&mut self, place: usize) {
        let mut index = place + 1;
        while index < self.sums.len() {
            self.sums[index] += 1;
            index += lowest_bit(index);
        }
        self.count += 1;
    }

    /// How many before `place` are taken.
    pub fn rank(&self, place: usize) -> usize {
        let (mut index, mut rank) = (place, 0);
        while index > 0 {
            rank += self.sums[index] as usize;
            index -= lowest_bit(index);
        }
        rank
    }

    /// The place that is taken and has `rank` such places before it, if there are so many.
    pub fn place_of(&self, rank: usize) -> Option<usize> {
        if rank >= self.count {
            return None;
        }
        let (mut index, mut left) = (0, rank);
        let mut step = 1 << self.sums.len().ilog2();
        while step > 0 {
            let sum = self.sums.get(index + step).map(|sum| *sum as usize);
            if let Some(sum) = sum.filter(|sum| *sum <= left) {
                index += step;
                left -= sum;
            }
            step /= 2;
        }
        Some(index)
    }
}

fn lowest_bit(index: usize) -> usize {
    index & index.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Streams;
    use rand::seq::SliceRandom;

    #[test]
    fn ranks_are_as_counted_one_by_one() {
        let mut draw = Streams::new(1_994, 0).component("ranks");
        for places in [0, 1, 2, 7, 8, 100] {
            let mut order: Vec<_> = (0..places).collect();
            order.shuffle(&mut draw);
            let (mut ranks, mut taken) = (Ranks::of_none(places), vec![]);
            for place in order {
                ranks.insert(place);
                taken.push(place);
                taken.sort_unstable();
                let before = |place| taken.iter().filter(|other| **other < place).count();
                assert!((0..=places).all(|place| ranks.rank(place) == before(place)));
                assert!(taken.iter().enumerate().all(|(rank, place)| ranks.place_of(rank) == Some(*place)));
                assert_eq!((ranks.count(), ranks.place_of(taken.len())), (taken.len(), None));
            }
        }
    }
}
