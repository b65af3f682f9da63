//! Oscillation range.

use super::WindowedRate;
use fairwire_core::Instant;

/// Largest minus smallest mean rate over `rows` rows, in bit/s, of all windows
/// that lie within `from` and `until`; 0 where none does.
pub fn oscillation_range(series: &WindowedRate, rows: usize, from: Instant, until: Instant) -> f64 {
    let row_ns = series.row().as_nanos().max(1);
    let until_row = usize::try_from(until.as_nanos() / row_ns).unwrap_or(usize::MAX - 1);
    let windows = series.windows(series.row_from(from), until_row.min(series.rows()), rows);
    let bytes = windows.map(|first| series.bytes(first, rows));
    let (low, high) = bytes.fold((u64::MAX, 0), |(low, high), bytes| (low.min(bytes), high.max(bytes)));
    if low > high { 0.0 } else { series.rate_of(high, rows) - series.rate_of(low, rows) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Span;

    #[test]
    fn spans_the_windowed_rates_after_the_warm_up() {
        let row = Span::from_millis(1);
        let at = |ms: u64| Instant::ZERO + row * ms;
        let series = WindowedRate::new(&[0, 100, 200, 100, 200, 300], row, row * 6);
        assert_eq!(oscillation_range(&series, 1, at(0), Instant::NEVER), 300.0 * 8e3);
        assert_eq!(oscillation_range(&series, 1, at(1), at(5)), 100.0 * 8e3);
        assert_eq!(
            oscillation_range(&series, 1, at(1), at(5) + Span::from_micros(500)),
            100.0 * 8e3,
            "the row that the end cuts is left out"
        );
        assert_eq!(oscillation_range(&series, 2, at(1), at(5)), 0.0);
        assert_eq!(oscillation_range(&series, 9, at(0), Instant::NEVER), 0.0);
    }
}
