//! Settling time: as the papers see it, without a reference.

use super::{Reference, WindowedRate, time_to_fair};
use fairwire_core::{Instant, Span};

/// The share of the time after the event whose mean counts as final.
const FINAL_SHARE: f64 = 0.25;

/// The first time after `event` from which every throughput over `rows` rows
/// stays within 5 % of its own final mean; none if it never does.
///
/// The final mean is the mean over the last quarter of the time after the
/// event, and at least over one window. Flows that deliver nothing in it are
/// left out. Unlike time to fair this asks whether rates are steady, not
/// whether they are fair.
pub fn settling_time(flows: &[&WindowedRate], rows: usize, event: Instant) -> Option<Span> {
    let with_final_mean: Vec<_> = flows
        .iter()
        .map(|&series| {
            let after = series.rows().saturating_sub(series.row_from(event));
            let last = ((after as f64 * FINAL_SHARE).ceil() as usize).max(rows).min(series.rows());
            (series, Reference::exactly(series.rate_bps(series.rows() - last, last)))
        })
        .collect();
    time_to_fair(&with_final_mean, 0.05, rows, event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_counts_even_when_unfair() {
        let row = Span::from_millis(1);
        // Final mean over the last quarter (two rows of eight): 40.
        let ramps = WindowedRate::new(&[0, 10, 20, 30, 40, 40, 40, 40], row, row * 8);
        let steady = WindowedRate::new(&[7; 8], row, row * 8);
        assert_eq!(settling_time(&[&ramps, &steady], 1, Instant::ZERO), Some(Span::from_millis(5)));
        assert_eq!(settling_time(&[&steady], 1, Instant::ZERO), Some(Span::from_millis(1)));
        assert_eq!(settling_time(&[&steady], 1, Instant::from_nanos(2_000_000)), Some(Span::from_millis(1)));
    }

    /// A quarter of five rows is more than one: the mean of two is 400, and all rows are within 5 % of it. 415 is not
    /// within 5 % of the last one.
    #[test]
    fn a_row_that_is_partly_in_the_last_quarter_counts() {
        let row = Span::from_millis(1);
        let series = WindowedRate::new(&[400, 400, 400, 415, 385], row, row * 5);
        assert_eq!(settling_time(&[&series], 1, Instant::ZERO), Some(Span::from_millis(1)));
    }

    #[test]
    fn the_final_mean_is_over_a_window_at_least() {
        let row = Span::from_millis(1);
        // Any four rows of this have a mean of 100, the last quarter of it, two rows, one of 140.
        let swings = WindowedRate::new(&[60, 60, 140, 140, 60, 60, 140, 140], row, row * 8);
        assert_eq!(settling_time(&[&swings], 4, Instant::ZERO), Some(Span::from_millis(4)));
    }

    #[test]
    fn swinging_never_settles_and_silence_is_left_out() {
        let row = Span::from_millis(1);
        let swings = WindowedRate::new(&[50, 150, 50, 150, 50, 150, 50, 150], row, row * 8);
        let silent = WindowedRate::new(&[0; 8], row, row * 8);
        assert_eq!(settling_time(&[&swings], 1, Instant::ZERO), None);
        // Over a whole period the swing is gone.
        assert_eq!(settling_time(&[&swings, &silent], 2, Instant::ZERO), Some(Span::from_millis(2)));
        assert_eq!(settling_time(&[&silent], 1, Instant::ZERO), None);
    }
}
