//! What the simulator runs of a case under an entrant.

use super::case::Case;
use super::entrants::{Entrant, SOURCES};
use super::network::{Deed, Flow, Link, Network};
use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice, droptail};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::{
    Arrivals, DemandChange, Detail, FlowChange, FlowChangeKind, LinkChange, NetworkEngine, NetworkFlowPlan,
    NetworkLinkPlan, NetworkPlan, Offer, RatePlan, Traffic,
};

/// Beside a loop at link rate, a buffer holds so many packets, and one for each flow.
const SPARE_PACKETS: usize = 16;
/// A row of a series has no more bytes.
const MOST_ROW_BYTES: f64 = 2e9;

/// The plan. Links of the network come first, in their order; flows are in theirs.
///
/// Without a law flows send at their peak rates, at even distances, as long as they are on.
pub fn plan(case: &Case, entrant: &Entrant) -> NetworkPlan {
    let network = &case.network;
    let phases = case.phases.len() as u64;
    let duration = case.gap * phases;
    let fastest_bps = network.access_capacity().as_bps_f64();
    let builder = Builder { case, entrant, network };
    NetworkPlan {
        seed: 1,
        run: 0,
        duration,
        warmup: Span::ZERO,
        window: case.gap.min(Span::from_secs_f64(MOST_ROW_BYTES * 8.0 / fastest_bps)).max(Span::from_micros(1)),
        nodes: network.nodes + network.flows.len(),
        links: builder.links(),
        flows: (0..network.flows.len()).map(|flow| builder.flow(flow)).collect(),
        demand_changes: if entrant.law.is_none() { builder.demand_changes() } else { Vec::new() },
        flow_changes: if entrant.law.is_some() { builder.flow_changes() } else { Vec::new() },
        engine: NetworkEngine::Ahead,
        detail: Detail::Summary,
        check: false,
    }
}

struct Builder<'a> {
    case: &'a Case,
    entrant: &'a Entrant,
    network: &'a Network,
}

