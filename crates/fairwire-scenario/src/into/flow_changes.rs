//! Events of flows whose rates switches tell, as changes of a plan.

use super::plan::network_terms;
use crate::Scenario;
use crate::event::{Event, EventKind};
use crate::network::Network;
use fairwire_core::Instant;
use fairwire_plan::{FlowChange, FlowChangeKind};
use std::collections::BTreeSet;

impl Scenario {
    /// What events do to flows whose rates switches tell. Terms that change at one instant change together, before flows start.
    pub(crate) fn flow_changes(&self, network: &Network) -> Vec<FlowChange> {
        let mut sorted: Vec<&Event> = self.events().iter().collect();
        sorted.sort_by_key(|event| event.at);
        let mut flows = self.flows().to_vec();
        let mut changes = Vec::new();
        for events in sorted.chunk_by(|one, other| one.at == other.at) {
            events.iter().for_each(|event| event.apply(&mut flows));
            let at = Instant::ZERO + events[0].at;
            let of_terms: BTreeSet<usize> =
                events.iter().filter(|event| event.kind.is_of_terms()).map(|event| event.place).collect();
            changes.extend(of_terms.into_iter().map(|flow| {
                let terms = network_terms(network, self.events(), &flows[flow]);
                FlowChange { at, flow, kind: FlowChangeKind::Terms(terms) }
            }));
            changes.extend(events.iter().filter_map(|event| {
                let kind = match event.kind {
                    EventKind::Start => FlowChangeKind::Start,
                    EventKind::Stop => FlowChangeKind::Stop,
                    _ => return None,
                };
                Some(FlowChange { at, flow: event.place, kind })
            }));
        }
        changes
    }
}
