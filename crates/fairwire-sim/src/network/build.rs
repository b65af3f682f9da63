//! Builds the parts of a network from its plan.

use super::hosts::{Hosts, Identity, MicroFlow};
use super::routes::Routes;
use crate::endpoint::periods::Periods;
use crate::endpoint::schedule::Schedule;
use crate::endpoint::session::Session;
use crate::endpoint::source::{Offering, Source};
use crate::endpoint::stream::Stream;
use crate::endpoint::{demand_changes, later};
use fairwire_core::{Instant, RandomStream, Streams};
use fairwire_plan::{NetworkFlowPlan, NetworkPlan, Offer};
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

/// The ends of all flows.
pub fn hosts(plan: &NetworkPlan, streams: &Streams, routes: &Routes, periods: &[Arc<Periods>]) -> Hosts {
    let (mut micro_flows, mut identities) = (Vec::new(), Vec::new());
    for (index, flow) in plan.flows.iter().enumerate() {
        let ends = &flow.route;
        let (forward, reverse) = routes.begins[index];
        let identity = Identity {
            flow: index as u32,
            source: plan.links[ends[0] as usize].from,
            destination: plan.links[ends[ends.len() - 1] as usize].to,
            forward,
            reverse,
            ack_bytes: match &flow.offer {
                Offer::Tcp(tcp) => tcp.settings.ack.get() as u16,
                Offer::Datagrams(_) => 0,
            },
        };
        for number in 0..flow.micro_flows {
            let rng = streams.component(&format!("source/{}/{number}", flow.name));
            micro_flows.push(micro_flow(plan, index, &periods[index], rng));
            identities.push(identity);
        }
    }
    Hosts::new(micro_flows, identities)
}

fn micro_flow(plan: &NetworkPlan, number: usize, periods: &Arc<Periods>, mut rng: RandomStream) -> MicroFlow {
    let flow = &plan.flows[number];
    let start = later(flow.start, flow.start_jitter, &mut rng);
    match &flow.offer {
        Offer::Datagrams(traffic) => {
            let offering = Offering { traffic: *traffic, start, stop: flow.stop };
            let capacity = plan.links[flow.route[0] as usize].capacity;
            let source = Source::new(0, 0, &offering, true, capacity, rng);
            let source = source.with_changes(&offering, demand_changes(&plan.demand_changes, number));
            MicroFlow::Datagrams(Stream::new(source, periods.clone()))
        }
        Offer::Tcp(tcp) => {
            let (start, stop) = (Instant::as_nanos(start), flow.stop.as_nanos());
            let schedule = Schedule::new(tcp, start, stop, periods.clone(), rng);
            MicroFlow::Tcp(Box::new(Session::new(tcp, schedule)))
        }
    }
}
