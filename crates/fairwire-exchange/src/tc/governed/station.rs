//! Queues of a ring's station: a class for each egress, and one for what is in transit.

use super::super::graph::{DirectedLink, Graph};
use super::super::queue::{Queue, Share};
use super::super::{TcError, TcOptions, devices, prefixes, unknown_node};
use super::{GovernedQueue, Lines};
use fairwire_core::{Ringlet, StationId};
use fairwire_scenario::Scenario;
use ipnet::IpNet;
use std::collections::BTreeMap;

/// What of a station a law governs: one ringlet, and what the station sends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Governed {
    /// The ringlet.
    pub ringlet: Ringlet,
    /// Where the station's own packets leave the ring.
    pub egresses: Vec<StationId>,
}

/// An error where a link carries packets of a station without addresses: they would be taken for packets of no flow.
fn check_sources(graph: &Graph, link: &DirectedLink, prefixes: &BTreeMap<usize, Vec<IpNet>>) -> Result<(), TcError> {
    let routes = graph.routes.iter().filter(|route| route.iter().any(|&place| graph.links[place].name == link.name));
    let mut sources = routes.filter_map(|route| route.first()).map(|&place| graph.links[place].from);
    match sources.find(|source| !prefixes.contains_key(source)) {
        Some(source) => Err(TcError::NoAddresses(graph.nodes[source].clone())),
        None => Ok(()),
    }
}

/// The queues of a station of a ring for laws that move their limits: of those `governed` whose link carries flows, or has a
/// device; each with its ringlet. All classes but that of control messages take turns when the link is full: what is in transit gets as many turns
/// as all egresses together.
///
/// # Errors
/// [`TcError`].
pub fn governed_queues(
    scenario: &Scenario,
    governed: &[Governed],
    options: &TcOptions,
) -> Result<Vec<(Ringlet, GovernedQueue)>, TcError> {
    let graph = Graph::of(scenario);
    let node = graph.node(&options.node).ok_or_else(|| unknown_node(&options.node, &graph))?;
    let links = links(&graph, node, governed, &options.devices);
    let crossed: Vec<_> = links.iter().map(|(_, link)| (*link, Vec::new())).collect();
    let devices = devices(&options.node, &graph, &crossed, &options.devices)?;
    let prefixes = prefixes(&graph, &options.addresses)?;
    let behind = |node: usize| prefixes.get(&node).map_or(&[][..], Vec::as_slice);
    if behind(node).is_empty() && links.iter().any(|(governed, _)| !governed.egresses.is_empty()) {
        return Err(TcError::NoAddresses(options.node.clone()));
    }
    let mut queues = Vec::new();
    for ((governed, link), device) in links.into_iter().zip(devices) {
        check_sources(&graph, link, &prefixes)?;
        let mut made = Lines::begin(link, &graph.nodes[link.to], device, options.rest)?;
        let mut queue = made.queue();
        queue.comment("Transit");
        let taking_turns = Share::up_to(link.capacity).behind();
        let turns = governed.egresses.len().max(1) as u32;
        queue.htb("1:1", GovernedQueue::TRANSIT.into(), Share { turns, ..taking_turns });
        let mut rules = Vec::new();
        for (place, egress) in governed.egresses.iter().enumerate() {
            let to = behind(egress.index());
            if to.is_empty() {
                return Err(TcError::NoAddresses(graph.nodes[egress.index()].clone()));
            }
            queue.comment(&format!("To station {}", graph.nodes[egress.index()]));
            let class = usize::from(GovernedQueue::class_of(place));
            queue.htb("1:1", class, taking_turns);
            rules.extend(behind(node).iter().flat_map(|from| to.iter().map(move |to| (*from, Some(*to), class))));
        }
        rules.extend(behind(node).iter().map(|from| (*from, None, usize::from(GovernedQueue::REST))));
        let others = prefixes.iter().filter(|(other, _)| **other != node).flat_map(|(_, prefixes)| prefixes);
        rules.extend(others.map(|from| (*from, None, usize::from(GovernedQueue::TRANSIT))));
        filters(&mut queue, rules);
        queues.push((governed.ringlet, made.end(true, governed.egresses.len())));
    }
    Ok(queues)
}

/// The links of those governed that need a queue: flows cross them, or they have a device. A device without the name of its
/// link belongs to one that flows cross, or to any where flows cross none.
fn links<'a>(
    graph: &'a Graph,
    node: usize,
    governed: &'a [Governed],
    devices: &[(String, String)],
) -> Vec<(&'a Governed, &'a DirectedLink)> {
    let of = |governed: &'a Governed| {
        let name = governed.ringlet.link_name(node);
        let place = graph.links.iter().position(|link| link.name == name)?;
        Some((governed, place, graph.routes.iter().any(|route| route.contains(&place))))
    };
    let all: Vec<_> = governed.iter().filter_map(of).collect();
    let none_is_crossed = !all.iter().any(|(.., is_crossed)| *is_crossed);
    let has_device = |name: &str| devices.iter().any(|(link, _)| link == name || (link.is_empty() && none_is_crossed));
    let needed = all.into_iter().filter(|(_, place, is_crossed)| *is_crossed || has_device(&graph.links[*place].name));
    needed.map(|(governed, place, _)| (governed, &graph.links[place])).collect()
}

/// From where, to where, and the class.
type Rule = (IpNet, Option<IpNet>, usize);

/// The first filter that fits counts: the longest prefix of a source goes first, as it tells whose packet it is, and of those
/// the longest of a destination.
fn filters(queue: &mut Queue<'_>, mut rules: Vec<Rule>) {
    rules.retain(|(from, to, _)| to.is_none_or(|to| to.addr().is_ipv4() == from.addr().is_ipv4()));
    let length = |to: &Option<IpNet>| to.map_or(0, |to| to.prefix_len());
    rules.sort_by_key(|(from, to, _)| std::cmp::Reverse((from.prefix_len(), to.is_some(), length(to))));
    for (from, to, class) in rules {
        queue.filter(from, to.unwrap_or(anywhere(from)), class);
    }
}

/// All addresses of the same protocol.
fn anywhere(like: IpNet) -> IpNet {
    match like {
        IpNet::V4(_) => IpNet::V4(Default::default()),
        IpNet::V6(_) => IpNet::V6(Default::default()),
    }
}
