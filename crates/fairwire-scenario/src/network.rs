//! `[network]`: named nodes, directed links, and routes over them.

use crate::diagnostic::Reported;
use crate::ring::read_capacity;
use crate::suggest::{list, nearest};
use crate::table::{Field, Table};
use crate::weights;
use fairwire_core::{BitRate, Span};
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
type Names = BTreeMap<String, usize>;

/// One directed link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NetworkLink {
    /// Its name; unique.
    pub name: String,
    /// The node it leaves.
    pub from: String,
    /// The node it reaches.
    pub to: String,
    /// Bits per second.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
    #[serde(skip)]
    pub(crate) ends: (usize, usize),
}

pub(crate) const KEYS: &[&str] = &["nodes", "weights", "link"];
pub(crate) const LINK_KEYS: &[&str] = &["name", "from", "to", "capacity", "delay", "duplex"];
/// What the way back of a duplex link is called.
const BACK: &str = "-back";

impl Network {
    pub(crate) fn read(field: &Field<'_>) -> Result<Self, Reported> {
        let network = field.table("[network]", KEYS, "{ nodes = [\"a\", \"b\"] }")?;
        let nodes = network.need("nodes", "[\"a\", \"b\"]").and_then(|field| read_nodes(&field))?;
        let weights = weights::read(network.field("weights"), &nodes, "nodes");
        let by_name: Names = nodes.iter().cloned().enumerate().map(|(number, name)| (name, number)).collect();
        let links = read_links(&network, &nodes, &by_name);
        let (weights, links) = (weights?, links?);
        let index = Index::new(by_name, &links);
        Ok(Self { nodes, weights, links, index })
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

    /// Reads `route = ["L1", "L2"]` for one pair of nodes.
    pub(crate) fn route(&self, field: &Field<'_>, from: usize, to: usize) -> Result<Vec<usize>, Reported> {
        let example = format!("[\"{}\"]", self.links[0].name);
        let items = field.items().ok_or_else(|| field.wrong_type("a list of link names", &example))?;
        if items.is_empty() {
            let help = "name the links in order, or remove `route` for the fewest links";
            return Err(field.error(format!("{} is empty", field.called()), "no links", help));
        }
        let mut route = Vec::with_capacity(items.len());
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
            if route.contains(&index) {
                return Err(item.error(format!("the route takes link \"{name}\" twice"), "again", "remove the loop"));
            }
            route.push(index);
            here = link.ends.1;
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
        let message = format!("a network of {} nodes has nothing to share", items.len());
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
        match item.some_text("\"a\"") {
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

fn node(field: &Field<'_>, nodes: &[String], by_name: &Names) -> Result<usize, Reported> {
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

fn read_links(network: &Table<'_>, nodes: &[String], by_name: &Names) -> Result<Vec<NetworkLink>, Reported> {
    let Some(field) = network.field("link") else {
        let help = "add a [[network.link]] table with `from`, `to` and `capacity`";
        return Err(network.missing("link", "no links", help));
    };
    let items = field.tables("[[network.link]]")?;
    if items.is_empty() {
        let help = "write at least one [[network.link]] with `from`, `to` and `capacity`";
        return Err(network.report.error(
            network.key_span("link"),
            "a network without links carries nothing",
            "no links",
            help,
        ));
    }
    let mut links: Vec<NetworkLink> = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    let mut fine = Ok(());
    for item in &items {
        let new = match read_link(item, nodes, by_name) {
            Ok(new) => new,
            Err(reported) => {
                fine = Err(reported);
                continue;
            }
        };
        let line = item.report.line(&item.span());
        for link in new {
            if let Some(other) = lines.insert(link.name.clone(), line) {
                let message = format!("the link \"{}\" is declared here and on line {other}", link.name);
                fine = Err(item.error(message, "declared twice", "give one of them another `name`"));
            }
            links.push(link);
        }
    }
    fine.map(|()| links)
}

fn read_link(item: &Field<'_>, nodes: &[String], by_name: &Names) -> Result<Vec<NetworkLink>, Reported> {
    let link = item.table("[[network.link]]", LINK_KEYS, "{ from = \"a\", to = \"b\" }")?;
    let end = |key: &str, example: usize| {
        link.need(key, &format!("\"{}\"", nodes[example])).and_then(|field| node(&field, nodes, by_name))
    };
    let (from, to) = (end("from", 0), end("to", 1));
    let capacity = link.need("capacity", "\"10 Mb/s\"").and_then(|field| read_capacity(&field));
    let delay = link.field("delay").map_or(Ok(Span::ZERO), |field| field.quantity());
    let duplex = link.field("duplex").map_or(Ok(false), |field| field.boolean());
    let name = link.field("name").map(|field| field.some_text("\"L1\"")).transpose();
    let (from, to, capacity, delay, name) = (from?, to?, capacity?, delay?, name?);
    if from == to {
        let message = format!("a link from {} to itself carries nothing", nodes[from]);
        return Err(link.report.error(link.key_span("to"), message, "same as `from`", "write another node in `to`"));
    }
    let one = |name: String, from: usize, to: usize| NetworkLink {
        name,
        from: nodes[from].clone(),
        to: nodes[to].clone(),
        capacity,
        delay,
        ends: (from, to),
    };
    let between = |from: usize, to: usize| format!("{}-{}", nodes[from], nodes[to]);
    let mut links = vec![one(name.map_or_else(|| between(from, to), str::to_owned), from, to)];
    if duplex? {
        links.push(one(name.map_or_else(|| between(to, from), |name| format!("{name}{BACK}")), to, from));
    }
    Ok(links)
}
