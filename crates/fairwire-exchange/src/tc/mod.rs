//! Fair rates at a node as limits of Linux: classes of HTB and filters of u32, as `tc -batch` reads them.

mod flow_way;
mod governed;
mod graph;
mod queue;

use fairwire_core::BitRate;
use fairwire_scenario::Scenario;
use flow_way::{FlowWay, filters};
pub use governed::{Governed, GovernedLink, GovernedQueue, governed_links, governed_queues};
use graph::{DirectedLink, Graph};
use ipnet::IpNet;
use queue::{Queue, rest_of};
use std::collections::{BTreeMap, BTreeSet};

/// At which node limits are set, and how its links and the packets of its flows are found there.
#[derive(Clone, Debug, Default)]
pub struct TcOptions {
    /// The node.
    pub node: String,
    /// The network device of each link that leaves the node and carries flows: link, device. A link that is the only
    /// one may be left out, with an empty name in its place.
    pub devices: Vec<(String, String)>,
    /// The addresses behind nodes: node, prefix. A flow both of whose ends have some gets filters.
    pub addresses: Vec<(String, IpNet)>,
    /// The addresses of flows that share their ends with others: flow, prefix. It narrows the end within whose prefix
    /// it lies; of both the one with the longer prefix.
    pub flows: Vec<(String, IpNet)>,
    /// What packets of no flow have at least on each link; a twentieth of the link where it is none.
    pub rest: Option<BitRate>,
    /// Only the rates of classes that are there already.
    pub update: bool,
}

/// Why limits cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum TcError {
    /// The node is none of the network.
    #[error("there is no node `{name}`")]
    UnknownNode {
        /// What it was called.
        name: String,
        /// The nodes, or stations, that there are.
        known: Vec<String>,
    },
    /// No flow leaves the node.
    #[error("no flow crosses a link that leaves {0}")]
    NoFlows(String),
    /// A link has no device.
    #[error("no device for the link {link} from {node} to {to}")]
    NoDevice {
        /// The link.
        link: String,
        /// The node.
        node: String,
        /// Where the link leads.
        to: String,
    },
    /// A device was named without its link where there are several.
    #[error("which link has the device `{device}`? Flows leave {node} over {}", .links.join(", "))]
    WhichLink {
        /// The device.
        device: String,
        /// The node.
        node: String,
        /// Links that carry flows.
        links: Vec<String>,
    },
    /// A device was named for another link.
    #[error("no flow leaves {node} over a link `{link}`")]
    UnknownLink {
        /// What it was called.
        link: String,
        /// The node.
        node: String,
        /// Links that carry flows.
        known: Vec<String>,
    },
    /// A link or a device stands twice.
    #[error("{0} stands twice among the devices")]
    DeviceTwice(String),
    /// Packets of no flow are to have more than there is.
    #[error("packets of no flow are to have {rest}, and the link {link} carries {capacity}")]
    RestOverLink {
        /// What was asked for.
        rest: BitRate,
        /// The link.
        link: String,
        /// What it carries.
        capacity: BitRate,
    },
    /// No device is called so.
    #[error("`{0}` is no name of a network device that `tc` reads")]
    NoDeviceName(String),
    /// Two nodes have the same addresses.
    #[error("{0} is behind both {1} and {2}")]
    SharedPrefix(IpNet, String, String),
    /// There is no such flow at the node.
    #[error("no flow `{0}` leaves the node")]
    UnknownFlow(String),
    /// The addresses of a flow are behind neither of its ends.
    #[error("{prefix} of the flow {flow} is behind neither of its ends")]
    Elsewhere {
        /// The flow.
        flow: String,
        /// Its prefix.
        prefix: IpNet,
    },
    /// Addresses do not tell two flows apart.
    #[error("the flows {0} and {1} have the same addresses: their packets cannot be told apart")]
    SameAddresses(String, String),
    /// No addresses tell the packets of a node.
    #[error("no addresses behind {0}: its packets cannot be told")]
    NoAddresses(String),
    /// Addresses of a flow are of IPv4 at one end, and of IPv6 at the other.
    #[error("addresses of the flow {0} are of IPv4 at one end and of IPv6 at the other: its packets cannot be told")]
    TwoProtocols(String),
    /// More flows than classes.
    #[error("{0} flows leave the node, and HTB has 65,519 classes for them")]
    TooMany(usize),
}

/// Classes below the root `1:`: from there on a class a flow.
const FIRST_FLOW: usize = 0x10;
const LAST_FLOW: usize = 0xffff;

/// Classes for the flows that cross the links of a node, each as fast as is fair and no faster, as a file for
/// `tc -batch`; of a ring or a network. `rates_bps` are the fair rates of the scenario's flows in bit/s, one each, in their
/// order. Packets find their class by the addresses of their ends, or by a priority that is the class's id.
///
/// # Errors
/// [`TcError`].
pub fn tc(scenario: &Scenario, rates_bps: &[f64], options: &TcOptions) -> Result<String, TcError> {
    let graph = Graph::of(scenario);
    let node = graph.node(&options.node).ok_or_else(|| unknown_node(&options.node, &graph))?;
    let crossing = crossing(&graph, node)?;
    let devices = devices(&options.node, &graph, &crossing, &options.devices)?;
    let flows: BTreeSet<usize> = crossing.iter().flat_map(|(_, flows)| flows.iter().copied()).collect();
    let classes: BTreeMap<usize, usize> = flows.iter().copied().zip(FIRST_FLOW..=LAST_FLOW).collect();
    if classes.len() < flows.len() {
        return Err(TcError::TooMany(flows.len()));
    }
    let ways = ways(scenario, &flows, &prefixes(&graph, &options.addresses)?, &options.flows)?;
    let what = if options.update { "Rates of the limits" } else { "Limits" };
    let mut text = format!(
        "# {what} of Linux at {}, from the fair rates of {:?}.\n# To set them: tc -batch FILE\n",
        options.node,
        scenario.title()
    );
    for ((link, flows), device) in crossing.iter().zip(&devices) {
        let mut queue = Queue { text: &mut text, device, update: options.update };
        queue.root(link, &graph.nodes[link.to]);
        queue.link(link);
        queue.rest(rest_of(link, options.rest)?);
        for flow in flows {
            queue.class(classes[flow], &scenario.flows()[*flow], rates_bps[*flow]);
        }
        if !options.update {
            filters(&mut queue, &ways, flows, &classes)?;
        }
    }
    Ok(text)
}

