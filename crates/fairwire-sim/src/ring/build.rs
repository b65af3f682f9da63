//! From a plan to stations at rest.

use super::adds::{AddQueue, Adds, FEW_SOURCES, Feeder, LanePlan, Limiter, Sources, StationAdds};
use super::books::Ledger;
use super::law::Law;
use super::mac::{Mac, Split, TransitQueue};
use super::protection::{Guard, Reservation, Route, Surroundings};
use super::station::{Address, Bringer, Door, Effort, Hosts, SiteEvent};
use super::whole::Whole;
use super::wire::OutgoingLink;
use crate::brought::BroughtLine;
use crate::endpoint::crowd::Crowd;
use crate::endpoint::periods::Periods;
use crate::endpoint::schedule::Schedule;
use crate::endpoint::session::Session;
use crate::endpoint::source::{Offering, Source};
use crate::endpoint::{demand_changes, later};
use crate::lots::Lots;
use fairwire_core::{BitRate, Bytes, Instant, RandomStream, Ringlet, ServiceClass, Span, StationId, Streams, Weight};
use fairwire_laws::protection::{ProtectionMode, burst_bytes, report_bytes};
use fairwire_laws::ring::{Datapath, LinkCounters, RingSite, SiteChange, SiteFlow, StqThresholds};
use fairwire_plan::{Detail, FlowPlan, Overflow, RingPlan, Shaper, StationQueues, TcpPlan, Traffic};
use std::rc::Rc;
use std::sync::Arc;

/// The (ingress, egress) pairs with fairness-eligible traffic that enter
/// `ringlet` at `station`, nearest egress first.
pub fn pairs(plan: &Whole<'_>, ringlet: Ringlet, station: StationId) -> Vec<SiteFlow> {
    let mut pairs: Vec<SiteFlow> = Vec::new();
    for (number, flow) in own_flows(plan, ringlet, station).filter(|(_, flow)| !flow.class.is_primary()) {
        match pairs.iter_mut().find(|pair| pair.egress == flow.to) {
            Some(_) if !plan.is_declared(number) => {}
            // A pair weighs as much as its flows together.
            Some(pair) => pair.weight = Weight::new(pair.weight.get() + flow.weight.get()).unwrap_or(pair.weight),
            None => pairs.push(SiteFlow { egress: flow.to, hops: hops(plan, ringlet, flow), weight: flow.weight }),
        }
    }
    pairs.sort_by_key(|pair| pair.hops);
    pairs
}

fn hops(plan: &Whole<'_>, ringlet: Ringlet, flow: &FlowPlan) -> usize {
    ringlet.hops(flow.from.index(), flow.to.index(), plan.stations.len())
}

pub fn ledger(plan: &Whole<'_>) -> Ledger {
    let stations = || (0..plan.stations.len() as u16).map(StationId);
    let all = Ringlet::BOTH.map(|ringlet| stations().map(|station| pairs(plan, ringlet, station)).collect::<Vec<_>>());
    Ledger::new(plan, |flow| {
        let pairs = &all[flow.ringlet.index()][flow.from.index()];
        pairs.iter().position(|pair| pair.egress == flow.to).unwrap_or(0) as u16
    })
}

/// The largest packet that any source sends; what is brought in place of sources has room for a frame of any protocol's
/// headers.
pub fn max_packet(plan: &Whole<'_>) -> Bytes {
    let largest = plan.flows.iter().map(|flow| flow.offer.largest_packet()).max().unwrap_or(Bytes::new(1));
    if plan.is_carried() { largest.max(CARRIED_AT_LEAST) } else { largest }
}

/// Acknowledgements with all their options fit.
const CARRIED_AT_LEAST: Bytes = Bytes::new(128);

