//! What a paper prints beside what was measured: lists and tables as tables, the rest line by line.

use super::{lists, names, words};
use crate::row::Row;
use fairwire_results::{broken, table};
use maud::{Markup, html};
use serde_json::Value;

/// A named value; what lies deeper has a name of several words.
type Field = (String, Value);

/// A quantity of the paper and what was measured of it.
struct Pair {
    name: String,
    paper: Value,
    here: Option<Value>,
    /// Whether the paper's number is a bound, from which nothing is "off".
    is_bound: bool,
}

/// How keys begin that the paper does not print, but gives what it takes to work them out.
const DERIVED: &str = "derived_";
/// How keys end that leave out what the paper's tables leave empty.
const SENDERS: &str = "_of_those_that_send";

/// All tables of a row, for what was measured as printed or under a reading. Under a reading nothing is told once more that
/// was not measured there.
pub(super) fn tables(row: &Row, measured: &Value, is_reading: bool) -> Markup {
    let (pairs, rest) = paired(fields(&row.expected), fields(measured));
    let (matrices, others): (Vec<Pair>, Vec<Pair>) = pairs.into_iter().partition(|pair| pair.shape(lists::is_matrix));
    let (of_lists, others): (Vec<Pair>, Vec<Pair>) = others.into_iter().partition(|pair| pair.shape(lists::is_list));
    let has_names = !matrices.is_empty() || !of_lists.is_empty();
    let is_told = |pair: &Pair| !(has_names && pair.names_places()) && (pair.here.is_some() || !is_reading);
    let others: Vec<Pair> = others.into_iter().filter(is_told).collect();
    let is_all = rest.len() > 1 && !others.iter().any(|pair| pair.here.is_some()) && !has_names;
    let also = lines("Measured beside", &rest);
    html! {
        @for pair in &matrices { (matrix(row, pair)) }
        @for group in by_length(&of_lists) { (list(row, &group)) }
        @if !others.is_empty() { (one_by_one(&others)) }
        @if !rest.is_empty() {
            @if is_all || rest.len() == 1 { (also) } @else {
                details { summary { "Measured beside: " (fairwire_alloc::text::count(rest.len(), "quantity")) } (also) }
            }
        }
    }
}

impl Pair {
    /// Whether both sides are numbers of the same shape.
    fn shape(&self, shape: fn(&Value, &Value) -> bool) -> bool {
        self.here.as_ref().is_some_and(|here| shape(&self.paper, here))
    }

    /// Where its number is from.
    fn source(&self) -> &'static str {
        if self.name.starts_with(DERIVED) { "worked out from the paper" } else { "the paper" }
    }

    /// Whether it only names what lists and tables have.
    fn names_places(&self) -> bool {
        let is_text = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
        is_text(&self.paper) && ["rows", "columns", "tests", "events"].contains(&self.name.as_str())
    }
}

/// The leaves of an object; anything else is one value without a name.
fn fields(value: &Value) -> Vec<Field> {
    match value {
        Value::Null => Vec::new(),
        Value::Object(inside) => {
            let leaves = inside.iter().flat_map(|(name, value)| match value {
                Value::Object(_) => {
                    fields(value).into_iter().map(|(deeper, leaf)| (format!("{name} {deeper}"), leaf)).collect()
                }
                leaf => vec![(name.clone(), leaf.clone())],
            });
            leaves.collect()
        }
        other => vec![(String::new(), other.clone())],
    }
}

