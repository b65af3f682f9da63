//! The scenario as a plan for one of the simulators.

use crate::event::{self, Event};
use crate::flow::traffic::{DEFAULT_PACKET, Traffic};
use crate::flow::{Flow, Way};
use crate::network::Network;
use crate::ring::{Ring, protection};
use crate::{Activity, Scenario};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
use fairwire_laws::rate::Terms;
use fairwire_plan as plan;
use fairwire_plan::{
    CapacityChange, DemandChange, Detail, EnginePath, FlowPlan, LinkChange, NetworkEngine, NetworkFlowPlan,
    NetworkLinkPlan, NetworkPlan, Offer, RingPlan, StationPlan, WeightChange,
};
use std::collections::BTreeSet;

impl Scenario {
    /// What replication `run` simulates; none for a network. Detail and checks
    /// are left at their cheapest for the caller to raise.
    pub fn ring_plan(&self, run: u64) -> Option<RingPlan> {
        let ring = self.ring()?;
        let settings = self.run();
        Some(RingPlan {
            seed: settings.seed,
            run,
            duration: settings.duration,
            warmup: settings.warmup,
            window: settings.window,
            links: Ringlet::BOTH.map(|ringlet| ring.ringlet(ringlet)),
            stations: stations(ring),
            transit: ring.transit.plan(&ring.law, has_classes(self.flows())),
            station_queues: ring.station_queues,
            station_buffer: ring.station_buffer,
            flows: self.flows().iter().zip(self.stops()).map(|(flow, stop)| flow_plan(flow, stop)).collect(),
            weight_changes: self.weight_changes(),
            capacity_changes: self.capacity_changes(),
            demand_changes: self.demand_changes(),
            engine: settings.engine,
            protection: protection::plan(ring, self.events()),
            control: ring.control.plan(),
            detail: Detail::Summary,
            check: false,
        })
    }

    /// What replication `run` simulates; none for a ring. Detail and checks
    /// are left at their cheapest for the caller to raise.
    pub fn network_plan(&self, run: u64) -> Option<NetworkPlan> {
        let network = self.network()?;
        let settings = self.run();
        let packets = mean_packets(network, self.flows());
        Some(NetworkPlan {
            seed: settings.seed,
            run,
            duration: settings.duration,
            warmup: settings.warmup,
            window: settings.window,
            nodes: network.nodes.len(),
            links: (0..network.links.len())
                .map(|link| link_plan(network, self.events(), link, packets[link]))
                .collect(),
            flows: self
                .flows()
                .iter()
                .zip(self.stops())
                .map(|(flow, stop)| network_flow_plan(network, self.events(), flow, stop))
                .collect(),
            demand_changes: self.demand_changes(),
            flow_changes: self.flow_changes(network),
            engine: match settings.engine {
                EnginePath::Events => NetworkEngine::Events,
                EnginePath::Auto | EnginePath::Windows => NetworkEngine::Ahead,
            },
            detail: Detail::Summary,
            check: false,
        })
    }
}

impl Scenario {
    /// When each flow stops for good.
    fn stops(&self) -> Vec<Instant> {
        let changed: BTreeSet<usize> = self.demand_changes().iter().map(|change| change.flow).collect();
        let stop = |(number, flow)| stop(flow, self.run().duration, changed.contains(&number));
        self.flows().iter().enumerate().map(stop).collect()
    }

    fn weight_changes(&self) -> Vec<WeightChange> {
        let change = |event: &Event| {
            let (station, weight) = (StationId(event.place as u16), checked(event.weight?));
            Some(WeightChange { at: Instant::ZERO + event.at, station, weight })
        };
        self.events().iter().filter_map(change).collect()
    }

    fn capacity_changes(&self) -> Vec<CapacityChange> {
        let change = |(at, (ringlet, from), capacity): (Span, (Ringlet, u16), BitRate)| CapacityChange {
            at: Instant::ZERO + at,
            ringlet,
            from: StationId(from),
            capacity,
        };
        event::links::of_ring(self.events()).map(change).collect()
    }

