//! Mean rates over sliding windows of whole rows.

use fairwire_core::{Instant, Span};

/// The bytes of one flow or link, summed up so that the mean rate over any
/// rows costs one subtraction.
#[derive(Clone, Debug)]
pub struct WindowedRate {
    /// Bytes in all rows before the index.
    bytes_before: Vec<u64>,
    row: Span,
}

impl WindowedRate {
    /// A series of `row_bytes`, one entry a `row` of time, of which only what
    /// lies wholly within `duration` counts.
    pub fn new(row_bytes: &[u32], row: Span, duration: Span) -> Self {
        let whole = duration.as_nanos().checked_div(row.as_nanos()).unwrap_or(0);
        let whole = usize::try_from(whole).unwrap_or(usize::MAX).min(row_bytes.len());
        let mut bytes_before = Vec::with_capacity(whole + 1);
        let mut sum = 0_u64;
        bytes_before.push(sum);
        for &bytes in &row_bytes[..whole] {
            sum += u64::from(bytes);
            bytes_before.push(sum);
        }
        Self { bytes_before, row }
    }

    /// Whole rows there are.
    pub fn rows(&self) -> usize {
        self.bytes_before.len() - 1
    }

    /// Length of a row.
    pub fn row(&self) -> Span {
        self.row
    }

    /// Mean rate in bit/s over `rows` rows from row `first` on; rows that do
    /// not exist are left out of the mean, and a mean over none is 0.
    pub fn rate_bps(&self, first: usize, rows: usize) -> f64 {
        let end = first.saturating_add(rows).min(self.rows());
        let Some(count) = end.checked_sub(first).filter(|&count| count > 0) else { return 0.0 };
        self.rate_of(self.bytes_before[end] - self.bytes_before[first], count)
    }

    /// Bytes in the `rows` rows from row `first` on, all of which exist.
    #[inline]
    pub fn bytes(&self, first: usize, rows: usize) -> u64 {
        self.bytes_before[first + rows] - self.bytes_before[first]
    }

    /// The rate in bit/s of so many bytes in so many rows.
    pub fn rate_of(&self, bytes: u64, rows: usize) -> f64 {
        bytes as f64 * 8.0 / (rows as f64 * self.row.as_secs_f64())
    }

    /// The first row that begins at `time` or later.
    pub fn row_from(&self, time: Instant) -> usize {
        let row = time.as_nanos().checked_add(self.row.as_nanos().saturating_sub(1));
        let row = row.and_then(|ns| ns.checked_div(self.row.as_nanos()));
        row.and_then(|row| usize::try_from(row).ok()).unwrap_or(usize::MAX)
    }

    /// First rows of all windows of `rows` rows that begin in or after row `from` and end in or before row `until`.
    pub fn windows(&self, from: usize, until: usize, rows: usize) -> std::ops::Range<usize> {
        let until = until.min(self.rows());
        let end = if rows == 0 { 0 } else { (until + 1).saturating_sub(rows) };
        from.min(end)..end
    }

    /// When row `row` begins.
    pub fn start_of(&self, row: usize) -> Instant {
        Instant::ZERO + self.row * row as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series() -> WindowedRate {
        WindowedRate::new(&[125, 250, 0, 125, 99], Span::from_millis(1), Span::from_micros(4_500))
    }

    #[test]
    fn rates_are_means_over_whole_rows() {
        let series = series();
        assert_eq!(series.rows(), 4, "the row that the end cuts is left out");
        assert_eq!(series.rate_bps(0, 1), 1e6);
        assert_eq!(series.rate_bps(0, 2), 1.5e6);
        assert_eq!(series.rate_bps(2, 2), 0.5e6);
        assert_eq!(series.rate_bps(3, 9), 1e6, "beyond the end there is nothing to average");
        assert_eq!(series.rate_bps(9, 1), 0.0);
    }

    #[test]
    fn windows_begin_after_an_event_and_end_in_time() {
        let series = series();
        assert_eq!(series.row_from(Instant::ZERO), 0);
        assert_eq!(series.row_from(Instant::from_nanos(1)), 1);
        assert_eq!(series.row_from(Instant::from_nanos(1_000_000)), 1);
        assert_eq!(series.windows(1, usize::MAX - 1, 2), 1..3);
        assert_eq!(series.windows(0, 3, 3), 0..1);
        assert!(series.windows(0, 4, 5).is_empty());
        assert_eq!(series.start_of(3), Instant::from_nanos(3_000_000));
    }

    #[test]
    fn a_row_of_no_length_holds_nothing() {
        let series = WindowedRate::new(&[1, 2], Span::ZERO, Span::from_millis(1));
        assert_eq!(series.rows(), 0);
        assert_eq!(series.row_from(Instant::ZERO), usize::MAX);
    }
}
