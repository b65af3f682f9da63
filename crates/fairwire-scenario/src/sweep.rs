//! `[sweep]`: one file for many scenarios, every value of one key with every value of the others.

use crate::reading::diagnostic::{Diagnostics, Report, Reported};
use crate::reading::document::{Entry, Node, Value};
use crate::reading::suggest::nearest;
use crate::reading::table::Table;
use crate::scenario::Scenario;
use crate::scenario_table;
use std::ops::Range;

/// One key and the values it takes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepAxis {
    /// The dotted key of the file: `ring.law.name`, `flow.to-hub.weight`.
    pub key: String,
    /// Its values, as TOML on one line.
    pub values: Vec<String>,
    /// Where the file names the key.
    pub(crate) span: Range<usize>,
}

/// One point of a sweep: what was set, and the scenario that comes of it.
pub type SweepPoint = (Vec<(String, String)>, Scenario);

/// What a point sets, and the tree that comes of it.
type PointTree = (Vec<(String, String)>, Node);

/// More points than this are a slip.
const MOST_POINTS: usize = 100_000;

/// One axis with the values' places.
struct Axis<'a> {
    key: String,
    entry: &'a Entry,
    values: &'a [Node],
}

/// Reads `[sweep]` without applying it.
pub(crate) fn read(root: &Table<'_>) -> Result<Vec<SweepAxis>, Reported> {
    let axes = axes(root)?;
    let axis = |axis: &Axis<'_>| SweepAxis {
        key: axis.key.clone(),
        values: axis.values.iter().map(label).collect(),
        span: axis.entry.key_span.clone(),
    };
    Ok(axes.iter().map(axis).collect())
}

/// What a value is called in tables: text without its quotes.
fn label(value: &Node) -> String {
    match &value.value {
        Value::Text(text) => text.clone(),
        _ => value.to_inline_toml(),
    }
}

fn axes<'a>(root: &Table<'a>) -> Result<Vec<Axis<'a>>, Reported> {
    let Some(field) = root.field("sweep") else { return Ok(Vec::new()) };
    let sweep = field.open_table("[sweep]", "{ \"ring.law.name\" = [\"dvsr\", \"fifo\"] }")?;
    let mut axes = Vec::new();
    let mut fine = collect(&sweep, sweep.entries(), "", &mut axes);
    let points = axes.iter().try_fold(1_usize, |points, axis| points.checked_mul(axis.values.len()));
    if points.is_none_or(|points| points > MOST_POINTS) {
        let message = format!("the sweep has more than {MOST_POINTS} points");
        fine = Err(field.error(message, "too many", "write fewer values or fewer keys"));
    }
    for axis in &axes {
        let root_key = axis.key.split('.').next().unwrap_or_default();
        if matches!(root_key, "sweep" | "schema") {
            let message = format!("`{root_key}` itself cannot be swept");
            fine = Err(root.report.error(
                axis.entry.key_span.clone(),
                message,
                "not this key",
                "sweep a key of [run], [ring], [network] or [[flow]]",
            ));
        }
    }
    fine.map(|()| axes)
}

fn collect<'a>(
    sweep: &Table<'_>,
    entries: &'a [Entry],
    prefix: &str,
    axes: &mut Vec<Axis<'a>>,
) -> Result<(), Reported> {
    let mut fine = Ok(());
    for entry in entries {
        let key = if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
        let span = entry.node.span.clone();
        match &entry.node.value {
            Value::Table(inner) if !inner.is_empty() => fine = collect(sweep, inner, &key, axes).and(fine),
            Value::Array(values) if values.is_empty() => {
                let message = format!("the sweep gives `{key}` no values");
                fine = Err(sweep.report.error(
                    span,
                    message,
                    "an empty list",
                    format!("write values, as in `\"{key}\" = [1, 2]`, or remove the line"),
                ));
            }
            Value::Array(values) => {
                let twice =
                    (1..values.len()).find(|&at| values[..at].iter().any(|other| label(other) == label(&values[at])));
                match twice {
                    None => axes.push(Axis { key, entry, values }),
                    Some(at) => {
                        let message = format!("the sweep of `{key}` lists {} twice", values[at].to_inline_toml());
                        let help = "remove one; `replications` of [run] repeats runs";
                        fine = Err(sweep.report.error(values[at].span.clone(), message, "listed before", help));
                    }
                }
            }
            _ => {
                let message = format!("the sweep of `{key}` is a list of values, not {}", entry.node.kind());
                let help = format!("write `\"{key}\" = [{}]`", entry.node.to_inline_toml());
                fine = Err(sweep.report.error(span, message, "not a list", help));
            }
        }
    }
    fine
}