    fn demand_changes(&self) -> Vec<DemandChange> {
        let by_events: Vec<DemandChange> =
            self.events().iter().filter_map(|event| event.demand_change(self.flows())).collect();
        // A flow that offers nothing at first, and later more, is silent until then.
        let changed: BTreeSet<usize> = by_events.iter().map(|change| change.flow).collect();
        let silent = changed.into_iter().filter(|&flow| is_silent(&self.flows()[flow]));
        let silenced = silent.map(|flow| DemandChange { at: Instant::ZERO, flow, demand: BitRate::ZERO });
        silenced.chain(by_events).collect()
    }
}

/// What each micro-flow of a flow offers at first.
pub(crate) fn offer(flow: &Flow) -> Offer {
    match &flow.traffic {
        Traffic::Datagrams(datagrams) if is_silent(flow) => {
            Offer::Datagrams(plan::Traffic { arrivals: UNHEARD, ..datagrams.plan() })
        }
        Traffic::Datagrams(datagrams) => Offer::Datagrams(capped(datagrams.plan(), flow)),
        Traffic::Tcp(tcp) => Offer::Tcp(tcp.plan()),
        Traffic::Rate(rate) => Offer::Rate(rate.plan(terms(flow, flow.peak_rate.unwrap_or(UNBOUNDED)))),
    }
}

/// No link is as fast.
const UNBOUNDED: BitRate = BitRate::from_bps(1 << 53);

/// What was agreed for each micro-flow of a flow, which share its terms, with this peak rate.
fn terms(flow: &Flow, peak: BitRate) -> Terms {
    let part = 1.0 / f64::from(flow.micro_flows);
    let peak_bps = peak.as_bps_f64().max(flow.min_rate.as_bps_f64());
    Terms {
        minimum_bps: flow.min_rate.as_bps_f64() * part,
        peak_bps: peak_bps * part,
        supported_bps: flow.supported_rate.map_or(peak_bps, BitRate::as_bps_f64) * part,
        weight: flow.weight,
    }
}

fn stations(ring: &Ring) -> Vec<StationPlan> {
    let minimum = |station: usize| ring.min_rates.get(station).map_or(BitRate::ZERO, |promised| promised.rate);
    let station = |(number, &weight)| StationPlan { weight: checked(weight), minimum: minimum(number) };
    ring.weights.iter().enumerate().map(station).collect()
}

/// The mean data packet on each link, if every flow that takes it sends what it asks for, at most what the link carries.
fn mean_packets(network: &Network, flows: &[Flow]) -> Vec<Bytes> {
    let mut sums = vec![(0.0, 0.0); network.links.len()];
    for flow in flows {
        let Way::Network { links, .. } = &flow.way else { continue };
        for &link in links {
            let bits = flow.demand_bps().min(network.links[link].capacity.as_bps_f64());
            sums[link].0 += bits;
            sums[link].1 += bits / flow.traffic.mean_packet().get() as f64;
        }
    }
    let mean = |(bits, packets): (f64, f64)| (packets > 0.0).then(|| Bytes::new((bits / packets).round() as u64));
    sums.into_iter().map(|sum| mean(sum).unwrap_or(DEFAULT_PACKET)).collect()
}

fn link_plan(network: &Network, events: &[Event], number: usize, mean_packet: Bytes) -> NetworkLinkPlan {
    let link = &network.links[number];
    let changes = event::links::capacity_changes(link, number, events);
    NetworkLinkPlan {
        name: link.name.clone(),
        from: link.ends.0 as u32,
        to: link.ends.1 as u32,
        capacity: link.capacity,
        delay: link.delay,
        reordering: link.reordering,
        random_loss: link.random_loss.fraction(),
        queue: network.queue_of(number).clone(),
        rate: network.rate_of(number).cloned(),
        limit: link.limit(),
        mean_packet,
        changes: changes.into_iter().map(|(at, capacity)| LinkChange { at: Instant::ZERO + at, capacity }).collect(),
    }
}

