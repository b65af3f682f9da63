//! Small questions about a planned ring: names and routes.

use fairwire_core::{Ringlet, StationId};
use fairwire_plan::{FlowPlan, RingPlan};

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
