//! Numbers as people read them: four digits and a unit.

use fairwire_alloc::text;
pub(super) use fairwire_alloc::text::number as significant;

/// A bit rate: `155.5 Mb/s`.
pub(super) fn rate(bps: f64) -> String {
    text::rate_to(bps, 4)
}

/// A time: `4.1 ms`.
pub(super) fn time(ns: f64) -> String {
    if ns == 0.0 {
        return "0 s".to_owned();
    }
    scaled(ns, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

/// A size: `200 kB`.
pub(super) fn size(bytes: f64) -> String {
    scaled(bytes, &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")])
}

/// A part of one in per cent, with as many digits as help: `99.4 %`, `0.06 %`, `180 %`.
pub(super) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    let digits = match percent.abs() {
        // Zero needs none, and what is smaller than shown is shown as zero.
        0.0 => 0,
        p if p >= 199.5 => 0,
        p if p >= 0.995 => 1,
        p if p >= 0.0995 => 2,
        p if p >= 0.0005 => 3,
        _ => return "0 %".to_owned(),
    };
    format!("{} %", trim_zeros(&format!("{percent:.digits$}")))
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    if value.is_finite() { text::scaled(value, units, 4) } else { "unlimited".to_owned() }
}

fn trim_zeros(text: &str) -> String {
    let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_keep_four_digits() {
        assert_eq!(rate(155.5e6), "155.5 Mb/s");
        assert_eq!(rate(622e6), "622 Mb/s");
        assert_eq!(rate(999_999_000.0), "1 Gb/s");
        assert_eq!(rate(0.0), "0 b/s");
        assert_eq!(rate(0.25), "0.25 b/s");
        assert_eq!(rate(f64::INFINITY), "no limit");
        assert_eq!(time(4_116_000.0), "4.116 ms");
        assert_eq!(time(100.0), "100 ns");
        assert_eq!(time(0.0), "0 s");
        assert_eq!(size(200_000.0), "200 kB");
    }

    #[test]
    fn percentages_keep_what_matters() {
        assert_eq!(percent(0.994), "99.4 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0006), "0.06 %");
        assert_eq!(percent(0.00001), "0.001 %");
        assert_eq!(percent(2.5), "250 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1e-9), "0 %");
        assert_eq!(percent(0.05), "5 %");
    }
}
