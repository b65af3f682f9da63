//! Graphs of researchers, whatever their notation.

use crate::draft::{Draft, Link, Names};
use crate::findings::{Findings, Foreign};
use crate::headings::{Layout, rate};
use crate::senders::Sending;
use crate::table::{bare_rate, split};
use crate::{graphml, node_link};
use fairwire_core::{BitRate, Span};
use fairwire_scenario::Diagnostics;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What graphs often do not say.
#[derive(Clone, Debug, Default)]
pub struct GraphOptions {
    /// The capacity of edges that tell none.
    pub capacity: Option<BitRate>,
    /// What one of a bare number in `capacity` or `bandwidth` is.
    pub unit: Option<BitRate>,
}

/// A graph as it stands in a file.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub name: Option<String>,
    pub is_directed: bool,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    pub id: String,
    /// What people call it.
    pub label: Option<String>,
    pub span: Range<usize>,
}

/// An edge with what is said of it.
#[derive(Debug)]
pub(crate) struct Edge {
    pub source: String,
    pub target: String,
    /// Whether it is, if it says so itself.
    pub is_directed: Option<bool>,
    /// Values by key in lower case.
    pub data: BTreeMap<String, String>,
    pub span: Range<usize>,
}

/// A scenario from a graph: GraphML, or node-link JSON as networkx and TopoHub write it.
///
/// Edges have their capacity from `capacity` or `bandwidth` (with a unit, or bare with
/// [`GraphOptions::unit`]) or `LinkSpeedRaw` (bit/s, as the Internet Topology Zoo has it), and
/// their delay from `delay` or `latency` (with a unit), or from `dist`, `distance` or `length` in
/// kilometres of fibre, 5 us each. Undirected edges carry both ways.
///
/// # Errors
/// Every mistake in the files, with its line and what to write instead.
pub fn from_graph(
    file: Foreign<'_>,
    options: &GraphOptions,
    sending: &Sending<'_>,
    title: &str,
) -> Result<String, Diagnostics> {
    let is_xml = file.text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<');
    let graph = if is_xml { graphml::read(file) } else { node_link::read(file) }?;
    let title = if title.is_empty() { graph.name.as_deref().unwrap_or("") } else { title };
    let mut draft = drafted(file, &graph, options, title)?;
    sending.add_to(&mut draft, &Layout::default())?;
    draft.to_toml()
}

fn drafted(file: Foreign<'_>, graph: &Graph, options: &GraphOptions, title: &str) -> Result<Draft, Diagnostics> {
    let mut findings = Findings::new(file);
    let names = node_names(graph, &mut findings);
    let mut link_names = Names::default();
    let mut links = Vec::new();
    for edge in &graph.edges {
        let ends = [("source", &edge.source), ("target", &edge.target)].map(|(end, id)| {
            if !names.contains_key(id.as_str()) {
                let message = format!("the {end} of this edge is `{id}`, and there is no such node");
                findings.error(edge.span.clone(), message, "this edge", "declare the node, or take the edge out");
            }
            names.get(id.as_str()).cloned()
        });
        let (capacity, delay) = (capacity(edge, options, &mut findings), delay(edge, &mut findings));
        let ([Some(from), Some(to)], Some(capacity)) = (ends, capacity) else { continue };
        if from == to {
            let message = format!("an edge from {from} to itself carries nothing");
            findings.error(edge.span.clone(), message, "this edge", "take it out");
        }
        let is_duplex = !edge.is_directed.unwrap_or(graph.is_directed);
        let name = link_names.unique_link(&format!("{from}-{to}"), is_duplex);
        links.push(Link { name, from, to, capacity, delay, is_duplex });
    }
    if graph.edges.is_empty() && findings.are_none() {
        findings.error(0..0, "the graph has no edges", "nothing here", "add edges");
    }
    let nodes = graph.nodes.iter().filter_map(|node| names.get(node.id.as_str()).cloned()).collect();
    findings.finish(Draft { nodes, links, ..Draft::titled(title, file) })
}

