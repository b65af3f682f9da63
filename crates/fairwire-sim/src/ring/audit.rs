//! Checks at the end of a run that the books balance, and tells what stations
//! noticed on the way.

use super::engine::Ring;

use super::transit_queue::TransitQueue;
use crate::plan::RingPlan;
use fairwire_laws::ring::RingLaw;

/// Every broken invariant, in words.
pub fn violations<L: RingLaw>(ring: &Ring<L>, plan: &RingPlan) -> Vec<String> {
    let mut found = Vec::new();
    conservation(ring, plan, &mut found);
    stations(ring, &mut found);
    lossless_transit(ring, plan, &mut found);
    found
}

/// Made = refused + waiting at the station + entered; entered = delivered + dropped + on the ring.
fn conservation<L: RingLaw>(ring: &Ring<L>, plan: &RingPlan, found: &mut Vec<String>) {
    let flows = plan.flows.len();
    let (mut made, mut waiting, mut on_ring) = (vec![0; flows], vec![0; flows], vec![0u64; flows]);
    for side in ring.stations.iter().flat_map(|station| &station.sides) {
        for queue in side.mac.add_queues() {
            queue.sources().iter().for_each(|source| made[source.flow as usize] += source.offered - source.refused);
            queue.waiting().for_each(|packet| waiting[packet.flow as usize] += 1);
        }
        side.mac.adds.released.packets().for_each(|packet| on_ring[packet.flow as usize] += 1);
        let packets = side.mac.transit_queues().flat_map(TransitQueue::packets);
        packets.filter(|packet| !packet.is_letter()).for_each(|packet| on_ring[packet.flow as usize] += 1);
    }
    ring.wires.iter().flat_map(|wire| wire.data.packets()).for_each(|packet| on_ring[packet.flow as usize] += 1);
    for (flow, (tally, receipt)) in ring.ledger.flows().enumerate() {
        let name = &plan.flows[flow].name;
        if made[flow] != waiting[flow] + tally.entered {
            found.push(format!(
                "flow {name}: {} packets were taken in by its station, but {} wait and {} entered the ring",
                made[flow], waiting[flow], tally.entered
            ));
        }
        if tally.entered != receipt.delivered + tally.dropped + tally.lost + on_ring[flow] {
            found.push(format!(
                "flow {name}: {} packets entered the ring, but {} were delivered, {} dropped and {} are under way",
                tally.entered, receipt.delivered, tally.dropped, on_ring[flow]
            ));
        }
    }
}

/// What stations noticed on the way, and their queues as they are now.
fn stations<L: RingLaw>(ring: &Ring<L>, found: &mut Vec<String>) {
    for station in &ring.stations {
        found.extend(station.violations.iter().cloned());
        let queues = station.sides.iter().flat_map(|side| side.mac.transit_queues());
        let wrong = queues.filter_map(TransitQueue::violation);
        found.extend(wrong.map(|wrong| format!("station {}: {wrong}", station.id())));
    }
}

/// Where stations wait for transit or hold back, no link is faster than the next and the buffer
/// holds what stations leave free, nothing is dropped.
fn lossless_transit<L: RingLaw>(ring: &Ring<L>, plan: &RingPlan, found: &mut Vec<String>) {
    let equal = plan.links.iter().all(|links| links.iter().all(|link| link.capacity == links[0].capacity));
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
