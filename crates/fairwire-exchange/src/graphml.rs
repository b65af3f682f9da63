//! GraphML.

use crate::findings::{Findings, Foreign};
use crate::graph::{Datum, Edge, Graph, Node};
use fairwire_scenario::Diagnostics;
use roxmltree::{Document, Error, Node as Element, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Reads the first graph of a GraphML file.
///
/// # Errors
/// If it is not XML, or no GraphML.
pub(crate) fn read(file: Foreign<'_>) -> Result<Graph, Diagnostics> {
    let document = match parsed(file.text) {
        Ok(document) => document,
        Err(Error::DtdDetected) => {
            let at = file.text.find(ENTITY).unwrap_or(0);
            let message = "the DOCTYPE declares an entity, and what entities stand for is not looked up";
            let help = "write what it stands for in its places, and take the DOCTYPE out";
            return Findings::only(file, at..at + ENTITY.len(), message, "here", help);
        }
        Err(error) => {
            let at = byte_at(file.text, error.pos().row, error.pos().col);
            return Findings::only(file, at..at, format!("this is not XML: {error}"), "here", "export the graph again");
        }
    };
    let root = document.root_element();
    let Some(element) = children(root, "graph").next() else {
        let help = "export the graph as GraphML: <graphml><graph edgedefault=\"undirected\">…";
        return Findings::only(file, root.range().start..root.range().start, "there is no graph in it", "here", help);
    };
    let mut findings = Findings::new(file);
    let mut keys = |of: &str| keys(root, of, &mut findings);
    let (graph_keys, node_keys, edge_keys) = (keys("graph"), keys("node"), keys("edge"));
    let label = data(element, &graph_keys).into_iter().find(|datum| datum.key == "label");
    let mut graph = Graph {
        name: label.map(|datum| datum.text).or_else(|| element.attribute("id").map(str::to_owned)),
        is_directed: is_directed(element, "edgedefault", [["directed"], ["undirected"]], &mut findings)
            .unwrap_or(false),
        ..Graph::default()
    };
    for node in children(element, "node") {
        let Some(id) = needed(node, "id", &mut findings) else { continue };
        graph.nodes.push(Node { id, data: data(node, &node_keys), span: head(node) });
    }
    for edge in children(element, "edge") {
        let ends = (needed(edge, "source", &mut findings), needed(edge, "target", &mut findings));
        let (Some(source), Some(target)) = ends else { continue };
        let is_directed = is_directed(edge, "directed", [["true", "1"], ["false", "0"]], &mut findings);
        graph.edges.push(Edge { source, target, is_directed, data: data(edge, &edge_keys), span: head(edge) });
    }
    findings.finish(graph)
}

const ENTITY: &str = "<!ENTITY";

/// A DOCTYPE says nothing that matters, unless it declares entities: a few of these can stand for any amount of text.
fn parsed(text: &str) -> Result<Document<'_>, Error> {
    let options = ParsingOptions { allow_dtd: !text.contains(ENTITY), ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
}

/// What an attribute says of directions, in words of which some mean yes and some no; none if it is not there.
fn is_directed<const WORDS: usize>(
    element: Element<'_, '_>,
    key: &str,
    [yes, no]: [[&str; WORDS]; 2],
    findings: &mut Findings<'_>,
) -> Option<bool> {
    let word = element.attribute(key)?;
    let (is_yes, is_no) = (yes.contains(&word), no.contains(&word));
    if !is_yes && !is_no {
        let help = format!("write {key}=\"{}\" or {key}=\"{}\"", yes[0], no[0]);
        findings.error(head(element), format!("`{key}` is \"{word}\""), "no such word", help);
    }
    Some(is_yes)
}

fn children<'a, 'input>(of: Element<'a, 'input>, name: &'static str) -> impl Iterator<Item = Element<'a, 'input>> {
    of.children().filter(move |child| child.tag_name().name() == name)
}

/// What a key stands for, and what those have that say nothing under it.
struct Key {
    /// In lower case.
    name: String,
    defaults: Vec<Datum>,
    span: Range<usize>,
}

/// The keys of nodes, of edges or of the graph, by their ids.
fn keys<'a>(root: Element<'a, '_>, of: &str, findings: &mut Findings<'_>) -> BTreeMap<&'a str, Key> {
    let is_of = |key: &Element<'_, '_>| matches!(key.attribute("for"), Some(which) if which == of || which == "all");
    let mut keys: BTreeMap<&str, Key> = BTreeMap::new();
    for element in children(root, "key").filter(is_of) {
        let (Some(id), Some(name)) = (element.attribute("id"), element.attribute("attr.name")) else { continue };
        let name = name.to_lowercase();
        let defaults = children(element, "default").map(|default| datum(default, &name)).collect();
        let span = head(element);
        if let Some(first) = keys.get(id).filter(|first| first.name != name) {
            let line = findings.line(first.span.start);
            let message = format!("key `{id}` is `{name}` here, and `{}` in line {line}", first.name);
            findings.error(span.clone(), message, "something else", "give every key an id of its own");
        }
        keys.insert(id, Key { name, defaults, span });
    }
    keys
}

/// All that an element says, and what the keys that it does not use say for it.
fn data(of: Element<'_, '_>, keys: &BTreeMap<&str, Key>) -> Vec<Datum> {
    let mut data = Vec::new();
    let mut used = BTreeSet::new();
    for item in children(of, "data") {
        if let Some((id, key)) = item.attribute("key").and_then(|id| keys.get_key_value(id)) {
            data.push(datum(item, &key.name));
            used.insert(*id);
        }
    }
    let unused = keys.iter().filter(|(id, _)| !used.contains(*id));
    data.extend(unused.flat_map(|(_, key)| key.defaults.iter().cloned()));
    data
}

fn datum(of: Element<'_, '_>, key: &str) -> Datum {
    Datum { key: key.to_owned(), text: of.text().unwrap_or("").trim().to_owned(), span: head(of) }
}

fn needed(element: Element<'_, '_>, attribute: &str, findings: &mut Findings<'_>) -> Option<String> {
    let value = element.attribute(attribute).map(str::to_owned);
    if value.is_none() {
        let name = element.tag_name().name();
        let help = format!("write <{name} {attribute}=\"…\">");
        findings.error(head(element), format!("this {name} has no `{attribute}`"), "here", help);
    }
    value
}

/// The opening tag, or the part of it on its first line.
fn head(element: Element<'_, '_>) -> Range<usize> {
    let range = element.range();
    let text = &element.document().input_text()[range.clone()];
    range.start
        ..range.start + text.find(['>', '\n']).map_or(text.len(), |end| end + usize::from(text.as_bytes()[end] == b'>'))
}

fn byte_at(text: &str, row: u32, column: u32) -> usize {
    let line: usize = text.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum();
    let rest = &text[line..];
    line + rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at)
}
