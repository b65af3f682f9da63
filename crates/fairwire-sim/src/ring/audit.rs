//! Checks at the end of a run that the books balance, and tells what stations
//! noticed on the way.

use super::engine::Ring;
use super::mac::TransitQueue;
use super::whole::Whole;
use super::wire::Packet;

/// Every broken invariant, in words.
pub fn violations(ring: &Ring, plan: &Whole<'_>) -> Vec<String> {
    let mut found = Vec::new();
    conservation(ring, plan, &mut found);
    senders(ring, plan, &mut found);
    stations(ring, &mut found);
    lossless_transit(ring, plan, &mut found);
    found
}

/// Made = refused + waiting at the station + entered; entered = delivered + dropped + lost + discarded + on the ring.
fn conservation(ring: &Ring, plan: &Whole<'_>, found: &mut Vec<String>) {
    let flows = plan.flows.len();
    let (mut made, mut waiting, mut on_ring) = (vec![0; flows], vec![0; flows], vec![0u64; flows]);
    let mut answered = 0;
    let mut count = |packet: &Packet, counts: &mut Vec<u64>| {
        let flow = ring.ledger.flow_of(packet) as usize;
        answered += usize::from(packet.flow() as usize >= flows);
        counts[flow] += 1;
    };
    for side in ring.stations.iter().flat_map(|station| &station.sides) {
        for queue in side.mac.add_queues() {
            queue.counts().for_each(|(flow, offered, refused)| made[flow as usize] += offered - refused);
            queue.waiting().for_each(|packet| count(packet, &mut waiting));
        }
        side.mac.adds.released.packets().for_each(|packet| count(packet, &mut on_ring));
        let packets = side.mac.transit_queues().flat_map(TransitQueue::packets);
        packets.filter(|packet| !packet.is_letter()).for_each(|packet| count(packet, &mut on_ring));
    }
    let guards = ring.stations.iter().filter_map(|station| station.guard.as_ref());
    let turning = guards.filter_map(|guard| guard.wrap.as_ref()).flat_map(|wrap| wrap.packets());
    turning.for_each(|packet| count(packet, &mut on_ring));
    ring.wires.iter().flat_map(|wire| wire.packets()).for_each(|packet| count(packet, &mut on_ring));
    if answered != ring.ledger.parcels() {
        found.push(format!("{answered} packets of TCP are under way, and {} are known", ring.ledger.parcels()));
    }
    for (flow, (tally, receipt)) in ring.ledger.flows().enumerate() {
        let name = &plan.flows[flow].name;
        if made[flow] != waiting[flow] + tally.entered {
            found.push(format!(
                "flow {name}: {} packets were taken in by its station, but {} wait and {} entered the ring",
                made[flow], waiting[flow], tally.entered
            ));
        }
        if tally.entered != receipt.delivered + tally.dropped + tally.lost + tally.discarded + on_ring[flow] {
            found.push(format!(
                "flow {name}: {} packets entered the ring, but {} were delivered, {} dropped, {} lost, {} discarded and {} are under way",
                tally.entered, receipt.delivered, tally.dropped, tally.lost, tally.discarded, on_ring[flow]
            ));
        }
    }
}

/// Senders have sent what was brought to their stations, and nothing was acknowledged that had not arrived.
fn senders(ring: &Ring, plan: &Whole<'_>, found: &mut Vec<String>) {
    let (mut sent, mut brought) = (vec![None; plan.flows.len()], vec![0; plan.flows.len()]);
    let queues = ring.stations.iter().flat_map(|station| &station.sides).flat_map(|side| side.mac.add_queues());
    queues.flat_map(|queue| queue.counts()).for_each(|(flow, offered, _)| brought[flow as usize] += offered);
    for (address, session) in ring.hosts.addresses.iter().zip(&ring.hosts.sessions) {
        *sent[address.flow as usize].get_or_insert(0) += session.counts().sent;
        let name = &plan.flows[address.flow as usize].name;
        found.extend(session.violation().map(|wrong| format!("flow {name}: {wrong}")));
    }
    for ((sent, brought), flow) in sent.iter().zip(brought).zip(&plan.flows) {
        if let Some(sent) = sent.filter(|sent| *sent != brought) {
            found.push(format!("flow {}: {sent} segments were sent, and {brought} brought to its station", flow.name));
        }
    }
}

/// What stations noticed on the way, and their queues as they are now.
fn stations(ring: &Ring, found: &mut Vec<String>) {
    for station in &ring.stations {
        found.extend(station.violations.iter().cloned());
        let queues = station.sides.iter().flat_map(|side| side.mac.transit_queues());
        let wrong = queues.filter_map(TransitQueue::violation);
        found.extend(wrong.map(|wrong| format!("station {}: {wrong}", station.id())));
    }
}

/// Where stations wait for transit or hold back, no link is faster than the next and the buffer
/// holds what stations leave free, nothing is dropped.
fn lossless_transit(ring: &Ring, plan: &Whole<'_>, found: &mut Vec<String>) {
    let alike = plan.links.iter().all(|links| links.iter().all(|link| link.capacity == links[0].capacity));
    let equal = alike && plan.capacity_changes.is_empty();
    // What is steered to the other ringlet is not reserved there.
    let steered = plan.protection.is_some() && plan.flows.iter().any(|flow| flow.class.is_primary());
    if equal && !steered {
        for side in ring.stations.iter().flat_map(|station| &station.sides) {
            if side.mac.is_lossless(&plan.transit) && side.mac.dropped() > 0 {
                found.push(format!(
                    "station {}: {} packets dropped on a ring that must lose none",
                    side.mac.station,
                    side.mac.dropped()
                ));
            }
        }
    }
}
