//! What a simulation looks like at one instant, for programs: with names, and in the words of the result tables.

use fairwire_core::StationId;
use fairwire_plan::{NetworkPlan, RingPlan, WindowSample};
use fairwire_sim::{NetworkView, RingView};
use serde::Serialize;

/// A ring or a network at one instant. Counts are of the whole run so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// When, in ns: all that happens before has happened.
    pub now_ns: u64,
    /// Flows in the order of the scenario.
    pub flows: Vec<FlowView>,
    /// Links and what waits in front of them.
    pub links: Vec<LinkView>,
    /// Station queues of a ring; empty in a network.
    pub queues: Vec<QueueView>,
    /// What the law lets stations of a ring send; empty in a network.
    pub limits: Vec<LimitView>,
    /// The senders of TCP connections that are open.
    pub senders: Vec<SenderView>,
}

/// One flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowView {
    /// Its id.
    pub flow: String,
    /// Packets made by its sources or brought; of TCP, sent.
    pub offered_packets: u64,
    /// Of these, refused by a full station queue.
    pub refused_packets: u64,
    /// Of these, let onto the ring or into the network.
    pub entered_packets: u64,
    /// Of these, dropped by queues.
    pub dropped_packets: u64,
    /// Of these, lost on links.
    pub lost_packets: u64,
    /// Of these, discarded to keep a strict order.
    pub discarded_packets: u64,
    /// Of these, delivered.
    pub delivered_packets: u64,
    /// Of these, on their way.
    pub in_flight_packets: u64,
    /// Bytes delivered that were not there before.
    pub delivered_bytes: u64,
}

/// One link.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkView {
    /// Its id.
    pub link: String,
    /// Its capacity in bit/s.
    pub capacity_bps: u64,
    /// Packets that wait for it, in a ring those in transit.
    pub waiting_packets: u64,
    /// Their bytes.
    pub waiting_bytes: u64,
    /// Packets sent, in a ring also control frames.
    pub sent_packets: u64,
    /// Packets dropped in front of it.
    pub dropped_packets: u64,
    /// Packets marked in front of it; none in a ring.
    pub marked_packets: u64,
}

/// One station queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueView {
    /// The ringlet, 0 or 1.
    pub ringlet: usize,
    /// The station.
    pub station: u16,
    /// The service class of its flows.
    pub class: String,
    /// Where its packets leave; none where a station has one queue for all.
    pub egress: Option<u16>,
    /// Packets that wait.
    pub waiting_packets: u64,
    /// Their bytes.
    pub waiting_bytes: u64,
}

/// What a law lets a station send.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitView {
    /// The ringlet, 0 or 1.
    pub ringlet: usize,
    /// The station.
    pub station: u16,
    /// Where the limited traffic leaves; none of all that the station adds.
    pub egress: Option<u16>,
    /// In bit/s; none where nothing is limited.
    pub rate_bps: Option<u64>,
}

/// One sender of TCP.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SenderView {
    /// The flow that it belongs to.
    pub flow: String,
    /// Which of its micro-flows.
    pub micro_flow: u32,
    /// Its congestion window.
    pub cwnd_packets: f64,
    /// Its slow-start threshold.
    pub ssthresh_packets: f64,
    /// Its smoothed round-trip time; none before the first sample.
    pub srtt_ns: Option<u64>,
    /// What it is doing.
    pub state: &'static str,
}

impl View {
    pub(crate) fn of_ring(plan: &RingPlan, view: &RingView) -> Self {
        let flow = |(name, flow): (&String, &fairwire_sim::RingFlowView)| FlowView {
            flow: name.clone(),
            offered_packets: flow.offered,
            refused_packets: flow.refused,
            entered_packets: flow.entered,
            dropped_packets: flow.dropped,
            lost_packets: flow.lost,
            discarded_packets: flow.discarded,
            delivered_packets: flow.delivered,
            in_flight_packets: flow.entered - flow.dropped - flow.lost - flow.discarded - flow.delivered,
            delivered_bytes: flow.delivered_bytes,
        };
        let link = |link: &fairwire_sim::RingLinkView| LinkView {
            link: link.ringlet.link_name(link.station),
            capacity_bps: link.capacity.as_bps(),
            waiting_packets: link.waiting_packets,
            waiting_bytes: link.waiting_bytes,
            sent_packets: link.sent,
            dropped_packets: link.dropped,
            marked_packets: 0,
        };
        let number = |station: StationId| station.0;
        let queue = |queue: &fairwire_sim::StationQueueView| QueueView {
            ringlet: queue.ringlet.index(),
            station: queue.station.0,
            class: format!("{:?}", queue.class),
            egress: queue.egress.map(number),
            waiting_packets: queue.waiting_packets,
            waiting_bytes: queue.waiting_bytes,
        };
        let limit = |limit: &fairwire_sim::LimitView| LimitView {
            ringlet: limit.ringlet.index(),
            station: limit.station.0,
            egress: limit.egress.map(number),
            rate_bps: limit.rate.map(|rate| rate.as_bps()),
        };
        let names = || plan.flows.iter().map(|flow| &flow.name);
        let senders = names().zip(&view.flows).map(|(name, flow)| (name, flow.senders.as_slice()));
        Self {
            now_ns: view.now.as_nanos(),
            flows: names().zip(&view.flows).map(flow).collect(),
            links: view.links.iter().map(link).collect(),
            queues: view.queues.iter().map(queue).collect(),
            limits: view.limits.iter().map(limit).collect(),
            senders: senders_of(senders),
        }
    }

    pub(crate) fn of_network(plan: &NetworkPlan, view: &NetworkView) -> Self {
        let flow = |(name, flow): (&String, &fairwire_sim::NetworkFlowView)| FlowView {
            flow: name.clone(),
            offered_packets: flow.sent,
            refused_packets: 0,
            entered_packets: flow.sent,
            dropped_packets: flow.dropped,
            lost_packets: flow.lost,
            discarded_packets: 0,
            delivered_packets: flow.arrived,
            in_flight_packets: flow.in_flight,
            delivered_bytes: flow.delivered_bytes,
        };
        let link = |(name, link): (&String, &fairwire_sim::NetworkLinkView)| LinkView {
            link: name.clone(),
            capacity_bps: link.capacity.as_bps(),
            waiting_packets: link.waiting_packets.into(),
            waiting_bytes: link.waiting_bytes,
            sent_packets: link.sent,
            dropped_packets: link.dropped.iter().sum(),
            marked_packets: link.marked,
        };
        let names = || plan.flows.iter().map(|flow| &flow.name);
        let senders = names().zip(&view.flows).map(|(name, flow)| (name, flow.senders.as_slice()));
        Self {
            now_ns: view.now.as_nanos(),
            flows: names().zip(&view.flows).map(flow).collect(),
            links: plan.links.iter().map(|link| &link.name).zip(&view.links).map(link).collect(),
            queues: Vec::new(),
            limits: Vec::new(),
            senders: senders_of(senders),
        }
    }
}

fn senders_of<'a>(flows: impl Iterator<Item = (&'a String, &'a [WindowSample])>) -> Vec<SenderView> {
    let sender = |name: &String, sample: &WindowSample| SenderView {
        flow: name.clone(),
        micro_flow: sample.micro_flow,
        cwnd_packets: sample.cwnd,
        ssthresh_packets: sample.ssthresh,
        srtt_ns: Some(sample.srtt.as_nanos()).filter(|ns| *ns > 0),
        state: sample.state,
    };
    flows.flat_map(|(name, samples)| samples.iter().map(move |sample| sender(name, sample))).collect()
}