/// What nodes are called: their labels where every one is another's, else their ids.
fn node_names<'a>(graph: &'a Graph, findings: &mut Findings<'_>) -> BTreeMap<&'a str, String> {
    let label = |node: &Node| node.label.clone().filter(|label| !label.trim().is_empty());
    let labels: BTreeSet<String> = graph.nodes.iter().filter_map(label).collect();
    let by_label = labels.len() == graph.nodes.len();
    let mut names = BTreeMap::new();
    for node in &graph.nodes {
        let name = if by_label { label(node).unwrap_or_default() } else { node.id.clone() };
        if names.insert(node.id.as_str(), name).is_some() {
            let message = format!("there are two nodes `{}`", node.id);
            findings.error(node.span.clone(), message, "the second", "give every node an id of its own");
        }
    }
    names
}

fn capacity(edge: &Edge, options: &GraphOptions, findings: &mut Findings<'_>) -> Option<BitRate> {
    let mut wrong = |message: String, help: &str| {
        findings.error(edge.span.clone(), message, "this edge", help);
        None
    };
    if let Some((key, text)) = ["capacity", "bandwidth"].iter().find_map(|key| Some((key, edge.data.get(*key)?))) {
        let is_bare = text.parse::<f64>().is_ok();
        let rate = match (is_bare, options.unit) {
            (true, Some(unit)) => bare_rate(text, unit.as_bps_f64()),
            (true, None) => {
                let help = "say what one is, for example with `--unit \"1 Mb/s\"`";
                return wrong(format!("`{key}` of {text} has no unit"), help);
            }
            (false, _) => rate(text).map_err(|error| error.to_string()),
        };
        return match rate {
            Ok(rate) if rate.as_bps() > 0 => Some(rate),
            Ok(_) => wrong(format!("`{key}` of {text} carries nothing"), "write a rate, or take the edge out"),
            Err(why) => {
                let (message, help) = split(&why);
                wrong(format!("`{key}`: {message}"), &help)
            }
        };
    }
    if let Some(text) = edge.data.get("linkspeedraw").filter(|text| !text.is_empty()) {
        return match bare_rate(text, 1.0) {
            Ok(rate) if rate.as_bps() > 0 => Some(rate),
            _ => wrong(format!("`LinkSpeedRaw` of {text} is no rate"), "write a number of bit/s, or take it out"),
        };
    }
    if options.capacity.is_none() {
        let help = "give all such edges one, for example with `--capacity \"10 Gb/s\"`";
        return wrong(format!("the edge from {} to {} tells no capacity", edge.source, edge.target), help);
    }
    options.capacity
}

/// Light in fibre takes 5 us for a kilometre.
const NS_A_KILOMETRE: f64 = 5e3;

fn delay(edge: &Edge, findings: &mut Findings<'_>) -> Option<Span> {
    if let Some((key, text)) = ["delay", "latency"].iter().find_map(|key| Some((key, edge.data.get(*key)?))) {
        return match text.parse::<Span>() {
            Ok(delay) => Some(delay),
            Err(error) => {
                let (message, help) = split(&error.to_string());
                findings.error(edge.span.clone(), format!("`{key}`: {message}"), "this edge", help);
                None
            }
        };
    }
    let (key, text) = ["dist", "distance", "length"].iter().find_map(|key| Some((key, edge.data.get(*key)?)))?;
    let kilometres = text.parse::<f64>().ok().filter(|km| (0.0..1e9).contains(km));
    if kilometres.is_none() {
        let message = format!("`{key}` of {text} is no distance in kilometres");
        findings.error(edge.span.clone(), message, "this edge", "write a number such as 120.5, or take it out");
    }
    kilometres.map(|km| Span::from_nanos((km * NS_A_KILOMETRE).round() as u64))
}
