//! Measures of whole runs as people read them.

use super::law_runs::{LawRuns, interval_text};
use fairwire_results::measures::{ChangeSummary, EventSummary, FairAgain, Interval, JainWindows};
use fairwire_results::{ExplicitRates, FlowSummary, RunSummary};
use fairwire_terminal::text;

/// Label and text of every measure of a law's runs; the labels are the same for
/// every law. Numbers are means over the runs, times those of the slowest run.
pub fn measures(law: &LawRuns<'_>) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    // Where nobody asks for anything there is nothing to be fair or steady.
    let is_idle = !law.any(RunSummary::has_fair_rates);
    let of_start = if law.any(RunSummary::fair_rates_are_of_the_start) { " of the first rates" } else { "" };
    let tolerances = law.runs.first().map_or(0, |run| run.time_to_fair.len());
    for index in 0..tolerances {
        let told = &law.runs[0].time_to_fair[index];
        let ns = law.slowest(|run| run.time_to_fair.get(index).and_then(|told| told.ns));
        let within = text::number(told.within * 100.0, 3);
        let window = text::time(told.window_ns as f64);
        let short = law.runs.iter().filter_map(|run| run.time_to_fair.get(index)).find(|told| told.is_too_short());
        let is_last = law.any(|run| run.time_to_fair.get(index).is_some_and(|told| told.only_in_last_window));
        let shown = match short {
            _ if is_idle => "–".to_owned(),
            Some(told) if !ns.is_finite() => too_short(told.judged_ns),
            _ => for_good(ns, is_last),
        };
        rows.push((format!("fair within {within} %{of_start} for good (mean over {window})"), shown));
    }
    let is_last = law.any(|run| run.settling.only_in_last_window);
    let settled = law.slowest(|run| run.settling.ns);
    let steady = match law.runs.iter().find_map(|run| run.cannot_tell_settling()) {
        _ if is_idle => "–".to_owned(),
        Some(judged_ns) if !settled.is_finite() => too_short(judged_ns),
        _ => for_good(settled, is_last),
    };
    rows.push(("steady for good".to_owned(), steady));
    rows.extend(
        law.runs.iter().flat_map(|run| run.protection.iter().flat_map(|event| event_rows(event, run.flows.len()))),
    );
    // Allowed rates after each change have a table of their own.
    let in_rows = |change: &&ChangeSummary| change.allowed.is_none();
    rows.extend(law.runs.iter().flat_map(|run| run.changes.iter().filter(in_rows).map(change_row)));
    rows.extend(explicit_rates(law));
    rows.push(("oscillation, over capacity".to_owned(), text::percent(law.mean(|run| run.oscillation))));
    rows.push(("Jain's index of the ratios".to_owned(), law.interval(|run| run.jain, text::ratio)));
    rows.extend(jain_windows(law));
    rows.push(("busiest link used".to_owned(), law.interval(|run| run.utilisation, text::percent)));
    let lost = if law.is_network() { "lost on the way" } else { "lost on the ring" };
    rows.push((lost.to_owned(), text::percent(law.mean(loss))));
    if law.runs.iter().flat_map(|run| &run.flows).any(|flow| flow.retransmitted.is_some()) {
        rows.push(("sent again".to_owned(), text::percent(law.mean(sent_again))));
    }
    rows.extend(astray(law));
    rows.push(("packet-hops".to_owned(), text::grouped(law.mean(|run| run.packet_hops as f64).round() as u64)));
    if !law.is_network() {
        let control = law.mean(|run| run.control_hops as f64).round() as u64;
        rows.push(("control frames among them".to_owned(), text::grouped(control)));
    }
    rows
}

/// How fast allowed rates followed changes, and what telling them took; empty where switches tell nobody.
fn explicit_rates(law: &LawRuns<'_>) -> Vec<(String, String)> {
    let told: Vec<ExplicitRates> = law.runs.iter().filter_map(|run| run.explicit_rates).collect();
    if told.is_empty() {
        return Vec::new();
    }
    let mean = |values: Vec<f64>| Some(Interval::of(&values)).filter(|_| !values.is_empty());
    let time = |ns: Option<f64>| text::or_dash(ns, text::time);
    let longest = told.iter().filter_map(|told| told.response_max_ns).max();
    let means = mean(told.iter().filter_map(|told| told.response_mean_ns).collect());
    let shares: Vec<f64> = told.iter().map(|told| told.control_share).collect();
    vec![
        ("longest response of allowed rates".to_owned(), time(longest.map(|ns| ns as f64))),
        (
            "mean of each change's longest response".to_owned(),
            text::or_dash(means, |mean| interval_text(mean, text::time)),
        ),
        ("control packets among theirs".to_owned(), interval_text(Interval::of(&shares), text::percent)),
    ]
}

