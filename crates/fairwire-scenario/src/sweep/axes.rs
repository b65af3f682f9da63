//! Which keys a sweep gives which values, and which of them go together.

use super::design::{Design, Method};
use super::range::{Range, is_range};
use super::table::PointTable;
use super::value::{AxisUnit, label};
use super::{MOST_POINTS, MOST_VALUES, TOGETHER, WORDS};
use crate::reading::diagnostic::{Report, Reported};
use crate::reading::document::{Entry, Node, Value};
use crate::reading::table::{Field, Table};
use fairwire_alloc::text::grouped;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range as TextRange;

/// One key and the values it takes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepAxis {
    /// The dotted key of the file: `ring.law.name`, `flow.to-hub.weight`.
    pub key: String,
    /// Its values, as TOML on one line.
    pub values: Vec<String>,
    /// What all values are.
    pub unit: AxisUnit,
    /// Where the file names the key.
    pub(crate) span: TextRange<usize>,
}

/// Keys that go together: their first values make one choice, their second values another one.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub axes: Vec<Axis>,
    pub len: usize,
}

/// One key with the values' places.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub key: String,
    pub key_span: TextRange<usize>,
    pub values: Vec<Node>,
}

/// A key with what the file says of it.
struct Draft<'a> {
    key: String,
    entry: &'a Entry,
    values: Values,
}

enum Values {
    List(Vec<Node>),
    Range(Range),
}

impl Axis {
    /// The axis as others see it.
    pub fn told(&self) -> SweepAxis {
        SweepAxis {
            key: self.key.clone(),
            values: self.values.iter().map(label).collect(),
            unit: AxisUnit::of(&self.values),
            span: self.key_span.clone(),
        }
    }
}

/// Reads `[sweep]`, and points from outside beside it: what is crossed with what, in the order of the file.
pub(crate) fn read(root: &Table<'_>, table: Option<&PointTable>) -> Result<Vec<Block>, Reported> {
    let mut blocks = Vec::new();
    let mut place = 0..0;
    if let Some(field) = root.field("sweep") {
        let sweep = field.open_table("[sweep]", "{ \"ring.law.name\" = [\"dvsr\", \"fifo\"] }")?;
        place = field.span();
        blocks = in_file(&sweep, &field)?;
    }
    blocks.extend(table.map(|table| from_outside(table, &place, root.report)).transpose()?);
    check_keys(&blocks, root.report, table)?;
    let sizes: Vec<(usize, usize)> = blocks.iter().map(|block| (block.len, block.axes.len())).collect();
    check_size(&sizes, place, root.report)?;
    Ok(blocks)
}

/// Keys that make one choice together, before their values are written out.
enum Outline<'a> {
    /// They go together as the file says; one key alone, too.
    Together(Vec<Draft<'a>>),
    /// A design lays out points in them.
    Design(Vec<(&'a Entry, String, Range)>),
}

fn in_file(sweep: &Table<'_>, field: &Field<'_>) -> Result<Vec<Block>, Reported> {
    let design = Design::read(sweep, MOST_POINTS);
    let mut drafts = Vec::new();
    let own = sweep.entries().iter().filter(|entry| !WORDS.contains(&entry.key.as_str()));
    let mut fine = Ok(());
    for entry in own {
        fine = collect(sweep, std::slice::from_ref(entry), "", &mut drafts).and(fine);
    }
    for draft in &drafts {
        fine = check_choices(std::slice::from_ref(draft), sweep.report).and(fine);
    }
    let groups = groups(sweep);
    fine?;
    let (design, groups) = (design?, groups?);
    let mut outlines = outlines(sweep, &design, drafts)?;
    outlines.extend(groups.into_iter().map(Outline::Together));
    // A few lines may stand for more than fits into memory.
    let sizes: Vec<(usize, usize)> = outlines.iter().map(|outline| outline.size(&design)).collect();
    check_size(&sizes, field.span(), sweep.report)?;
    if design.method != Method::Grid && !outlines.iter().any(|outline| matches!(outline, Outline::Design(_))) {
        outlines.push(Outline::Design(Vec::new()));
    }
    outlines.into_iter().map(|outline| outline.written_out(sweep, &design, field)).collect()
}

/// Every key by itself, but for ranges that a design lays points out in: these make one choice, where the first of them stands.
fn outlines<'a>(sweep: &Table<'_>, design: &Design, drafts: Vec<Draft<'a>>) -> Result<Vec<Outline<'a>>, Reported> {
    let (mut outlines, mut ranges, mut first_range) = (Vec::new(), Vec::new(), None);
    for draft in drafts {
        match draft {
            Draft { key, entry, values: Values::Range(range) } if design.method != Method::Grid => {
                if range.steps.is_some() {
                    let message = format!("the range of `{key}` has `steps`, and the design lays out points by itself");
                    let help = "remove `steps`, or write `method = \"grid\"`";
                    return Err(sweep.report.error(range.place, message, "one too many", help));
                }
                first_range.get_or_insert(outlines.len());
                ranges.push((entry, key, range));
            }
            draft => outlines.push(Outline::Together(vec![draft])),
        }
    }
    if let Some(first) = first_range {
        outlines.insert(first, Outline::Design(ranges));
    }
    Ok(outlines)
}

impl Outline<'_> {
    /// How many choices there are, and of how many keys.
    fn size(&self, design: &Design) -> (usize, usize) {
        match self {
            Self::Together(drafts) => (drafts.first().map_or(0, |draft| draft.values.len()), drafts.len()),
            Self::Design(ranges) => (design.points, ranges.len()),
        }
    }

    fn written_out(self, sweep: &Table<'_>, design: &Design, field: &Field<'_>) -> Result<Block, Reported> {
        match self {
            Self::Together(drafts) => {
                let axis = |Draft { key, entry, values }: Draft<'_>| {
                    let values = match values {
                        Values::List(values) => values,
                        Values::Range(range) => range.grid_checked(&key, sweep.report)?,
                    };
                    Ok(Axis { key, key_span: entry.key_span.clone(), values })
                };
                let axes = drafts.into_iter().map(axis).collect::<Result<Vec<_>, _>>()?;
                Ok(Block { len: axes.first().map_or(0, |axis| axis.values.len()), axes })
            }
            Self::Design(ranges) => {
                let along: Vec<&Range> = ranges.iter().map(|(_, _, range)| range).collect();
                let values = design.lay_out(&along, field)?;
                let axis = |((entry, key, _), values): ((&Entry, String, Range), Vec<Node>)| Axis {
                    key,
                    key_span: entry.key_span.clone(),
                    values,
                };
                Ok(Block { axes: ranges.into_iter().zip(values).map(axis).collect(), len: design.points })
            }
        }
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::List(values) => values.len(),
            Self::Range(range) => range.steps.unwrap_or(0),
        }
    }

    fn list(&self) -> Option<&[Node]> {
        match self {
            Self::List(values) => Some(values),
            Self::Range(_) => None,
        }
    }
}

