//! How long one must look to tell a rate from its reference.

use super::Reference;
use fairwire_core::Span;

/// The window over which rates are averaged before they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairWindow {
    /// Whole rows of the series, at least one.
    pub rows: usize,
    /// The same as a length of time.
    pub length: Span,
}

/// W = max(T, the time in which the smallest finite reference rate delivers
/// 4/x packets), rounded up to whole rows.
///
/// With 4/x packets in the window one packet more or less is a quarter of the
/// tolerance x: 80 packets at 5 %, 400 at 1 %. `flows` gives each reference with
/// the mean size of the flow's packets in bytes; where sizes differ, the flow
/// that takes longest for its own 4/x packets counts. `lap` is T, the time of
/// one lap of the ring. References of 0 are left out.
pub fn fair_window(flows: impl IntoIterator<Item = (Reference, u16)>, within: f64, lap: Span, row: Span) -> FairWindow {
    let packets = 4.0 / within;
    let slowest_s = flows
        .into_iter()
        .filter(|(reference, _)| reference.exists())
        .map(|(reference, packet_bytes)| packets * f64::from(packet_bytes) * 8.0 / reference.rate_bps)
        .fold(0.0, f64::max);
    let needed_ns = (slowest_s * 1e9).max(lap.as_nanos() as f64);
    // A hair below a whole number of rows must not cost another row.
    let row_ns = row.as_nanos().max(1);
    let rows = (needed_ns / row_ns as f64 * (1.0 - 1e-12)).ceil().max(1.0);
    let rows = if rows < u32::MAX.into() { rows as usize } else { u32::MAX as usize };
    FairWindow { rows, length: row * rows as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Span = Span::from_micros(100);

    #[test]
    fn eighty_packets_at_five_percent_and_four_hundred_at_one() {
        // 80 packets of 1000 bytes at 155.5 Mb/s take 4.116 ms.
        let flows = [(Reference::exactly(155.5e6), 1000), (Reference::exactly(622e6), 1000)];
        let lap = Span::from_millis(1);
        assert_eq!(fair_window(flows, 0.05, lap, ROW).length, Span::from_micros(4_200));
        assert_eq!(fair_window(flows, 0.01, lap, ROW).length, Span::from_micros(20_600));
    }

    #[test]
    fn never_shorter_than_a_lap_and_zero_rates_do_not_count() {
        let flows = [(Reference::exactly(0.0), 1000), (Reference::exactly(1e9), 1000)];
        assert_eq!(fair_window(flows, 0.05, Span::from_micros(1_001), ROW).length, Span::from_micros(1_100));
        assert_eq!(fair_window([], 0.05, Span::ZERO, ROW).rows, 1);
    }

    #[test]
    fn an_exact_multiple_is_not_rounded_up() {
        // 80 packets of 1000 bytes at 640 Mb/s take exactly 1 ms.
        let flows = [(Reference::exactly(640e6), 1000)];
        assert_eq!(fair_window(flows, 0.05, Span::ZERO, ROW).rows, 10);
    }
}
