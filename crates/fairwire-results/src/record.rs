//! What a run left behind, in the terms that rings and networks share.

use crate::plan::{Outline, Plan};
use fairwire_core::Span;
use fairwire_laws::transport::Waited;
use fairwire_plan::{DelaySummary, NetworkRecord, RateRecord, RingPlan, RunRecord, Transfer, WindowSample};

/// What a run left behind.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Of a ring.
    Ring(RunRecord),
    /// Of a network.
    Network(NetworkRecord),
}

impl From<RunRecord> for Record {
    fn from(record: RunRecord) -> Self {
        Self::Ring(record)
    }
}

impl From<NetworkRecord> for Record {
    fn from(record: NetworkRecord) -> Self {
        Self::Network(record)
    }
}

impl Record {
    /// That of a ring, if it is one.
    pub fn ring(&self) -> Option<&RunRecord> {
        match self {
            Self::Ring(record) => Some(record),
            Self::Network(_) => None,
        }
    }

    /// That of a network, if it is one.
    pub fn network(&self) -> Option<&NetworkRecord> {
        match self {
            Self::Ring(_) => None,
            Self::Network(record) => Some(record),
        }
    }

    /// The same in the terms that measures need; `plan` is what was run.
    pub fn counts<'a>(&'a self, plan: &Plan) -> Counts<'a> {
        match self {
            Self::Ring(record) => Counts::of_ring(record, plan.ring()),
            Self::Network(record) => Counts::of_network(record),
        }
    }
}

/// What a run left behind, as far as measures, tables and the report look at it alike.
#[derive(Clone, Debug)]
pub struct Counts<'a> {
    /// Simulated time.
    pub duration: Span,
    /// Length of one row of every series.
    pub window: Span,
    /// Flows in the order of the plan.
    pub flows: Vec<FlowCounts<'a>>,
    /// Links that carried anything, in the order of [`Outline::links`].
    pub links: Vec<LinkCounts<'a>>,
    /// Packets sent over one link each.
    pub packet_hops: u64,
    /// Of these, control frames.
    pub control_hops: u64,
    /// Broken invariants, in words.
    pub violations: &'a [String],
}

/// One flow. Packet counts cover the whole run.
#[derive(Clone, Copy, Debug)]
pub struct FlowCounts<'a> {
    /// Packets its sources made.
    pub offered: u64,
    /// Of these, refused before they were sent.
    pub refused: u64,
    /// Of these, sent.
    pub entered: u64,
    /// Of these, dropped or lost on the way.
    pub dropped: u64,
    /// Of these, delivered.
    pub delivered: u64,
    /// Sent after the warm-up.
    pub measured_entered: u64,
    /// Dropped or lost after the warm-up.
    pub measured_dropped: u64,
    /// Bytes delivered after the warm-up.
    pub measured_bytes: u64,
    /// Bytes delivered in each row.
    pub delivered_bytes: &'a [u32],
    /// From the source to the destination.
    pub delay: DelaySummary,
    /// What its connections did; none on a ring where it has none.
    pub connections: Option<ConnectionCounts<'a>>,
    /// Packets marked by queues, in a network.
    pub marked: Option<u64>,
    /// What cuts and steering did to it; only on a ring that protects itself.
    pub astray: Option<AstrayCounts>,
    /// Whether it was active in each of its periods; empty without such.
    pub active: &'a [bool],
    /// Its control packets and allowed rates, where switches tell its rate.
    pub rate: Option<&'a RateRecord>,
}

/// What the connections of a flow did.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionCounts<'a> {
    /// Segments sent again.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// What their senders waited for after the warm-up.
    pub waited: Waited,
    /// Finished transfers in order of their ends.
    pub transfers: &'a [Transfer],
    /// Transfers begun and not finished.
    pub unfinished: u64,
    /// State of each micro-flow's sender over time (empty without detail).
    pub windows: &'a [WindowSample],
}

/// What cuts and steering did to a flow's packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AstrayCounts {
    /// Lost on links that were cut.
    pub lost: u64,
    /// Discarded to keep a strict order.
    pub discarded: u64,
    /// Delivered after one that was made later.
    pub reordered: u64,
}

