//! Checks at the end of a run that the books balance.

use super::books::Depth;
use super::engine::Network;
use super::ledger::Owner;
use super::link::is_over;
use super::micro_flows::MicroFlow;
use fairwire_plan::NetworkPlan;

/// Data packets of each flow that are on wires or wait in queues.
pub fn in_flight(network: &Network) -> Vec<u64> {
    let mut in_flight = vec![0; network.ledger.flows()];
    let on_wires = network.wires.iter().flat_map(|wire| wire.packets());
    let waiting = network.links.iter().flat_map(|link| link.waiting_owners());
    for owner in on_wires.map(|packet| network.hosts.describe(packet).1).chain(waiting) {
        if let Some(count) = owner.index().and_then(|flow| in_flight.get_mut(flow)) {
            *count += 1;
        }
    }
    in_flight
}

/// Every broken invariant, in words.
pub fn violations(network: &Network, plan: &NetworkPlan, in_flight: &[u64]) -> Vec<String> {
    let mut found = Vec::new();
    flows(network, plan, in_flight, &mut found);
    links(network, plan, &mut found);
    found
}

/// Sent = arrived + dropped + lost + in flight, and senders have sent what was counted.
fn flows(network: &Network, plan: &NetworkPlan, in_flight: &[u64], found: &mut Vec<String>) {
    let mut by_senders = vec![None; plan.flows.len()];
    for (identity, micro_flow) in network.hosts.identities.iter().zip(network.hosts.micro_flows.iter()) {
        let MicroFlow::Tcp(session) = micro_flow else { continue };
        let counts = session.counts();
        let (sent, again) = by_senders[identity.flow as usize].get_or_insert((0, 0));
        *sent += counts.sent;
        *again += counts.retransmitted;
        let wrong = session.violation();
        found.extend(wrong.map(|wrong| format!("flow {}: {wrong}", plan.flows[identity.flow as usize].name)));
    }
    for flow in 0..network.ledger.flows() {
        let account = network.ledger.counts(flow);
        let name = &plan.flows[flow].name;
        if account.sent != account.arrived + account.dropped + account.lost + in_flight[flow] {
            found.push(format!(
                "flow {name}: {} packets were sent, but {} arrived, {} were dropped, {} lost and {} are under way",
                account.sent, account.arrived, account.dropped, account.lost, in_flight[flow]
            ));
        }
        if by_senders[flow].is_some_and(|counts| counts != (account.sent, account.retransmitted)) {
            found.push(format!(
                "flow {name}: senders count {:?} packets sent and sent again, their links {:?}",
                by_senders[flow],
                (account.sent, account.retransmitted)
            ));
        }
    }
}

/// Arrived = dropped + sent + waiting; no queue was ever over its limit or miscounts itself.
fn links(network: &Network, plan: &NetworkPlan, found: &mut Vec<String>) {
    for (link, planned) in network.links.iter().zip(&plan.links) {
        let (books, waiting) = (&link.common.books, link.depth());
        let name = &planned.name;
        if books.arrived != books.all_dropped() + books.sent + u64::from(waiting.packets) {
            found.push(format!(
                "link {name}: {} packets arrived, but {} were dropped, {} sent and {} wait",
                books.arrived,
                books.all_dropped(),
                books.sent,
                waiting.packets
            ));
        }
        let deepest = Depth { packets: books.deepest_packets, bytes: books.deepest_bytes };
        if is_over(planned.limit, deepest) {
            found.push(format!("link {name}: {deepest:?} waited where {:?} is the limit", planned.limit));
        }
        let wrong = books.violations.iter().cloned().chain(link.violation());
        found.extend(wrong.map(|wrong| format!("link {name}: {wrong}")));
    }
}

impl Owner {
    fn index(self) -> Option<usize> {
        (self != Self::NOBODY).then(|| self.number())
    }
}
