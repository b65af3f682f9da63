//! Graphs of researchers, whatever their notation.

use crate::draft::{Draft, Link, Names, check_asked};
use crate::findings::{Findings, Foreign};
use crate::headings::{Layout, rate};
use crate::senders::Sending;
use crate::table::{bare_rate, of_a_link, split};
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
    pub data: Vec<Datum>,
    pub span: Range<usize>,
}

/// An edge with what is said of it.
#[derive(Debug)]
pub(crate) struct Edge {
    pub source: String,
    pub target: String,
    /// Whether it is, if it says so itself.
    pub is_directed: Option<bool>,
    pub data: Vec<Datum>,
    pub span: Range<usize>,
}

/// One thing that is said of a node or an edge.
#[derive(Clone, Debug)]
pub(crate) struct Datum {
    /// In lower case.
    pub key: String,
    pub text: String,
    pub span: Range<usize>,
}

/// What is wrong has been noted.
struct Noted;

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
    check_asked("the title", title)?;
    let is_xml = file.text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<');
    let graph = if is_xml { graphml::read(file) } else { node_link::read(file) }?;
    let title = if title.is_empty() { graph.name.as_deref().unwrap_or("") } else { title };
    let mut draft = drafted(file, &graph, options, title)?;
    sending.add_to(&mut draft, &Layout::default())?;
    draft.to_toml(sending.files(file))
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
        links.push(Link { name, from, to, capacity, delay, is_duplex, span: edge.span.clone() });
    }
    if graph.edges.is_empty() && findings.are_none() {
        findings.error(0..0, "the graph has no edges", "nothing here", "add edges");
    }
    let mut draft = Draft { links, ..Draft::titled(title, file) };
    for node in &graph.nodes {
        if let Some(name) = names.get(node.id.as_str()) {
            draft.add_node(name, node.span.clone());
        }
    }
    findings.finish(draft)
}

/// What nodes are called: their labels where every one is another's, else their ids.
fn node_names<'a>(graph: &'a Graph, findings: &mut Findings<'_>) -> BTreeMap<&'a str, String> {
    let mut label = |node: &Node| {
        let mut said = |key: &str| told(&node.data, &[key], findings, |datum| Ok(datum.text.clone())).ok().flatten();
        said("label").or_else(|| said("name"))
    };
    let labels: Vec<Option<String>> = graph.nodes.iter().map(&mut label).collect();
    let by_label = labels.iter().flatten().collect::<BTreeSet<_>>().len() == graph.nodes.len();
    let mut names = BTreeMap::new();
    for (node, label) in graph.nodes.iter().zip(labels) {
        let name = if by_label { label.unwrap_or_default() } else { node.id.clone() };
        if names.insert(node.id.as_str(), name).is_some() {
            let message = format!("there are two nodes `{}`", node.id);
            findings.error(node.span.clone(), message, "the second", "give every node an id of its own");
        }
    }
    names
}

/// The one value that all data under some keys have, if there are any; what is empty says nothing.
///
/// # Errors
/// If one cannot be read or they differ, which is noted. What cannot be read comes with its mend.
fn told<T: PartialEq>(
    data: &[Datum],
    keys: &[&str],
    findings: &mut Findings<'_>,
    read: impl Fn(&Datum) -> Result<T, (String, String)>,
) -> Result<Option<T>, Noted> {
    let mut first: Option<(T, &Datum)> = None;
    let mut is_right = true;
    let said = |datum: &&Datum| keys.contains(&datum.key.as_str()) && !datum.text.trim().is_empty();
    for datum in data.iter().filter(said) {
        let (message, label, help) = match (read(datum), &first) {
            (Ok(value), None) => {
                first = Some((value, datum));
                continue;
            }
            (Ok(value), Some((one, _))) if value == *one => continue,
            (Ok(_), Some((_, other))) => {
                let line = findings.line(other.span.start);
                let [key, text] = [&datum.key, &datum.text];
                let message = format!("`{key}` is {text} here, and `{}` is {} in line {line}", other.key, other.text);
                (message, "something else", "write the same in both, or take one out".to_owned())
            }
            (Err((message, help)), _) => (message, "here", help),
        };
        findings.error(datum.span.clone(), message, label, help);
        is_right = false;
    }
    if is_right { Ok(first.map(|(value, _)| value)) } else { Err(Noted) }
}

fn capacity(edge: &Edge, options: &GraphOptions, findings: &mut Findings<'_>) -> Option<BitRate> {
    let read = |datum: &Datum| capacity_of(datum, options.unit);
    match told(&edge.data, &["capacity", "bandwidth", "linkspeedraw"], findings, read) {
        Ok(Some(capacity)) => Some(capacity),
        Ok(None) if options.capacity.is_none() => {
            let message = format!("the edge from {} to {} tells no capacity", edge.source, edge.target);
            let help = "give all such edges one, for example with `--capacity \"10 Gb/s\"`";
            findings.error(edge.span.clone(), message, "this edge", help);
            None
        }
        Ok(None) => options.capacity,
        Err(Noted) => None,
    }
}

/// What one datum says of the capacity, or what is wrong with it, and the mend.
fn capacity_of(datum: &Datum, unit: Option<BitRate>) -> Result<BitRate, (String, String)> {
    let Datum { key, text, .. } = datum;
    let (key, read) = match (key.as_str(), text.parse::<f64>().is_ok(), unit) {
        ("linkspeedraw", true, _) => ("LinkSpeedRaw", bare_rate(text, 1.0)),
        ("linkspeedraw", false, _) => {
            let help = "write a number of bit/s, or take it out";
            return Err((format!("`LinkSpeedRaw` of {text} is no rate"), help.to_owned()));
        }
        (key, true, Some(unit)) => (key, bare_rate(text, unit.as_bps_f64())),
        (key, true, None) => {
            let help = "say what one is, for example with `--unit \"1 Mb/s\"`";
            return Err((format!("`{key}` of {text} has no unit"), help.to_owned()));
        }
        (key, false, _) => (key, rate(text).map_err(|error| error.to_string())),
    };
    of_a_link(read, text, "edge").map_err(|why| {
        let (message, help) = split(&why);
        (format!("`{key}`: {message}"), help)
    })
}

/// Light in fibre takes 5 us for a kilometre.
const NS_A_KILOMETRE: f64 = 5e3;

/// As it is told, else of the distance; none also where what is wrong has been noted.
fn delay(edge: &Edge, findings: &mut Findings<'_>) -> Option<Span> {
    let delay = told(&edge.data, &["delay", "latency"], findings, |Datum { key, text, .. }| {
        text.parse::<Span>().map_err(|error| {
            let (message, help) = split(&error.to_string());
            (format!("`{key}`: {message}"), help)
        })
    });
    let Ok(None) = delay else { return delay.ok().flatten() };
    let distance = told(&edge.data, &["dist", "distance", "length"], findings, |Datum { key, text, .. }| {
        let kilometres = text.parse::<f64>().ok().filter(|km| (0.0..1e9).contains(km));
        let help = "write a number such as 120.5, or take it out";
        let wrong = || (format!("`{key}` of {text} is no distance in kilometres"), help.to_owned());
        kilometres.map(|km| Span::from_nanos((km * NS_A_KILOMETRE).round() as u64)).ok_or_else(wrong)
    });
    distance.ok().flatten()
}
