//! One link of a network in numbers.

use crate::explicit_rates::PortSummary;
use crate::plan::Outline;
use fairwire_plan::{DelaySummary, NetworkLinkRecord, NetworkRecord};
use serde::Serialize;

/// A link and the queue in front of it. Rates and queues are those after the
/// warm-up, packet counts those of the whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkSummary {
    /// The link's name.
    pub id: String,
    /// Part of its capacity that was used.
    pub utilisation: f64,
    /// Packets waiting on average over time, the one in transmission not counted.
    pub mean_queue_packets: f64,
    /// Bytes waiting, likewise.
    pub mean_queue_bytes: f64,
    /// Most packets that ever waited.
    pub deepest_queue_packets: u32,
    /// Mean time in the queue; none if nothing left it.
    pub waiting_mean_ns: Option<f64>,
    /// Median of that time.
    pub waiting_p50_ns: Option<u64>,
    /// Its 95th percentile.
    pub waiting_p95_ns: Option<u64>,
    /// Its 99th percentile.
    pub waiting_p99_ns: Option<u64>,
    /// Packets that came to the queue.
    pub arrived: u64,
    /// Of these, dropped by it: as it was full, early, or as more than a share.
    pub dropped: u64,
    /// Of these, as it was full.
    pub dropped_full: u64,
    /// Of these, to tell senders of congestion to come.
    pub dropped_early: u64,
    /// Of these, as more than their flow's share.
    pub dropped_unfair: u64,
    /// Packets marked in place of being dropped.
    pub marked: u64,
    /// Packets lost on the link.
    pub lost: u64,
    /// What its port did; none of a link without a rate law.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<PortSummary>,
}

/// The links that anything came to.
pub(crate) fn link_summaries(outline: &Outline, record: &NetworkRecord) -> Vec<LinkSummary> {
    let used = record.links.iter().zip(&outline.links).filter(|(link, _)| link.arrived > 0);
    let summary = |(link, planned): (&NetworkLinkRecord, &crate::plan::LinkOutline)| {
        let room_bits = planned.measured_capacity_bps * outline.measured_s();
        let waiting: Option<DelaySummary> = Some(link.waiting).filter(|waiting| waiting.count > 0);
        let [full, early, unfair] = link.dropped;
        LinkSummary {
            id: planned.name.clone(),
            utilisation: if room_bits > 0.0 { (link.measured_bytes as f64 * 8.0 / room_bits).min(1.0) } else { 0.0 },
            mean_queue_packets: link.mean_packets,
            mean_queue_bytes: link.mean_bytes,
            deepest_queue_packets: link.deepest_packets,
            waiting_mean_ns: waiting.map(|waiting| waiting.mean_ns),
            waiting_p50_ns: waiting.map(|waiting| waiting.p50_ns),
            waiting_p95_ns: waiting.map(|waiting| waiting.p95_ns),
            waiting_p99_ns: waiting.map(|waiting| waiting.p99_ns),
            arrived: link.arrived,
            dropped: full + early + unfair,
            dropped_full: full,
            dropped_early: early,
            dropped_unfair: unfair,
            marked: link.marked,
            lost: link.lost,
            port: link.port.as_ref().map(PortSummary::from),
        }
    };
    used.map(summary).collect()
}
