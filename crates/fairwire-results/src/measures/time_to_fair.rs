//! Time to fair.

use super::{FairWindow, Reference, WindowedRate};
use fairwire_core::{Instant, Span};

/// What rounding may add to a rate that lies exactly on the border.
const ROUNDING: f64 = 1e-9;

/// The time from `event` to the end of the first window from which on every
/// flow's rate stays within `within` of its reference, in that window and all
/// later ones; none if that never happens.
///
/// Windows are `rows` rows long, begin at the event or later and slide by one
/// row. Flows whose reference is 0 are left out: no distance from 0 is
/// relative. Without any flow to judge there is nothing to be fair about, and
/// the answer is none.
pub fn time_to_fair(flows: &[(&WindowedRate, Reference)], within: f64, rows: usize, event: Instant) -> Option<Span> {
    let within = within + ROUNDING;
    let judged = flows.iter().filter(|(_, reference)| reference.exists());
    let mut first_good: Option<usize> = None;
    for (series, reference) in judged {
        let windows = series.windows(series.row_from(event), usize::MAX - 1, rows);
        // What lies between two fair rates is fair, and most windows lie there.
        let (mut low, mut high) = (u64::MAX, 0);
        let mut fair = |&first: &usize| {
            let bytes = series.bytes(first, rows);
            let known = (low..=high).contains(&bytes);
            let fair = known || reference.error(series.rate_of(bytes, rows)).is_some_and(|error| error <= within);
            if fair && !known {
                (low, high) = (low.min(bytes), high.max(bytes));
            }
            fair
        };
        let good = windows.rev().take_while(&mut fair).last()?;
        first_good = first_good.max(Some(good));
    }
    let (series, _) = flows.first()?;
    Some(series.start_of(first_good? + rows).since(event))
}

/// Once every flow's rate has been within `within` of its reference in one window after `event`: the longest time for which some
/// flow's was not, in each window that begins in it. Zero if all stay within; none if they never are, or if there is no flow to judge.
///
/// Windows are those of [`time_to_fair`].
pub fn longest_unfair(flows: &[(&WindowedRate, Reference)], within: f64, rows: usize, event: Instant) -> Option<Span> {
    let judged = || flows.iter().filter(|(_, reference)| reference.exists());
    let (series, _) = judged().next()?;
    let is_fair = |first: usize| {
        let error = |series: &WindowedRate, reference: &Reference| reference.error(series.rate_bps(first, rows));
        judged().all(|(series, reference)| error(series, reference).is_some_and(|error| error <= within + ROUNDING))
    };
    let windows = series.windows(series.row_from(event), usize::MAX - 1, rows);
    let once_fair: Vec<bool> = windows.map(is_fair).skip_while(|fair| !fair).collect();
    once_fair.first()?;
    let longest = once_fair.split(|fair| *fair).map(<[bool]>::len).max().unwrap_or(0);
    Some(series.row() * longest as u64)
}

