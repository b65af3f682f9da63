//! The circuits of LibreQoS: `ShapedDevices.csv`.

use crate::draft::{FileSpan, Flow, Names, flow_name};
use crate::findings::{Foreign, any_of};
use crate::libreqos::UP;
use crate::table::{Table, bare_rate};
use fairwire_core::BitRate;
use fairwire_scenario::Diagnostics;
use std::collections::BTreeMap;

const NEEDED: &[&str] =
    &["circuit_id", "parent_node", "download_min_mbps", "upload_min_mbps", "download_max_mbps", "upload_max_mbps"];
const RATES: [&str; 4] = ["download_min_mbps", "upload_min_mbps", "download_max_mbps", "upload_max_mbps"];

/// What counts of a row that is a device: all devices of a circuit share it.
struct Circuit {
    row: usize,
    site: String,
    name: Option<String>,
    /// Minimum down and up, maximum down and up.
    rates: [Option<BitRate>; 4],
}

/// Reads a flow down and one up for every circuit; further devices of a circuit share its rates.
///
/// # Errors
/// Every mistake, with its line.
pub(crate) fn read(file: Foreign<'_>, sites: &[String], root: &str) -> Result<Vec<Flow>, Diagnostics> {
    let mut table = Table::read_loosely(file, NEEDED, &["circuit_name"])?;
    let mut names = Names::default();
    let mut known: BTreeMap<String, Circuit> = BTreeMap::new();
    let mut flows = Vec::new();
    for row in 0..table.rows.len() {
        let (id, site) = (table.need(row, "circuit_id"), site(&mut table, row, sites));
        let rates = RATES.map(|name| rate(&mut table, row, name));
        let (Some(id), Some(site)) = (id, site) else { continue };
        let name = table.cell(row, "circuit_name").map(|cell| cell.text.to_owned());
        let called = name.clone().unwrap_or_else(|| format!("circuit {id}"));
        let [down_min, up_min, down_max, up_max] = rates;
        let circuit = Circuit { row, site: site.clone(), name, rates };
        if let Some(first) = known.get(&id) {
            contradict(&mut table, &id, first, &circuit);
            continue;
        }
        known.insert(id, circuit);
        for (least, most, way) in [(down_min, down_max, "download"), (up_min, up_max, "upload")] {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                let span = table.rows[row].span.clone();
                let message = format!("the {way} minimum of {least} is above the maximum of {most}");
                table.findings.error(span, message, "this circuit", "lower the one or raise the other");
            }
        }
        let name = names.unique(&flow_name(&called));
        let flow = |name: String, from: &str, to: &str, min_rate: Option<BitRate>, peak_rate| {
            let min_rate = min_rate.filter(|rate| rate.as_bps() > 0);
            let place = Some(FileSpan::Flows(table.rows[row].span.clone()));
            Flow { name, from: from.to_owned(), to: to.to_owned(), min_rate, peak_rate, place, ..Flow::default() }
        };
        flows.push(flow(name.clone(), root, &site, down_min, down_max));
        flows.push(flow(names.unique(&format!("{name}{UP}")), &site, root, up_min, up_max));
    }
    if flows.is_empty() && table.findings.are_none() {
        table.findings.error(0..0, "there are no circuits", "only a header", "write a row for each circuit");
    }
    table.findings.finish(flows)
}

/// Notes where a further device of a circuit says something else than the first.
fn contradict(table: &mut Table<'_>, id: &str, first: &Circuit, other: &Circuit) {
    let differs = |at: &usize| matches!((first.rates[*at], other.rates[*at]), (Some(a), Some(b)) if a != b);
    let mut columns: Vec<&str> = (0..RATES.len()).filter(differs).map(|at| RATES[at]).collect();
    if first.site != other.site {
        columns.push("parent_node");
    }
    if matches!((&first.name, &other.name), (Some(a), Some(b)) if a != b) {
        columns.push("circuit_name");
    }
    for column in columns {
        let line = table.line_of(first.row);
        let said = |row: usize| table.cell(row, column).map_or_else(String::new, |cell| cell.text.to_owned());
        let message =
            format!("`{column}` of circuit {id} is {} here and {} in line {line}", said(other.row), said(first.row));
        let span = table.cell(other.row, column).map_or(0..0, |cell| cell.span);
        let help = "write the same for all devices of a circuit, or give the other circuit an id of its own";
        table.findings.error(span, message, "something else", help);
    }
}

fn site(table: &mut Table<'_>, row: usize, sites: &[String]) -> Option<String> {
    let name = table.need(row, "parent_node")?;
    if sites.contains(&name) {
        return Some(name);
    }
    let span = table.cell(row, "parent_node").map_or(0..0, |cell| cell.span);
    let some: Vec<&str> = sites.iter().take(12).map(String::as_str).collect();
    let help = format!("name a site of the network: {}", any_of(&some));
    table.findings.error(span, format!("there is no site `{name}` in the network"), "no such site", help);
    None
}

fn rate(table: &mut Table<'_>, row: usize, name: &str) -> Option<BitRate> {
    let text = table.need(row, name)?;
    match bare_rate(&text, 1e6) {
        Ok(rate) => Some(rate),
        Err(why) => {
            let (message, help) = crate::table::split(&why);
            let span = table.cell(row, name).map_or(0..0, |cell| cell.span);
            table.findings.error(span, format!("`{name}`: {message}"), "here", help);
            None
        }
    }
}
