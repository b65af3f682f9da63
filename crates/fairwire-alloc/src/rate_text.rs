//! Rates as people write them.

/// A rate in the largest of b/s, kb/s, Mb/s and Gb/s that keeps it at one or
/// more (Mb/s up to 10 Gb/s), to six significant digits.
pub(crate) fn rate_text(rate_bps: f64) -> String {
    let (factor, unit) = match rate_bps.abs() {
        rate if rate >= 1e10 => (1e9, "Gb/s"),
        rate if rate >= 1e6 => (1e6, "Mb/s"),
        rate if rate >= 1e3 => (1e3, "kb/s"),
        _ => (1.0, "b/s"),
    };
    format!("{} {unit}", number_text(rate_bps / factor))
}

/// A number to six significant digits, without trailing zeros.
pub(crate) fn number_text(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits_before_point = value.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(6 - digits_before_point).unwrap_or(0).min(12);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::rate_text;

    #[test]
    fn picks_a_unit_and_drops_empty_decimals() {
        assert_eq!(rate_text(155.5e6), "155.5 Mb/s");
        assert_eq!(rate_text(622e6 / 3.0), "207.333 Mb/s");
        assert_eq!(rate_text(10e9), "10 Gb/s");
        assert_eq!(rate_text(9.953e9), "9953 Mb/s");
        assert_eq!(rate_text(64e3), "64 kb/s");
        assert_eq!(rate_text(0.25), "0.25 b/s");
        assert_eq!(rate_text(0.0), "0 b/s");
    }
}
