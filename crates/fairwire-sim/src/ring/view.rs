//! What a ring looks like at one instant.

use super::build;
use super::engine::Ring;
use super::mac::{Mac, TransitQueue};
use super::whole::Whole;
use fairwire_core::{BitRate, Instant, Ringlet, ServiceClass, StationId};
use fairwire_plan::WindowSample;

/// A ring at one instant. Counts are of the whole run so far.
#[derive(Clone, Debug, PartialEq)]
pub struct RingView {
    /// When.
    pub now: Instant,
    /// Flows in the order of the plan.
    pub flows: Vec<RingFlowView>,
    /// All links and their transit queues: ringlet 0 first, by the station that each leaves.
    pub links: Vec<RingLinkView>,
    /// All station queues, in the same order.
    pub queues: Vec<StationQueueView>,
    /// What stations are limited to, in the same order.
    pub limits: Vec<LimitView>,
}

/// One flow: its data packets, acknowledgements not counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RingFlowView {
    /// Packets that its sources made or that were brought; of TCP, segments sent.
    pub offered: u64,
    /// Of these, refused by a full station queue.
    pub refused: u64,
    /// Of these, let onto the ring.
    pub entered: u64,
    /// Of these, dropped by a full queue on the ring.
    pub dropped: u64,
    /// Of these, lost because a link was cut.
    pub lost: u64,
    /// Of these, in strict order and discarded while the topology was unsettled.
    pub discarded: u64,
    /// Of these, delivered.
    pub delivered: u64,
    /// Bytes delivered that were not there before.
    pub delivered_bytes: u64,
    /// The senders of connections that are open.
    pub senders: Vec<WindowSample>,
}

/// One directed link and the transit queues in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingLinkView {
    /// The ringlet.
    pub ringlet: Ringlet,
    /// The station that it leaves.
    pub station: StationId,
    /// Bits per second.
    pub capacity: BitRate,
    /// Packets that wait in all its transit queues.
    pub waiting_packets: u64,
    /// Their bytes.
    pub waiting_bytes: u64,
    /// Of these, bytes in the queue that goes before the station, where there are two.
    pub primary_bytes: Option<u64>,
    /// Packets and control frames sent.
    pub sent: u64,
    /// Packets that found no room in transit.
    pub dropped: u64,
}

/// One station queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationQueueView {
    /// The ringlet.
    pub ringlet: Ringlet,
    /// The station.
    pub station: StationId,
    /// The class of its flows, where the station tells classes apart.
    pub class: ServiceClass,
    /// Where its packets leave; none where a station has one queue for all.
    pub egress: Option<StationId>,
    /// Packets that wait.
    pub waiting_packets: u64,
    /// Their bytes.
    pub waiting_bytes: u64,
}

/// What a law lets a station send to one egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitView {
    /// The ringlet.
    pub ringlet: Ringlet,
    /// The station.
    pub station: StationId,
    /// Where the limited traffic leaves; none of the limit of all that the station adds.
    pub egress: Option<StationId>,
    /// Bits per second; none where nothing is limited.
    pub rate: Option<BitRate>,
}

impl RingView {
    pub(super) fn of(ring: &mut Ring, plan: &Whole<'_>, now: u64) -> Self {
        // Sources are asked late; asking them now changes nothing.
        ring.stations.iter_mut().flat_map(|station| &mut station.sides).for_each(|side| side.mac.finish(now));
        let mut view = Self {
            now: Instant::from_nanos(now),
            flows: flows(ring, plan, now),
            links: vec![],
            queues: vec![],
            limits: vec![],
        };
        for ringlet in Ringlet::BOTH {
            for station in &ring.stations {
                let (station, mac) = (station.id(), &station.sides[ringlet.index()].mac);
                view.links.push(link(ringlet, station, mac));
                let names = build::queue_names(plan, ringlet, station).into_iter();
                view.queues.extend(names.zip(mac.add_queues()).map(|((class, egress), queue)| {
                    let (waiting_packets, waiting_bytes) = queue.depth();
                    StationQueueView { ringlet, station, class, egress, waiting_packets, waiting_bytes }
                }));
                let pairs = build::pairs(plan, ringlet, station);
                let limit = |egress, rate| LimitView { ringlet, station, egress, rate };
                view.limits.extend(mac.station_limit().map(|rate| limit(None, Some(rate))));
                let of_pairs = pairs.iter().enumerate();
                view.limits.extend(of_pairs.map(|(number, pair)| limit(Some(pair.egress), mac.pair_limit(number))));
            }
        }
        view
    }
}

/// Of the flows that were declared.
fn flows(ring: &Ring, plan: &Whole<'_>, now: u64) -> Vec<RingFlowView> {
    let declared = ring.ledger.flows().zip(ring.made()).take(plan.declared());
    let mut flows: Vec<_> = declared
        .map(|((tally, receipt), (offered, refused))| RingFlowView {
            offered,
            refused,
            entered: tally.entered,
            dropped: tally.dropped,
            lost: tally.lost,
            discarded: tally.discarded,
            delivered: receipt.delivered,
            delivered_bytes: receipt.bytes(),
            senders: Vec::new(),
        })
        .collect();
    for (address, session) in ring.hosts.addresses.iter().zip(&ring.hosts.sessions) {
        flows[address.flow as usize].senders.extend(session.sample(now, address.number));
    }
    flows
}

fn link(ringlet: Ringlet, station: StationId, mac: &Mac) -> RingLinkView {
    RingLinkView {
        ringlet,
        station,
        capacity: mac.link.capacity(),
        waiting_packets: mac.transit_queues().flat_map(TransitQueue::packets).count() as u64,
        waiting_bytes: mac.transit_queues().map(TransitQueue::waiting_bytes).sum(),
        primary_bytes: mac.split.as_ref().map(|_| mac.queue.waiting_bytes()),
        sent: mac.link.hops(),
        dropped: mac.dropped(),
    }
}
