//! Graphs in node-link JSON, as networkx and TopoHub write them.

use crate::findings::{Findings, Foreign};
use crate::graph::{Datum, Edge, Graph, Node};
use crate::ordered_json::{Json, byte_at, keys_of, note_doubles};
use fairwire_scenario::Diagnostics;
use std::ops::Range;

/// Reads a graph.
///
/// # Errors
/// If it is not JSON, or has no nodes or edges.
pub(crate) fn read(file: Foreign<'_>) -> Result<Graph, Diagnostics> {
    let json: Json = match serde_json::from_str(file.text) {
        Ok(json) => json,
        Err(error) => {
            let at = byte_at(file.text, error.line(), error.column());
            let help = "write GraphML, or JSON such as {\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 1}]}";
            return Findings::only(file, at..at, format!("this is neither GraphML nor JSON: {error}"), "here", help);
        }
    };
    let mut findings = Findings::new(file);
    let top = file.text.find('{').unwrap_or(0);
    note_doubles(&json, file.text, top, &mut findings);
    if let (Some(edges), Some(links)) = (json.get("edges"), json.get("links"))
        && edges != links
    {
        let keys = keys_of(file.text, top);
        let span = json.position("links").and_then(|at| keys.get(at).cloned()).unwrap_or(0..0);
        let help = "keep one of the lists";
        findings.error(span, "there are both `edges` and `links`, and they differ", "the other", help);
    }
    if !findings.are_none() {
        return findings.finish(Graph::default());
    }
    let (nodes, edges) = (json.get("nodes"), json.get("edges").or_else(|| json.get("links")));
    let (Some(Json::List(nodes)), Some(Json::List(edges))) = (nodes, edges) else {
        let help = "write the graph as node-link data, with lists `nodes` and `edges` (or `links`)";
        return Findings::only(file, 0..0, "this JSON is no graph", "here", help);
    };
    let is_directed = match json.get("directed") {
        None | Some(Json::Null) => false,
        Some(Json::Boolean(is_directed)) => *is_directed,
        Some(other) => {
            let help = "write \"directed\": true or \"directed\": false";
            return Findings::only(file, 0..0, format!("`directed` is {other}"), "in this graph", help);
        }
    };
    let places = Places::of(file.text);
    let mut graph = Graph {
        name: json.get("graph").and_then(|graph| graph.get("name")).and_then(Json::as_word),
        is_directed,
        ..Graph::default()
    };
    for (nth, node) in nodes.iter().enumerate() {
        let span = places.node(nth);
        if note_doubles(node, file.text, span.start, &mut findings) {
            continue;
        }
        match node.get("id").and_then(Json::as_word) {
            Some(id) => graph.nodes.push(Node { id, data: data(node, file.text, span.start), span }),
            None => findings.error(span, format!("node {nth} has no `id`"), "this node", "write {\"id\": 0}"),
        }
    }
    for (nth, edge) in edges.iter().enumerate() {
        let span = places.edge(nth);
        if note_doubles(edge, file.text, span.start, &mut findings) {
            continue;
        }
        let end = |key: &str| edge.get(key).and_then(Json::as_word);
        let (Some(source), Some(target)) = (end("source"), end("target")) else {
            let help = "write {\"source\": 0, \"target\": 1}";
            findings.error(span, format!("edge {nth} has no `source` or no `target`"), "this edge", help);
            continue;
        };
        graph.edges.push(Edge { source, target, is_directed: None, data: data(edge, file.text, span.start), span });
    }
    findings.finish(graph)
}

/// What an object that begins at a byte says in words and numbers.
fn data(object: &Json, text: &str, at: usize) -> Vec<Datum> {
    let Json::Object(members) = object else { return Vec::new() };
    let keys = keys_of(text, at);
    let datum = |(nth, (key, value)): (usize, &(String, Json))| {
        let span = keys.get(nth).cloned().unwrap_or(at..at);
        Some(Datum { key: key.to_lowercase(), text: value.as_word()?, span })
    };
    members.iter().enumerate().filter_map(datum).collect()
}

/// Where the objects of the two lists begin.
struct Places {
    nodes: Vec<usize>,
    edges: Vec<usize>,
}

impl Places {
    /// Walks through a text that is known to be JSON.
    fn of(text: &str) -> Self {
        let mut places = Self { nodes: Vec::new(), edges: Vec::new() };
        let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
        let (mut word, mut key) = (0, "");
        for (at, byte) in text.bytes().enumerate() {
            if is_text {
                (is_text, is_escaped) = (is_escaped || byte != b'"', !is_escaped && byte == b'\\');
                if !is_text && depth == 1 {
                    key = &text[word..at];
                }
                continue;
            }
            match byte {
                b'"' => (is_text, word) = (true, at + 1),
                b'{' | b'[' => {
                    if depth == 2 && byte == b'{' {
                        match key {
                            "nodes" => places.nodes.push(at),
                            "edges" | "links" => places.edges.push(at),
                            _ => {}
                        }
                    }
                    depth += 1;
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
        }
        places
    }

    fn node(&self, nth: usize) -> Range<usize> {
        Self::place(&self.nodes, nth)
    }

    fn edge(&self, nth: usize) -> Range<usize> {
        Self::place(&self.edges, nth)
    }

    fn place(starts: &[usize], nth: usize) -> Range<usize> {
        starts.get(nth).map_or(0..0, |&start| start..start + 1)
    }
}
