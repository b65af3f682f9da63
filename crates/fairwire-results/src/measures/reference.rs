//! Measured rates against fair ones.

use crate::summary::FlowSummary;
use fairwire_alloc::FlowRate;

/// The fair rates of one flow: one number, or an interval where several sets of rates are fair.
///
/// Being inside every flow's interval is necessary for a set of rates to be
/// fair, not sufficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// The reference rate, bit/s.
    pub rate_bps: f64,
    /// The smallest fair rate, bit/s.
    pub low_bps: f64,
    /// The largest fair rate, bit/s.
    pub high_bps: f64,
}

impl Reference {
    /// Whether other rates than one are fair, or may be.
    pub(crate) fn is_interval(&self) -> bool {
        self.high_bps > self.low_bps * (1.0 + 1e-6)
    }
}

impl From<&FlowRate> for Reference {
    fn from(fair: &FlowRate) -> Self {
        Self { rate_bps: fair.rate_bps, low_bps: fair.low_bps, high_bps: fair.high_bps }
    }
}

impl From<&FlowSummary> for Reference {
    fn from(flow: &FlowSummary) -> Self {
        Self { rate_bps: flow.fair_rate_bps, low_bps: flow.fair_rate_low_bps, high_bps: flow.fair_rate_high_bps }
    }
}

impl Reference {
    /// The only fair rate is `rate_bps`.
    pub fn exactly(rate_bps: f64) -> Self {
        Self { rate_bps, low_bps: rate_bps, high_bps: rate_bps }
    }

    /// The same for a flow that is to have all it asks for, and whose sources offered `offered_bps`: due is what was offered,
    /// and more than it was expected to ask for only as far as there is room.
    pub fn as_offered(self, offered_bps: f64) -> Self {
        Self { low_bps: self.low_bps.min(offered_bps), high_bps: offered_bps, ..self }
    }

    /// Whether there is a rate to compare with: finite and above zero.
    pub fn exists(&self) -> bool {
        self.rate_bps.is_finite() && self.rate_bps > 0.0
    }

    /// `rate_bps` over the nearest fair rate: 1 inside the interval; none where the fair rate is 0.
    pub fn ratio(&self, rate_bps: f64) -> Option<f64> {
        self.exists().then(|| {
            if rate_bps < self.low_bps {
                rate_bps / self.low_bps
            } else if rate_bps > self.high_bps {
                rate_bps / self.high_bps
            } else {
                1.0
            }
        })
    }

    /// The distance of the ratio from 1; none where the fair rate is 0.
    pub fn error(&self, rate_bps: f64) -> Option<f64> {
        self.ratio(rate_bps).map(|ratio| (ratio - 1.0).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_compared_as_an_interval() {
        let reference = Reference { rate_bps: 3.0, low_bps: 2.0, high_bps: 4.0 };
        assert_eq!(reference.ratio(1.0), Some(0.5));
        assert_eq!(reference.ratio(2.0), Some(1.0));
        assert_eq!(reference.ratio(3.7), Some(1.0));
        assert_eq!(reference.ratio(6.0), Some(1.5));
        assert_eq!(reference.error(1.0), Some(0.5));
        assert_eq!(reference.error(4.0), Some(0.0));
    }

    #[test]
    fn a_satisfied_flow_is_compared_with_what_it_offered() {
        let expected = Reference::exactly(10.0);
        assert_eq!(expected.as_offered(8.0).ratio(8.0), Some(1.0));
        assert_eq!(expected.as_offered(8.0).ratio(6.0), Some(0.75));
        // It offered more than expected: what is beyond that need not have had room.
        assert_eq!(expected.as_offered(12.0).ratio(11.0), Some(1.0));
        assert_eq!(expected.as_offered(12.0).ratio(9.0), Some(0.9));
    }

    #[test]
    fn a_single_rate_gives_the_plain_ratio_and_zero_gives_none() {
        assert_eq!(Reference::exactly(8.0).ratio(6.0), Some(0.75));
        assert_eq!(Reference::exactly(0.0).ratio(6.0), None);
        assert_eq!(Reference::exactly(f64::INFINITY).ratio(6.0), None);
    }
}
