//! Division by a coefficient, which is a power of two more often than not.

/// Divides as `/` does, to the bit; by a power of two without a division, which would take
/// longer than all else in a filter.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    value: f64,
    /// One over it, if that is exact.
    inverse: Option<f64>,
}

const FRACTION_BITS: u64 = (1 << 52) - 1;

impl Divisor {
    /// Divides by `value`.
    pub fn new(value: f64) -> Self {
        let inverse = 1.0 / value;
        let exact = value.is_normal() && inverse.is_normal() && value.to_bits() & FRACTION_BITS == 0;
        Self { value, inverse: exact.then_some(inverse) }
    }

    /// What of `dividend` comes on one of so many.
    #[inline(always)]
    pub fn divide(self, dividend: f64) -> f64 {
        match self.inverse {
            Some(inverse) => dividend * inverse,
            None => dividend / self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_divides_as_division_does(bits: u64, other: u64, power in -1_074i32..1_024) {
            let dividend = f64::from_bits(bits);
            for value in [2f64.powi(power), -2f64.powi(power % 20), f64::from_bits(other), 1.0, 3.0, 64.0, 512.0] {
                let (got, due) = (Divisor::new(value).divide(dividend), dividend / value);
                prop_assert!(got.to_bits() == due.to_bits() || got.is_nan() && due.is_nan(), "{dividend} / {value}");
            }
        }
    }
}
