//! What is governed at a node of a network.

use super::peers::{Peers, is_from};
use super::served::{check_lease, check_served};
use super::{RouterPlan, lines_of};
use crate::envelope::{Envelope, FlowHead};
use crate::error::{EnforceError, RouterName};
use crate::options::Options;
use fairwire_core::{BitRate, Instant};
use fairwire_exchange::{GovernedQueue, TcError, TcOptions, governed_links};
use fairwire_laws::rate::{FirstRate, Manner, PortSite, RateLawChoice, SendingPlan, Terms};
use fairwire_plan::{NetworkFlowPlan, NetworkPlan, RatePlan};
use fairwire_scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

/// What is governed at a node.
pub struct NodePlan {
    /// What was asked for.
    pub(crate) options: Options,
    /// The node, by its place in the scenario, and its name.
    pub(crate) node: u32,
    pub(crate) name: String,
    /// The law of most links.
    pub(crate) law: &'static str,
    /// The links that leave it and that flows cross.
    pub(crate) links: Vec<LinkPlan>,
    /// The flows that come by, by their places in the scenario.
    pub(crate) flows: BTreeMap<u32, FlowPlan>,
    /// What a datagram says of its network.
    pub(crate) envelope: Envelope<FlowHead>,
}

/// A link that leaves the node.
pub(crate) struct LinkPlan {
    /// Its name, as `allocate` tells it.
    pub name: String,
    /// The law of its port; none if it tells nobody a rate.
    pub law: Option<RateLawChoice>,
    /// Where the law is.
    pub site: PortSite,
    /// The flows that cross it, in the order of their classes.
    pub flows: Vec<u32>,
    /// The queue in front of it.
    pub queue: GovernedQueue,
}

/// A flow that comes by.
pub(crate) struct FlowPlan {
    /// Its name.
    pub name: String,
    /// The law that tells it its rate.
    pub law: RateLawChoice,
    /// What was agreed for it.
    pub terms: Terms,
    /// How its source sends.
    pub sending: SendingPlan,
    /// What it has while its source hears nothing: its fair rate in the scenario.
    pub safe: BitRate,
    /// The link by which it leaves the node, and its place there; none where it ends.
    pub leaves: Option<(usize, usize)>,
    /// The node from which it comes; none where it enters.
    pub before: Option<Hop>,
    /// The node to which it goes; none where it ends.
    pub after: Option<Hop>,
}

/// A neighbour on the way of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// The node, by its place in the scenario.
    pub node: u32,
    /// Where it listens.
    pub at: SocketAddr,
}

impl NodePlan {
    /// What the rate laws of the network in `scenario` govern at its node `name`. `fair_bps` are the rates of its flows in bit/s,
    /// one each, in their order: what they have while their sources hear nothing.
    ///
    /// # Errors
    /// [`EnforceError`], before anything is touched.
    pub fn new(scenario: &Scenario, fair_bps: &[f64], name: &str, options: Options) -> Result<Self, EnforceError> {
        let (plan, network) = scenario.network_plan(0).zip(scenario.network()).ok_or(EnforceError::NotNetwork)?;
        if plan.flows.is_empty() {
            return Err(EnforceError::NoFlows);
        }
        let rates = plan.flows.iter().map(rate_of).collect::<Result<Vec<_>, _>>()?;
        let terms: Vec<Terms> = plan.flows.iter().zip(&rates).map(|(flow, rate)| whole_terms(flow, rate)).collect();
        rates.iter().try_for_each(|rate| check_lease(options.lease, options.tick, rate))?;
        let laws = plan.flows.iter().map(|flow| law_of(&plan, flow)).collect::<Result<Vec<_>, _>>()?;
        laws.iter().try_for_each(check_served)?;
        let node = network.nodes.iter().position(|node| node == name);
        let unknown = || TcError::UnknownNode { name: name.to_owned(), known: network.nodes.clone() };
        let node = node.ok_or_else(unknown)? as u32;
        let ways: Vec<Vec<u32>> = plan.flows.iter().map(|flow| way(&plan, flow)).collect();
        let tc = TcOptions {
            node: name.to_owned(),
            devices: options.devices.clone(),
            addresses: options.addresses.clone(),
            flows: options.flows.clone(),
            rest: options.rest,
            update: false,
        };
        let links: Vec<LinkPlan> = governed_links(scenario, &tc)?
            .into_iter()
            .map(|link| LinkPlan {
                law: plan.links[link.link].rate.clone(),
                site: PortSite { start: Instant::ZERO, capacity: plan.links[link.link].capacity },
                flows: link.flows.iter().map(|&flow| flow as u32).collect(),
                name: link.name,
                queue: link.queue,
            })
            .collect();
        let peers = peers(&options, name, node, &ways, &network.nodes);
        peers.check()?;
        let mut flows = BTreeMap::new();
        for (number, way) in ways.iter().enumerate() {
            let Some(place) = way.iter().position(|at| *at == node) else { continue };
            let hop = |at: Option<&u32>| -> Result<Option<Hop>, EnforceError> {
                at.map(|&node| Ok(Hop { node, at: peers.listens(&network.nodes[node as usize])? })).transpose()
            };
            let leaves = links
                .iter()
                .enumerate()
                .find_map(|(link, plan)| Some((link, plan.flows.iter().position(|flow| *flow as usize == number)?)));
            let flow = FlowPlan {
                name: plan.flows[number].name.clone(),
                law: laws[number].clone(),
                terms: terms[number],
                sending: sending(rates[number]),
                safe: BitRate::from_bps(fair_bps.get(number).map_or(0, |bps| *bps as u64)),
                leaves,
                before: hop(place.checked_sub(1).and_then(|before| way.get(before)))?,
                after: hop(way.get(place + 1))?,
            };
            flows.insert(number as u32, flow);
        }
        let envelope = Envelope::of_network(&plan, &terms, options.lease);
        let law = laws[0].about().name;
        Ok(Self { options, node, name: name.to_owned(), law, links, flows, envelope })
    }

