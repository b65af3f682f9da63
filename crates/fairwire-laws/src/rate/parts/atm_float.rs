//! ATM's 16-bit float for rates.
//!
//! One bit says whether the rate is above zero, five bits hold the exponent e and nine the mantissa m:
//! 2^e (1 + m/512) cells a second, each of 53 bytes. Rates are rounded down, so that nobody is told more than there is.

/// Bits of a cell.
const CELL_BITS: f64 = 424.0;
/// Values of the mantissa.
const MANTISSAS: f64 = 512.0;
const NOT_ZERO: u16 = 1 << 14;
const LARGEST_EXPONENT: i32 = 31;

/// The largest relative step between two neighbours.
pub const STEP: f64 = 1.0 / MANTISSAS;

/// The largest code whose rate is not above `rate_bps`, which is finite and not negative.
pub fn encode(rate_bps: f64) -> u16 {
    let cells = rate_bps / CELL_BITS;
    if cells < 1.0 {
        return 0;
    }
    let exponent = cells.log2().floor().clamp(0.0, f64::from(LARGEST_EXPONENT)) as i32;
    // The logarithm may be rounded past a power of two.
    let exponent = if exponent > 0 && f64::from(exponent).exp2() > cells { exponent - 1 } else { exponent };
    let mantissa = ((cells / f64::from(exponent).exp2() - 1.0) * MANTISSAS).floor().clamp(0.0, MANTISSAS - 1.0);
    NOT_ZERO | (exponent as u16) << 9 | mantissa as u16
}

/// The rate of a code in bit/s.
pub fn decode(code: u16) -> f64 {
    if code & NOT_ZERO == 0 {
        return 0.0;
    }
    let (exponent, mantissa) = (f64::from(code >> 9 & 31), f64::from(code & 511));
    exponent.exp2() * (1.0 + mantissa / MANTISSAS) * CELL_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_the_code_of_its_rate() {
        assert_eq!(encode(0.0), 0);
        for code in (0..1 << 14).map(|bits| NOT_ZERO | bits) {
            assert_eq!(encode(decode(code)), code, "{}", decode(code));
        }
    }

    #[test]
    fn rates_are_rounded_down_by_less_than_a_step() {
        let mut rate = CELL_BITS;
        while rate < 4e11 {
            let told = decode(encode(rate));
            assert!(told <= rate && rate < told * (1.0 + STEP), "{rate} {told}");
            rate *= 1.000_7;
        }
        assert_eq!(decode(encode(f64::MAX)), decode(u16::MAX >> 1));
    }
}
