//! Pieces of the final standard's profiles that are more than a number.

use super::FAIRNESS_BYTES;
use super::situation::{Gauge, Marks};
use crate::ring::RingSite;
use fairwire_core::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a station's client hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Nothing: the MAC limits the station and what it sends past the most congested
    /// point downstream.
    SingleChoke,
    /// The multi-choke frames of all stations: it holds back by destination as well.
    MultiChoke,
}

/// How long a station without secondary transit queue may wait, in laws that tell
/// nothing of one.
pub const SINGLE_QUEUE_ACCESS: Span = Span::from_millis(1);

/// What tells congestion there: the final standard's rate thresholds.
pub fn single_queue_gauge(site: &RingSite) -> Gauge {
    let high = site.unreserved().as_bps_f64() * 0.95;
    Gauge::Rate(Marks::halved(high * 0.9, high))
}

/// Time between two single-choke frames that take this part of the link: 171 µs at
/// 599.04 Mb/s and 0.00125.
pub fn advertising(ratio: f64, site: &RingSite) -> Span {
    let ratio = if ratio > 0.0 { ratio.clamp(1e-6, 1.0) } else { 1e-6 };
    let bits = Bytes::new(FAIRNESS_BYTES as u64).bits() as f64;
    let seconds = bits / (ratio * site.capacity().as_bps_f64().max(1.0));
    Span::from_secs_f64(seconds).max(Span::from_micros(1)).min(Span::from_millis(10_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::{BitRate, Ringlet, StationId};

    #[test]
    fn the_advertising_interval_follows_from_the_ratio() {
        let interval = |bps| {
            let site = RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_bps(bps); 2]);
            advertising(0.00125, &site).as_nanos()
        };
        assert_eq!(interval(599_040_000) / 1_000, 170);
        assert_eq!(interval(1_000_000_000), 102_400);
        assert_eq!(interval(9_584_640_000) / 100, 106);
        assert_eq!((interval(0), interval(u64::MAX)), (10_000_000_000, 1_000));
    }
}
