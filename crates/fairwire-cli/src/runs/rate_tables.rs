//! What only runs show in which switches tell flows their rates: how fast these follow each change, and what ports did.

use super::law_runs::LawRuns;
use fairwire_results::measures::{AllowedSummary, ChangeSummary};
use fairwire_results::{LinkSummary, PortSummary};
use fairwire_terminal::{TextTable, text};
use std::fmt;

/// Changes and ports beyond this many are left to the result folder.
const MOST_LISTED: usize = 24;
/// What happens at one time is told up to this many things.
const MOST_WORDS: usize = 2;

/// The tables of one law; empty where switches tell nobody.
pub fn rate_tables(law: &LawRuns<'_>) -> String {
    let changes = ChangeTable::of(std::slice::from_ref(law)).map(|changes| changes.to_string());
    changes.unwrap_or_default() + &port_table(law)
}

/// A row a change: how fast allowed rates followed it.
pub struct ChangeTable {
    /// The changes that are listed.
    pub table: TextTable,
    left_out: usize,
}

impl ChangeTable {
    /// Under one law at length, under several side by side; nothing where switches tell nobody. Times are those of the slowest run.
    pub fn of(laws: &[LawRuns<'_>]) -> Option<Self> {
        let first = laws.first().and_then(|law| law.runs.first()).map_or(&[][..], |run| &run.changes);
        if !first.iter().any(|change| change.allowed.is_some()) {
            return None;
        }
        let mut header = vec!["after".to_owned(), ">at".to_owned()];
        if laws.len() == 1 {
            header
                .extend([">response", "+slowest", ">within 5 %", ">within 1 %", ">off in the end"].map(str::to_owned));
        } else {
            header.extend(laws.iter().flat_map(|law| [format!(">{}", law.law), "+>within 1 %".to_owned()]));
        }
        let mut table = TextTable::new(&header).named_by(2);
        for (number, change) in first.iter().enumerate().take(MOST_LISTED) {
            let mut row = vec![words(change), text::time(change.at_ns as f64)];
            for law in laws {
                row.push(response(law, number));
                if laws.len() == 1 {
                    let slowest = change.allowed.as_ref().and_then(|allowed| allowed.slowest.clone());
                    row.extend([slowest.unwrap_or("–".to_owned()), time_to_fair(law, number, 0)]);
                }
                row.push(time_to_fair(law, number, 1));
                if laws.len() == 1 {
                    row.push(error(law, number));
                }
            }
            table.row(row);
        }
        Some(Self { table, left_out: first.len().saturating_sub(MOST_LISTED) })
    }
}

impl fmt::Display for ChangeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}{}", self.table, more(self.left_out, "change"))
    }
}

/// What happened, cut short where it is much.
fn words(change: &ChangeSummary) -> String {
    let told = change.events.iter().take(MOST_WORDS).cloned().collect::<Vec<_>>().join(", ");
    match change.events.len().saturating_sub(MOST_WORDS) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

fn more(left_out: usize, what: &str) -> String {
    if left_out == 0 { String::new() } else { format!("{} more in the result folder.\n", text::count(left_out, what)) }
}

/// What allowed rates did after the change with this number, in every run.
fn allowed<'a>(law: &'a LawRuns<'_>, number: usize) -> impl Iterator<Item = &'a AllowedSummary> {
    law.runs.iter().filter_map(move |run| run.changes.get(number)?.allowed.as_ref())
}

fn response(law: &LawRuns<'_>, number: usize) -> String {
    let longest = allowed(law, number).filter_map(|allowed| allowed.response_max_ns).max();
    text::or_dash(longest.map(|ns| ns as f64), text::time)
}

/// The time to fair at one of the tolerances.
fn time_to_fair(law: &LawRuns<'_>, number: usize, tolerance: usize) -> String {
    let is_judged = |allowed: &&AllowedSummary| allowed.error.is_some();
    let times = allowed(law, number).filter(is_judged).map(|allowed| allowed.time_to_fair.get(tolerance)?.ns);
    let times: Vec<Option<u64>> = times.collect();
    match times.iter().copied().collect::<Option<Vec<u64>>>() {
        None => "never".to_owned(),
        Some(times) => text::or_dash(times.into_iter().max().map(|ns| ns as f64), text::time),
    }
}

fn error(law: &LawRuns<'_>, number: usize) -> String {
    text::or_dash(allowed(law, number).filter_map(|allowed| allowed.error).reduce(f64::max), text::percent)
}

/// The ports that control packets came to, by means over the runs; maxima are those of all runs.
fn port_table(law: &LawRuns<'_>) -> String {
    let links = law.runs.first().map_or(&[][..], |run| &run.links);
    let heard = |link: &&LinkSummary| link.port.as_ref().is_some_and(|port| port.control + port.refused > 0);
    let ports: Vec<&LinkSummary> = links.iter().filter(heard).collect();
    if ports.is_empty() {
        return String::new();
    }
    let header =
        ["port", ">longest queue", ">dropped: too long", ">above allowed", ">control", ">refused", ">flows left"];
    let mut table = TextTable::new(&header);
    for link in ports.iter().take(MOST_LISTED) {
        let of = |get: fn(&PortSummary) -> u64| -> Vec<u64> {
            let links = law.runs.iter().filter_map(|run| run.links.iter().find(|other| other.id == link.id));
            links.filter_map(|link| link.port.as_ref()).map(get).collect()
        };
        let mean = |get: fn(&PortSummary) -> u64| {
            let counts = of(get);
            text::grouped((counts.iter().sum::<u64>() as f64 / counts.len().max(1) as f64).round() as u64)
        };
        let deepest = of(|port| port.deepest_packets.into()).into_iter().max().unwrap_or(0);
        table.row([
            link.id.clone(),
            text::count(deepest as usize, "packet"),
            mean(|port| port.dropped_too_long),
            mean(|port| port.dropped_above_allowed),
            mean(|port| port.control),
            mean(|port| port.refused),
            mean(|port| port.flows as u64),
        ]);
    }
    format!("\n{table}{}", more(ports.len().saturating_sub(MOST_LISTED), "port"))
}