fn network_flow_plan(network: &Network, events: &[Event], flow: &Flow, stop: Instant) -> NetworkFlowPlan {
    let (route, reverse_route) = match &flow.way {
        Way::Network { links, reverse_links, .. } => (links.as_slice(), reverse_links.as_slice()),
        Way::Ring { .. } => (&[][..], &[][..]),
    };
    let numbers = |links: &[usize]| links.iter().map(|&link| link as u32).collect();
    NetworkFlowPlan {
        name: flow.name.clone(),
        route: numbers(route),
        reverse_route: numbers(reverse_route),
        weight: checked(flow.weight),
        micro_flows: flow.micro_flows,
        offer: network_offer(network, events, flow),
        start: Instant::ZERO + flow.start,
        start_jitter: flow.start_jitter,
        stop,
        high_priority: flow.high_priority,
        activity: flow.active.as_ref().map(Activity::plan),
    }
}

/// What each micro-flow of a flow of a network offers at first.
fn network_offer(network: &Network, events: &[Event], flow: &Flow) -> Offer {
    match &flow.traffic {
        Traffic::Rate(rate) => Offer::Rate(rate.plan(network_terms(network, events, flow))),
        _ => offer(flow),
    }
}

/// What was agreed for each of its micro-flows; its peak rate is the most that its first link ever carries if it has no other.
pub(crate) fn network_terms(network: &Network, events: &[Event], flow: &Flow) -> Terms {
    let first = match &flow.way {
        Way::Network { links, .. } => links.first().copied(),
        Way::Ring { .. } => None,
    };
    let most = first.map_or(UNBOUNDED, |first| event::links::most(&network.links[first], first, events));
    terms(flow, flow.peak_rate.unwrap_or(most))
}

/// A steady source offers no more than the flow's peak and supported rates, which its micro-flows share.
fn capped(mut traffic: plan::Traffic, flow: &Flow) -> plan::Traffic {
    let Some(cap) = flow.cap() else { return traffic };
    let most = cap.scaled(1.0 / f64::from(flow.micro_flows));
    traffic.arrivals = match traffic.arrivals {
        plan::Arrivals::Greedy => plan::Arrivals::Cbr { rate: most, jitter: 0.0 },
        plan::Arrivals::Cbr { rate, jitter } => plan::Arrivals::Cbr { rate: rate.min(most), jitter },
        plan::Arrivals::Poisson { rate } => plan::Arrivals::Poisson { rate: rate.min(most) },
        bursts => bursts,
    };
    traffic
}

/// What stands for a source that offers nothing at first, since a plan knows no rate of zero. Such a source sends nothing: it
/// stops as it starts, or it is silenced at the start until an event changes its demand.
const UNHEARD: plan::Arrivals = plan::Arrivals::Cbr { rate: BitRate::from_bps(1), jitter: 0.0 };

/// Whether a flow offers nothing until an event says otherwise.
fn is_silent(flow: &Flow) -> bool {
    let Traffic::Datagrams(datagrams) = &flow.traffic else { return false };
    capped(datagrams.plan(), flow).arrivals.mean_rate() == Some(BitRate::ZERO)
}

/// When a flow stops for good: as it starts, if it never offers anything or starts after the end of the run.
fn stop(flow: &Flow, duration: Span, is_changed: bool) -> Instant {
    let never_sends = is_silent(flow) && !is_changed;
    Instant::ZERO + if never_sends { flow.start } else { flow.stop.unwrap_or(duration).max(flow.start) }
}

fn flow_plan(flow: &Flow, stop: Instant) -> FlowPlan {
    let ringlet = match flow.way {
        Way::Ring { ringlet } => ringlet,
        Way::Network { .. } => Ringlet::Zero,
    };
    FlowPlan {
        name: flow.name.clone(),
        ringlet,
        from: StationId(flow.from.index as u16),
        to: StationId(flow.to.index as u16),
        weight: checked(flow.weight),
        class: flow.class,
        guaranteed: flow.committed(),
        strict_order: flow.strict_order,
        wrap_eligible: flow.wrap_eligible,
        micro_flows: flow.micro_flows,
        offer: offer(flow),
        start: Instant::ZERO + flow.start,
        start_jitter: flow.start_jitter,
        stop,
    }
}

/// Whether any flow has another class than best effort.
pub(crate) fn has_classes(flows: &[Flow]) -> bool {
    flows.iter().any(|flow| flow.class != ServiceClass::C)
}

/// Weights of a scenario have been checked when it was read.
fn checked(weight: f64) -> Weight {
    Weight::new(weight).unwrap_or_default()
}