/// Jain's index over stretches: its interval over those of one run, or over the runs' means.
fn jain_windows(law: &LawRuns<'_>) -> Option<(String, String)> {
    let windows: Vec<&JainWindows> = law.runs.iter().filter_map(|run| run.jain_windows.as_ref()).collect();
    let first = windows.first().filter(|_| windows.len() == law.runs.len())?;
    let means: Vec<f64> = windows.iter().map(|windows| windows.mean).collect();
    let interval = match windows[..] {
        [one] => Interval { mean: one.mean, half_width: one.half_width },
        _ => Interval::of(&means),
    };
    let label = format!("Jain's index of active flows' rates, each {}", text::time(first.window_ns as f64));
    Some((label, interval_text(interval, text::ratio)))
}

/// Packets sent again over packets sent, all flows together.
fn sent_again(run: &RunSummary) -> f64 {
    let sent: u64 = run.flows.iter().map(|flow| flow.offered).sum();
    let again: u64 = run.flows.iter().filter_map(|flow| flow.retransmitted).sum();
    again as f64 / (sent as f64).max(1.0)
}

/// What cuts and steering did to packets, all flows together; nothing of a ring that does not protect itself.
fn astray(law: &LawRuns<'_>) -> Vec<(String, String)> {
    type Count = fn(&FlowSummary) -> Option<u64>;
    let kinds: [(&str, Count); 3] = [
        ("packets lost on cut links", |flow| flow.lost),
        ("packets delivered after later ones", |flow| flow.reordered),
        ("packets discarded to keep order", |flow| flow.discarded),
    ];
    let row = |(label, count): (&str, Count)| {
        let mut counts = law.runs.iter().flat_map(|run| &run.flows).filter_map(count).peekable();
        counts.peek()?;
        let mean = counts.sum::<u64>() as f64 / law.runs.len() as f64;
        Some((label.to_owned(), text::grouped(mean.round() as u64)))
    };
    kinds.into_iter().filter_map(row).collect()
}

/// What one change led to, in one run.
fn change_row(change: &ChangeSummary) -> (String, String) {
    let ChangeSummary { events, at_ns, within, window_ns, fair_again_ns, judged_ns, .. } = change;
    let (what, when) = (events.join(", "), text::time(*at_ns as f64));
    let window = text::time(*window_ns as f64);
    let label = format!("{what} at {when}: fair within {} % (mean over {window})", within * 100.0);
    let shown = match fair_again_ns {
        None if !change.is_judged() => too_short(*judged_ns),
        ns => after(ns.map_or(f64::INFINITY, |ns| ns as f64)),
    };
    (label, shown)
}

/// What one event cost, in one run of so many `flows`.
fn event_rows(event: &EventSummary, flows: usize) -> [(String, String); 3] {
    let name = format!("{} at {}", event.event, text::time(event.at_ns as f64));
    let time = |ns: Option<u64>| ns.map_or("never".to_owned(), |ns| text::time(ns as f64));
    let outage = event.outage_ns.map_or(event.untold(flows).to_owned(), |ns| {
        let flow = event.outage_flow.as_deref().filter(|_| ns > 0).map_or(String::new(), |flow| format!(" ({flow})"));
        format!("{} and up to two rows of {}{flow}", text::time(ns as f64), text::time(event.row_ns as f64))
    });
    let settled = match event.acts_ns {
        None => "–".to_owned(),
        Some(_) if event.noticed || event.settled_ns != Some(0) => time(event.settled_ns),
        Some(_) => "not noticed".to_owned(),
    };
    let FairAgain { within, window_ns, ns, ring_times } = event.fair_again;
    let laps = ring_times.map_or(String::new(), |laps| format!(", {laps:.1} ring times beside the window"));
    let fair = if event.is_judged() { format!("{}{laps}", time(ns)) } else { "–".to_owned() };
    let label = format!("{name}: fair within {} % again (mean over {})", within * 100.0, text::time(window_ns as f64));
    [(format!("{name}: longest silence"), outage), (format!("{name}: topology settled"), settled), (label, fair)]
}

/// As [`after`]; a time that leaves no second window says nothing of what stays.
fn for_good(ns: f64, is_last: bool) -> String {
    if ns.is_finite() && is_last { "only in the last window".to_owned() } else { after(ns) }
}

fn after(ns: f64) -> String {
    if ns.is_finite() { format!("after {}", text::time(ns)) } else { "never".to_owned() }
}

/// What no run can tell that ends, or comes to its next change, before rates can be averaged once.
fn too_short(judged_ns: u64) -> String {
    format!("not to be told within {}", text::time(judged_ns as f64))
}

/// Packets dropped or lost over packets that were let in, all flows together.
fn loss(run: &RunSummary) -> f64 {
    let sum = |count: fn(&FlowSummary) -> u64| run.flows.iter().map(count).sum::<u64>() as f64;
    let entered = sum(|flow| flow.entered);
    if entered > 0.0 { sum(|flow| flow.dropped) / entered } else { 0.0 }
}
