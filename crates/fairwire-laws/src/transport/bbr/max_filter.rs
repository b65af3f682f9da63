//! The largest of the latest values.

use std::collections::VecDeque;

/// The largest value whose time is less than a length ago.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxFilter {
    /// Times and values, both from the earliest on; values fall.
    values: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    /// Takes a value in at `time`, which does not go back, and forgets those of `length` before and earlier.
    pub(super) fn update(&mut self, value: f64, time: u64, length: u64) {
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((time, value));
        self.forget(time, length);
    }

    /// Time goes on to `time`.
    pub(super) fn forget(&mut self, time: u64, length: u64) {
        while self.values.front().is_some_and(|(at, _)| at + length <= time) {
            self.values.pop_front();
        }
    }

    /// The largest; zero if there is none.
    pub(super) fn max(&self) -> f64 {
        self.values.front().map_or(0.0, |(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::MaxFilter;

    #[test]
    fn the_largest_of_a_length_counts() {
        let mut filter = MaxFilter::default();
        assert_eq!(filter.max(), 0.0);
        for (time, value, largest) in [(0, 5.0, 5.0), (0, 3.0, 5.0), (1, 4.0, 5.0), (2, 1.0, 4.0), (3, 2.0, 2.0)] {
            filter.update(value, time, 2);
            assert_eq!(filter.max(), largest, "at {time}");
        }
        filter.forget(5, 2);
        assert_eq!(filter.max(), 0.0);
    }
}