pub fn mac(plan: &Whole<'_>, law: &Law, site: &RingSite, ledger: &Ledger) -> Mac {
    let (ringlet, station, max_packet) = (site.ringlet, site.station.index(), site.max_packet);
    let (id, secondary) = (site.station, site.secondary_buffer);
    let transit = &plan.transit;
    let link = OutgoingLink::new(&plan.links[ringlet.index()][station]);
    let counters = LinkCounters::new(law.counters, site);
    if transit.datapath != Datapath::Merged {
        let queue = TransitQueue::new(if secondary.is_some() { transit.primary_buffer } else { transit.buffer });
        return Mac::split(id.0, counters, queue, link, split(plan, law, site, ledger), plan.has_answered());
    }
    let hold_reserve = match transit.overflow {
        Overflow::Drop => None,
        // A packet joins; then one comes whose bits had passed before, while one as large is
        // in transmission; from there on what comes is no more than what goes, but for frames.
        Overflow::Hold => Some(3 * max_packet.get() + room_for_protection(plan, max_packet)),
    };
    let limiters = limiters(plan, ringlet, id, &site.flows, max_packet);
    let turns = format!("turns/{}/{}", ringlet.index(), id.0);
    let lots = Lots::new(Streams::new(plan.seed, plan.run).component(&turns));
    let adds = Adds::new(add_queues(plan, site), limiters, hold_reserve.is_some(), lots, ledger);
    Mac::new(id.0, counters, TransitQueue::new(transit.buffer), link, adds, hold_reserve, plan.has_answered())
}

/// What a station leaves free in front of its link, beyond what an unprotected one does: what protection sends after a
/// change takes time of the link that transit packets need. Where stations wrap, what the others send may come over
/// a mended span before it leaves the looped link; and when the loop opens, a packet that is half on the other ringlet gets
/// there, beside what comes over the span.
fn room_for_protection(plan: &Whole<'_>, max_packet: Bytes) -> u64 {
    match plan.protection.as_ref().map(|protection| protection.params.mode) {
        None => 0,
        Some(ProtectionMode::Steer) => burst_bytes(),
        Some(ProtectionMode::Wrap) => burst_bytes() + plan.stations.len() as u64 * report_bytes() + max_packet.get(),
    }
}

/// Where a law stands.
pub fn site(plan: &Whole<'_>, ringlet: Ringlet, station: usize, max_packet: Bytes) -> RingSite {
    let station = StationId(station as u16);
    RingSite {
        station,
        home: station,
        ringlet,
        capacities: plan.links[ringlet.index()].iter().map(|link| link.capacity).collect(),
        weights: plan.stations.iter().map(|station| station.weight).collect(),
        minimum: plan.stations[station.index()].minimum,
        ring_time: ring_time(plan, ringlet),
        max_packet,
        first: station.index() == 0,
        open: false,
        flows: pairs(plan, ringlet, station),
        delays: plan.links[ringlet.index()].iter().map(|link| link.delay).collect(),
        reserved: plan.reserved(ringlet),
        waits: plan.transit.datapath != Datapath::Merged || plan.transit.overflow == Overflow::Hold,
        secondary_buffer: (plan.transit.datapath == Datapath::DualQueue).then_some(plan.transit.buffer),
    }
}

/// What of laws' sites becomes another, and when.
pub fn site_changes(plan: &Whole<'_>) -> Vec<SiteEvent> {
    let weights = plan.weight_changes.iter().map(|change| SiteEvent {
        at: change.at.as_nanos(),
        ringlet: None,
        change: SiteChange::Weight { station: change.station, weight: change.weight },
    });
    let capacities = plan.capacity_changes.iter().map(|change| SiteEvent {
        at: change.at.as_nanos(),
        ringlet: Some(change.ringlet),
        change: SiteChange::Capacity { link: change.from, capacity: change.capacity },
    });
    weights.chain(capacities).collect()
}

