//! Small questions about a planned ring: names, routes, lap times, events.

use fairwire_core::{BitRate, Instant, Ringlet, Span, StationId};
use fairwire_sim::{FlowPlan, RingPlan};

/// The name of a ring link: `r0:4` leaves station 4 on ringlet 0.
pub(crate) fn link_name(ringlet: Ringlet, station: StationId) -> String {
    format!("r{ringlet}:{station}")
}

/// Stations whose outgoing links the flow crosses, in order.
pub(crate) fn route(plan: &RingPlan, flow: &FlowPlan) -> impl Iterator<Item = usize> {
    let stations = plan.stations.len();
    let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), stations);
    let ringlet = flow.ringlet;
    std::iter::successors(Some(flow.from.index()), move |&at| Some(ringlet.downstream(at, stations))).take(hops)
}

/// The smallest capacity on the flow's route: no flow can do better.
pub(crate) fn route_capacity(plan: &RingPlan, flow: &FlowPlan) -> BitRate {
    let links = &plan.links[flow.ringlet.index()];
    route(plan, flow).filter_map(|at| links.get(at)).map(|link| link.capacity).min().unwrap_or(BitRate::ZERO)
}

/// T: the time a control frame needs for one lap, that is the propagation time
/// around the slower ringlet.
pub(crate) fn lap_time(plan: &RingPlan) -> Span {
    plan.links.iter().map(|links| links.iter().map(|link| link.delay).sum::<Span>()).max().unwrap_or(Span::ZERO)
}

/// The last time before the end at which a flow starts or stops.
pub(crate) fn last_event(plan: &RingPlan) -> Instant {
    let end = Instant::ZERO + plan.duration;
    let times = plan.flows.iter().flat_map(|flow| [flow.start, flow.stop]);
    times.filter(|&time| time < end).max().unwrap_or(Instant::ZERO)
}

/// Whether the flow offers traffic right after `event`.
pub(crate) fn active_after(flow: &FlowPlan, event: Instant) -> bool {
    flow.start <= event && flow.stop > event
}