/// Each value of the paper with what was measured of the same, and what else was measured.
fn paired(mut expected: Vec<Field>, mut measured: Vec<Field>) -> (Vec<Pair>, Vec<Field>) {
    // What is printed comes before what is worked out of the same name.
    expected.sort_by_key(|(name, _)| name.starts_with(DERIVED));
    let pair = |(name, paper): Field| {
        let senders =
            measured.iter().position(|(of, _)| *of == format!("{}{SENDERS}", name.trim_start_matches(DERIVED)));
        if let Some(here) = senders.and_then(|at| lists::spread(&paper, &measured[at].1)) {
            senders.map(|at| measured.remove(at));
            return Pair { name, paper, is_bound: false, here: Some(here) };
        }
        let plain = name.trim_start_matches(DERIVED);
        let bound = ["_at_least", "_at_most", "_below", "_min", "_max"].iter().find_map(|end| plain.strip_suffix(end));
        let same = [name.as_str(), plain].map(str::to_owned).into_iter().chain([format!("simulated_{plain}")]);
        let find = |wanted: &str| measured.iter().position(|(name, _)| name == wanted);
        let exact = same.into_iter().find_map(|wanted| find(&wanted));
        let found = exact.or_else(|| find(bound?));
        // A bound has another bound beside it, so that what it bounds stays.
        let here = found.map(|at| if exact.is_some() { measured.remove(at).1 } else { measured[at].1.clone() });
        let is_bound = bound.is_some();
        Pair { name, paper, is_bound, here }
    };
    let pairs = expected.into_iter().map(pair).collect();
    (pairs, measured)
}

/// Pairs of lists, those of one length together.
fn by_length(pairs: &[Pair]) -> Vec<Vec<&Pair>> {
    let mut groups: Vec<Vec<&Pair>> = Vec::new();
    for pair in pairs {
        let length = lists::length(&pair.paper);
        match groups.iter_mut().find(|group| lists::length(&group[0].paper) == length) {
            Some(group) => group.push(pair),
            None => groups.push(vec![pair]),
        }
    }
    groups
}

fn matrix(row: &Row, pair: &Pair) -> Markup {
    let here = pair.here.as_ref().unwrap_or(&Value::Null);
    let (rows, columns) = (lists::length(&pair.paper), lists::length(&pair.paper[0]));
    let rows = names::of_items(&row.id, &row.expected, rows);
    lists::matrix(
        &words::key(&pair.name),
        pair.source(),
        &rows,
        &names::of_items(&row.id, &row.expected, columns),
        &pair.paper,
        here,
    )
}

fn list(row: &Row, pairs: &[&Pair]) -> Markup {
    let names = names::of_items(&row.id, &row.expected, lists::length(&pairs[0].paper));
    let columns = pairs.iter().map(|pair| lists::Column {
        title: words::key(&pair.name),
        source: pair.source(),
        paper: &pair.paper,
        here: pair.here.as_ref().unwrap_or(&Value::Null),
    });
    lists::table_of(&names, &columns.collect::<Vec<_>>())
}

fn one_by_one(pairs: &[Pair]) -> Markup {
    let has_here = pairs.iter().any(|pair| pair.here.is_some());
    let difference = |pair: &Pair| match (pair.paper.as_f64(), pair.here.as_ref().and_then(Value::as_f64)) {
        _ if pair.is_bound => String::new(),
        (Some(paper), Some(here)) => words::off(paper, here),
        _ => String::new(),
    };
    let has_difference = pairs.iter().any(|pair| !difference(pair).is_empty());
    table(
        "Quantities",
        Some("said"),
        html! {
            th { "quantity" }
            th { "the paper" }
            @if has_here { th { "here" } }
            @if has_difference { th { "off by" } }
        },
        html! {
            @for pair in pairs {
                tr {
                    (name(&pair.name))
                    td {
                    (folded(&words::plain(&pair.paper)))
                    @if pair.name.starts_with(DERIVED) { " " span.dim { "(worked out)" } }
                }
                    @if has_here { td { (folded(&pair.here.as_ref().map_or("–".to_owned(), words::plain))) } }
                    @if has_difference { td { (difference(pair)) } }
                }
            }
        },
    )
}

fn lines(title: &str, fields: &[Field]) -> Markup {
    table(
        "Quantities",
        Some("said"),
        html! { th { "quantity" } th { (title) } },
        html! {
            @for (of, value) in fields { tr { (name(of)) td { (folded(&words::plain(value))) } } }
        },
    )
}

/// A quantity's name as the head of its row.
fn name(name: &str) -> Markup {
    html! { th scope="row" { @if name.is_empty() { "all" } @else { (broken(&words::key(name), " ")) } } }
}

/// Longer text is folded away: nobody reads it at a glance.
fn folded(text: &str) -> Markup {
    const MOST_AT_A_GLANCE: usize = 160;
    html! {
        @if text.len() <= MOST_AT_A_GLANCE { (text) } @else { details { summary { "all numbers" } (text) } }
    }
}