/// Protection of `station`, if there is any.
pub fn guard(plan: &Whole<'_>, law: Rc<Law>, station: usize, max_packet: Bytes) -> Option<Guard> {
    let protection = plan.protection.as_ref()?;
    let sites = Ringlet::BOTH.map(|ringlet| site(plan, ringlet, station, max_packet));
    let id = sites[0].station;
    let slots = Ringlet::BOTH.map(|ringlet| slots(plan, ringlet, id));
    let route = |&(class, egress): &(ServiceClass, StationId)| {
        let is_its = |flow: &&FlowPlan| (flow.from, flow.to, flow.class) == (id, egress, class);
        let FlowPlan { ringlet: preferred, strict_order: strict, wrap_eligible, .. } =
            *plan.flows.iter().find(is_its)?;
        let slot = |ringlet: Ringlet| slots[ringlet.index()].iter().position(|slot| *slot == (class, egress));
        let on_preferred = slot(preferred)?;
        let slots = Ringlet::BOTH.map(|ringlet| slot(ringlet).unwrap_or(on_preferred));
        Some(Route { egress, preferred, slots, on: preferred, strict, wrap_eligible })
    };
    // Where sources steer each queue has a place on both ringlets, else on its own.
    let others = slots[1].iter().filter(|slot| !slots[0].contains(slot));
    let routes = slots[0].iter().chain(others).filter_map(route).collect();
    let laps = Ringlet::BOTH.map(|ringlet| ring_time(plan, ringlet).as_nanos());
    let pairs = [sites[0].flows.len(), sites[1].flows.len()];
    let reservation =
        |flow: &FlowPlan| Reservation { from: flow.from, to: flow.to, preferred: flow.ringlet, rate: flow.guaranteed };
    let reserving = plan.flows.iter().filter(|flow| flow.class == ServiceClass::A0);
    let ring = Surroundings {
        sites,
        reservations: reserving.map(reservation).collect(),
        pairs,
        lap_ns: laps[0].max(laps[1]),
        has_strict_flows: plan.flows.iter().any(|flow| flow.strict_order),
    };
    Some(Guard::new(&protection.params, routes, law, ring))
}

/// Class and egress of each station queue, in the order of the queues.
fn slots(plan: &Whole<'_>, ringlet: Ringlet, station: StationId) -> Vec<(ServiceClass, StationId)> {
    if plan.transit.datapath == Datapath::Merged {
        return pairs(plan, ringlet, station).iter().map(|pair| (ServiceClass::C, pair.egress)).collect();
    }
    let mut slots = Vec::new();
    for class in ServiceClass::ALL {
        let own = own_flows(plan, ringlet, station).filter(|(_, flow)| flow.class == class);
        let mut egresses: Vec<_> = own.map(|(_, flow)| (hops(plan, ringlet, flow), flow.to)).collect();
        egresses.sort();
        egresses.dedup();
        slots.extend(egresses.into_iter().map(|(_, egress)| (class, egress)));
    }
    slots
}

/// Class and egress of each station queue as people know them, in the order of the queues: where a station has one queue for
/// all destinations, it has no egress.
pub fn queue_names(plan: &Whole<'_>, ringlet: Ringlet, station: StationId) -> Vec<(ServiceClass, Option<StationId>)> {
    let slots = slots(plan, ringlet, station).into_iter();
    match plan.station_queues {
        StationQueues::PerDestination => slots.map(|(class, egress)| (class, Some(egress))).collect(),
        StationQueues::Single => {
            let mut classes: Vec<_> = slots.map(|(class, _)| (class, None)).collect();
            classes.dedup();
            classes
        }
    }
}

/// The queues of a station whose packets wait beside the transit queues.
fn split(plan: &Whole<'_>, law: &Law, site: &RingSite, ledger: &Ledger) -> Split {
    let transit = &plan.transit;
    let thresholds = match site.secondary_buffer {
        Some(secondary) => law.stq_thresholds(secondary, site.max_packet),
        None => StqThresholds { stop: None, outrank: Bytes::new(u64::MAX) },
    };
    let hops: Vec<usize> = site.flows.iter().map(|pair| pair.hops).collect();
    let adds = StationAdds::new(lanes(plan, site), &hops, site.max_packet, ledger);
    // While a packet of each class A0 flow goes before all else, the shaper saves up.
    let may_take = |flow: &&FlowPlan| flow.ringlet == site.ringlet || plan.protection.is_some();
    let reserving = plan.flows.iter().filter(|flow| flow.class == ServiceClass::A0).filter(may_take).count() as u64;
    let burst = Bytes::new((1 + reserving) * site.max_packet.get());
    let is_shaped = transit.shaper != Shaper::None && reserving > 0;
    let shaper = is_shaped.then(|| (site.unreserved(), burst, transit.shaper == Shaper::AddAndTransit));
    // A checked run takes the road for all classes, which the short one for class C has to agree with.
    let best_effort = !plan.check && plan.flows.iter().all(|flow| flow.class == ServiceClass::C);
    Split::new(transit.datapath, adds, transit.buffer, thresholds, shaper, site.max_packet, best_effort)
}

