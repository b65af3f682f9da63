//! What was run, in the terms that rings and networks share.

use crate::ring;
use fairwire_core::{Instant, Ringlet, Span};
use fairwire_plan::{
    Arrivals, FlowPlan, LinkChange, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, Offer, RingPlan, Work,
};

/// What was run.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a run has one plan")]
pub enum Plan {
    /// Two ringlets of stations.
    Ring(RingPlan),
    /// Nodes and links.
    Network(NetworkPlan),
}

impl From<RingPlan> for Plan {
    fn from(plan: RingPlan) -> Self {
        Self::Ring(plan)
    }
}

impl From<NetworkPlan> for Plan {
    fn from(plan: NetworkPlan) -> Self {
        Self::Network(plan)
    }
}

impl Plan {
    /// The ring, if it is one.
    pub fn ring(&self) -> Option<&RingPlan> {
        match self {
            Self::Ring(plan) => Some(plan),
            Self::Network(_) => None,
        }
    }

    /// The network, if it is one.
    pub fn network(&self) -> Option<&NetworkPlan> {
        match self {
            Self::Ring(_) => None,
            Self::Network(plan) => Some(plan),
        }
    }

    /// The experiment.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Ring(plan) => plan.seed,
            Self::Network(plan) => plan.seed,
        }
    }

    /// What other capacities each link has on the way, in order of time.
    pub fn capacity_changes(&self) -> Vec<Vec<LinkChange>> {
        match self {
            Self::Ring(plan) => {
                let of = |ringlet: Ringlet| {
                    (0..plan.links[ringlet.index()].len()).map(move |from| plan.changes_of_link(ringlet, from))
                };
                Ringlet::BOTH.into_iter().flat_map(of).collect()
            }
            Self::Network(plan) => plan.links.iter().map(|link| link.changes.clone()).collect(),
        }
    }

    /// The same in the terms that measures need.
    pub fn outline(&self) -> Outline {
        match self {
            Self::Ring(plan) => Outline::of_ring(plan),
            Self::Network(plan) => Outline::of_network(plan),
        }
    }
}

/// What was run, as far as measures, tables and the report look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Simulated time.
    pub duration: Span,
    /// Means, losses and delays are measured from here on.
    pub warmup: Span,
    /// Length of one row of every series.
    pub window: Span,
    /// T: how long news take at least. On a ring the propagation time of a lap, in a
    /// network the largest round-trip propagation time of any flow.
    pub base_time: Span,
    /// Flows in the order they were declared.
    pub flows: Vec<FlowOutline>,
    /// When flows stop and come back on the way.
    pub switched: Vec<Instant>,
    /// Links: on a ring those of ringlet 0, then those of ringlet 1, by the station that each leaves.
    pub links: Vec<LinkOutline>,
}

/// One flow, as far as measures look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowOutline {
    /// Its name.
    pub name: String,
    /// Where it enters: a station or the number of a node.
    pub from: usize,
    /// Where it leaves.
    pub to: usize,
    /// The links it takes, by their positions.
    pub route: Vec<usize>,
    /// Its part where flows share by weight: its weight, once for each micro-flow.
    pub share: f64,
    /// The smallest capacity among them, at the time when that is largest: the flow can never do better.
    pub capacity_bps: f64,
    /// When it begins to offer traffic, the latest of its parts.
    pub start: Instant,
    /// When it stops.
    pub stop: Instant,
    /// Mean size of its packets.
    pub packet_bytes: u16,
    /// What it has to send.
    pub kind: FlowKind,
    /// Length of its periods, if it is silent in some.
    pub period: Option<Span>,
    /// Whether chance decides when its sources are silent: they are on and off in turn, or silent in some periods.
    pub is_on_and_off: bool,
}

/// What a flow has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// Packets that nobody acknowledges.
    Datagrams,
    /// Connections without end.
    Connections,
    /// Transfers that end.
    Transfers,
}

impl FlowKind {
    fn of(offer: &Offer) -> Self {
        match offer.tcp().map(|tcp| tcp.work) {
            None => Self::Datagrams,
            Some(Work::Unlimited) => Self::Connections,
            Some(Work::Transfers { .. } | Work::Web { .. }) => Self::Transfers,
        }
    }
}

/// One directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkOutline {
    /// Its name: `r0:4` on a ring, as declared in a network.
    pub name: String,
    /// The station or node it leaves.
    pub from: usize,
    /// The station or node it reaches.
    pub to: usize,
    /// Capacity at the start, bit/s.
    pub capacity_bps: f64,
    /// Mean capacity after the warm-up, bit/s.
    pub measured_capacity_bps: f64,
}

