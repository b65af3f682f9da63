//! A value put into the tree of a file, under a dotted key.

use super::axes::Axis;
use super::range::is_range;
use super::{DESIGN, WORDS};
use crate::law_choice::LAW_KEYS;
use crate::reading::diagnostic::{Report, Reported};
use crate::reading::document::{Entry, Node, Value};
use crate::reading::suggest::nearest;

/// Whether a key names a law, whose parameters stand beside the name.
pub(crate) fn names_a_law(key: &str) -> bool {
    LAW_KEYS.contains(&key)
}

/// Sets a key to a value that was given beside the file: TOML, or text without its quotes. It is not swept any more; a key that
/// begins with `sweep.` is swept over other values.
pub(crate) fn set_beside(tree: &mut Node, key: &str, value: &str, report: &Report<'_>) -> Result<(), Reported> {
    let is_station = [".from", ".to"].iter().any(|end| key.ends_with(end));
    // A TOML number, but not to `to`: so many stations on, or back.
    let is_relative = is_station && value.starts_with(['+', '-']);
    let value = if is_relative { Value::Text(value.to_owned()) } else { read_value(value) };
    let node = Node { value, span: 0..0 };
    let swept = key.strip_prefix("sweep.");
    if let Value::Table(entries) = &mut tree.value
        && let Some(sweep) = entries.iter_mut().find(|entry| entry.key == "sweep")
    {
        let had_range = has_range(&sweep.node);
        forget_axis(&mut sweep.node, swept.unwrap_or(key));
        // With the last of its ranges a design goes, too.
        if swept.is_none() && had_range && !has_range(&sweep.node) {
            forget_axis(&mut sweep.node, DESIGN);
        }
    }
    let is_word = |axis: &str| WORDS.contains(&axis.split('.').next().unwrap_or_default());
    match swept.filter(|axis| !is_word(axis)) {
        Some(axis) => sweep_over(tree, axis, node),
        None => {
            let axis = Axis { key: key.to_owned(), key_span: 0..0, values: Vec::new() };
            return set(tree, &axis, &node, report);
        }
    }
    Ok(())
}

/// Whether `[sweep]` has a range that a design lays points out in.
fn has_range(sweep: &Node) -> bool {
    let own = |entry: &&Entry| !WORDS.contains(&entry.key.as_str());
    sweep.entries().unwrap_or_default().iter().filter(own).any(|entry| is_range(&entry.node) || has_range(&entry.node))
}

/// Adds an axis to `[sweep]`, its key in one piece: parts of a name in it are nobody's tables.
fn sweep_over(tree: &mut Node, axis: &str, node: Node) {
    let Value::Table(entries) = &mut tree.value else { return };
    if !entries.iter().any(|entry| entry.key == "sweep") {
        let empty = Node { value: Value::Table(Vec::new()), span: 0..0 };
        entries.push(Entry { key: "sweep".to_owned(), key_span: 0..0, node: empty });
    }
    for sweep in entries.iter_mut().filter(|entry| entry.key == "sweep") {
        if let Value::Table(axes) = &mut sweep.node.value {
            axes.push(Entry { key: axis.to_owned(), key_span: 0..0, node: node.clone() });
        }
    }
}

fn read_value(text: &str) -> Value {
    let document = format!("value = {text}");
    match Node::read(&document, &Report::new(&document)) {
        Ok(Node { value: Value::Table(mut entries), .. }) if entries.len() == 1 => {
            let mut node = entries.remove(0).node;
            forget_places(&mut node);
            node.value
        }
        _ => Value::Text(text.to_owned()),
    }
}

/// What was given beside the file stands nowhere in it.
fn forget_places(node: &mut Node) {
    node.span = 0..0;
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(forget_places),
        Value::Table(entries) => {
            for entry in entries {
                entry.key_span = 0..0;
                forget_places(&mut entry.node);
            }
        }
        _ => {}
    }
}

/// Removes a key of `[sweep]`, quoted whole or written as dotted tables.
fn forget_axis(node: &mut Node, key: &str) {
    let Value::Table(entries) = &mut node.value else { return };
    entries.retain(|entry| entry.key != key);
    for entry in entries.iter_mut() {
        let rest = key.strip_prefix(&entry.key).and_then(|rest| rest.strip_prefix('.'));
        if let Some(rest) = rest {
            forget_axis(&mut entry.node, rest);
        }
    }
    entries.retain(|entry| !matches!(&entry.node.value, Value::Table(inner) if inner.is_empty()));
}

/// Sets one key of the tree.
pub(crate) fn set(tree: &mut Node, axis: &Axis, value: &Node, report: &Report<'_>) -> Result<(), Reported> {
    if names_a_law(&axis.key) {
        forget_parameters(tree, &axis.key, value);
    }
    descend(tree, &axis.key, axis, value, report)
}