/// A queue for each class and egress, or for each class.
fn lanes(plan: &Whole<'_>, site: &RingSite) -> Vec<LanePlan> {
    let mut lanes = Vec::new();
    for class in ServiceClass::ALL {
        let own: Vec<_> = own_flows(plan, site.ringlet, site.station).filter(|(_, flow)| flow.class == class).collect();
        let mut egresses: Vec<StationId> = own.iter().map(|(_, flow)| flow.to).collect();
        egresses.sort_by_key(|egress| site.hops_to(*egress));
        egresses.dedup();
        let groups: Vec<Vec<(usize, &FlowPlan)>> = match plan.station_queues {
            StationQueues::PerDestination => {
                let to = |egress: StationId| own.iter().copied().filter(|(_, flow)| flow.to == egress).collect();
                egresses.iter().copied().map(to).collect()
            }
            StationQueues::Single => vec![own],
        };
        for flows in groups.into_iter().filter(|flows| !flows.is_empty()) {
            let egress = flows[0].1.to;
            let alone = flows.iter().all(|(_, flow)| flow.to == egress);
            lanes.push(LanePlan {
                class,
                guaranteed: BitRate::from_bps(flows.iter().map(|(_, flow)| flow.guaranteed.as_bps()).sum()),
                pair: alone.then(|| site.flows.iter().position(|pair| pair.egress == egress).unwrap_or(0)),
                queue: add_queue(plan, site, flows),
            });
        }
    }
    lanes
}

fn ring_time(plan: &Whole<'_>, ringlet: Ringlet) -> Span {
    plan.links[ringlet.opposite().index()].iter().map(|link| link.delay).sum()
}

/// One limiter a pair, open until the law sets a rate; a source without end is
/// bounded by its access line, as fast as the ring's link, from the start.
fn limiters(plan: &Whole<'_>, ringlet: Ringlet, station: StationId, pairs: &[SiteFlow], depth: Bytes) -> Vec<Limiter> {
    let line = plan.links[ringlet.index()][station.index()].capacity;
    let greedy = |pair: &SiteFlow| {
        own_flows(plan, ringlet, station).any(|(_, flow)| flow.to == pair.egress && flow.offer.is_greedy())
    };
    pairs
        .iter()
        .map(|pair| {
            let mut limiter = Limiter::open(depth);
            if greedy(pair) {
                limiter.set_rate(0, line);
            }
            limiter
        })
        .collect()
}

/// The flows that enter `ringlet` at `station`: where sources steer, all that enter
/// there, since each may have to take it.
fn own_flows<'a>(
    plan: &'a Whole<'_>,
    ringlet: Ringlet,
    station: StationId,
) -> impl Iterator<Item = (usize, &'a FlowPlan)> {
    plan.flows
        .iter()
        .enumerate()
        .filter(move |(_, flow)| flow.from == station && (flow.ringlet == ringlet || plan.steers()))
}

fn add_queues(plan: &Whole<'_>, site: &RingSite) -> Vec<AddQueue> {
    let (ringlet, station) = (site.ringlet, site.station);
    let groups: Vec<Vec<(usize, &FlowPlan)>> = match plan.station_queues {
        StationQueues::PerDestination => site
            .flows
            .iter()
            .map(|pair| own_flows(plan, ringlet, station).filter(|(_, flow)| flow.to == pair.egress).collect())
            .collect(),
        StationQueues::Single => vec![own_flows(plan, ringlet, station).collect()],
    };
    groups.into_iter().filter(|flows| !flows.is_empty()).map(|flows| add_queue(plan, site, flows)).collect()
}

