//! Delays: their mean and the longest exactly, percentiles to two significant digits,
//! counted as the library counts them.
//!
//! A delivery adds one to one counter. The library finds the counter for any
//! number of digits, units and kinds of counter; here it takes a shift and an
//! addition, which is worth it once for every delivery. Quantiles are left to the
//! library.

use fairwire_plan::DelaySummary;
use hdrhistogram::Histogram;

/// Counters that are as wide as the delays they hold are long: 256 of one
/// nanosecond each, then 128 twice as wide, and so on.
///
/// Kept are those from the shortest delay to the longest: a flow's delays differ by far
/// less than they last, and a run may have thousands of flows.
#[derive(Debug, Default)]
pub struct Delays {
    /// Of the counter that was used last, the logarithm of its width: the next delay is about as long.
    width_log2: u32,
    /// The place among `counts` of a delay so many such widths long is as much farther on; sums wrap.
    shift: usize,
    /// The number of the first counter that is kept.
    first: usize,
    counts: Vec<u64>,
    /// All delays together, up to 2⁶⁴ ns: full after 10¹⁰ delays of 2 s.
    sum_ns: u64,
    /// How often that was full.
    full_sums: u64,
    longest_ns: u64,
}

/// Values below this have a counter each: the first power of two that tells
/// apart all values of two digits.
const EXACT: u64 = 256;

impl Delays {
    #[inline(always)]
    pub fn record(&mut self, delay_ns: u64) {
        let is_full;
        (self.sum_ns, is_full) = self.sum_ns.overflowing_add(delay_ns);
        if is_full {
            self.full_sums += 1;
        }
        if delay_ns > self.longest_ns {
            self.longest_ns = delay_ns;
        }
        let mut widths = delay_ns >> self.width_log2;
        // Finding the width anew takes longer than all the rest.
        if widths ^ (EXACT / 2) >= EXACT / 2 {
            self.width_log2 = width_log2(delay_ns);
            self.find_shift();
            widths = delay_ns >> self.width_log2;
        }
        match self.counts.get_mut(self.shift.wrapping_add(widths as usize)) {
            Some(count) => *count += 1,
            None => self.begin(counter_of_width(delay_ns, self.width_log2)),
        }
    }

    #[inline]
    fn find_shift(&mut self) {
        self.shift = counter_of_width(0, self.width_log2).wrapping_sub(self.first);
    }

    /// The first delay shorter or longer than all before.
    #[cold]
    fn begin(&mut self, counter: usize) {
        if self.counts.is_empty() {
            self.first = counter;
        }
        let shorter = self.first.saturating_sub(counter);
        self.counts.splice(..0, std::iter::repeat_n(0, shorter));
        self.first -= shorter;
        let at = counter - self.first;
        self.counts.resize(self.counts.len().max(at + 1), 0);
        self.counts[at] = 1;
        self.find_shift();
    }

    pub fn summary(&self) -> DelaySummary {
        let histogram = self.to_histogram();
        if histogram.is_empty() {
            return DelaySummary::default();
        }
        let at = |quantile| histogram.value_at_quantile(quantile);
        DelaySummary {
            count: histogram.len(),
            mean_ns: (u128::from(self.full_sums) << 64 | u128::from(self.sum_ns)) as f64 / histogram.len() as f64,
            p50_ns: at(0.5),
            p95_ns: at(0.95),
            p99_ns: at(0.99),
            max_ns: self.longest_ns,
        }
    }

    fn to_histogram(&self) -> Histogram<u64> {
        let mut histogram = Histogram::new(2).expect("two digits are allowed");
        histogram.auto(true);
        for (counter, &count) in (self.first..).zip(&self.counts).filter(|(_, count)| **count > 0) {
            // It grows with what it is shown, and no delay is beyond 64 bits.
            let _ = histogram.record_n(least_of(counter), count);
        }
        histogram
    }
}

/// The logarithm of the width of the counter that `delay_ns` belongs to.
#[inline(always)]
fn width_log2(delay_ns: u64) -> u32 {
    (delay_ns | (EXACT - 1)).ilog2() - (EXACT - 1).ilog2()
}

/// The number of that counter.
#[inline(always)]
fn counter_of_width(delay_ns: u64, width_log2: u32) -> usize {
    (u64::from(width_log2) * (EXACT / 2) + (delay_ns >> width_log2)) as usize
}

/// The shortest delay that belongs to `counter`.
fn least_of(counter: usize) -> u64 {
    let width_log2 = (counter as u64 / (EXACT / 2)).saturating_sub(1);
    (counter as u64 - width_log2 * (EXACT / 2)) << width_log2
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Streams;
    use rand::RngExt;

    #[test]
    fn it_tells_what_the_library_tells() {
        let mut draw = Streams::new(7, 0).component("delays");
        for longest_log2 in [3, 8, 9, 20, 33, 63] {
            let (mut delays, mut library) = (Delays::default(), Histogram::<u64>::new(2).unwrap());
            library.auto(true);
            for _ in 0..20_000 {
                let delay_ns = draw.random_range(0..1u64 << longest_log2) >> draw.random_range(0..=longest_log2);
                delays.record(delay_ns);
                library.record(delay_ns).unwrap();
            }
            assert_eq!(delays.to_histogram(), library);
            let quantiles = [0.0, 0.01, 0.5, 0.95, 0.99, 1.0];
            for quantile in quantiles {
                assert_eq!(delays.to_histogram().value_at_quantile(quantile), library.value_at_quantile(quantile));
            }
        }
    }

    #[test]
    fn the_mean_and_the_longest_are_exact() {
        let mut delays = Delays::default();
        for delay_ns in [1_000_001, 1_000_002, 17_000_003, u64::MAX] {
            delays.record(delay_ns);
        }
        let summary = delays.summary();
        assert_eq!((summary.count, summary.max_ns), (4, u64::MAX));
        let sum = 1_000_001 + 1_000_002 + 17_000_003 + u128::from(u64::MAX);
        assert_eq!(summary.mean_ns, sum as f64 / 4.0);
        assert!(summary.p50_ns != 1_000_002 && summary.p50_ns.abs_diff(1_000_002) < 10_000, "{summary:?}");
    }

    #[test]
    fn counters_join_without_gaps() {
        for counter in 0..5_000 {
            for delay_ns in [least_of(counter), least_of(counter + 1) - 1] {
                assert_eq!(counter_of_width(delay_ns, width_log2(delay_ns)), counter);
            }
        }
    }
}
