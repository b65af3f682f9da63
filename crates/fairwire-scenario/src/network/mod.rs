//! `[network]`: named nodes, directed links, and routes over them.

pub mod link;
pub mod minimums;
pub mod queue;
pub mod rate;

use self::link::{Around, NetworkLink};
use self::queue::PlacedLimit;
use self::rate::LinkRate;
use crate::by_node::{self, IngressMinimum};
use crate::reading::diagnostic::Reported;
use crate::reading::suggest::{list, nearest};
use crate::reading::table::Field;
use crate::run::Run;
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::rate::RateLawChoice;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Nodes and links.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Network {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// Weight of every node as an ingress.
    pub weights: Vec<f64>,
    /// What every node is promised as an ingress under RIAS; empty where none is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub min_rates: Vec<IngressMinimum>,
    /// The law of every queue whose link names none.
    pub queue: QueueLawChoice,
    /// The law by which ports tell flows their rates, where links say nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateLawChoice>,
    #[serde(serialize_with = "queue::limit_text")]
    pub(crate) limit: PlacedLimit,
    /// Directed links.
    #[serde(rename = "link")]
    pub links: Vec<NetworkLink>,
    /// Numbers of nodes and links by name, and the links that leave each node.
    #[serde(skip)]
    pub(crate) index: Index,
}

/// What finds things in a large network.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    nodes: Names,
    links: Names,
    leaving: Vec<Vec<usize>>,
}

/// Numbers by name.
pub(crate) type Names = BTreeMap<String, usize>;

pub(crate) const KEYS: &[&str] = &["nodes", "weights", "min-rates", "queue", "rate", "limit", "link"];

impl Network {
    /// What every queue holds at most whose link does not say.
    pub fn limit(&self) -> Limit {
        self.limit.limit
    }

    /// The law of the queue in front of a link.
    pub fn queue_of(&self, link: usize) -> &QueueLawChoice {
        self.links[link].queue.as_ref().unwrap_or(&self.queue)
    }

    /// The law of the port at a link, if it has one.
    pub fn rate_of(&self, link: usize) -> Option<&RateLawChoice> {
        match &self.links[link].rate {
            Some(LinkRate::Law(law)) => Some(law),
            Some(LinkRate::None(_)) => None,
            None => self.rate.as_ref(),
        }
    }

    pub(crate) fn read(field: &Field<'_>, run: Option<&Run>) -> Result<Self, Reported> {
        let network = field.table("[network]", KEYS, "{ nodes = [\"a\", \"b\"] }")?;
        let nodes = network.need("nodes", "[\"a\", \"b\"]").and_then(|field| read_nodes(&field))?;
        let weights = by_node::weights(network.field("weights"), &nodes, "nodes");
        let min_rates = by_node::minimums(network.field("min-rates"), &nodes, "nodes");
        let by_name: Names = nodes.iter().cloned().enumerate().map(|(number, name)| (name, number)).collect();
        let (law, limit) = (queue::read_law(&network, "queue"), queue::read_limit(&network, "limit"));
        let rate = rate::read_law(&network);
        let limit = limit.map(|limit| limit.unwrap_or_else(|| PlacedLimit::usual(&network)));
        let usual = limit.clone().unwrap_or_else(|_| PlacedLimit::usual(&network));
        let around = Around { nodes: &nodes, by_name: &by_name, limit: &usual, run };
        let links = link::read_all(&network, &around);
        let (weights, min_rates, law, rate, limit, links) = (weights?, min_rates?, law?, rate?, limit?, links?);
        let index = Index::new(by_name, &links);
        Ok(Self { nodes, weights, min_rates, queue: law.unwrap_or_else(queue::default_law), rate, limit, links, index })
    }

    /// The index of a node.
    pub(crate) fn node(&self, field: &Field<'_>) -> Result<usize, Reported> {
        node(field, &self.nodes, &self.index.nodes)
    }

    /// By which link one comes to each node on the way from `from` with the
    /// fewest links; of several such ways the one whose links were declared first.
    pub(crate) fn ways(&self, from: usize) -> Vec<Option<usize>> {
        let mut reached_by = vec![None; self.nodes.len()];
        let mut waiting = VecDeque::from([from]);
        while let Some(here) = waiting.pop_front() {
            for &link in &self.index.leaving[here] {
                let there = self.links[link].ends.1;
                if there != from && reached_by[there].is_none() {
                    reached_by[there] = Some(link);
                    waiting.push_back(there);
                }
            }
        }
        reached_by
    }

