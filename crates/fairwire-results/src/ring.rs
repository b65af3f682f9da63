//! Which way a flow takes around a planned ring.

use fairwire_plan::{FlowPlan, RingPlan};

/// Stations whose outgoing links the flow crosses, in order.
pub(crate) fn route(plan: &RingPlan, flow: &FlowPlan) -> impl Iterator<Item = usize> {
    let stations = plan.stations.len();
    let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), stations);
    let ringlet = flow.ringlet;
    std::iter::successors(Some(flow.from.index()), move |&at| Some(ringlet.downstream(at, stations))).take(hops)
}