    /// The lines for `tc -batch` that make the queues.
    pub fn lines(&self) -> String {
        if self.links.is_empty() {
            return format!("# No flow leaves {}: nothing is limited there\n", self.name);
        }
        lines_of(self)
    }

    /// Whether a message that says it is from `node`, and came from `address`, is that of the next router on the way of `flow`.
    pub(crate) fn is_next(&self, flow: u32, node: u32, address: IpAddr) -> bool {
        let hops = self.flows.get(&flow).map(|flow| [flow.before, flow.after]);
        hops.into_iter().flatten().flatten().any(|hop| hop.node == node && is_from(hop.at, address))
    }
}

impl RouterPlan for NodePlan {
    fn options(&self) -> &Options {
        &self.options
    }

    fn queues(&self) -> Vec<&GovernedQueue> {
        self.links.iter().map(|link| &link.queue).collect()
    }

    fn safe_lines(&self) -> String {
        let entering = self.flows.values().filter(|flow| flow.before.is_none());
        let line = |flow: &FlowPlan| Some(self.links.get(flow.leaves?.0)?.queue.limit(flow.leaves?.1, flow.safe));
        entering.filter_map(line).collect()
    }
}

/// What a flow is told its rate by; an error if it is not told, or goes before others.
fn rate_of(flow: &NetworkFlowPlan) -> Result<&RatePlan, EnforceError> {
    if flow.high_priority {
        return Err(EnforceError::Priority(flow.name.clone()));
    }
    flow.offer.rate().ok_or_else(|| EnforceError::NotTold(flow.name.clone()))
}

/// What was agreed for all of a flow: its micro-flows are one at a router.
fn whole_terms(flow: &NetworkFlowPlan, rate: &RatePlan) -> Terms {
    let all = f64::from(flow.micro_flows);
    Terms {
        minimum_bps: rate.terms.minimum_bps * all,
        peak_bps: rate.terms.peak_bps * all,
        supported_bps: rate.terms.supported_bps * all,
        weight: rate.terms.weight * all,
    }
}

/// The kernel keeps sources to their limits, so that all of them are honest; they ask before they are told a rate.
fn sending(rate: &RatePlan) -> SendingPlan {
    SendingPlan { first: FirstRate::Ask, manner: Manner::Honest, ..rate.sending }
}

fn law_of(plan: &NetworkPlan, flow: &NetworkFlowPlan) -> Result<RateLawChoice, EnforceError> {
    plan.rate_law(flow).cloned().ok_or_else(|| EnforceError::NoRateLaw(flow.name.clone()))
}

/// The nodes that a flow comes by, in order.
fn way(plan: &NetworkPlan, flow: &NetworkFlowPlan) -> Vec<u32> {
    let links = || flow.route.iter().map(|&link| &plan.links[link as usize]);
    let first = links().next().map(|link| link.from);
    first.into_iter().chain(links().map(|link| link.to)).collect()
}

/// The nodes before and after this one on the ways of flows.
fn peers<'a>(options: &'a Options, name: &str, node: u32, ways: &[Vec<u32>], names: &[String]) -> Peers<'a> {
    let next = |pair: &[u32]| match pair {
        [before, after] if *before == node => Some(*after),
        [before, after] if *after == node => Some(*before),
        _ => None,
    };
    let next: BTreeSet<u32> = ways.iter().flat_map(|way| way.windows(2).filter_map(next)).collect();
    Peers {
        options,
        here: RouterName::node(name),
        neighbours: next.into_iter().map(|node| names[node as usize].clone()).collect(),
        who: "Control packets go there and come back from there".to_owned(),
    }
}
