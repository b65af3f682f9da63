//! Queues of a ring's station whose limits a law moves.

use super::graph::{DirectedLink, Graph};
use super::queue::{Queue, Share, rest_of};
use super::{FIRST_FLOW, TcError, TcOptions, devices, prefixes, unknown_node};
use fairwire_core::{BitRate, Ringlet, StationId};
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

/// The queue in front of the link by which a ringlet leaves a station: an HTB with a class for each egress, whose limits
/// can be moved, one for what is in transit, one for control messages, and one for all else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernedQueue {
    /// The ringlet.
    pub ringlet: Ringlet,
    /// The network device.
    pub device: String,
    /// What the link carries.
    pub capacity: BitRate,
    /// Lines for `tc -batch` that make the root. They do nothing where another queue is there.
    pub root: String,
    /// Lines for `tc -batch` that make all below it.
    pub lines: String,
    egresses: usize,
}

/// Classes below the root `1:`, beside those of egresses.
const CONTROL: u16 = 3;
const TRANSIT: u16 = 4;

impl GovernedQueue {
    /// The class of what belongs to no flow.
    pub const REST: u16 = super::queue::REST as u16;
    /// The class of what other stations have sent.
    pub const TRANSIT: u16 = TRANSIT;
    /// The class of control messages. Packets with [`GovernedQueue::CONTROL_PRIORITY`] find it.
    pub const CONTROL: u16 = CONTROL;
    /// The priority (`SO_PRIORITY`) of control messages: the class as the kernel writes it.
    pub const CONTROL_PRIORITY: u32 = 1 << 16 | CONTROL as u32;

    /// The class of an egress, by its place in [`Governed::egresses`].
    pub const fn class_of_egress(place: usize) -> u16 {
        (FIRST_FLOW + place) as u16
    }

    /// All classes below that of the link.
    pub fn classes(&self) -> impl Iterator<Item = u16> + use<> {
        [Self::REST, Self::CONTROL, Self::TRANSIT].into_iter().chain((0..self.egresses).map(Self::class_of_egress))
    }

    /// A line for `tc -batch`: what the station adds for an egress has this rate at most from now on, and a packet a second
    /// at least.
    pub fn limit(&self, place: usize, rate: BitRate) -> String {
        let mut text = String::new();
        let mut queue = Queue { text: &mut text, device: &self.device, update: true };
        let share = Share::up_to(rate.max(LEAST_LIMIT)).behind();
        queue.htb("1:1", usize::from(Self::class_of_egress(place)), share);
        text
    }

    /// A line for `tc -batch`: the device is as it was before.
    pub fn removal(&self) -> String {
        format!("qdisc del dev {} root\n", self.device)
    }
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

/// A packet of Ethernet a second. HTB lets a class wait for each packet as long as the limit says at that moment, for a minute
/// at most, and shortens that for no later limit: under one of next to nothing it would stand still long after that has gone.
const LEAST_LIMIT: BitRate = BitRate::from_bps(8 * 1_514);

/// The queues of a station of a ring for laws that move their limits: of those `governed` whose link carries flows, or has a
/// device. All classes but that of control messages take turns when the link is full: what is in transit gets as many turns
/// as all egresses together.
///
/// # Errors
/// [`TcError`].
pub fn governed_queues(
    scenario: &Scenario,
    governed: &[Governed],
    options: &TcOptions,
) -> Result<Vec<GovernedQueue>, TcError> {
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
        let (mut root, mut lines) = (String::new(), String::new());
        Queue { text: &mut root, device, update: false }.root(link, &graph.nodes[link.to]);
        let mut queue = Queue { text: &mut lines, device, update: false };
        queue.link(link);
        queue.rest(rest_of(link.capacity, options.rest).behind());
        queue.comment("Control messages");
        let control = Share::at_least(link.capacity.as_bps_f64() * CONTROL_PART, link.capacity);
        queue.htb("1:1", CONTROL.into(), control);
        queue.comment("Transit");
        let taking_turns = Share::up_to(link.capacity).behind();
        let turns = governed.egresses.len().max(1) as u32;
        queue.htb("1:1", TRANSIT.into(), Share { turns, ..taking_turns });
        let mut rules = Vec::new();
        for (place, egress) in governed.egresses.iter().enumerate() {
            let to = behind(egress.index());
            if to.is_empty() {
                return Err(TcError::NoAddresses(graph.nodes[egress.index()].clone()));
            }
            queue.comment(&format!("To station {}", graph.nodes[egress.index()]));
            let class = usize::from(GovernedQueue::class_of_egress(place));
            queue.htb("1:1", class, taking_turns);
            rules.extend(behind(node).iter().flat_map(|from| to.iter().map(move |to| (*from, Some(*to), class))));
        }
        rules.extend(behind(node).iter().map(|from| (*from, None, usize::from(GovernedQueue::REST))));
        let others = prefixes.iter().filter(|(other, _)| **other != node).flat_map(|(_, prefixes)| prefixes);
        rules.extend(others.map(|from| (*from, None, usize::from(TRANSIT))));
        filters(&mut queue, rules);
        let (ringlet, egresses) = (governed.ringlet, governed.egresses.len());
        let (device, capacity) = (device.to_owned(), link.capacity);
        queues.push(GovernedQueue { ringlet, device, capacity, root, lines, egresses });
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
        let name = format!("r{}:{node}", governed.ringlet.index());
        let place = graph.links.iter().position(|link| link.name == name)?;
        Some((governed, place, graph.routes.iter().any(|route| route.contains(&place))))
    };
    let all: Vec<_> = governed.iter().filter_map(of).collect();
    let none_is_crossed = !all.iter().any(|(.., is_crossed)| *is_crossed);
    let has_device = |name: &str| devices.iter().any(|(link, _)| link == name || (link.is_empty() && none_is_crossed));
    let needed = all.into_iter().filter(|(_, place, is_crossed)| *is_crossed || has_device(&graph.links[*place].name));
    needed.map(|(governed, place, _)| (governed, &graph.links[place])).collect()
}

/// What control messages have of a link at least.
const CONTROL_PART: f64 = 0.01;

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
