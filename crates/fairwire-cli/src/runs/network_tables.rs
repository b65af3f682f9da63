//! What only runs of networks show: their links, and how long transfers took.

use super::law_runs::LawRuns;
use fairwire_results::measures::TransferSummary;
use fairwire_results::{FlowSummary, LinkSummary};
use fairwire_terminal::{TextTable, text};

/// Links beyond this many are left to the result folder.
const MOST_LISTED: usize = 12;
/// A link that drops nothing is worth a line from this part of its capacity on.
const BUSY: f64 = 0.5;

/// The tables that follow those of flows and measures; empty for rings.
pub fn network_tables(law: &LawRuns<'_>) -> String {
    [link_table(law), transfer_table(law)].concat()
}

/// The links that are busy or drop packets, the busiest first, by means over the runs, and how many others there are.
fn link_table(law: &LawRuns<'_>) -> String {
    let Some(first) = law.runs.first() else { return String::new() };
    let all = first.links.len() + first.idle_links;
    let mut busy: Vec<(&LinkSummary, f64)> = first
        .links
        .iter()
        .map(|link| (link, mean(law, &link.id, |link| Some(link.utilisation)).unwrap_or(0.0)))
        .collect();
    busy.retain(|(link, used)| *used >= BUSY || link.dropped > 0 || link.marked > 0);
    // Links of one load stay in the order of the file.
    busy.sort_by_key(|(_, used)| -(used * 1e4).round() as i64);
    busy.truncate(MOST_LISTED);
    let left_out = all - busy.len();
    if busy.is_empty() {
        return String::new();
    }
    let mut table =
        TextTable::new(&["link", ">used", ">mean queue", ">waiting p50", "+>p95", "+>p99", ">dropped", ">marked"]);
    for (link, used) in busy {
        let waiting = |get: fn(&LinkSummary) -> Option<u64>| {
            text::or_dash(mean(law, &link.id, |link| get(link).map(|ns| ns as f64)), text::time)
        };
        let part = |get: fn(&LinkSummary) -> u64| {
            let part = |link: &LinkSummary| Some(get(link) as f64 / (link.arrived as f64).max(1.0));
            text::percent(mean(law, &link.id, part).unwrap_or(0.0))
        };
        let queue = text::number(mean(law, &link.id, |link| Some(link.mean_queue_packets)).unwrap_or(0.0), 3);
        table.row([
            link.id.clone(),
            text::percent(used),
            format!("{queue} packet{}", if queue == "1" { "" } else { "s" }),
            waiting(|link| link.waiting_p50_ns),
            waiting(|link| link.waiting_p95_ns),
            waiting(|link| link.waiting_p99_ns),
            part(|link| link.dropped),
            part(|link| link.marked),
        ]);
    }
    let more = match left_out {
        0 => String::new(),
        1 => "1 more link is used less.\n".to_owned(),
        _ => format!("{left_out} more links are used less.\n"),
    };
    format!("\n{table}{more}")
}

fn transfer_table(law: &LawRuns<'_>) -> String {
    let fetching: Vec<(usize, &FlowSummary)> =
        law.flows().iter().enumerate().filter(|(_, flow)| flow.transfers.is_some()).collect();
    if fetching.is_empty() {
        return String::new();
    }
    let mut table = TextTable::new(&[
        "transfers",
        ">finished",
        ">under way",
        ">mean time",
        "+>deviation",
        "+>p50",
        "+>p90",
        "+>p99",
    ]);
    for (index, flow) in fetching {
        let count = |get: fn(&TransferSummary) -> u64| {
            let count = law.flow_mean(index, |flow| flow.transfers.as_ref().map(|one| get(one) as f64));
            text::number(count.unwrap_or(0.0), 6)
        };
        let time = |get: fn(&TransferSummary) -> Option<f64>| {
            let seconds = law.flow_mean(index, |flow| flow.transfers.as_ref().and_then(get));
            text::or_dash(seconds, |seconds| text::time(seconds * 1e9))
        };
        table.row([
            flow.id.clone(),
            count(|one| one.count),
            count(|one| one.unfinished),
            time(|one| one.mean_s),
            time(|one| one.std_s),
            time(|one| one.p50_s),
            time(|one| one.p90_s),
            time(|one| one.p99_s),
        ]);
    }
    format!("\n{table}")
}

/// The mean of a measure of the link called `id` over all runs that have it.
fn mean(law: &LawRuns<'_>, id: &str, get: impl Fn(&LinkSummary) -> Option<f64>) -> Option<f64> {
    let links = law.runs.iter().filter_map(|run| run.links.iter().find(|link| link.id == id));
    let values: Vec<f64> = links.filter_map(get).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
