//! A table of flows.

use crate::draft::{Draft, FileSpan, Flow, Names, flow_name};
use crate::findings::{Foreign, any_of};
use crate::headings::Layout;
use crate::table::Table;
use fairwire_scenario::Diagnostics;
use std::collections::BTreeSet;

const NEEDED: &[&str] = &["from", "to"];
const KNOWN: &[&str] = &["name", "demand", "weight", "min_rate", "peak_rate", "route"];
const RATES: &[&str] = &["demand", "min_rate", "peak_rate"];

/// Reads flows over the network of a draft.
///
/// # Errors
/// Every mistake, with its line.
pub(crate) fn read(file: Foreign<'_>, layout: &Layout, draft: &Draft) -> Result<Vec<Flow>, Diagnostics> {
    let mut table = Table::read(file, layout, NEEDED, KNOWN, RATES)?;
    let nodes: BTreeSet<&str> = draft.nodes.iter().map(String::as_str).collect();
    let mut links: BTreeSet<String> = BTreeSet::new();
    for link in &draft.links {
        links.insert(link.name.clone());
        if link.is_duplex {
            links.insert(format!("{}-back", link.name));
        }
    }
    let mut names = Names::default();
    let mut flows = Vec::new();
    for row in 0..table.rows.len() {
        let ends = ["from", "to"].map(|end| node(&mut table, row, end, &nodes));
        let route = route(&mut table, row, &links);
        let [demand, min_rate, peak_rate] = ["demand", "min_rate", "peak_rate"].map(|name| table.rate(row, name));
        let weight = table.weight(row, "weight");
        let [Some(from), Some(to)] = ends else { continue };
        if from == to {
            let span = table.rows[row].span.clone();
            table.findings.error(
                span,
                format!("a flow from {from} to itself crosses nothing"),
                "this row",
                "write another `to`",
            );
        }
        let given = table.cell(row, "name").map(|cell| flow_name(cell.text));
        let name = names.unique(&given.unwrap_or_else(|| flow_name(&format!("{from} to {to}"))));
        let place = Some(FileSpan::Flows(table.rows[row].span.clone()));
        flows.push(Flow { name, from, to, route, demand, weight, min_rate, peak_rate, is_tcp: false, place });
    }
    if flows.is_empty() && table.findings.are_none() {
        table.findings.error(0..0, "there are no flows", "only a header", "write a row for each flow");
    }
    table.findings.finish(flows)
}

fn node(table: &mut Table<'_>, row: usize, end: &str, nodes: &BTreeSet<&str>) -> Option<String> {
    let name = table.need(row, end)?;
    if !nodes.contains(name.as_str()) {
        let span = table.cell(row, end).map_or(0..0, |cell| cell.span);
        let some: Vec<&str> = nodes.iter().take(12).copied().collect();
        let help = format!("write a node of the network: {}", any_of(&some));
        table.findings.error(span, format!("`{end}`: there is no node `{name}`"), "no such node", help);
        return None;
    }
    Some(name)
}

fn route(table: &mut Table<'_>, row: usize, links: &BTreeSet<String>) -> Vec<String> {
    let Some((text, span)) = table.cell(row, "route").map(|cell| (cell.text.to_owned(), cell.span)) else {
        return Vec::new();
    };
    let route: Vec<String> = text.split(';').map(|link| link.trim().to_owned()).collect();
    for link in route.iter().filter(|link| !links.contains(*link)) {
        let some: Vec<&str> = links.iter().take(12).map(String::as_str).collect();
        let help = format!("write links of the network with `;` between them: {}", any_of(&some));
        table.findings.error(span.clone(), format!("`route`: there is no link `{link}`"), "no such link", help);
    }
    route
}
