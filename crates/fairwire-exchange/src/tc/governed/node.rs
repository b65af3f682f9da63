//! Queues of a node of a network: a class for each flow that crosses the link.

use super::super::flow_way::filters;
use super::super::graph::Graph;
use super::super::queue::Share;
use super::super::{FIRST_FLOW, LAST_FLOW, TcError, TcOptions, crossing, devices, prefixes, unknown_node, ways};
use super::{GovernedQueue, Lines};
use fairwire_scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// A link that leaves the node, what crosses it, and the queue in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernedLink {
    /// The link, by its place in the scenario.
    pub link: usize,
    /// Its name, as `allocate` tells it.
    pub name: String,
    /// The flows that cross it, by their places in the scenario. A flow's place here is that of its class.
    pub flows: Vec<usize>,
    /// The queue.
    pub queue: GovernedQueue,
}

/// The queues of a node of a network for laws that limit flows where they enter: one a link that leaves the node and is
/// crossed by flows. All classes but that of control messages take turns when the link is full. Flows that have come over
/// other links get more turns than those that enter here, so that what too much enters waits here and not on the way. A node
/// where flows end only has none.
///
/// # Errors
/// [`TcError`].
pub fn governed_links(scenario: &Scenario, options: &TcOptions) -> Result<Vec<GovernedLink>, TcError> {
    let graph = Graph::of(scenario);
    let node = graph.node(&options.node).ok_or_else(|| unknown_node(&options.node, &graph))?;
    // Where flows end only, control packets turn, and nothing is limited.
    let ends_only = !graph.routes.iter().flatten().any(|&link| graph.links[link].from == node);
    let turns = graph.routes.iter().filter_map(|route| route.last()).any(|&link| graph.links[link].to == node);
    if ends_only && turns && options.devices.is_empty() {
        return Ok(Vec::new());
    }
    let crossing = crossing(&graph, node)?;
    let devices = devices(&options.node, &graph, &crossing, &options.devices)?;
    let prefixes = prefixes(&graph, &options.addresses)?;
    let flows: BTreeSet<usize> = crossing.iter().flat_map(|(_, flows)| flows.iter().copied()).collect();
    for &flow in &flows {
        let flow = &scenario.flows()[flow];
        if let Some(end) = [&flow.from, &flow.to].into_iter().find(|end| !prefixes.contains_key(&end.index)) {
            return Err(TcError::NoAddresses(graph.nodes[end.index].clone()));
        }
    }
    let ways = ways(scenario, &flows, &prefixes, &options.flows)?;
    if let Some(way) = ways.values().find(|way| way.is_nowhere()) {
        return Err(TcError::TwoProtocols(way.flow.name.clone()));
    }
    let mut governed = Vec::new();
    for ((link, flows), device) in crossing.into_iter().zip(devices) {
        if flows.len() > LAST_FLOW - FIRST_FLOW {
            return Err(TcError::TooMany(flows.len()));
        }
        let mut made = Lines::begin(link, &graph.nodes[link.to], device, options.rest)?;
        let mut queue = made.queue();
        let taking_turns = Share::up_to(link.capacity).behind();
        for (place, &flow) in flows.iter().enumerate() {
            let enters = graph.links[graph.routes[flow][0]].name == link.name;
            let turns = if enters { 1 } else { TURNS_IN_TRANSIT };
            let way = if enters { "enters here" } else { "in transit" };
            queue.comment(&format!("Flow {}, {way}", scenario.flows()[flow].name));
            queue.htb("1:1", usize::from(GovernedQueue::class_of(place)), Share { turns, ..taking_turns });
        }
        let classes: BTreeMap<usize, usize> = flows.iter().copied().zip(FIRST_FLOW..).collect();
        filters(&mut queue, &ways, &flows, &classes)?;
        let queue = made.end(false, flows.len());
        let place = graph.links.iter().position(|other| other.name == link.name);
        governed.extend(place.map(|place| GovernedLink { link: place, name: link.name.clone(), flows, queue }));
    }
    Ok(governed)
}

/// So many turns has a flow in transit for one of a flow that enters.
const TURNS_IN_TRANSIT: u32 = 4;
