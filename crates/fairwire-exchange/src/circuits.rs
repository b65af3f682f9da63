//! The circuits of LibreQoS: `ShapedDevices.csv`.

use crate::draft::{Flow, Names, flow_name};
use crate::findings::{Foreign, any_of};
use crate::libreqos::UP;
use crate::table::{Table, bare_rate};
use fairwire_core::BitRate;
use fairwire_scenario::Diagnostics;
use std::collections::BTreeSet;

const NEEDED: &[&str] =
    &["circuit_id", "parent_node", "download_min_mbps", "upload_min_mbps", "download_max_mbps", "upload_max_mbps"];

/// Reads a flow down and one up for every circuit; further devices of a circuit share its rates.
///
/// # Errors
/// Every mistake, with its line.
pub(crate) fn read(file: Foreign<'_>, sites: &[String], root: &str) -> Result<Vec<Flow>, Diagnostics> {
    let mut table = Table::read_loosely(file, NEEDED)?;
    let mut names = Names::default();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut flows = Vec::new();
    for row in 0..table.rows.len() {
        let (id, site) = (table.need(row, "circuit_id"), site(&mut table, row, sites));
        let [down_min, up_min, down_max, up_max] =
            ["download_min_mbps", "upload_min_mbps", "download_max_mbps", "upload_max_mbps"]
                .map(|name| rate(&mut table, row, name));
        let (Some(id), Some(site)) = (id, site) else { continue };
        if !known.insert(id.clone()) {
            continue;
        }
        for (least, most, way) in [(down_min, down_max, "download"), (up_min, up_max, "upload")] {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                let span = table.rows[row].span.clone();
                let message = format!("the {way} minimum of {least} is above the maximum of {most}");
                table.findings.error(span, message, "this circuit", "lower the one or raise the other");
            }
        }
        let called =
            table.cell(row, "circuit_name").map_or_else(|| format!("circuit {id}"), |cell| cell.text.to_owned());
        let name = names.unique(&flow_name(&called));
        let flow = |name: String, from: &str, to: &str, min_rate: Option<BitRate>, peak_rate| {
            let min_rate = min_rate.filter(|rate| rate.as_bps() > 0);
            Flow { name, from: from.to_owned(), to: to.to_owned(), min_rate, peak_rate, ..Flow::default() }
        };
        flows.push(flow(name.clone(), root, &site, down_min, down_max));
        flows.push(flow(names.unique(&format!("{name}{UP}")), &site, root, up_min, up_max));
    }
    if flows.is_empty() && table.findings.are_none() {
        table.findings.error(0..0, "there are no circuits", "only a header", "write a row for each circuit");
    }
    table.findings.finish(flows)
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
