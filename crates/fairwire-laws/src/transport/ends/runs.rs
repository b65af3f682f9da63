//! Which segments are there, as runs.

use std::collections::VecDeque;

/// A set of segment numbers as disjoint runs in order, each from its first to just
/// beyond its last, with a gap between any two.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    runs: VecDeque<(u32, u32)>,
    count: u32,
}

impl Runs {
    /// How many segments there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.count = 0;
    }

    /// The runs from the last to the first.
    pub(super) fn rev(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.runs.iter().rev().copied()
    }

    /// The first run.
    pub(super) fn first(&self) -> Option<(u32, u32)> {
        self.runs.front().copied()
    }

    /// How many of the segments below `number` there are.
    pub(super) fn count_below(&self, number: u32) -> u32 {
        self.runs.iter().take_while(|run| run.0 < number).map(|run| run.1.min(number) - run.0).sum()
    }

    /// The run that holds `number`.
    pub(super) fn run_of(&self, number: u32) -> Option<(u32, u32)> {
        let run = *self.runs.get(self.runs.partition_point(|run| run.1 <= number))?;
        (run.0 <= number).then_some(run)
    }

    /// The first number from `from` on that is not there.
    pub(super) fn first_absent(&self, from: u32) -> u32 {
        self.run_of(from).map_or(from, |run| run.1)
    }

    /// Adds the numbers from `first` to just before `beyond`; how many were not there.
    pub(super) fn insert(&mut self, first: u32, beyond: u32) -> u32 {
        if first >= beyond {
            return 0;
        }
        let (start, end) = self.touching(first, beyond);
        let new = if start == end {
            self.runs.insert(start, (first, beyond));
            beyond - first
        } else {
            let merged = (first.min(self.runs[start].0), beyond.max(self.runs[end - 1].1));
            let before: u32 = self.runs.range(start..end).map(|run| run.1 - run.0).sum();
            self.runs[start] = merged;
            self.runs.drain(start + 1..end);
            merged.1 - merged.0 - before
        };
        self.count += new;
        new
    }

    /// Takes all numbers below `number` out; how many there were.
    pub(super) fn remove_below(&mut self, number: u32) -> u32 {
        let before = self.count;
        while let Some(run) = self.runs.front_mut().filter(|run| run.0 < number) {
            if run.1 > number {
                self.count -= number - run.0;
                run.0 = number;
                break;
            }
            self.count -= run.1 - run.0;
            self.runs.pop_front();
        }
        before - self.count
    }

    /// The places of the runs that overlap or touch the numbers from `first` to just
    /// before `beyond`. Most often that is the last run, or there is none.
    fn touching(&self, first: u32, beyond: u32) -> (usize, usize) {
        let len = self.runs.len();
        match self.runs.back() {
            Some(last) if last.1 < first => (len, len),
            Some(last) if last.0 <= first => (len - 1, len),
            _ => (self.runs.partition_point(|run| run.1 < first), self.runs.partition_point(|run| run.0 <= beyond)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// The runs hold what a set of numbers holds.
        #[test]
        fn as_a_set(steps in prop::collection::vec((0_u32..60, 0_u32..12, 0_u32..10), 1..60)) {
            let (mut runs, mut set) = (Runs::default(), BTreeSet::new());
            for (first, length, kind) in steps {
                if kind == 0 {
                    let kept = set.split_off(&first);
                    prop_assert_eq!(runs.remove_below(first) as usize, set.len());
                    set = kept;
                } else {
                    let new = (first..first + length).filter(|number| set.insert(*number)).count();
                    prop_assert_eq!(runs.insert(first, first + length) as usize, new);
                }
                prop_assert_eq!(runs.count() as usize, set.len());
                let mut held: Vec<_> = runs.rev().collect();
                held.reverse();
                prop_assert!(held.windows(2).all(|pair| pair[0].1 < pair[1].0), "{held:?}");
                prop_assert_eq!(runs.first(), held.first().copied());
                let numbers: BTreeSet<u32> = held.iter().flat_map(|run| run.0..run.1).collect();
                prop_assert_eq!(&numbers, &set);
                for number in 0..75 {
                    prop_assert_eq!(runs.run_of(number).is_some(), set.contains(&number));
                    let absent = (number..).find(|number| !set.contains(number)).unwrap();
                    prop_assert_eq!(runs.first_absent(number), absent);
                }
            }
        }
    }
}
