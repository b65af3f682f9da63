//! From the bytes of an aging interval to a filtered rate.

use super::divisor::Divisor;
use fairwire_core::Span;

/// How slowly filtered rates follow.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients {
    /// The rate of one byte in an interval, in bit/s.
    byte_bps: f64,
    age: Divisor,
    lp: Divisor,
    /// What remains of the aged and of the filtered rate after a sample.
    kept_age: f64,
    kept_lp: f64,
}

impl Coefficients {
    /// For intervals of this length: a sample weighs one in `age_coef` in the aged and so
    /// aged one in `lp_coef` in the filtered rate.
    pub fn new(aging: Span, age_coef: f64, lp_coef: f64) -> Self {
        let byte_bps = 8e9 / aging.as_nanos() as f64;
        let kept = |coefficient: f64| (1.0 - 1.0 / coefficient.max(1.0)).max(0.0);
        let (kept_age, kept_lp) = (kept(age_coef), kept(lp_coef));
        Self { byte_bps, age: Divisor::new(age_coef), lp: Divisor::new(lp_coef), kept_age, kept_lp }
    }
}

/// The time in which bytes were counted.
#[derive(Clone, Copy, Debug)]
pub enum Window {
    /// One aging interval.
    Aging,
    /// Another time: the station looked late, or early after it had been late.
    Other {
        /// What the rate of one byte in an aging interval has to be taken times.
        scale: f64,
        /// So many whole aging intervals, of which each adds a sample to the filters.
        intervals: u32,
        /// And such a part of another one, which weighs as much less.
        part: f64,
    },
}

/// More samples than this change no filter any more.
const MOST_INTERVALS: u64 = 1 << 16;

impl Window {
    /// `elapsed` since the last look, which was to be one `aging` interval.
    #[inline]
    pub fn new(elapsed: Span, aging: Span) -> Self {
        if elapsed == aging || elapsed == Span::ZERO { Self::Aging } else { Self::odd(elapsed, aging) }
    }

    /// Aging intervals that ended without a look, before the last one.
    #[inline(always)]
    pub const fn missed(self) -> u64 {
        match self {
            Self::Aging => 0,
            Self::Other { intervals, .. } => (intervals as u64).saturating_sub(1),
        }
    }

    /// Whether it is less than an aging interval.
    #[inline(always)]
    pub const fn is_short(self) -> bool {
        matches!(self, Self::Other { intervals: 0, .. })
    }

    #[cold]
    fn odd(elapsed: Span, aging: Span) -> Self {
        let (elapsed, aging) = (elapsed.as_nanos(), aging.as_nanos().max(1));
        let intervals = (elapsed / aging).min(MOST_INTERVALS) as u32;
        let part = (elapsed % aging) as f64 / aging as f64;
        Self::Other { scale: aging as f64 / elapsed as f64, intervals, part }
    }
}

/// One filtered rate.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    aged_bps: f64,
    filtered_bps: f64,
    /// Nothing has passed for so long that nothing is left: both are zero, and stay so while nothing passes.
    silent: bool,
}

impl Filter {
    /// Nothing has ever passed.
    pub const SILENT: Self = Self { aged_bps: 0.0, filtered_bps: 0.0, silent: true };

    /// Whether another interval in which nothing passes changes nothing.
    pub const fn is_silent(&self) -> bool {
        self.silent
    }

    /// A window in which so many `bytes` passed is over: the filtered rate in bit/s. A window of several
    /// intervals adds as many samples, each of the rate that was measured over all of them.
    #[inline]
    pub fn age(&mut self, bytes: u64, window: Window, coefficients: &Coefficients) -> f64 {
        if bytes > 0 || !self.silent {
            let before = (self.aged_bps, self.filtered_bps);
            // A signed number is soonest a float, and what follows waits for it.
            let rate_bps = bytes as i64 as f64 * coefficients.byte_bps;
            match window {
                Window::Aging => self.add_sample(rate_bps, coefficients),
                Window::Other { scale, intervals, part } => {
                    self.add_samples(rate_bps * scale, intervals, part, coefficients);
                }
            }
            // As close to zero as it comes counts as zero: a mark may be zero, too, and is not to be above it for ever.
            self.silent = bytes == 0 && (self.aged_bps, self.filtered_bps) == before;
            if self.silent {
                (self.aged_bps, self.filtered_bps) = (0.0, 0.0);
            }
        }
        self.filtered_bps
    }