/// A queue and what feeds it: the flows that take this ringlet from the start.
fn add_queue(plan: &Whole<'_>, site: &RingSite, mut flows: Vec<(usize, &FlowPlan)>) -> AddQueue {
    flows.retain(|(_, flow)| flow.ringlet == site.ringlet);
    let shares = flows.len() > 1 || flows.iter().any(|(_, flow)| flow.micro_flows > 1);
    let draw =
        |(_, flow): &(_, &FlowPlan)| Streams::new(plan.seed, plan.run).component(&format!("turns/{}", flow.name));
    let mut sources = Sources::new(flows.first().map_or_else(Lots::default, |first| Lots::new(draw(first))));
    for &(index, flow) in &flows {
        let Some(traffic) = flow.offer.datagrams().filter(|_| !plan.is_carried()) else { continue };
        let numbers = || (0..flow.micro_flows).take_while(|_| plan.goes_on());
        if is_crowd(flow) {
            sources.add_crowd(crowd(plan, index, traffic, numbers()));
        } else {
            numbers().for_each(|number| sources.add(source(plan, index, traffic, number, shares)));
        }
    }
    let feeders = feeders(plan, &flows).map(|flow| Feeder { flow: flow as u32, ..Feeder::default() });
    AddQueue::new(plan.station_buffer.get(), sources.ready(), feeders.collect())
}

/// What a micro-flow of flow `index` makes. A greedy one offers what its link carries where it `shares` its queue.
pub fn source(plan: &RingPlan, index: usize, traffic: &Traffic, number: u32, shares: bool) -> Source {
    let flow = &plan.flows[index];
    let (start, rng) = begin(plan, flow, number);
    let offering = Offering { traffic: *traffic, start, stop: flow.stop };
    let source = Source::new(index as u32, flow.to.0, &offering, shares, line_rate(plan, flow), rng);
    source.with_changes(&offering, changes(plan, index, shares))
}

/// Whether the micro-flows of a flow are many, and need not be followed one by one.
pub fn is_crowd(flow: &FlowPlan) -> bool {
    flow.micro_flows as usize > FEW_SOURCES && flow.offer.datagrams().is_some_and(Crowd::suits)
}

/// The same of all `numbers` of micro-flows of a flow that is one.
fn crowd(plan: &RingPlan, index: usize, traffic: &Traffic, numbers: impl Iterator<Item = u32>) -> Crowd {
    let flow = &plan.flows[index];
    let starts = numbers.map(|number| begin(plan, flow, number).0.as_nanos()).collect();
    let ends = (index as u32, flow.to.0);
    Crowd::new(ends, traffic, line_rate(plan, flow), starts, flow.stop, changes(plan, index, true))
}

/// What the link of a flow's station carries at first.
fn line_rate(plan: &RingPlan, flow: &FlowPlan) -> BitRate {
    plan.links[flow.ringlet.index()][flow.from.index()].capacity
}

/// When sources of flow `index` offer which other rates. Greedy ones follow their link where they `share` a queue.
fn changes(plan: &RingPlan, index: usize, share: bool) -> impl Iterator<Item = (Instant, BitRate)> {
    let flow = &plan.flows[index];
    let follow = share && flow.offer.is_greedy();
    let of_link = if follow { plan.changes_of_link(flow.ringlet, flow.from.index()) } else { Vec::new() };
    let of_link = of_link.into_iter().map(|change| (change.at, change.capacity));
    of_link.chain(demand_changes(&plan.demand_changes, index))
}

/// When connections of a micro-flow begin, and what they carry.
pub fn schedule(plan: &RingPlan, flow: &FlowPlan, tcp: &TcpPlan, number: u32) -> Schedule {
    let (start, rng) = begin(plan, flow, number);
    Schedule::new(tcp, start.as_nanos(), flow.stop.as_nanos(), Arc::new(Periods::always()), rng)
}

