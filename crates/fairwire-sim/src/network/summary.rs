//! What remains of a network when its run is over.

use super::audit;
use super::engine::Network;
use super::hosts::MicroFlow;
use super::link::Link;
use fairwire_core::Span;
use fairwire_laws::transport::SenderCounts;
use fairwire_plan::{NetworkFlowRecord, NetworkLinkRecord, NetworkPlan, NetworkRecord, QueueSample};

/// The record of a run that ended at `reached`.
pub fn record(mut network: Network, plan: &NetworkPlan, reached: u64) -> NetworkRecord {
    let in_flight = audit::in_flight(&network);
    let violations = audit::violations(&network, plan, &in_flight);
    let mut flows: Vec<_> = (0..plan.flows.len()).map(|flow| account(&mut network, plan, flow, reached)).collect();
    for (flow, in_flight) in flows.iter_mut().zip(in_flight) {
        flow.in_flight = in_flight;
    }
    for (identity, micro_flow) in network.hosts.identities.iter().zip(&network.hosts.micro_flows) {
        if let MicroFlow::Tcp(session) = micro_flow {
            let SenderCounts { timeouts, .. } = session.counts();
            let flow = &mut flows[identity.flow as usize];
            flow.timeouts += timeouts;
            flow.transfers.extend_from_slice(session.transfers());
            flow.unfinished += session.unfinished();
        }
    }
    flows.iter_mut().for_each(|flow| flow.transfers.sort_by_key(|transfer| transfer.end));
    NetworkRecord {
        duration: Span::from_nanos(reached),
        warmup: plan.warmup,
        window: plan.window,
        packet_hops: network.links.iter().map(|link| link.common.books.sent).sum(),
        flows,
        links: network.links.iter_mut().map(|link| link_record(link, reached)).collect(),
        violations,
    }
}

fn account(network: &mut Network, plan: &NetworkPlan, flow: usize, reached: u64) -> NetworkFlowRecord {
    let account = &mut network.ledger.flows[flow];
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
        delivered_bytes: account.take_rows(reached, plan.window.as_nanos()),
        delay: account.delay_summary(),
        timeouts: 0,
        active: active.unwrap_or_default(),
        transfers: Vec::new(),
        unfinished: 0,
        windows: network.samples.as_mut().map(|samples| std::mem::take(&mut samples.samples[flow])).unwrap_or_default(),
    }
}

fn link_record(link: &mut Link, reached: u64) -> NetworkLinkRecord {
    let waiting = link.depth().packets;
    let common = &mut link.common;
    let series = common.books.take_series(reached, waiting);
    let (mean_packets, mean_bytes) = common.books.means(reached);
    let sample = |(t, sample): (_, fairwire_core::Sample)| QueueSample {
        t,
        name: sample.name,
        index: sample.index,
        value: sample.value,
    };
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
        law: common.probe.take_samples().into_iter().map(sample).collect(),
    }
}
