//! What a run of a network leaves behind.
//!
//! All series have rows of [`NetworkRecord::window`] length; row `k` covers
//! `[k·window, (k+1)·window)`, the last one possibly cut by the end.

use super::rates::{PortRecord, RateRecord};
use crate::delay_summary::DelaySummary;
use crate::transfer::Transfer;
use crate::window_sample::WindowSample;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::Waited;

/// Everything measured in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkRecord {
    /// Simulated time.
    pub duration: Span,
    /// Means, losses and delays are measured from here on.
    pub warmup: Span,
    /// Length of one row of every series.
    pub window: Span,
    /// Flows in the order of the plan.
    pub flows: Vec<NetworkFlowRecord>,
    /// Links in the order of the plan.
    pub links: Vec<NetworkLinkRecord>,
    /// Packets sent over one link each over the whole run, acknowledgements included.
    pub packet_hops: u64,
    /// Broken invariants, in words; empty when all is well or nothing was checked.
    pub violations: Vec<String>,
}

/// One flow's counts and series. Packet counts are of data, not of
/// acknowledgements, and cover the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFlowRecord {
    /// Packets sent, retransmissions included.
    pub sent: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// Packets dropped by queues.
    pub dropped: u64,
    /// Packets lost on lossy links.
    pub lost: u64,
    /// Packets marked by queues.
    pub marked: u64,
    /// Packets that arrived at the destination, duplicates included.
    pub arrived: u64,
    /// Packets on links or in queues at the end.
    pub in_flight: u64,
    /// Sent after the warm-up.
    pub measured_sent: u64,
    /// Dropped or lost after the warm-up.
    pub measured_dropped: u64,
    /// Bytes arrived after the warm-up that were not there before (goodput, headers included):
    /// of TCP, bytes that came to be acknowledged in order.
    pub measured_bytes: u64,
    /// The same in each row.
    pub delivered_bytes: Vec<u32>,
    /// Time from being sent to arriving, of packets that arrived after the warm-up.
    pub delay: DelaySummary,
    /// Retransmission timeouts over the whole run.
    pub timeouts: u64,
    /// What its TCP senders waited for after the warm-up, all micro-flows together; nothing of datagrams.
    pub waited: Waited,
    /// Whether the flow was active in each of its periods; empty without activity.
    pub active: Vec<bool>,
    /// Finished transfers in order of their ends.
    pub transfers: Vec<Transfer>,
    /// Transfers begun and not finished.
    pub unfinished: u64,
    /// State of each micro-flow's sender over time (empty without detail, and for datagrams).
    pub windows: Vec<WindowSample>,
    /// Of a flow whose rate switches tell: its control packets and allowed rates.
    pub rate: Option<RateRecord>,
}

/// One link and the queue in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkLinkRecord {
    /// Bytes sent after the warm-up.
    pub measured_bytes: u64,
    /// Bytes sent in each row (empty without detail).
    pub sent_bytes: Vec<u32>,
    /// Packets that arrived at the queue over the whole run.
    pub arrived: u64,
    /// Of these, dropped by the queue: as full, early, and as more than a share.
    pub dropped: [u64; 3],
    /// Packets marked by the queue.
    pub marked: u64,
    /// Packets lost on the link.
    pub lost: u64,
    /// Packets waiting on average over time after the warm-up, the one in transmission not counted.
    pub mean_packets: f64,
    /// Bytes waiting, likewise.
    pub mean_bytes: f64,
    /// Most packets that ever waited.
    pub deepest_packets: u32,
    /// Time in the queue of packets that left it after the warm-up.
    pub waiting: DelaySummary,
    /// Packets waiting at the end of each row (empty without detail).
    pub waiting_packets: Vec<u32>,
    /// Packets dropped and marked in each row (empty without detail).
    pub dropped_in_row: Vec<u32>,
    /// What the queue's law showed, in order of time (empty without detail).
    pub law: Vec<QueueSample>,
    /// What its port did, where a rate law tells flows their rates.
    pub port: Option<PortRecord>,
}

/// One inner value shown by a queue's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueSample {
    /// When.
    pub t: Instant,
    /// What it showed, with the unit as suffix.
    pub name: &'static str,
    /// Of what.
    pub index: u32,
    /// The value.
    pub value: f64,
}
