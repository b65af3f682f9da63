//! What a network looks like at one instant.

use super::engine::Network;
use super::ledger::Counts;
use super::link::Link;
use super::micro_flows::MicroFlow;
use fairwire_core::{BitRate, Instant};
use fairwire_plan::NetworkPlan;
use fairwire_plan::WindowSample;

/// A network at one instant. Counts are of the whole run so far.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkView {
    /// When.
    pub now: Instant,
    /// Flows in the order of the plan.
    pub flows: Vec<NetworkFlowView>,
    /// Links in the order of the plan.
    pub links: Vec<NetworkLinkView>,
}

/// One flow: its data packets, acknowledgements not counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkFlowView {
    /// Packets sent, retransmissions included.
    pub sent: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// Packets that arrived, duplicates included.
    pub arrived: u64,
    /// Packets dropped by queues.
    pub dropped: u64,
    /// Packets lost on links.
    pub lost: u64,
    /// Packets marked by queues.
    pub marked: u64,
    /// Packets in queues and on links.
    pub in_flight: u64,
    /// Bytes that arrived and were not there before; of TCP, bytes in order.
    pub delivered_bytes: u64,
    /// The senders of connections that are open.
    pub senders: Vec<WindowSample>,
}

/// One link and its queue.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkLinkView {
    /// Bits per second.
    pub capacity: BitRate,
    /// Packets that wait, the one in transmission not counted.
    pub waiting_packets: u32,
    /// Their bytes.
    pub waiting_bytes: u64,
    /// Packets that arrived at the queue.
    pub arrived: u64,
    /// Of these, dropped by the queue: as full, early, and as more than a share.
    pub dropped: [u64; 3],
    /// Packets marked by the queue.
    pub marked: u64,
    /// Packets whose transmission began.
    pub sent: u64,
    /// Of these, lost on the link.
    pub lost: u64,
}

impl NetworkView {
    pub(super) fn of(network: &mut Network, plan: &NetworkPlan, now: u64) -> Self {
        let Network { links, ledger, .. } = &mut *network;
        links.iter_mut().for_each(|link| link.catch_up(now, ledger));
        let at = Instant::from_nanos(now);
        let links = network.links.iter().zip(&plan.links);
        let links = links.map(|(link, planned)| NetworkLinkView::of(link, planned.capacity_at(at))).collect();
        let accounts = (0..network.ledger.flows()).map(|flow| network.ledger.counts(flow));
        let flow = |account: Counts| NetworkFlowView {
            sent: account.sent,
            retransmitted: account.retransmitted,
            arrived: account.arrived,
            dropped: account.dropped,
            lost: account.lost,
            marked: account.marked,
            in_flight: account.sent - account.arrived - account.dropped - account.lost,
            delivered_bytes: account.bytes,
            senders: Vec::new(),
        };
        let mut flows: Vec<_> = accounts.map(flow).collect();
        let (mut last, mut number) = (u32::MAX, 0);
        for (identity, micro_flow) in network.hosts.identities.iter().zip(network.hosts.micro_flows.iter()) {
            number = if identity.flow == last { number + 1 } else { 0 };
            last = identity.flow;
            if let MicroFlow::Tcp(session) = micro_flow {
                flows[last as usize].senders.extend(session.sample(now, number));
            }
        }
        Self { now: at, flows, links }
    }
}

impl NetworkLinkView {
    fn of(link: &Link, capacity: BitRate) -> Self {
        let (depth, books) = (link.depth(), &link.common.books);
        Self {
            capacity,
            waiting_packets: depth.packets,
            waiting_bytes: depth.bytes,
            arrived: books.arrived,
            dropped: books.dropped,
            marked: books.marked,
            sent: books.sent,
            lost: books.lost,
        }
    }
}