/// The parameters of one law mean nothing to another.
fn forget_parameters(tree: &mut Node, key: &str, name: &Node) {
    let mut path = key.split('.');
    let (Some(topology), Some(law)) = (path.next(), path.next()) else { return };
    let Some(law) = child(tree, topology).and_then(|topology| child(topology, law)) else { return };
    let same = matches!((law.get("name").map(|entry| &entry.node.value), &name.value), (Some(Value::Text(a)), Value::Text(b)) if a == b);
    if let (false, Value::Table(entries)) = (same, &mut law.value) {
        entries.retain(|entry| entry.key == "name");
    }
}

fn child<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    match &mut node.value {
        Value::Table(entries) => entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node),
        _ => None,
    }
}

fn descend(node: &mut Node, path: &str, axis: &Axis, value: &Node, report: &Report<'_>) -> Result<(), Reported> {
    if let Value::Array(items) = &mut node.value {
        return descend_list(items, path, axis, value, report);
    }
    let Value::Table(entries) = &mut node.value else {
        let whose = if axis.key_span.is_empty() { "" } else { "the sweep's " };
        let message = format!("{whose}`{}` leads into {}, which has no keys", axis.key, node.kind());
        return Err(report.error(
            axis.key_span.clone(),
            message,
            "leads nowhere",
            "write the dotted key of a value in this file, such as \"run.duration\"",
        ));
    };
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let at = entries.iter().position(|entry| entry.key == key);
    match (at, rest) {
        (Some(at), None) => entries[at].node = value.clone(),
        (Some(at), Some(rest)) => return descend(&mut entries[at].node, rest, axis, value, report),
        (None, None) => {
            entries.push(Entry { key: key.to_owned(), key_span: axis.key_span.clone(), node: value.clone() })
        }
        (None, Some(rest)) => {
            let mut table = Node { value: Value::Table(Vec::new()), span: axis.key_span.clone() };
            descend(&mut table, rest, axis, value, report)?;
            entries.push(Entry { key: key.to_owned(), key_span: axis.key_span.clone(), node: table });
        }
    }
    Ok(())
}

/// Items of `[[flow]]` and `[[network.link]]` go by their names, of which `*`
/// takes many, and items of any list by their number from 0.
fn descend_list(
    items: &mut [Node],
    path: &str,
    axis: &Axis,
    value: &Node,
    report: &Report<'_>,
) -> Result<(), Reported> {
    if let Some((chosen, rest)) = chosen(items, path) {
        return chosen.into_iter().try_for_each(|index| descend(&mut items[index], rest, axis, value, report));
    }
    let names = names_of(items);
    let pattern = path.split('.').next().unwrap_or_default();
    let help = match nearest(pattern, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`? `*` stands for any characters"),
        None => format!(
            "write the name of one, such as `{}`, and a key of it; `*` stands for any characters",
            names.first().map_or("0", String::as_str)
        ),
    };
    let message = if axis.key_span.is_empty() {
        format!("`{}`: there is no {} \"{pattern}\"", axis.key, list_of(&axis.key))
    } else {
        format!("the sweep's `{}` speaks of `{pattern}`, which is not there", axis.key)
    };
    Err(report.error(axis.key_span.clone(), message, "not there", help))
}

/// What the items of the list are that a key leads into.
fn list_of(key: &str) -> &'static str {
    match key.split('.').next() {
        Some("flow") => "flow",
        Some("network") => "link",
        _ => "item",
    }
}

/// Which items of a list a path leads into, and how it goes on there; none if there is no such item.
fn chosen<'a>(items: &[Node], path: &'a str) -> Option<(Vec<usize>, &'a str)> {
    let names = names_of(items);
    // A name may hold dots itself, so the longest one that exists counts.
    path.rmatch_indices('.').find_map(|(dot, _)| {
        let (pattern, rest) = (&path[..dot], &path[dot + 1..]);
        let is_meant = |index: &usize| crate::expect::matches(pattern, &names[*index]) || pattern == index.to_string();
        let chosen: Vec<usize> = (0..items.len()).filter(is_meant).collect();
        (!chosen.is_empty()).then_some((chosen, rest))
    })
}

/// The places in the tree that a key leads to, of which `*` takes many; items of lists by their number.
pub(crate) fn places(node: &Node, key: &str) -> Vec<String> {
    let below = |node: Option<&Node>, step: String, rest: &str| -> Vec<String> {
        let rest = node.map_or_else(|| vec![rest.to_owned()], |node| places(node, rest));
        rest.into_iter().map(|rest| format!("{step}.{rest}")).collect()
    };
    match &node.value {
        Value::Array(items) => {
            let (chosen, rest) = chosen(items, key).unwrap_or_default();
            chosen.into_iter().flat_map(|index| below(Some(&items[index]), index.to_string(), rest)).collect()
        }
        _ => match key.split_once('.') {
            Some((step, rest)) => below(node.get(step).map(|entry| &entry.node), step.to_owned(), rest),
            None => vec![key.to_owned()],
        },
    }
}

fn names_of(items: &[Node]) -> Vec<String> {
    items.iter().enumerate().map(|(index, item)| name_of(item).unwrap_or_else(|| index.to_string())).collect()
}

fn name_of(item: &Node) -> Option<String> {
    match &item.get("name")?.node.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    }
}
