//! Graphs in node-link JSON, as networkx and TopoHub write them.

use crate::findings::{Findings, Foreign};
use crate::graph::{Edge, Graph, Node};
use crate::ordered_json::{Json, byte_at};
use fairwire_scenario::Diagnostics;
use std::collections::BTreeMap;
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
    let mut findings = Findings::new(file);
    let mut graph = Graph {
        name: json.get("graph").and_then(|graph| graph.get("name")).and_then(Json::as_word),
        is_directed,
        ..Graph::default()
    };
    for (nth, node) in nodes.iter().enumerate() {
        let span = places.node(nth);
        match node.get("id").and_then(Json::as_word) {
            Some(id) => {
                let label = ["label", "name"].iter().find_map(|key| node.get(key)?.as_word());
                graph.nodes.push(Node { id, label, span });
            }
            None => findings.error(span, format!("node {nth} has no `id`"), "this node", "write {\"id\": 0}"),
        }
    }
    for (nth, edge) in edges.iter().enumerate() {
        let span = places.edge(nth);
        let end = |key: &str| edge.get(key).and_then(Json::as_word);
        let (Some(source), Some(target)) = (end("source"), end("target")) else {
            let help = "write {\"source\": 0, \"target\": 1}";
            findings.error(span, format!("edge {nth} has no `source` or no `target`"), "this edge", help);
            continue;
        };
        let data: BTreeMap<String, String> = match edge {
            Json::Object(members) => {
                members.iter().filter_map(|(key, value)| Some((key.to_lowercase(), value.as_word()?))).collect()
            }
            _ => BTreeMap::new(),
        };
        graph.edges.push(Edge { source, target, is_directed: None, data, span });
    }
    findings.finish(graph)
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