/// Whether a time after `event` leaves less than another window until the run ends, after `duration`: it then says nothing of
/// what stays, and neither tables nor sweeps take it for a time to fair.
pub fn only_in_last_window(time: Span, window: FairWindow, event: Instant, duration: Span) -> bool {
    event + time + window.length > Instant::ZERO + duration
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Span = Span::from_millis(1);

    /// One byte in a row of a millisecond is 8 kb/s.
    fn series(rows: &[u32]) -> WindowedRate {
        WindowedRate::new(rows, ROW, ROW * rows.len() as u64)
    }

    fn fair(bytes: f64) -> Reference {
        Reference::exactly(bytes * 8_000.0)
    }

    /// Windows of one row: not yet fair, fair, two rows unfair, fair, one unfair.
    #[test]
    fn what_is_unfair_counts_once_all_have_been_fair() {
        let (one, other) = (series(&[0, 0, 0, 100, 50, 100, 100, 100]), series(&[0, 0, 100, 100, 100, 80, 100, 80]));
        let flows = [(&one, fair(100.0)), (&other, fair(100.0)), (&one, fair(0.0))];
        let longest = |within, from| longest_unfair(&flows, within, 1, Instant::ZERO + ROW * from);
        assert_eq!(longest(0.05, 0), Some(ROW * 2));
        assert_eq!(longest(0.2, 0), Some(ROW), "eighty of a hundred are within a fifth");
        assert_eq!(longest(0.05, 6), Some(ROW));
        assert_eq!(longest(0.2, 5), Some(Span::ZERO));
        assert_eq!(longest(0.05, 7), None, "never fair");
        assert_eq!(longest_unfair(&flows[2..], 0.05, 1, Instant::ZERO), None, "nobody to judge");
    }

    #[test]
    fn ends_with_the_first_window_that_stays_fair() {
        // Windows of two rows: 0, 50, 100, 100, ... from row 2 on.
        let rate = series(&[0, 0, 100, 100, 100, 100]);
        let flows = [(&rate, fair(100.0))];
        assert_eq!(time_to_fair(&flows, 0.05, 2, Instant::ZERO), Some(Span::from_millis(4)));
        assert_eq!(time_to_fair(&flows, 0.05, 1, Instant::ZERO), Some(Span::from_millis(3)));
        assert_eq!(time_to_fair(&flows, 0.5, 2, Instant::ZERO), Some(Span::from_millis(3)));
    }

    #[test]
    fn a_late_lapse_counts_and_the_slowest_flow_decides() {
        let steady = series(&[100; 8]);
        let lapses = series(&[100, 100, 100, 100, 90, 100, 100, 100]);
        assert_eq!(time_to_fair(&[(&steady, fair(100.0))], 0.05, 1, Instant::ZERO), Some(Span::from_millis(1)));
        let both = [(&steady, fair(100.0)), (&lapses, fair(100.0))];
        assert_eq!(time_to_fair(&both, 0.05, 1, Instant::ZERO), Some(Span::from_millis(6)));
        // Over two rows the lapse averages to 95: just inside.
        assert_eq!(time_to_fair(&both, 0.05, 2, Instant::ZERO), Some(Span::from_millis(2)));
    }

    #[test]
    fn never_fair_is_none() {
        let rate = series(&[100, 100, 100, 94]);
        assert_eq!(time_to_fair(&[(&rate, fair(100.0))], 0.05, 1, Instant::ZERO), None);
        assert_eq!(time_to_fair(&[(&rate, fair(100.0))], 0.05, 5, Instant::ZERO), None, "no window fits");
        assert_eq!(time_to_fair(&[], 0.05, 1, Instant::ZERO), None);
    }

    #[test]
    fn counts_from_the_event_and_only_windows_after_it() {
        let rate = series(&[7, 7, 7, 80, 100, 100]);
        let flows = [(&rate, fair(100.0))];
        let event = Instant::from_nanos(2_500_000);
        assert_eq!(time_to_fair(&flows, 0.05, 1, event), Some(Span::from_micros(2_500)));
    }

    #[test]
    fn flows_without_a_fair_rate_are_left_out() {
        let (good, stopped) = (series(&[100; 4]), series(&[50, 0, 0, 0]));
        let flows = [(&stopped, fair(0.0)), (&good, fair(100.0))];
        assert_eq!(time_to_fair(&flows, 0.05, 1, Instant::ZERO), Some(Span::from_millis(1)));
    }

    #[test]
    fn a_time_says_something_where_another_window_follows() {
        let window = FairWindow { rows: 2, length: ROW * 2 };
        let event = Instant::from_nanos(1_000_000);
        let is_last = |ms| only_in_last_window(Span::from_millis(ms), window, event, ROW * 8);
        assert!(!is_last(5), "it ends at 6 ms of 8");
        assert!(is_last(6));
    }

    #[test]
    fn anywhere_in_an_interval_is_fair() {
        let rate = series(&[120, 60, 100, 80]);
        let reference = Reference { rate_bps: 100.0 * 8e3, low_bps: 80.0 * 8e3, high_bps: 100.0 * 8e3 };
        assert_eq!(time_to_fair(&[(&rate, reference)], 0.05, 1, Instant::ZERO), Some(Span::from_millis(3)));
    }
}