    /// The links to `to` on those ways, if one leads there.
    pub(crate) fn shortest(&self, ways: &[Option<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
        let mut route = Vec::new();
        let mut here = to;
        while here != from {
            let link = ways[here]?;
            route.push(link);
            here = self.links[link].ends.0;
        }
        route.reverse();
        Some(route)
    }

    /// The links back over the same nodes, of several between two nodes the one that was declared first; if there are such.
    pub(crate) fn reversed(&self, route: &[usize]) -> Option<Vec<usize>> {
        let back = |&link: &usize| {
            let (from, to) = self.links[link].ends;
            self.index.leaving[to].iter().copied().find(|&other| self.links[other].ends.1 == from)
        };
        route.iter().rev().map(back).collect()
    }

    /// Reads `route = ["L1", "L2"]`, or the way back, for one pair of nodes.
    pub(crate) fn route(&self, field: &Field<'_>, from: usize, to: usize) -> Result<Vec<usize>, Reported> {
        let example = format!("[\"{}\"]", self.links[0].name);
        let items = field.items().ok_or_else(|| field.wrong_type("a list of link names", &example))?;
        if items.is_empty() {
            let help = format!("name the links in order, or remove `{}` for the fewest links", field.name);
            return Err(field.error(format!("{} is empty", field.called()), "no links", help));
        }
        let mut route: Vec<usize> = Vec::with_capacity(items.len());
        let mut here = from;
        for item in &items {
            let name = item.text("\"L1\"")?;
            let Some(&index) = self.index.links.get(name) else {
                let names: Vec<&str> = self.links.iter().map(|link| link.name.as_str()).collect();
                let help = match nearest(name, names.iter().copied()) {
                    Some(name) => format!("write \"{name}\""),
                    None => format!("use one of {}", list(&names)),
                };
                return Err(item.error(format!("there is no link \"{name}\""), "no such link", help));
            };
            let link = &self.links[index];
            if link.ends.0 != here {
                let message =
                    format!("link \"{name}\" leaves {}, but the route has come to {}", link.from, self.nodes[here]);
                return Err(item.error(
                    message,
                    "does not join on",
                    format!("write a link that leaves {}", self.nodes[here]),
                ));
            }
            here = link.ends.1;
            if here == from || route.iter().any(|&before| self.links[before].ends.1 == here) {
                let message = format!("the route comes to {} twice, over link \"{name}\"", self.nodes[here]);
                return Err(item.error(message, "again", "remove the loop"));
            }
            route.push(index);
        }
        if here != to {
            let message = format!("the route ends at {}, not at {}", self.nodes[here], self.nodes[to]);
            return Err(field.error(
                message,
                "ends elsewhere",
                format!("add links from {} to {}", self.nodes[here], self.nodes[to]),
            ));
        }
        Ok(route)
    }
}

impl Index {
    fn new(nodes: Names, links: &[NetworkLink]) -> Self {
        let mut leaving = vec![Vec::new(); nodes.len()];
        for (number, link) in links.iter().enumerate() {
            leaving[link.ends.0].push(number);
        }
        let links = links.iter().enumerate().map(|(number, link)| (link.name.clone(), number)).collect();
        Self { nodes, links, leaving }
    }
}

fn read_nodes(field: &Field<'_>) -> Result<Vec<String>, Reported> {
    let Some(items) = field.items() else { return Err(field.wrong_type("a list of names", "[\"a\", \"b\"]")) };
    if items.len() < 2 {
        let message = format!("a network of {} has nothing to share", fairwire_alloc::text::count(items.len(), "node"));
        return Err(field.error(
            message,
            "too few nodes",
            "write at least two names, such as `nodes = [\"a\", \"b\"]`",
        ));
    }
    let mut nodes: Vec<String> = Vec::with_capacity(items.len());
    let mut known = BTreeSet::new();
    let mut fine = Ok(());
    for item in &items {
        match item.name("\"a\"") {
            Err(reported) => fine = Err(reported),
            Ok(name) if !known.insert(name) => {
                fine = Err(item.error(
                    format!("node \"{name}\" is listed twice"),
                    "again",
                    "give every node a name of its own",
                ));
            }
            Ok(name) => nodes.push(name.to_owned()),
        }
    }
    fine.map(|()| nodes)
}

pub(crate) fn node(field: &Field<'_>, nodes: &[String], by_name: &Names) -> Result<usize, Reported> {
    let name = field.text(&format!("\"{}\"", nodes[0]))?;
    by_name.get(name).copied().ok_or_else(|| {
        let known: Vec<&str> = nodes.iter().map(String::as_str).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(name) => format!("write \"{name}\""),
            None => format!("use one of {}, or add \"{name}\" to `nodes`", list(&known)),
        };
        field.error(format!("there is no node \"{name}\""), "no such node", help)
    })
}
