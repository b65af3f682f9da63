//! A table of links.

use crate::draft::{Draft, Link, Names, check_asked};
use crate::findings::Foreign;
use crate::headings::Layout;
use crate::senders::Sending;
use crate::table::Table;
use fairwire_scenario::Diagnostics;
use std::collections::BTreeSet;

const NEEDED: &[&str] = &["from", "to", "capacity"];
const KNOWN: &[&str] = &["name", "delay", "duplex"];

/// A scenario from a table of links: `from`, `to`, `capacity`, and perhaps `name`, `delay` and
/// `duplex` (`yes` or `no`; without a word `yes`, unless another row has the way back). Rates and times have units, or columns
/// are called `capacity_mbps`, `delay_ms` and so on; usual headings of others will do, such as `source`, `target`,
/// `bandwidth_mbps` and `latency_ms`. Nodes are those that links name.
///
/// # Errors
/// Every mistake in the tables, with its line and what to write instead.
pub fn from_csv(
    links: Foreign<'_>,
    layout: &Layout,
    sending: &Sending<'_>,
    title: &str,
) -> Result<String, Diagnostics> {
    check_asked("the title", title)?;
    let mut table = Table::read(links, layout, NEEDED, KNOWN, &["capacity"])?;
    let mut draft = Draft::titled(title, links);
    let mut names = Names::default();
    for (row, is_listed_both_ways) in listed_both_ways(&table).into_iter().enumerate() {
        let ends = ["from", "to"].map(|end| table.need(row, end));
        let capacity = capacity(&mut table, row);
        let (delay, is_duplex) = (table.time(row, "delay"), is_duplex(&mut table, row).unwrap_or(!is_listed_both_ways));
        let ([Some(from), Some(to)], Some(capacity)) = (ends, capacity) else { continue };
        if from == to {
            let span = table.rows[row].span.clone();
            table.findings.error(
                span,
                format!("a link from {from} to itself carries nothing"),
                "this row",
                "write another `to`",
            );
        }
        for (node, end) in [(&from, "from"), (&to, "to")] {
            draft.add_node(node, table.cell(row, end).map_or(0..0, |cell| cell.span));
        }
        let given = table.cell(row, "name").map(|cell| (cell.text.to_owned(), cell.span));
        if let Some((name, span)) = given.as_ref().filter(|(name, _)| names.takes_link(name, is_duplex)) {
            let message = format!("another link is called `{name}`, or one of its ways back would be");
            table.findings.error(span.clone(), message, "taken", "give every link a name of its own");
        }
        let given = given.map(|(name, _)| name);
        let name = names.unique_link(&given.unwrap_or_else(|| format!("{from}-{to}")), is_duplex);
        let span = table.rows[row].span.clone();
        draft.links.push(Link { name, from, to, capacity, delay, is_duplex, span });
    }
    if draft.links.is_empty() && table.findings.are_none() {
        table.findings.error(0..0, "there are no links", "only a header", "write a row for each link");
    }
    table.findings.finish(())?;
    sending.add_to(&mut draft, layout)?;
    draft.to_toml(sending.files(links))
}

fn capacity(table: &mut Table<'_>, row: usize) -> Option<fairwire_core::BitRate> {
    if !table.has_rate(row, "capacity") {
        let span = table.rows[row].span.clone();
        table.findings.error(span, "`capacity` is missing", "this row", "write a rate such as 100 Mb/s");
    }
    table.link_rate(row, "capacity")
}

/// By row, whether another one has the way back.
fn listed_both_ways(table: &Table<'_>) -> Vec<bool> {
    let ends = |row: usize, keys: [&str; 2]| keys.map(|end| table.cell(row, end).map(|cell| cell.text.to_owned()));
    let listed: BTreeSet<_> = (0..table.rows.len()).map(|row| ends(row, ["from", "to"])).collect();
    (0..table.rows.len()).map(|row| listed.contains(&ends(row, ["to", "from"]))).collect()
}

/// Whether a link carries both ways; none if nothing is said.
fn is_duplex(table: &mut Table<'_>, row: usize) -> Option<bool> {
    let (text, span) = table.cell(row, "duplex").map(|cell| (cell.text.to_lowercase(), cell.span))?;
    match text.as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => {
            table.findings.error(span, format!("`duplex`: `{text}` is neither yes nor no"), "here", "write yes or no");
            None
        }
    }
}
