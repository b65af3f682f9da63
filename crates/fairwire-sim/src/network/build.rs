//! Builds the parts of a network from its plan.

use super::hosts::{FlowRoute, Hosts};
use super::micro_flows::{Made, MicroFlow, MicroFlows};
use super::packet::Flags;
use super::routes::Routes;
use crate::endpoint::periods::Periods;
use crate::endpoint::rate_end::{self, RateEnd};
use crate::endpoint::schedule::Schedule;
use crate::endpoint::session::Session;
use crate::endpoint::source::{Offering, Source};
use crate::endpoint::stream::Stream;
use crate::endpoint::{demand_changes, later};
use crate::report::Wanted;
use fairwire_core::{Instant, RandomStream, Streams};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::{FlowChange, FlowChangeKind, NetworkFlowPlan, NetworkPlan, Offer, TcpPlan, Traffic};
use std::sync::Arc;

/// The periods of each flow.
pub fn periods(plan: &NetworkPlan, streams: &Streams) -> Vec<Arc<Periods>> {
    let draw = |flow: &NetworkFlowPlan| match flow.activity {
        None => Periods::always(),
        Some(activity) => {
            let mut rng = streams.component(&format!("activity/{}", flow.name));
            Periods::draw(activity.every, activity.probability, plan.duration, &mut rng)
        }
    };
    plan.flows.iter().map(|flow| Arc::new(draw(flow))).collect()
}

/// For each link whether packets take it that go before others.
pub fn links_of_high_priority(plan: &NetworkPlan) -> Vec<bool> {
    let mut links = vec![false; plan.links.len()];
    for flow in plan.flows.iter().filter(|flow| flow.high_priority) {
        let back = if flow.offer.is_answered() { &flow.reverse_route[..] } else { &[] };
        flow.route.iter().chain(back).for_each(|link| links[*link as usize] = true);
    }
    links
}

/// The ends of all flows. What is `carried` from outside needs one a flow, which makes nothing.
pub fn hosts(
    plan: &NetworkPlan,
    streams: &Streams,
    (routes, periods): (&Routes, &[Arc<Periods>]),
    carried: bool,
    wanted: &Wanted<'_>,
) -> Hosts {
    let (mut micro_flows, mut who, mut laws) = (MicroFlows::default(), Vec::new(), Laws::default());
    for (index, flow) in plan.flows.iter().enumerate() {
        let ends = &flow.route;
        let (forward, reverse) = routes.begins[index];
        let way = FlowRoute {
            source: plan.links[ends[0] as usize].from,
            destination: plan.links[ends[ends.len() - 1] as usize].to,
            forward,
            reverse,
            ack_bytes: match &flow.offer {
                Offer::Tcp(tcp) => tcp.settings.ack.get() as u16,
                Offer::Datagrams(_) | Offer::Rate(_) => 0,
            },
            high: Flags::default().with(Flags::HIGH, flow.high_priority),
        };
        if carried {
            micro_flows.push(MicroFlow::Datagrams(Stream::silent()));
            who.push((index as u32, way));
            continue;
        }
        for number in (0..flow.micro_flows).take_while(|_| wanted.goes_on()) {
            let rng = streams.component(&format!("source/{}/{number}", flow.name));
            micro_flows.push(micro_flow(plan, index, &periods[index], &mut laws, rng));
            who.push((index as u32, way));
        }
    }
    Hosts::new(micro_flows, who)
}

/// The rate laws of a network, of which there are few: flows share them.
#[derive(Default)]
struct Laws(Vec<Arc<RateLawChoice>>);

impl Laws {
    fn share(&mut self, law: &RateLawChoice) -> Arc<RateLawChoice> {
        match self.0.iter().find(|known| ***known == *law) {
            Some(known) => known.clone(),
            None => {
                let new = Arc::new(law.clone());
                self.0.push(new.clone());
                new
            }
        }
    }
}

/// One micro-flow of flow `number`, which draws from `rng`.
fn micro_flow(plan: &NetworkPlan, number: usize, periods: &Arc<Periods>, laws: &mut Laws, rng: RandomStream) -> Made {
    match &plan.flows[number].offer {
        Offer::Datagrams(traffic) => MicroFlow::Datagrams(stream(plan, number, traffic, periods, rng)),
        Offer::Tcp(tcp) => {
            let schedule = schedule(plan, number, tcp, periods, rng);
            MicroFlow::Tcp(Session::new(tcp, schedule, plan.warmup.as_nanos()))
        }
        Offer::Rate(rate) => {
            // A plan without a law on the way is refused.
            let law = plan.rate_law(&plan.flows[number]).expect("a validated plan has a law on the way");
            let on_times = on_times(plan, number, begin(plan, number, rng).0);
            MicroFlow::Rate(RateEnd::new(rate, laws.share(law), on_times, periods.clone()))
        }
    }
}

/// When a micro-flow of flow `number` begins, and what it draws from afterwards.
fn begin(plan: &NetworkPlan, number: usize, mut rng: RandomStream) -> (Instant, RandomStream) {
    let flow = &plan.flows[number];
    (later(flow.start, flow.start_jitter, &mut rng), rng)
}

/// What a micro-flow of datagrams makes.
pub fn stream(
    plan: &NetworkPlan,
    number: usize,
    traffic: &Traffic,
    periods: &Arc<Periods>,
    rng: RandomStream,
) -> Stream {
    let flow = &plan.flows[number];
    let (start, rng) = begin(plan, number, rng);
    let offering = Offering { traffic: *traffic, start, stop: flow.stop };
    let capacity = plan.links[flow.route[0] as usize].capacity;
    let source = Source::new(0, 0, &offering, true, capacity, rng);
    Stream::new(source.with_changes(&offering, demand_changes(&plan.demand_changes, number)), periods.clone())
}

/// When connections of a micro-flow begin, and what they carry.
pub fn schedule(
    plan: &NetworkPlan,
    number: usize,
    tcp: &TcpPlan,
    periods: &Arc<Periods>,
    rng: RandomStream,
) -> Schedule {
    let (start, rng) = begin(plan, number, rng);
    Schedule::new(tcp, start.as_nanos(), plan.flows[number].stop.as_nanos(), periods.clone(), rng)
}

/// When a micro-flow that begins at `start` is on.
fn on_times(plan: &NetworkPlan, number: usize, start: Instant) -> Vec<rate_end::OnTime> {
    let flow = &plan.flows[number];
    let ordered = |change: &&FlowChange| change.flow == number && change.at < flow.stop;
    let mut changes: Vec<_> = plan.flow_changes.iter().filter(ordered).collect();
    changes.sort_by_key(|change| change.at);
    let (mut on_times, mut since) = (Vec::new(), Some(start).filter(|start| *start < flow.stop));
    let mut end = |since: &mut Option<Instant>, at: Instant| {
        if let Some(start) = since.take_if(|start| *start <= at)
            && start < at
        {
            on_times.push(rate_end::OnTime { start: start.as_nanos(), stop: at.as_nanos() });
        }
    };
    for change in changes {
        match change.kind {
            FlowChangeKind::Stop => end(&mut since, change.at),
            FlowChangeKind::Start => since = Some(since.map_or(change.at, |since| since.min(change.at))),
            FlowChangeKind::Terms(_) => {}
        }
    }
    end(&mut since, flow.stop);
    on_times
}
