//! Rates, times, numbers and counts as people read them: the same in explanations, in the
//! command's tables and in reports.

/// Units of a bit rate, the largest first, with their size in bit/s.
const RATES: [(f64, &str); 5] = [(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")];

/// Units of a time, the largest first, with their size in nanoseconds.
const TIMES: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")];

/// A rate in bit/s to six significant digits: `155.5 Mb/s`, `1 Gb/s`.
pub fn rate(bps: f64) -> String {
    rate_to(bps, 6)
}

/// A rate in bit/s to so many significant digits, in the largest unit of which there is
/// at least one; `no limit` for one that is not finite.
pub fn rate_to(bps: f64, digits: i32) -> String {
    if bps.is_finite() { scaled(bps, &RATES, digits) } else { "no limit".to_owned() }
}

/// `value` to so many significant digits in the first of `units`, the largest first, of
/// which there is at least one; in the last if there is less of all.
pub fn scaled(value: f64, units: &[(f64, &str)], digits: i32) -> String {
    // What rounds to 1000 of a unit is one of the next.
    let least = 1.0 - 0.5 * 10_f64.powi(-digits);
    let fits = |unit: &&(f64, &str)| value.abs() >= unit.0 * least;
    let &(scale, unit) = units.iter().find(fits).or(units.last()).unwrap_or(&(1.0, ""));
    format!("{} {unit}", number(value / scale, digits))
}

/// A number to so many significant digits, without zeros at the end.
pub fn number(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let before_point = value.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(digits - before_point).unwrap_or(0).min(12);
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Nanoseconds to three significant digits: `1.23 ms`; `never` for what is not finite.
pub fn time(ns: f64) -> String {
    if ns.is_finite() { scaled(ns, &TIMES, 3) } else { "never".to_owned() }
}

/// A part of one as a percentage with two decimals: `12.50 %`.
pub fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
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

/// A count with its noun, in the plural unless there is one of it: `1 link`, `2 entries`.
pub fn count(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {}", plural(noun)) }
}

/// The regular plural of a noun: `links`, `entries`, `classes`.
pub fn plural(noun: &str) -> String {
    let of_y = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match of_y {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with('s') => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_groups_of_three() {
        assert_eq!([7, 100, 1_321_182].map(grouped), ["7", "100", "1,321,182"]);
    }

    #[test]
    fn times_and_parts_have_few_digits() {
        assert_eq!(time(1_234_567.0), "1.23 ms");
        assert_eq!(time(999.0), "999 ns");
        assert_eq!(time(999_900.0), "1 ms");
        assert_eq!(time(f64::INFINITY), "never");
        assert_eq!(percent(0.125), "12.50 %");
    }

    #[test]
    fn rates_take_the_largest_unit_of_which_there_is_one() {
        assert_eq!(rate(155.5e6), "155.5 Mb/s");
        assert_eq!(rate(622e6 / 3.0), "207.333 Mb/s");
        assert_eq!(rate(1e9), "1 Gb/s");
        assert_eq!(rate(9.953e9), "9.953 Gb/s");
        assert_eq!(rate(2.5e12), "2.5 Tb/s");
        assert_eq!(rate(64e3), "64 kb/s");
        assert_eq!(rate(-64e3), "-64 kb/s");
        assert_eq!(rate(0.25), "0.25 b/s");
        assert_eq!(rate(0.0), "0 b/s");
        assert_eq!(rate(f64::INFINITY), "no limit");
    }

    #[test]
    fn what_rounds_up_to_the_next_unit_takes_it() {
        assert_eq!(rate(999_999_700.0), "1 Gb/s");
        assert_eq!(rate(999_999_000.0), "999.999 Mb/s");
        assert_eq!(rate_to(999_999_000.0, 4), "1 Gb/s");
    }

    #[test]
    fn numbers_keep_their_digits_and_no_idle_zeros() {
        assert_eq!(number(1_555_000.0, 3), "1555000");
        assert_eq!(number(0.001_234_567, 4), "0.001235");
        assert_eq!(number(1e-20, 4), "0");
        assert_eq!(number(-1e-20, 4), "0");
    }

    #[test]
    fn nouns_follow_their_count() {
        assert_eq!([0, 1, 2].map(|flows| count(flows, "flow")), ["0 flows", "1 flow", "2 flows"]);
        assert_eq!(["entry", "key", "ingress"].map(plural), ["entries", "keys", "ingresses"]);
    }
}