/// Not more points, nor values to remember, than anybody could mean.
fn check_size(sizes: &[(usize, usize)], place: TextRange<usize>, report: &Report<'_>) -> Result<(), Reported> {
    let points = sizes.iter().try_fold(1_usize, |points, (len, _)| points.checked_mul((*len).max(1)));
    let values = sizes.iter().fold(0_usize, |values, (len, keys)| values.saturating_add(len.saturating_mul(*keys)));
    let (message, help) = match points {
        Some(points) if points <= MOST_POINTS && values <= MOST_VALUES => return Ok(()),
        Some(points) if points <= MOST_POINTS => {
            let message = format!("the sweep lists {} values", grouped(values as u64));
            (format!("{message}; at most {} can be listed", grouped(MOST_VALUES as u64)), "write fewer values or keys")
        }
        points => {
            let count = points.map_or_else(|| "too many".to_owned(), |points| grouped(points as u64));
            let message = format!("the sweep has {count} points; at most {} can be swept", grouped(MOST_POINTS as u64));
            (message, "write fewer values or keys, or a `design` in ranges")
        }
    };
    Err(report.error(place, message, "too many", help))
}

/// Keys that go together, each group under a name of its own.
fn groups<'a>(sweep: &Table<'a>) -> Result<Vec<Vec<Draft<'a>>>, Reported> {
    let Some(field) = sweep.field(TOGETHER) else { return Ok(Vec::new()) };
    let example = "{ size = { \"ring.stations\" = [4, 8], \"ring.span-delay\" = [\"2 ms\", \"1 ms\"] } }";
    let together = field.open_table("`together`", example)?;
    let group = |entry: &'a Entry| {
        let of_group = Field { place: "`together`".to_owned(), ..together.of_entry(entry) };
        let group = of_group.open_table(format!("`{}`", entry.key), "{ \"ring.stations\" = [4, 8] }")?;
        let mut drafts = Vec::new();
        collect(&group, group.entries(), "", &mut drafts)?;
        let Some(first) = drafts.first() else {
            let message = format!("group `{}` has no keys", entry.key);
            return Err(of_group.error(message, "empty", format!("write {example}")));
        };
        for draft in &drafts[1..] {
            let (count, other) = (draft.values.len(), first.values.len());
            if count != other {
                let message =
                    format!("`{}` has {count} values, but `{}`, with which it goes, has {other}", draft.key, first.key);
                let help = "write as many values for each key of a group";
                return Err(sweep.report.error(draft.entry.node.span.clone(), message, "not as many", help));
            }
        }
        check_choices(&drafts, sweep.report)?;
        Ok(drafts)
    };
    together.entries().iter().map(group).collect()
}