impl Outline {
    fn of_ring(plan: &RingPlan) -> Self {
        let stations = plan.stations.len();
        let link = |ringlet: Ringlet, from: usize| {
            let capacity_bps = plan.links[ringlet.index()][from].capacity.as_bps_f64();
            LinkOutline {
                name: ringlet.link_name(from),
                from,
                to: ringlet.downstream(from, stations),
                capacity_bps,
                measured_capacity_bps: plan.measured_capacity_bps(ringlet, from),
            }
        };
        let links: Vec<_> = Ringlet::BOTH
            .into_iter()
            .flat_map(|ringlet| (0..plan.links[ringlet.index()].len()).map(move |from| link(ringlet, from)))
            .collect();
        let flow = |flow: &FlowPlan| {
            let route: Vec<usize> = ring::route(plan, flow).map(|at| flow.ringlet.index() * stations + at).collect();
            FlowOutline {
                name: flow.name.clone(),
                from: flow.from.index(),
                to: flow.to.index(),
                capacity_bps: narrowest(&links, &route),
                route,
                start: flow.start + flow.start_jitter,
                stop: flow.stop,
                packet_bytes: flow.offer.packet_bytes(),
                kind: FlowKind::of(&flow.offer),
                share: flow.weight.get(),
                period: None,
                is_on_and_off: is_on_and_off(&flow.offer),
            }
        };
        Self {
            duration: plan.duration,
            warmup: plan.warmup,
            window: plan.window,
            base_time: plan.lap(),
            flows: plan.flows.iter().map(flow).collect(),
            switched: Vec::new(),
            links,
        }
    }

    fn of_network(plan: &NetworkPlan) -> Self {
        let link = |link: &NetworkLinkPlan| LinkOutline {
            name: link.name.clone(),
            from: link.from as usize,
            to: link.to as usize,
            capacity_bps: link.capacity.as_bps_f64(),
            measured_capacity_bps: link.mean_capacity_bps(plan.warmup, plan.duration),
        };
        let links: Vec<_> = plan.links.iter().map(link).collect();
        let flow = |flow: &NetworkFlowPlan| {
            let route: Vec<usize> = flow.route.iter().map(|&link| link as usize).collect();
            FlowOutline {
                name: flow.name.clone(),
                from: route.first().map_or(0, |&link| links[link].from),
                to: route.last().map_or(0, |&link| links[link].to),
                capacity_bps: narrowest_at_best(plan, &flow.route),
                route,
                start: flow.start + flow.start_jitter,
                stop: flow.stop,
                packet_bytes: flow.offer.packet_bytes(),
                kind: FlowKind::of(&flow.offer),
                share: flow.weight.get() * f64::from(flow.micro_flows),
                period: flow.activity.map(|activity| activity.every),
                is_on_and_off: flow.activity.is_some() || is_on_and_off(&flow.offer),
            }
        };
        Self {
            duration: plan.duration,
            warmup: plan.warmup,
            window: plan.window,
            base_time: plan.flows.iter().map(|flow| round_trip(plan, flow)).max().unwrap_or_default(),
            flows: plan.flows.iter().map(flow).collect(),
            switched: plan
                .flow_changes
                .iter()
                .filter(|change| change.kind.switches())
                .map(|change| change.at)
                .collect(),
            links,
        }
    }

    /// The last time before the end at which a flow starts or stops.
    pub fn last_event(&self) -> Instant {
        let end = Instant::ZERO + self.duration;
        let times = self.flows.iter().flat_map(|flow| [flow.start, flow.stop]);
        let switched = self.switched.iter().copied();
        times.chain(switched).filter(|&time| time < end).max().unwrap_or(Instant::ZERO)
    }

    /// How long is measured, in seconds.
    pub fn measured_s(&self) -> f64 {
        (self.duration - self.warmup).as_secs_f64()
    }
}

impl FlowOutline {
    /// Whether it offers traffic right after `event`.
    pub fn is_active_after(&self, event: Instant) -> bool {
        self.start <= event && self.stop > event
    }
}

fn is_on_and_off(offer: &Offer) -> bool {
    offer.datagrams().is_some_and(|traffic| matches!(traffic.arrivals, Arrivals::ParetoOnOff { .. }))
}

fn narrowest(links: &[LinkOutline], route: &[usize]) -> f64 {
    let capacities = route.iter().filter_map(|&link| links.get(link)).map(|link| link.capacity_bps);
    capacities.min_by(f64::total_cmp).unwrap_or(0.0)
}

/// The same where capacities change: the most that the narrowest link of the time ever has.
fn narrowest_at_best(plan: &NetworkPlan, route: &[u32]) -> f64 {
    let links: Vec<_> = route.iter().filter_map(|&link| plan.links.get(link as usize)).collect();
    let changes = links.iter().flat_map(|link| &link.changes).map(|change| change.at);
    let narrowest = |at| links.iter().map(|link| link.capacity_at(at).as_bps_f64()).min_by(f64::total_cmp);
    changes.chain([Instant::ZERO]).filter_map(narrowest).max_by(f64::total_cmp).unwrap_or(0.0)
}

/// Propagation there and back; datagrams would come back the same way.
fn round_trip(plan: &NetworkPlan, flow: &NetworkFlowPlan) -> Span {
    let along = |route: &[u32]| route.iter().map(|&link| plan.links[link as usize].delay).sum::<Span>();
    let back = if flow.reverse_route.is_empty() { &flow.route } else { &flow.reverse_route };
    along(&flow.route) + along(back)
}