    #[inline(always)]
    fn add_sample(&mut self, rate_bps: f64, coefficients: &Coefficients) {
        self.aged_bps += coefficients.age.divide(rate_bps - self.aged_bps);
        self.filtered_bps += coefficients.lp.divide(self.aged_bps - self.filtered_bps);
    }

    /// A sample weighs as much as the time is long that it was taken in. Were short ones to weigh as much as long ones, one
    /// packet more in a short time would count for more than one less in a long time.
    #[cold]
    fn add_samples(&mut self, rate_bps: f64, intervals: u32, part: f64, coefficients: &Coefficients) {
        (0..intervals).for_each(|_| self.add_sample(rate_bps, coefficients));
        if part > 0.0 {
            let weight = |kept: f64| 1.0 - kept.powf(part);
            self.aged_bps += weight(coefficients.kept_age) * (rate_bps - self.aged_bps);
            self.filtered_bps += weight(coefficients.kept_lp) * (self.aged_bps - self.filtered_bps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Silence is told only where it lasts, and a silent filter wakes up.
    #[test]
    fn it_falls_silent_at_last_and_then_stays() {
        let coefficients = Coefficients::new(Span::from_micros(100), 4.0, 64.0);
        let mut filter = Filter::SILENT;
        let window = Window::new(Span::from_micros(100), Span::from_micros(100));
        assert!(filter.age(1_000, window, &coefficients) > 0.0 && !filter.is_silent());
        let mut intervals = 0;
        while !filter.is_silent() {
            filter.age(0, window, &coefficients);
            intervals += 1;
        }
        assert!(intervals > 1_000, "{intervals}");
        assert_eq!(filter.age(0, window, &coefficients), 0.0);
        let mut loud = Filter { silent: false, ..filter };
        let kept = (filter.aged_bps, filter.filtered_bps);
        assert_eq!((filter.age(0, window, &coefficients), loud.age(0, window, &coefficients)), (kept.1, kept.1));
        assert_eq!((loud.aged_bps, loud.filtered_bps), kept, "what is not worked out would have come to the same");
        assert!(filter.age(1_000, window, &coefficients) > kept.1 && !filter.is_silent());
    }

    /// A look that comes late measures the same rate, and the filter goes on as far as it would have.
    #[test]
    fn a_late_look_measures_the_true_rate() {
        let aging = Span::from_micros(100);
        let coefficients = Coefficients::new(aging, 4.0, 64.0);
        let in_time = Window::new(aging, aging);
        let (mut late, mut prompt) = (Filter::SILENT, Filter::SILENT);
        for intervals in [1u64, 500, 3, 1, 40] {
            let told = late.age(1_000 * intervals, Window::new(aging * intervals, aging), &coefficients);
            let each = (0..intervals).map(|_| prompt.age(1_000, in_time, &coefficients)).last().unwrap();
            assert!((told / each - 1.0).abs() < 1e-12, "{intervals}: {told} for {each}");
        }
        // Late and early by turns, with the same bytes as in time, comes to the same.
        let (mut uneven, mut bytes) = (late, 0);
        for us in [166, 34].repeat(2_000) {
            bytes = if us == 166 { 2_000 } else { 0 };
            uneven.age(bytes, Window::new(Span::from_micros(us), aging), &coefficients);
        }
        assert!(bytes == 0 && (uneven.filtered_bps / 80e6 - 1.0).abs() < 0.05, "{}", uneven.filtered_bps);
        let odd = late.age(1_660, Window::new(Span::from_micros(166), aging), &coefficients);
        assert!((odd / 80e6 - 1.0).abs() < 1e-3, "{odd}");
    }
}