/// A link that leaves the node, and the flows that it carries.
type Crossed<'a> = (&'a DirectedLink, Vec<usize>);

/// The links that leave a node and carry flows.
fn crossing(graph: &Graph, node: usize) -> Result<Vec<Crossed<'_>>, TcError> {
    let mut flows = vec![Vec::new(); graph.links.len()];
    for (number, route) in graph.routes.iter().enumerate() {
        route.iter().for_each(|&link| flows[link].push(number));
    }
    let links = graph.links.iter().zip(flows);
    let crossing: Vec<_> = links.filter(|(link, flows)| link.from == node && !flows.is_empty()).collect();
    if crossing.is_empty() { Err(TcError::NoFlows(graph.nodes[node].clone())) } else { Ok(crossing) }
}

/// The prefixes behind each node, without the bits of hosts.
fn prefixes(graph: &Graph, addresses: &[(String, IpNet)]) -> Result<BTreeMap<usize, Vec<IpNet>>, TcError> {
    let mut owners: BTreeMap<IpNet, usize> = BTreeMap::new();
    let mut prefixes: BTreeMap<usize, Vec<IpNet>> = BTreeMap::new();
    for (name, prefix) in addresses {
        let (node, prefix) = (graph.node(name).ok_or_else(|| unknown_node(name, graph))?, prefix.trunc());
        match owners.insert(prefix, node) {
            None => prefixes.entry(node).or_default().push(prefix),
            Some(owner) if owner == node => {}
            Some(owner) => {
                let name = |node: usize| graph.nodes[node].clone();
                return Err(TcError::SharedPrefix(prefix, name(owner), name(node)));
            }
        }
    }
    Ok(prefixes)
}

/// The addresses between which the packets of each flow go.
fn ways<'a>(
    scenario: &'a Scenario,
    flows: &BTreeSet<usize>,
    prefixes: &BTreeMap<usize, Vec<IpNet>>,
    own: &[(String, IpNet)],
) -> Result<BTreeMap<usize, FlowWay<'a>>, TcError> {
    let of = |end: usize| prefixes.get(&end).cloned().unwrap_or_default();
    let way = |&number: &usize| {
        let flow = &scenario.flows()[number];
        (number, FlowWay::new(flow, of(flow.from.index), of(flow.to.index)))
    };
    let mut ways: BTreeMap<usize, FlowWay<'_>> = flows.iter().map(way).collect();
    for (name, prefix) in own {
        let way = ways.values_mut().find(|way| way.flow.name == *name);
        way.ok_or_else(|| TcError::UnknownFlow(name.clone()))?.narrow(prefix.trunc())?;
    }
    Ok(ways)
}

fn unknown_node(name: &str, graph: &Graph) -> TcError {
    TcError::UnknownNode { name: name.to_owned(), known: graph.nodes.clone() }
}

/// The device of each link, in the order of links.
fn devices<'a>(
    node: &str,
    graph: &Graph,
    crossing: &[Crossed<'_>],
    named: &'a [(String, String)],
) -> Result<Vec<&'a str>, TcError> {
    let links: Vec<String> = crossing.iter().map(|(link, _)| link.name.clone()).collect();
    let mut of_link: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (link, device) in named {
        if !is_device_name(device) {
            return Err(TcError::NoDeviceName(device.clone()));
        }
        let link = match (&links[..], link.as_str()) {
            ([only], "") => only,
            (_, "") => return Err(TcError::WhichLink { device: device.clone(), node: node.to_owned(), links }),
            (_, link) => links.iter().find(|known| *known == link).ok_or_else(|| TcError::UnknownLink {
                link: link.to_owned(),
                node: node.to_owned(),
                known: links.clone(),
            })?,
        };
        if !seen.insert(device) {
            return Err(TcError::DeviceTwice(device.clone()));
        }
        if of_link.insert(link, device).is_some() {
            return Err(TcError::DeviceTwice(link.clone()));
        }
    }
    let device = |(link, _): &Crossed<'_>| {
        let to = graph.nodes[link.to].clone();
        let none = || TcError::NoDevice { link: link.name.clone(), node: node.to_owned(), to };
        of_link.get(link.name.as_str()).copied().ok_or_else(none)
    };
    crossing.iter().map(device).collect()
}

/// What Linux takes as a name (`dev_valid_name` in its `net/core/dev.c`) and `tc -batch` reads as one: to it `#` begins a
/// comment, and quotes are none of a name's. Lines may be copied into a shell, so what means something to it is none either.
fn is_device_name(name: &str) -> bool {
    const LONGEST: usize = 15;
    (1..=LONGEST).contains(&name.len())
        && name != "."
        && name != ".."
        && name.bytes().all(|byte| byte.is_ascii_graphic() && !b"/:#'\";&|<>$`\\()*?[]{}~!".contains(&byte))
}