/// Those of a queue's flows whose packets are brought to it.
fn feeders(plan: &Whole<'_>, flows: &[(usize, &FlowPlan)]) -> impl Iterator<Item = usize> {
    flows.iter().filter(|(_, flow)| plan.brings(flow)).map(|(number, _)| *number)
}

/// When a micro-flow begins, and what it draws from.
fn begin(plan: &RingPlan, flow: &FlowPlan, number: u32) -> (Instant, RandomStream) {
    let streams = Streams::new(plan.seed, plan.run);
    let mut rng = match flow.micro_flows {
        1 => streams.component(&format!("source/{}", flow.name)),
        _ => streams.component(&format!("source/{}/{number}", flow.name)),
    };
    let start =
        if flow.start_jitter == Span::ZERO { flow.start } else { later(flow.start, flow.start_jitter, &mut rng) };
    (start, rng)
}

/// All TCP connections and where their ends are, and who sends what is brought from outside.
pub fn hosts(plan: &Whole<'_>) -> Hosts {
    let windows = (plan.detail == Detail::Full).then(|| vec![Vec::new(); plan.flows.len()]);
    let mut hosts = Hosts {
        sessions: Vec::new(),
        addresses: Vec::new(),
        bringers: Vec::new(),
        windows,
        effort: Effort::new(false),
    };
    let mut ends = vec![0; plan.stations.len()];
    let mut end_at = |door: Door| {
        let end = &mut ends[door.station.index()];
        *end += 1;
        Door { end: *end - 1, ..door }
    };
    let has_ends = |index: &usize| plan.is_declared(*index) || plan.is_carried();
    for (index, flow) in plan.flows.iter().enumerate().filter(|(index, _)| has_ends(index)) {
        let connections = flow.offer.tcp().filter(|_| !plan.is_carried());
        let (Some(tcp), Some(answer)) = (connections, plan.answer(index)) else {
            if plan.is_fed() {
                hosts.bringers.push(Bringer { door: end_at(door(plan, index)), line: BroughtLine::default() });
            }
            continue;
        };
        let doors = [index, answer].map(|flow| door(plan, flow));
        for number in (0..flow.micro_flows).take_while(|_| plan.goes_on()) {
            hosts.sessions.push(Session::new(tcp, schedule(plan, flow, tcp, number), plan.warmup.as_nanos()));
            let [senders, receivers] = doors.map(&mut end_at);
            let ack_bytes = tcp.settings.ack.get() as u16;
            hosts.addresses.push(Address { flow: index as u32, number, senders, receivers, ack_bytes });
        }
    }
    hosts
}

/// Through which station queue the packets of a flow of TCP enter.
fn door(plan: &Whole<'_>, number: usize) -> Door {
    let flow = &plan.flows[number];
    let (ringlet, station) = (flow.ringlet, flow.from);
    let slots = slots(plan, ringlet, station);
    let slot = match plan.station_queues {
        StationQueues::PerDestination => slots.iter().position(|slot| *slot == (flow.class, flow.to)).unwrap_or(0),
        // One queue, or one for each class, of which those before it come first.
        StationQueues::Single => {
            let before = |class: &&ServiceClass| slots.iter().any(|slot| slot.0 == **class);
            ServiceClass::ALL.iter().take_while(|class| **class != flow.class).filter(before).count()
        }
    };
    let together = |other: &FlowPlan| match plan.station_queues {
        StationQueues::PerDestination => (other.class, other.to) == (flow.class, flow.to),
        StationQueues::Single => other.class == flow.class,
    };
    let group: Vec<_> =
        own_flows(plan, ringlet, station).filter(|(_, other)| other.ringlet == ringlet && together(other)).collect();
    let feeder = feeders(plan, &group).position(|other| other == number).unwrap_or(0);
    Door { station, end: 0, flow: number as u32, egress: flow.to.0, ringlet, slot, feeder }
}
