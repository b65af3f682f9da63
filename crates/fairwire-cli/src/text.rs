//! Quantities in tables: a few digits and a unit.

/// Bit/s to six significant digits: `155.5 Mb/s`.
pub fn rate(bps: f64) -> String {
    rate_to(bps, 6)
}

/// Bit/s to three significant digits, for what is uncertain anyway: `37 kb/s`.
pub fn rough_rate(bps: f64) -> String {
    rate_to(bps, 3)
}

fn rate_to(bps: f64, digits: i32) -> String {
    let (scale, unit) = match bps.abs() {
        size if !size.is_finite() => return "no limit".to_owned(),
        size if size >= 1e10 => (1e9, "Gb/s"),
        size if size >= 1e6 => (1e6, "Mb/s"),
        size if size >= 1e3 => (1e3, "kb/s"),
        _ => (1.0, "b/s"),
    };
    format!("{} {unit}", number(bps / scale, digits))
}

/// Nanoseconds to three significant digits: `1.23 ms`.
pub fn time(ns: f64) -> String {
    let (scale, unit) = match ns {
        size if !size.is_finite() => return "never".to_owned(),
        size if size >= 1e9 => (1e9, "s"),
        size if size >= 1e6 => (1e6, "ms"),
        size if size >= 1e3 => (1e3, "us"),
        _ => (1.0, "ns"),
    };
    format!("{} {unit}", number(ns / scale, 3))
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

/// To so many significant digits, without zeros at the end.
pub fn number(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let before_point = value.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(digits - before_point).unwrap_or(0).min(12);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A whole number in groups of three digits: `1,321,182`.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 run`, `3 runs`.
pub fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_few_digits_and_a_unit() {
        assert_eq!(rate(155.5e6), "155.5 Mb/s");
        assert_eq!(rate(622e6 / 3.0), "207.333 Mb/s");
        assert_eq!(rate(f64::INFINITY), "no limit");
        assert_eq!(time(1_234_567.0), "1.23 ms");
        assert_eq!(time(999.0), "999 ns");
        assert_eq!(time(f64::INFINITY), "never");
        assert_eq!(number(1_555_000.0, 3), "1555000");
        assert_eq!(grouped(1_321_182), "1,321,182");
        assert_eq!(grouped(100), "100");
        assert_eq!(percent(0.125), "12.50 %");
        assert_eq!(ratio(0.9), "0.9000");
        assert_eq!(ratio(f64::NAN), "–");
        assert_eq!(count(2, "flow"), "2 flows");
    }
}