/// Every point of the sweep that `text` declares; the file itself as the only
/// point if it declares none.
pub(crate) fn expand(file_name: &str, text: &str) -> Result<Vec<SweepPoint>, Diagnostics> {
    let report = Report::new(text);
    let tree = Node::read(text, &report);
    let points = tree.and_then(|tree| {
        let root = Table::new(&tree, 0..0, "a scenario".to_owned(), &report);
        let axes = axes(&root)?;
        all_points(&tree, &axes, &report)
    });
    let (points, _) = report.finish(file_name, points)?;
    points
        .into_iter()
        .map(|(labels, tree)| scenario_table::build(file_name, text, &tree).map(|scenario| (labels, scenario)))
        .collect()
}

/// The trees of all points; the last key changes fastest.
fn all_points(tree: &Node, axes: &[Axis<'_>], report: &Report<'_>) -> Result<Vec<PointTree>, Reported> {
    let mut base = tree.clone();
    if let Value::Table(entries) = &mut base.value {
        entries.retain(|entry| entry.key != "sweep");
    }
    let mut order: Vec<usize> = (0..axes.len()).collect();
    // A new law starts from its own defaults, so it goes before its parameters.
    order.sort_by_key(|&axis| axes[axis].key.split('.').count());
    order.sort_by_key(|&axis| !LAW_NAMES.contains(&axes[axis].key.as_str()));
    let count: usize = axes.iter().map(|axis| axis.values.len()).product();
    let mut points = Vec::with_capacity(count);
    for point in 0..count {
        let mut rest = point;
        let mut chosen = vec![0; axes.len()];
        for (axis, choice) in axes.iter().zip(&mut chosen).rev() {
            *choice = rest % axis.values.len();
            rest /= axis.values.len();
        }
        let mut tree = base.clone();
        for &axis in &order {
            set(&mut tree, &axes[axis], &axes[axis].values[chosen[axis]], report)?;
        }
        let labels =
            axes.iter().zip(&chosen).map(|(axis, &choice)| (axis.key.clone(), label(&axis.values[choice]))).collect();
        points.push((labels, tree));
    }
    Ok(points)
}

/// Keys that name a law whose parameters stand beside the name.
const LAW_NAMES: &[&str] = &["ring.law.name", "network.queue.name"];

/// Sets one key of the tree.
fn set(tree: &mut Node, axis: &Axis<'_>, value: &Node, report: &Report<'_>) -> Result<(), Reported> {
    if LAW_NAMES.contains(&axis.key.as_str()) {
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

fn descend(node: &mut Node, path: &str, axis: &Axis<'_>, value: &Node, report: &Report<'_>) -> Result<(), Reported> {
    if let Value::Array(items) = &mut node.value {
        return descend_list(items, path, axis, value, report);
    }
    let Value::Table(entries) = &mut node.value else {
        let message = format!("the sweep's `{}` leads into {}, which has no keys", axis.key, node.kind());
        return Err(report.error(
            axis.entry.key_span.clone(),
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
            entries.push(Entry { key: key.to_owned(), key_span: axis.entry.key_span.clone(), node: value.clone() })
        }
        (None, Some(rest)) => {
            let mut table = Node { value: Value::Table(Vec::new()), span: axis.entry.key_span.clone() };
            descend(&mut table, rest, axis, value, report)?;
            entries.push(Entry { key: key.to_owned(), key_span: axis.entry.key_span.clone(), node: table });
        }
    }
    Ok(())
}

/// Items of `[[flow]]` and `[[network.link]]` go by their names, of which `*`
/// takes many, and items of any list by their number from 0.
fn descend_list(
    items: &mut [Node],
    path: &str,
    axis: &Axis<'_>,
    value: &Node,
    report: &Report<'_>,
) -> Result<(), Reported> {
    let names: Vec<String> =
        items.iter().enumerate().map(|(index, item)| name_of(item).unwrap_or_else(|| index.to_string())).collect();
    let parts: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    // A name may hold dots itself, so the longest one that exists counts.
    for &dot in parts.iter().rev() {
        let (pattern, rest) = (&path[..dot], &path[dot + 1..]);
        let chosen: Vec<usize> = (0..items.len())
            .filter(|&index| crate::expect::matches(pattern, &names[index]) || pattern == index.to_string())
            .collect();
        if !chosen.is_empty() {
            return chosen.into_iter().try_for_each(|index| descend(&mut items[index], rest, axis, value, report));
        }
    }
    let pattern = path.split('.').next().unwrap_or_default();
    let help = match nearest(pattern, names.iter().map(String::as_str)) {
        Some(name) => format!("write `{name}`; `*` stands for any characters"),
        None => format!(
            "write the name of one, such as `{}`, and a key of it; `*` stands for any characters",
            names.first().map_or("0", String::as_str)
        ),
    };
    let message = format!("the sweep's `{}` speaks of `{pattern}`, which is not there", axis.key);
    Err(report.error(axis.entry.key_span.clone(), message, "not there", help))
}

fn name_of(item: &Node) -> Option<String> {
    match &item.get("name")?.node.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    }
}
