//! `--sensitivities`: what a little more or less capacity is worth.

use fairwire_alloc::{Problem, Sensitivity};
use fairwire_terminal::{TextTable, text};
use serde::Serialize;
use std::collections::BTreeMap;

/// What one full link is worth, as JSON; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct WorthAnswer<'a> {
    pub link: &'a str,
    /// Rate that all flows together gain per bit/s added to its capacity.
    pub total_up: f64,
    /// Rate that all flows together lose per bit/s taken from it.
    pub total_down: f64,
    /// The flows whose rates change.
    pub flows: Vec<FlowWorth<'a>>,
}

#[derive(Debug, Serialize)]
pub struct FlowWorth<'a> {
    pub id: &'a str,
    /// Rate gained per bit/s added.
    pub up: f64,
    /// Rate lost per bit/s taken away.
    pub down: f64,
}

impl<'a> WorthAnswer<'a> {
    /// The answer, with the names of the problem.
    pub fn new(problem: &'a Problem, worth: &Sensitivity) -> Self {
        let mut flows: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        worth.up.iter().for_each(|&(flow, up)| flows.entry(flow).or_default().0 = up);
        worth.down.iter().for_each(|&(flow, down)| flows.entry(flow).or_default().1 = down);
        Self {
            link: &problem.links[worth.link].id,
            total_up: worth.total_up,
            total_down: worth.total_down,
            flows: flows
                .into_iter()
                .map(|(flow, (up, down))| FlowWorth { id: &problem.flows[flow].id, up, down })
                .collect(),
        }
    }
}

/// The answers for people.
pub fn show(links: &[WorthAnswer<'_>]) -> String {
    let title = "\nwhat capacity is worth: what all flows gain for 1 Mb/s more on a link, lose for 1 Mb/s less\n";
    if links.is_empty() {
        return format!("{title}  no link is full, so none is worth more or less than it is\n");
    }
    let mut table = TextTable::new(&["link", ">1 Mb/s more", ">1 Mb/s less", "who, for 1 Mb/s more"]);
    for link in links {
        table.row([link.link.to_owned(), signed(link.total_up), signed(-link.total_down), who(link)]);
    }
    format!("{title}{table}")
}

/// Flows by what they gain, the most first.
fn who(link: &WorthAnswer<'_>) -> String {
    const NAMED: usize = 4;
    let mut flows: Vec<&FlowWorth<'_>> = link.flows.iter().filter(|flow| flow.up != 0.0).collect();
    flows.sort_by(|a, b| b.up.abs().total_cmp(&a.up.abs()));
    let mut named: Vec<String> =
        flows.iter().take(NAMED).map(|flow| format!("{} {}", flow.id, signed(flow.up))).collect();
    if flows.len() > NAMED {
        named.push(format!("{} more", flows.len() - NAMED));
    }
    if named.is_empty() { "nobody".to_owned() } else { named.join(", ") }
}

fn signed(value: f64) -> String {
    match value {
        // Also where it is minus zero.
        0.0 => "0".to_owned(),
        value if value > 0.0 => format!("+{}", text::number(value, 4)),
        value => text::number(value, 4),
    }
}