impl Builder<'_> {
    /// When the steps happen, and what.
    fn deeds(&self) -> impl Iterator<Item = (Instant, Deed)> {
        let steps = self.network.steps.iter().enumerate();
        steps.flat_map(|(step, deeds)| {
            let at = Instant::ZERO + self.case.gap * (step as u64 + 1);
            deeds.iter().map(move |deed| (at, *deed))
        })
    }

    fn links(&self) -> Vec<NetworkLinkPlan> {
        let forward = self.network.links.iter().enumerate().map(|(number, link)| NetworkLinkPlan {
            rate: self.entrant.law.clone(),
            limit: Limit::Packets(self.buffer_packets(number, link)),
            changes: self.changes(number),
            ..self.link(format!("l{number}"), (link.from, link.to), link.capacity, link.delay, None)
        });
        let back = self.network.links.iter().enumerate();
        let back = back.map(|(number, link)| {
            self.link(format!("back{number}"), (link.to, link.from), link.capacity, link.delay, None)
        });
        let access = self.network.flows.iter().enumerate().flat_map(|(number, flow)| {
            let (host, switch) = self.ends(number, flow);
            let capacity = self.network.access_capacity();
            let link = |name: &str, ends| self.link(format!("{name}{number}"), ends, capacity, flow.access, None);
            [link("in", (host, switch)), link("out", (switch, host))]
        });
        forward.chain(back).chain(access).collect()
    }

    fn link(
        &self,
        name: String,
        (from, to): (u32, u32),
        capacity: BitRate,
        delay: Span,
        rate: Option<RateLawChoice>,
    ) -> NetworkLinkPlan {
        NetworkLinkPlan {
            name,
            from,
            to,
            capacity,
            delay,
            reordering: Span::ZERO,
            random_loss: self.network.loss,
            queue: QueueLawChoice::droptail(droptail::Params::default()),
            rate,
            limit: Limit::Packets(u32::MAX),
            mean_packet: Bytes::new(self.network.packet_bytes.into()),
            changes: Vec::new(),
        }
    }

    /// One loop at link rate of sources that send control packets by time, as many for all entrants.
    fn buffer_packets(&self, number: usize, link: &Link) -> u32 {
        let by_time = &SOURCES[SOURCES.len() - 1];
        let loops = self.case.phases.iter().map(|phase| phase.loop_s(self.network, by_time));
        let packet_bits = f64::from(self.network.packet_bytes) * 8.0;
        let loop_packets = loops.fold(0.0, f64::max) * link.capacity.as_bps_f64() / packet_bits;
        loop_packets.ceil() as u32 + (self.network.flows_over(number) + SPARE_PACKETS) as u32
    }

    fn changes(&self, link: usize) -> Vec<LinkChange> {
        let change = |(at, deed)| match deed {
            Deed::Capacity(changed, capacity) if changed == link => Some(LinkChange { at, capacity }),
            _ => None,
        };
        self.deeds().filter_map(change).collect()
    }

    /// A flow's host and its first switch.
    fn ends(&self, number: usize, flow: &Flow) -> (u32, u32) {
        ((self.network.nodes + number) as u32, self.network.links[flow.route[0]].from)
    }

    fn flow(&self, number: usize) -> NetworkFlowPlan {
        let flow = &self.network.flows[number];
        let links = self.network.links.len();
        let access = (2 * links + 2 * number) as u32;
        let route = std::iter::once(access).chain(flow.route.iter().map(|link| *link as u32));
        let back = flow.route.iter().rev().map(|link| (links + link) as u32).chain([access + 1]);
        let starts_on = flow.is_on || self.entrant.law.is_none();
        let first_start = self.deeds().find(|(_, deed)| *deed == Deed::Start(number));
        NetworkFlowPlan {
            name: format!("f{number}"),
            route: route.collect(),
            reverse_route: back.collect(),
            weight: Weight::ONE,
            micro_flows: 1,
            offer: self.offer(flow),
            high_priority: false,
            start: if starts_on { Instant::ZERO } else { first_start.map_or(Instant::NEVER, |(at, _)| at) },
            start_jitter: Span::ZERO,
            stop: Instant::NEVER,
            activity: None,
        }
    }

    fn offer(&self, flow: &Flow) -> Offer {
        let packet_bytes = self.network.packet_bytes;
        if self.entrant.law.is_some() {
            let sending = self.entrant.sources.sending(packet_bytes);
            return Offer::Rate(RatePlan { sending, terms: flow.terms, size: None });
        }
        let arrivals = Arrivals::Cbr { rate: BitRate::from_bps_f64(flow.terms.peak_bps), jitter: 0.0 };
        Offer::Datagrams(Traffic { arrivals, packet_bytes, size_jitter: 0.0 })
    }

    fn flow_changes(&self) -> Vec<FlowChange> {
        let change = |(at, deed)| {
            let (flow, kind) = match deed {
                Deed::Start(flow) => (flow, FlowChangeKind::Start),
                Deed::Stop(flow) => (flow, FlowChangeKind::Stop),
                Deed::Terms(flow, terms) => (flow, FlowChangeKind::Terms(terms)),
                Deed::Capacity(..) => return None,
            };
            Some(FlowChange { at, flow, kind })
        };
        self.deeds().filter_map(change).collect()
    }

    /// Of flows that nobody tells their rates: they offer their peak rates or nothing.
    fn demand_changes(&self) -> Vec<DemandChange> {
        let peak = |flow: &Flow| BitRate::from_bps_f64(flow.terms.peak_bps);
        let mut before: Vec<_> = self.network.flows.iter().map(peak).collect();
        let mut changes = Vec::new();
        for (number, phase) in self.case.phases.iter().enumerate() {
            let at = Instant::ZERO + self.case.gap * number as u64;
            for (flow, terms) in phase.terms.iter().enumerate() {
                let demand = if phase.on[flow] { BitRate::from_bps_f64(terms.peak_bps) } else { BitRate::ZERO };
                if std::mem::replace(&mut before[flow], demand) != demand {
                    changes.push(DemandChange { at, flow, demand });
                }
            }
        }
        changes
    }
}
