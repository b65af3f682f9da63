//! Rates as the sixteen bits of a fairness frame tell them.

use super::{FULL_RATE, params::Encoding};
use fairwire_core::{BitRate, Span};

/// The unit in which a ring tells rates.
///
/// Sixteen bits over the fastest link of the ring: at 622 Mb/s and 100 µs a step
/// is 10 kb/s. Rates are rounded down, so nobody is promised more than there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateCode {
    unit_bps: f64,
}

impl RateCode {
    /// The unit for a ring whose links have these `capacities`.
    ///
    /// The standard counts bytes in an aging interval, divided by a power of two
    /// (rateCoef) that makes the rate of the link fit: 59904 for 599.04 Mb/s, and for
    /// 4 and 16 times as much (802.17 maintenance request 0012).
    pub fn new(encoding: Encoding, capacities: &[BitRate], aging: Span) -> Self {
        let fastest = capacities.iter().max().map_or(1.0, |rate| rate.as_bps_f64()).max(1.0);
        let largest = f64::from(FULL_RATE - 1);
        let unit_bps = match encoding {
            Encoding::FullScale => fastest / largest,
            Encoding::Standard => {
                let byte_per_aging = 8.0 / aging.as_secs_f64();
                byte_per_aging * (fastest / byte_per_aging / largest).log2().ceil().exp2()
            }
        };
        Self { unit_bps }
    }

    /// The code of a rate in bit/s, rounded down; rates beyond what can be told
    /// become the largest that can.
    #[inline]
    pub fn encode(self, rate_bps: f64) -> u16 {
        // A rate that came from a code gives that code again.
        let units = rate_bps / self.unit_bps * (1.0 + 1e-12);
        let most = FULL_RATE - 1;
        if units >= f64::from(most) { most } else { units as u16 }
    }

    /// The rate in bit/s; `None` for no limit.
    #[inline]
    pub fn decode(self, code: u16) -> Option<f64> {
        (code != FULL_RATE).then(|| f64::from(code) * self.unit_bps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(encoding: Encoding, bps: u64, aging_us: u64) -> RateCode {
        RateCode::new(encoding, &[BitRate::from_bps(1), BitRate::from_bps(bps)], Span::from_micros(aging_us))
    }

    /// LINK_RATE of the maintenance request: payload rates of OC-3, 12, 48, 192.
    #[test]
    fn the_standards_links_have_the_standards_code() {
        for (bps, aging_us) in [(149_760_000, 400), (599_040_000, 100), (2_396_160_000, 100), (9_584_640_000, 100)] {
            assert_eq!(code(Encoding::Standard, bps, aging_us).encode(bps as f64), 59_904, "{bps}");
        }
    }

    #[test]
    fn steps_are_small_and_codes_keep_their_value() {
        for encoding in [Encoding::Standard, Encoding::FullScale] {
            let code = code(encoding, 622_000_000, 100);
            assert!(code.unit_bps < 19_000.0, "{}", code.unit_bps);
            for number in 0..FULL_RATE {
                assert_eq!(code.encode(code.decode(number).unwrap()), number);
            }
            let quarter = code.decode(code.encode(155.5e6)).unwrap();
            assert!(quarter <= 155.5e6 && quarter > 155.5e6 - code.unit_bps);
        }
    }

    #[test]
    fn only_all_ones_mean_no_limit() {
        let code = code(Encoding::Standard, 622_000_000, 100);
        assert_eq!(code.decode(FULL_RATE), None);
        for rate in [1e12, f64::INFINITY] {
            assert_eq!(code.encode(rate), FULL_RATE - 1, "never by rounding");
        }
        for rate in [0.0, -1.0, f64::NAN] {
            assert_eq!(code.encode(rate), 0);
        }
        assert_eq!(code.decode(0), Some(0.0));
    }

    #[test]
    fn odd_rings_have_a_unit_too() {
        for rate in [0, 1, u64::MAX] {
            for aging_us in [1, 1_000_000] {
                let code = RateCode::new(Encoding::Standard, &[BitRate::from_bps(rate)], Span::from_micros(aging_us));
                assert!(code.unit_bps.is_finite() && code.unit_bps > 0.0);
                assert!(code.encode(rate as f64) < FULL_RATE);
            }
        }
    }
}
