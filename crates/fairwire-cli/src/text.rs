//! Quantities in tables: a few digits and a unit.

pub use fairwire_alloc::text::{count, grouped, number, rate};

/// Bit/s to three significant digits, for what is uncertain anyway: `37 kb/s`.
pub fn rough_rate(bps: f64) -> String {
    fairwire_alloc::text::rate_to(bps, 3)
}

/// Nanoseconds to three significant digits: `1.23 ms`.
pub fn time(ns: f64) -> String {
    if !ns.is_finite() {
        return "never".to_owned();
    }
    fairwire_alloc::text::scaled(ns, &[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")], 3)
}

/// A part of one as a percentage with two decimals: `12.50 %`.
pub fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
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
    fn quantities_have_few_digits_and_a_unit() {
        assert_eq!(time(1_234_567.0), "1.23 ms");
        assert_eq!(time(999.0), "999 ns");
        assert_eq!(time(999_900.0), "1 ms");
        assert_eq!(time(f64::INFINITY), "never");
        assert_eq!(percent(0.125), "12.50 %");
        assert_eq!(ratio(0.9), "0.9000");
        assert_eq!(ratio(f64::NAN), "–");
    }
}
