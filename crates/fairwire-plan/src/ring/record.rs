//! What a run leaves behind: counts, time series, delays.
//!
//! All series of one run have rows of [`RunRecord::window`] length; row `k`
//! covers `[k·window, (k+1)·window)`, the last one possibly cut by the end.

use crate::delay_summary::DelaySummary;
use crate::transfer::Transfer;
use crate::window_sample::WindowSample;
use fairwire_core::{Bytes, Instant, Ringlet, Span, StationId};
use fairwire_laws::transport::Waited;

/// Everything measured in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Simulated time.
    pub duration: Span,
    /// Means, losses and delays are measured from here on.
    pub warmup: Span,
    /// Length of one row of every series.
    pub window: Span,
    /// Flows in the order of the plan.
    pub flows: Vec<FlowRecord>,
    /// Links that carried anything, ringlet 0 first, by the station they leave.
    pub links: Vec<LinkRecord>,
    /// What the laws showed, in order of ringlet, station and time (empty without detail).
    pub laws: Vec<LawSample>,
    /// What stations found out about the ring, in order of station and time.
    pub topology: Vec<TopologyChange>,
    /// Packets sent over one link each, data and control, over the whole run.
    pub packet_hops: u64,
    /// Of these, control frames.
    pub control_hops: u64,
    /// Broken invariants, in words; empty when all is well or nothing was checked.
    pub violations: Vec<String>,
}

/// One flow's counts and series. Packet counts cover the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowRecord {
    /// Packets its sources made; of TCP, segments sent, retransmissions included.
    pub offered: u64,
    /// Of these, refused by a full station queue.
    pub refused: u64,
    /// Of these, let onto the ring.
    pub entered: u64,
    /// Of these, dropped by a full queue on the ring.
    pub dropped: u64,
    /// Of these, lost on a link that was cut; where stations wrap, also at an edge that could not
    /// wrap them, and on the other ringlet when the ring had closed.
    pub lost: u64,
    /// Of these, in strict order and discarded while the topology was unsettled.
    pub discarded: u64,
    /// Of these, delivered at the egress; of TCP, duplicates included.
    pub delivered: u64,
    /// Of these, delivered after one that was made later (counted with protection only:
    /// nothing overtakes on an intact ring).
    pub reordered: u64,
    /// Entered after the warm-up.
    pub measured_entered: u64,
    /// Dropped on the ring after the warm-up.
    pub measured_dropped: u64,
    /// Bytes delivered after the warm-up that were not there before: of TCP, bytes that
    /// came to be acknowledged in order.
    pub measured_bytes: u64,
    /// The same in each row.
    pub delivered_bytes: Vec<u32>,
    /// Time from being made to being delivered, of packets delivered after the warm-up.
    pub delay: DelaySummary,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Retransmission timeouts over the whole run.
    pub timeouts: u64,
    /// What its TCP senders waited for after the warm-up, all micro-flows together; nothing of datagrams.
    pub waited: Waited,
    /// Finished transfers in order of their ends.
    pub transfers: Vec<Transfer>,
    /// Transfers begun and not finished.
    pub unfinished: u64,
    /// State of each micro-flow's sender over time (empty without detail, and for datagrams).
    pub windows: Vec<WindowSample>,
}

impl FlowRecord {
    /// The longest run of whole rows, from the one at `from` on and over by `until`, in which nothing
    /// was delivered. What lies between two deliveries is longer by less than two rows.
    pub fn longest_silence(&self, from: Instant, until: Instant, window: Span) -> Span {
        let row = |at: Instant| (at.as_nanos() / window.as_nanos()) as usize;
        let end = row(until).min(self.delivered_bytes.len());
        let rows = self.delivered_bytes.get(row(from)..end).unwrap_or_default();
        let silences = rows.split(|bytes| *bytes > 0).map(<[u32]>::len);
        window * silences.max().unwrap_or(0) as u64
    }
}

/// One directed link and the queue in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRecord {
    /// The ringlet.
    pub ringlet: Ringlet,
    /// The station it leaves.
    pub station: StationId,
    /// Bytes sent after the warm-up, control frames included.
    pub measured_bytes: u64,
    /// Bytes sent in each row, control frames included (empty without detail).
    pub sent_bytes: Vec<u32>,
    /// Bytes of control messages sent over the whole run.
    pub control_bytes: u64,
    /// Packets dropped by the transit queues over the whole run.
    pub dropped: u64,
    /// Deepest the transit queue ever was: that of classes B and C where there are two.
    pub deepest: Bytes,
    /// Deepest the queue that goes before the station ever was, where there is one.
    pub primary_deepest: Option<Bytes>,
    /// Bytes waiting in that queue at the end of each row (empty without detail).
    pub waiting_bytes: Vec<u32>,
    /// Most bytes waiting in each row (empty without detail).
    pub deepest_bytes: Vec<u32>,
}

/// A station learns of another topology, or begins anew on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopologyChange {
    /// When.
    pub t: Instant,
    /// Which station.
    pub station: StationId,
    /// Whether it stands: its neighbours agree, and laws begin anew.
    pub settled: bool,
}

/// One inner value shown by a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawSample {
    /// When.
    pub t: Instant,
    /// The ringlet it controls.
    pub ringlet: Ringlet,
    /// Where it stands.
    pub station: StationId,
    /// What it showed, with the unit as suffix.
    pub name: &'static str,
    /// The egress it speaks of, or the station itself.
    pub about: StationId,
    /// The value.
    pub value: f64,
}
