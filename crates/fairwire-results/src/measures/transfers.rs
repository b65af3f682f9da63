//! How long transfers take.

use super::percentile::percentile;
use crate::record::ConnectionCounts;
use fairwire_core::Instant;
use fairwire_plan::Transfer;
use serde::Serialize;

/// Times of a flow's transfers, from the first segment sent to the last one acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TransferSummary {
    /// Transfers that began after the warm-up and came to their end.
    pub count: u64,
    /// Transfers that were under way when the run ended.
    pub unfinished: u64,
    /// Mean time; none without a finished transfer.
    pub mean_s: Option<f64>,
    /// Standard deviation; none below two.
    pub std_s: Option<f64>,
    /// Median.
    pub p50_s: Option<f64>,
    /// 90th percentile.
    pub p90_s: Option<f64>,
    /// 99th percentile.
    pub p99_s: Option<f64>,
}

/// Sums up the transfers that began at `from` or later.
pub fn transfer_summary(done: &ConnectionCounts<'_>, from: Instant) -> TransferSummary {
    let times = transfer_times_s(done.transfers, from);
    let count = times.len() as f64;
    let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / count);
    let variance = mean
        .filter(|_| times.len() > 1)
        .map(|mean| times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0));
    TransferSummary {
        count: times.len() as u64,
        unfinished: done.unfinished,
        mean_s: mean,
        std_s: variance.map(f64::sqrt),
        p50_s: percentile(&times, 0.5),
        p90_s: percentile(&times, 0.9),
        p99_s: percentile(&times, 0.99),
    }
}

/// Times in seconds, rising, of transfers that began at `from` or later.
pub fn transfer_times_s(transfers: &[Transfer], from: Instant) -> Vec<f64> {
    let measured = transfers.iter().filter(|transfer| transfer.start >= from);
    let mut times: Vec<f64> = measured.map(|transfer| transfer.end.since(transfer.start).as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Span;
    use fairwire_laws::transport::Waited;

    #[test]
    fn two_transfers_have_a_standard_deviation_and_one_has_none() {
        let transfers = [1_000, 3_000].map(|ms| {
            let end = Instant::ZERO + Span::from_millis(ms);
            Transfer { start: Instant::ZERO, end, bytes: 1, sent: 1, retransmitted: 0 }
        });
        let std_s = |transfers: &[Transfer]| {
            let (waited, windows) = (Waited::default(), &[][..]);
            let done = ConnectionCounts { retransmitted: 0, timeouts: 0, waited, transfers, unfinished: 0, windows };
            transfer_summary(&done, Instant::ZERO).std_s
        };
        assert_eq!(std_s(&transfers), Some(2f64.sqrt()));
        assert_eq!(std_s(&transfers[..1]), None);
    }
}
