//! Quantities in tables: a few digits and a unit, those of all crates and what only commands write.

pub use fairwire_alloc::text::{count, grouped, number, percent, rate, time};

/// Bit/s to three significant digits, for what is uncertain anyway: `37 kb/s`.
pub fn rough_rate(bps: f64) -> String {
    fairwire_alloc::text::rate_to(bps, 3)
}

/// A number without unit, with four decimals: `0.9987`; a dash for what is no number.
pub fn ratio(value: f64) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.4}") }
}

/// What there may be none of.
pub fn or_dash<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_four_decimals() {
        assert_eq!(ratio(0.9), "0.9000");
        assert_eq!(ratio(f64::NAN), "–");
    }
}