/// One link.
#[derive(Clone, Copy, Debug)]
pub struct LinkCounts<'a> {
    /// Which, by its position in [`Outline::links`].
    pub link: usize,
    /// Bytes sent after the warm-up.
    pub measured_bytes: u64,
    /// Bytes sent in each row (empty without detail).
    pub sent_bytes: &'a [u32],
}

impl<'a> Counts<'a> {
    fn of_ring(record: &'a RunRecord, plan: Option<&RingPlan>) -> Self {
        let stations = plan.map_or(0, |plan| plan.stations.len());
        let is_protected = plan.is_some_and(|plan| plan.protection.is_some());
        let has_connections = |flow: usize| plan.is_some_and(|plan| plan.flows[flow].offer.tcp().is_some());
        let flows = record.flows.iter().enumerate().map(|(number, flow)| FlowCounts {
            offered: flow.offered,
            refused: flow.refused,
            entered: flow.entered,
            dropped: flow.dropped,
            delivered: flow.delivered,
            measured_entered: flow.measured_entered,
            measured_dropped: flow.measured_dropped,
            measured_bytes: flow.measured_bytes,
            delivered_bytes: &flow.delivered_bytes,
            delay: flow.delay,
            connections: has_connections(number).then_some(ConnectionCounts {
                retransmitted: flow.retransmitted,
                timeouts: flow.timeouts,
                waited: flow.waited,
                transfers: &flow.transfers,
                unfinished: flow.unfinished,
                windows: &flow.windows,
            }),
            marked: None,
            astray: is_protected.then_some(AstrayCounts {
                lost: flow.lost,
                discarded: flow.discarded,
                reordered: flow.reordered,
            }),
            active: &[],
            rate: None,
        });
        let links = record.links.iter().map(|link| LinkCounts {
            link: link.ringlet.index() * stations + link.station.index(),
            measured_bytes: link.measured_bytes,
            sent_bytes: &link.sent_bytes,
        });
        Self {
            duration: record.duration,
            window: record.window,
            flows: flows.collect(),
            links: links.collect(),
            packet_hops: record.packet_hops,
            control_hops: record.control_hops,
            violations: &record.violations,
        }
    }

    fn of_network(record: &'a NetworkRecord) -> Self {
        let flows = record.flows.iter().map(|flow| FlowCounts {
            offered: flow.sent,
            refused: 0,
            entered: flow.sent,
            dropped: flow.dropped + flow.lost,
            delivered: flow.arrived,
            measured_entered: flow.measured_sent,
            measured_dropped: flow.measured_dropped,
            measured_bytes: flow.measured_bytes,
            delivered_bytes: &flow.delivered_bytes,
            delay: flow.delay,
            connections: Some(ConnectionCounts {
                retransmitted: flow.retransmitted,
                timeouts: flow.timeouts,
                waited: flow.waited,
                transfers: &flow.transfers,
                unfinished: flow.unfinished,
                windows: &flow.windows,
            }),
            marked: Some(flow.marked),
            astray: None,
            active: &flow.active,
            rate: flow.rate.as_ref(),
        });
        let used = record.links.iter().enumerate().filter(|(_, link)| link.arrived > 0);
        let links = used.map(|(number, link)| LinkCounts {
            link: number,
            measured_bytes: link.measured_bytes,
            sent_bytes: &link.sent_bytes,
        });
        Self {
            duration: record.duration,
            window: record.window,
            flows: flows.collect(),
            links: links.collect(),
            packet_hops: record.packet_hops,
            control_hops: 0,
            violations: &record.violations,
        }
    }

    /// The part of its capacity that a link used after the warm-up, at most 1: a packet counts whole as
    /// soon as it is being sent. None where nothing was measured.
    pub fn used(&self, outline: &Outline, link: &LinkCounts<'_>) -> Option<f64> {
        let room_bits = outline.links.get(link.link)?.measured_capacity_bps * outline.measured_s();
        (room_bits > 0.0).then(|| (link.measured_bytes as f64 * 8.0 / room_bits).min(1.0))
    }
}
