//! Fair rates at a node as limits of Linux: classes of HTB and filters of u32, as `tc -batch` reads them.

mod flow_way;
mod queue;

use crate::limits::Limits;
use fairwire_core::BitRate;
use fairwire_scenario::{NetworkLink, Way};
use flow_way::{FlowWay, filters};
use ipnet::IpNet;
use queue::Queue;
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
        /// The nodes that there are.
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
    /// No device is called so.
    #[error("`{0}` is no name of a network device")]
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
    /// More flows than classes.
    #[error("{0} flows leave the node, and HTB has 65,519 classes for them")]
    TooMany(usize),
}

/// Classes below the root `1:`: from there on a class a flow.
const FIRST_FLOW: usize = 0x10;
const LAST_FLOW: usize = 0xffff;

impl Limits<'_> {
    /// Classes for the flows that cross the links of a node, each as fast as is fair and no faster, as a file for
    /// `tc -batch`. Packets find their class by the addresses of their ends, or by a priority that is the class's id.
    ///
    /// # Errors
    /// [`TcError`].
    pub fn tc(&self, options: &TcOptions) -> Result<String, TcError> {
        let node = &self.network.nodes[self.node(&options.node)?];
        let crossing = self.crossing(node)?;
        let devices = devices(node, &crossing, &options.devices)?;
        let prefixes = self.prefixes(&options.addresses)?;
        let flows: BTreeSet<usize> = crossing.iter().flat_map(|(_, flows)| flows.iter().copied()).collect();
        let classes: BTreeMap<usize, usize> = flows.iter().copied().zip(FIRST_FLOW..=LAST_FLOW).collect();
        if classes.len() < flows.len() {
            return Err(TcError::TooMany(flows.len()));
        }
        let ways = self.ways(&flows, &prefixes, &options.flows)?;
        let mut text = self.head(node, options);
        for ((link, flows), device) in crossing.iter().zip(&devices) {
            let mut queue = Queue { text: &mut text, device, update: options.update };
            queue.root(link, options.rest);
            for flow in flows {
                queue.class(classes[flow], &self.scenario.flows()[*flow], self.rates_bps[*flow]);
            }
            if !options.update {
                filters(&mut queue, &ways, flows, &classes)?;
            }
        }
        Ok(text)
    }

    fn node(&self, name: &str) -> Result<usize, TcError> {
        let known = || TcError::UnknownNode { name: name.to_owned(), known: self.network.nodes.clone() };
        self.network.nodes.iter().position(|node| node == name).ok_or_else(known)
    }

    /// The links that leave a node, and the flows that each carries; those that carry none are left out.
    fn crossing(&self, node: &str) -> Result<Vec<(&NetworkLink, Vec<usize>)>, TcError> {
        let mut flows = vec![Vec::new(); self.network.links.len()];
        for (number, flow) in self.scenario.flows().iter().enumerate() {
            if let Way::Network { links, .. } = &flow.way {
                links.iter().for_each(|&link| flows[link].push(number));
            }
        }
        let links = self.network.links.iter().zip(flows);
        let crossing: Vec<_> = links.filter(|(link, flows)| link.from == node && !flows.is_empty()).collect();
        if crossing.is_empty() { Err(TcError::NoFlows(node.to_owned())) } else { Ok(crossing) }
    }

    /// The prefixes behind each node, without the bits of hosts.
    fn prefixes(&self, addresses: &[(String, IpNet)]) -> Result<BTreeMap<usize, Vec<IpNet>>, TcError> {
        let mut owners: BTreeMap<IpNet, usize> = BTreeMap::new();
        let mut prefixes: BTreeMap<usize, Vec<IpNet>> = BTreeMap::new();
        for (name, prefix) in addresses {
            let (node, prefix) = (self.node(name)?, prefix.trunc());
            match owners.insert(prefix, node) {
                None => prefixes.entry(node).or_default().push(prefix),
                Some(owner) if owner == node => {}
                Some(owner) => {
                    let name = |node: usize| self.network.nodes[node].clone();
                    return Err(TcError::SharedPrefix(prefix, name(owner), name(node)));
                }
            }
        }
        Ok(prefixes)
    }

    fn head(&self, node: &str, options: &TcOptions) -> String {
        let rates = if options.update { "Rates of the limits" } else { "Limits" };
        let title = self.scenario.title();
        format!("# {rates} of Linux at {node}, from the fair rates of {title:?}.\n# To set them: tc -batch FILE\n")
    }

    /// The addresses between which the packets of each flow go.
    fn ways(
        &self,
        flows: &BTreeSet<usize>,
        prefixes: &BTreeMap<usize, Vec<IpNet>>,
        own: &[(String, IpNet)],
    ) -> Result<BTreeMap<usize, FlowWay<'_>>, TcError> {
        let of = |end: usize| prefixes.get(&end).cloned().unwrap_or_default();
        let way = |&number: &usize| {
            let flow = &self.scenario.flows()[number];
            (number, FlowWay::new(flow, of(flow.from.index), of(flow.to.index)))
        };
        let mut ways: BTreeMap<usize, FlowWay<'_>> = flows.iter().map(way).collect();
        for (name, prefix) in own {
            let way = ways.values_mut().find(|way| way.flow.name == *name);
            way.ok_or_else(|| TcError::UnknownFlow(name.clone()))?.narrow(prefix.trunc())?;
        }
        Ok(ways)
    }
}

/// The device of each link, in the order of links.
fn devices<'a>(
    node: &str,
    crossing: &[(&NetworkLink, Vec<usize>)],
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
    let device = |(link, _): &(&NetworkLink, Vec<usize>)| {
        let none = || TcError::NoDevice { link: link.name.clone(), node: node.to_owned(), to: link.to.clone() };
        of_link.get(link.name.as_str()).copied().ok_or_else(none)
    };
    crossing.iter().map(device).collect()
}

/// What Linux takes as a name: `dev_valid_name` in its `net/core/dev.c`.
fn is_device_name(name: &str) -> bool {
    const LONGEST: usize = 15;
    (1..=LONGEST).contains(&name.len())
        && name != "."
        && name != ".."
        && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/' && byte != b':')
}
