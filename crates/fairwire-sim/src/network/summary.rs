//! What remains of a network when its run is over.

use super::audit;
use super::engine::Network;
use super::link::Link;
use super::micro_flows::MicroFlow;
use super::port::Port;
use fairwire_core::{Instant, Sample, Span};
use fairwire_laws::transport::{SenderCounts, Waited};
use fairwire_plan::{
    AllowedRate, NetworkFlowRecord, NetworkLinkRecord, NetworkPlan, NetworkRecord, PortRecord, QueueSample,
};

/// What a law has shown, in order of time.
type Shown = Vec<(Instant, Sample)>;

/// The record of a run that ended at `reached`.
pub fn record(mut network: Network, plan: &NetworkPlan, reached: u64) -> NetworkRecord {
    let in_flight = audit::in_flight(&network);
    let mut violations = audit::violations(&network, plan, &in_flight);
    let ports = ports(&mut network, plan, &mut violations);
    let rows = network.ledger.take_rows(reached);
    let accounts = rows.into_iter().enumerate();
    let mut flows: Vec<_> = accounts.map(|(flow, rows)| account(&mut network, plan, flow, rows)).collect();
    for (flow, in_flight) in flows.iter_mut().zip(in_flight) {
        flow.in_flight = in_flight;
    }
    for (identity, micro_flow) in network.hosts.identities.iter().zip(network.hosts.micro_flows.iter()) {
        if let MicroFlow::Tcp(session) = micro_flow {
            let SenderCounts { timeouts, .. } = session.counts();
            let flow = &mut flows[identity.flow as usize];
            flow.timeouts += timeouts;
            flow.waited += session.waited(reached);
            flow.transfers.extend_from_slice(session.transfers());
            flow.unfinished += session.unfinished();
        }
    }
    rates(&mut network, &mut flows, reached);
    flows.iter_mut().for_each(|flow| flow.transfers.sort_by_key(|transfer| transfer.end));
    NetworkRecord {
        duration: Span::from_nanos(reached),
        warmup: plan.warmup,
        window: plan.window,
        packet_hops: network.links.iter().map(|link| link.common.books.sent).sum(),
        flows,
        links: network.links.iter_mut().zip(ports).map(|(link, port)| link_record(link, reached, port)).collect(),
        violations,
    }
}

fn account(network: &mut Network, plan: &NetworkPlan, flow: usize, rows: Vec<u32>) -> NetworkFlowRecord {
    let account = network.ledger.counts(flow);
    let active = plan.flows[flow].activity.map(|_| network.periods[flow].active().to_vec());
    NetworkFlowRecord {
        sent: account.sent,
        retransmitted: account.retransmitted,
        dropped: account.dropped,
        lost: account.lost,
        marked: account.marked,
        arrived: account.arrived,
        in_flight: 0,
        measured_sent: account.measured_sent,
        measured_dropped: account.measured_dropped,
        measured_bytes: account.measured_bytes,
        delivered_bytes: rows,
        delay: network.ledger.delay_summary(flow),
        timeouts: 0,
        waited: Waited::default(),
        active: active.unwrap_or_default(),
        transfers: Vec::new(),
        unfinished: 0,
        rate: None,
        windows: network.samples.as_mut().map(|samples| std::mem::take(&mut samples.samples[flow])).unwrap_or_default(),
    }
}

/// What ports did; what does not add up in them goes to the `violations`.
fn ports(network: &mut Network, plan: &NetworkPlan, violations: &mut Vec<String>) -> Vec<Option<(PortRecord, Shown)>> {
    let mut finish = |port: &mut Option<Box<Port>>, name: &str| {
        let port = port.as_mut()?;
        let (record, wrong) = port.finish();
        violations.extend(wrong.map(|wrong| format!("link {name}: {wrong}")));
        Some((record, port.probe.take_samples()))
    };
    network.ports.iter_mut().zip(&plan.links).map(|(port, link)| finish(port, &link.name)).collect()
}

/// What flows did whose rates switches tell.
fn rates(network: &mut Network, flows: &mut [NetworkFlowRecord], reached: u64) {
    let (mut last, mut number) = (u32::MAX, 0);
    for (micro_flow, identity) in network.hosts.identities.iter().enumerate() {
        number = if identity.flow == last { number + 1 } else { 0 };
        last = identity.flow;
        let MicroFlow::Rate(end) = network.hosts.micro_flows.get_mut(micro_flow) else { continue };
        let record = flows[identity.flow as usize].rate.get_or_insert_default();
        record.control_sent += end.counts.control_sent;
        record.control_returned += end.counts.control_returned;
        record.control_noticed += end.counts.control_noticed;
        record.control_lost += end.counts.control_lost;
        record.control_refused += end.counts.control_refused;
        record.control_bytes += end.counts.control_bytes;
        record.arrived_while_on += end.arrivals.while_on;
        record.began.extend(end.began(reached).map(Instant::from_nanos));
        record.allowed.extend(std::mem::take(&mut end.allowed).into_iter().map(|(at, rate_bps)| AllowedRate {
            t: Instant::from_nanos(at),
            micro_flow: number,
            rate_bps,
        }));
    }
    for record in flows.iter_mut().filter_map(|flow| flow.rate.as_mut()) {
        record.began.sort_unstable();
        record.allowed.sort_by_key(|allowed| allowed.t);
    }
}

fn link_record(link: &mut Link, reached: u64, port: Option<(PortRecord, Shown)>) -> NetworkLinkRecord {
    let waiting = link.depth().packets;
    let common = &mut link.common;
    let series = common.books.take_series(reached, waiting);
    let (mean_packets, mean_bytes) = common.books.means(reached);
    let (port, of_port) = port.map_or((None, Shown::new()), |(record, shown)| (Some(record), shown));
    let mut shown = common.probe.take_samples();
    shown.extend(of_port);
    shown.sort_by_key(|(t, _)| *t);
    let sample =
        |(t, sample): (_, Sample)| QueueSample { t, name: sample.name, index: sample.index, value: sample.value };
    NetworkLinkRecord {
        measured_bytes: common.books.measured_bytes,
        sent_bytes: series.sent_bytes,
        arrived: common.books.arrived,
        dropped: common.books.dropped,
        marked: common.books.marked,
        lost: common.books.lost,
        mean_packets,
        mean_bytes,
        deepest_packets: common.books.deepest_packets,
        waiting: common.books.waiting(),
        waiting_packets: series.waiting_packets,
        dropped_in_row: series.dropped_in_row,
        port,
        law: shown.into_iter().map(sample).collect(),
    }
}