/// Finds the keys: they may be quoted whole or written as dotted tables.
fn collect<'a>(
    sweep: &Table<'_>,
    entries: &'a [Entry],
    prefix: &str,
    drafts: &mut Vec<Draft<'a>>,
) -> Result<(), Reported> {
    let mut fine = Ok(());
    for entry in entries {
        let key = if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
        let field = Field { node: &entry.node, name: key.clone(), place: "[sweep]".to_owned(), report: sweep.report };
        match &entry.node.value {
            Value::Table(_) if is_range(&entry.node) => match Range::read(&field, &key) {
                Ok(range) => drafts.push(Draft { key, entry, values: Values::Range(range) }),
                Err(reported) => fine = Err(reported),
            },
            Value::Table(inner) if !inner.is_empty() => fine = collect(sweep, inner, &key, drafts).and(fine),
            Value::Array(values) => match list(&field, &key, values) {
                Ok(values) => drafts.push(Draft { key, entry, values: Values::List(values) }),
                Err(reported) => fine = Err(reported),
            },
            _ => {
                let message = format!("the sweep of `{key}` is a list of values, not {}", entry.node.kind());
                let help = format!("write `\"{key}\" = [{}]`", entry.node.to_inline_toml());
                fine = Err(field.error(message, "not a list", help));
            }
        }
    }
    fine
}

/// The values of a list.
fn list(field: &Field<'_>, key: &str, values: &[Node]) -> Result<Vec<Node>, Reported> {
    if values.is_empty() {
        let help = format!("write values, as in `\"{key}\" = [1, 2]`, or remove the line");
        return Err(field.error(format!("the sweep gives `{key}` no values"), "an empty list", help));
    }
    Ok(values.to_vec())
}

/// No choice stands twice among those of keys that go together; a range never repeats one.
fn check_choices(drafts: &[Draft<'_>], report: &Report<'_>) -> Result<(), Reported> {
    let lists: Option<Vec<&[Node]>> = drafts.iter().map(|draft| draft.values.list()).collect();
    let lists = lists.unwrap_or_default();
    let mut seen = BTreeSet::new();
    for choice in 0..lists.first().map_or(0, |list| list.len()) {
        let values: Vec<String> = lists.iter().map(|list| list[choice].to_inline_toml()).collect();
        let shown = values.join(", ");
        if !seen.insert(values) {
            let keys = drafts.iter().map(|draft| format!("`{}`", draft.key)).collect::<Vec<_>>().join(", ");
            let message = format!("the sweep of {keys} lists {shown} twice");
            let help = "remove one; `replications` of [run] repeats runs";
            return Err(report.error(lists[0][choice].span.clone(), message, "listed before", help));
        }
    }
    Ok(())
}

/// Points of a table, placed where the sweep is, or at the top of a file without one.
fn from_outside(table: &PointTable, place: &TextRange<usize>, report: &Report<'_>) -> Result<Block, Reported> {
    let wrong = |message: String, help: &str| Err(report.error(place.clone(), message, "points go here", help));
    let axes: Vec<Axis> = table
        .axes()
        .map(|(key, mut values)| {
            values.iter_mut().for_each(|value| value.span = place.clone());
            Axis { key, key_span: place.clone(), values }
        })
        .collect();
    match axes.first().map(|axis| axis.values.len()) {
        None => wrong(format!("{} has no columns", table.name), "write a header of keys, such as `ring.span-delay`"),
        Some(0) => wrong(format!("{} has no rows", table.name), "write a row for each point"),
        Some(len) => Ok(Block { axes, len }),
    }
}

/// Every key is swept once, and is one that can be.
fn check_keys(blocks: &[Block], report: &Report<'_>, table: Option<&PointTable>) -> Result<(), Reported> {
    let mut seen: BTreeMap<&str, &Axis> = BTreeMap::new();
    let mut fine = Ok(());
    for axis in blocks.iter().flat_map(|block| &block.axes) {
        let root_key = axis.key.split('.').next().unwrap_or_default();
        if matches!(root_key, "sweep" | "schema" | "") {
            let message = format!("`{root_key}` itself cannot be swept");
            let help = "sweep a key of [run], [ring], [network] or [[flow]]";
            fine = Err(report.error(axis.key_span.clone(), message, "not this key", help));
        }
        if let Some(other) = seen.insert(&axis.key, axis) {
            let in_table = |table: &PointTable| table.axes().filter(|(key, _)| *key == axis.key).count();
            let message = match table {
                Some(table) if in_table(table) > 1 => format!("{} has two columns `{}`", table.name, axis.key),
                Some(table) if in_table(table) > 0 => {
                    let line = report.line(&other.key_span);
                    format!("`{}` is swept twice: on line {line}, and it is a column of {}", axis.key, table.name)
                }
                _ => {
                    let (first, second) = (report.line(&other.key_span), report.line(&axis.key_span));
                    format!("`{}` is swept twice: on line {first} and on line {second}", axis.key)
                }
            };
            fine = Err(report.error(axis.key_span.clone(), message, "the second one", "remove one of the two"));
        }
    }
    fine
}
