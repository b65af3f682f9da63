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
}

impl Coefficients {
    /// For intervals of this length: a sample weighs one in `age_coef` in the aged and so
    /// aged one in `lp_coef` in the filtered rate.
    pub fn new(aging: Span, age_coef: f64, lp_coef: f64) -> Self {
        let byte_bps = 8e9 / aging.as_nanos() as f64;
        Self { byte_bps, age: Divisor::new(age_coef), lp: Divisor::new(lp_coef) }
    }
}

/// One filtered rate.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    aged_bps: f64,
    filtered_bps: f64,
    /// It stays as it is while nothing passes: at zero, or as close to it as it comes.
    silent: bool,
}

impl Filter {
    /// Nothing has ever passed.
    pub const SILENT: Self = Self { aged_bps: 0.0, filtered_bps: 0.0, silent: true };

    /// Whether another interval in which nothing passes changes nothing.
    pub const fn is_silent(&self) -> bool {
        self.silent
    }

    /// An interval in which so many `bytes` passed is over: the filtered rate in bit/s.
    #[inline]
    pub fn age(&mut self, bytes: u64, coefficients: &Coefficients) -> f64 {
        if bytes > 0 || !self.silent {
            let before = (self.aged_bps, self.filtered_bps);
            // A signed number is soonest a float, and what follows waits for it.
            let rate_bps = bytes as i64 as f64 * coefficients.byte_bps;
            self.aged_bps += coefficients.age.divide(rate_bps - self.aged_bps);
            self.filtered_bps += coefficients.lp.divide(self.aged_bps - self.filtered_bps);
            self.silent = bytes == 0 && (self.aged_bps, self.filtered_bps) == before;
        }
        self.filtered_bps
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
        assert!(filter.age(1_000, &coefficients) > 0.0 && !filter.is_silent());
        let mut intervals = 0;
        while !filter.is_silent() {
            filter.age(0, &coefficients);
            intervals += 1;
        }
        assert!(intervals > 1_000, "{intervals}");
        let mut loud = Filter { silent: false, ..filter };
        let kept = (filter.aged_bps, filter.filtered_bps);
        assert_eq!((filter.age(0, &coefficients), loud.age(0, &coefficients)), (kept.1, kept.1));
        assert_eq!((loud.aged_bps, loud.filtered_bps), kept, "what is not worked out would have come to the same");
        assert!(filter.age(1_000, &coefficients) > kept.1 && !filter.is_silent());
    }
}
