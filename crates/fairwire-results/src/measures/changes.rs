//! How rates follow when demands and capacities change on the way.

use super::allowed::{AllowedByFlow, AllowedSummary};
use super::{Reference, WindowedRate, fair_window, time_to_fair};
use crate::plan::{Outline, Plan};
use crate::record::{Counts, Record};
use fairwire_core::{Instant, Span};
use serde::Serialize;

/// The tolerance for which the time to fair after a change is told.
const WITHIN: f64 = 0.05;

/// What changes at one instant, and what is fair from then on.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When.
    pub at: Instant,
    /// What, in words, one after the other.
    pub events: Vec<String>,
    /// Until when its fair rates hold: the next change, or never.
    pub until: Instant,
    /// What is fair then, one a flow.
    pub references: Vec<Reference>,
    /// Whether each flow is on then.
    pub on: Vec<bool>,
    /// The link that holds each flow then, by its place; none of one that has all it may have.
    pub held_by: Vec<Option<usize>>,
    /// The flows that come on then, by their places, and when the last of their parts has.
    pub starts: Vec<(usize, Instant)>,
}

/// The mean of what is fair for a flow from the one time to the other; before the first change it has nothing.
pub fn mean_reference(changes: &[Change], flow: usize, [from, until]: [Instant; 2]) -> Reference {
    let length = until.since(from).as_secs_f64();
    let mut mean = Reference::exactly(0.0);
    if length <= 0.0 {
        return changes.last().map_or(mean, |last| last.references[flow]);
    }
    for change in changes {
        let part = change.until.min(until).since(change.at.max(from)).as_secs_f64() / length;
        let fair = change.references[flow];
        mean.rate_bps += part * fair.rate_bps;
        mean.low_bps += part * fair.low_bps;
        mean.high_bps += part * fair.high_bps;
    }
    mean
}

/// A change in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeSummary {
    /// What changed at that time, as `demand of call 4 Mb/s`.
    pub events: Vec<String>,
    /// When.
    pub at_ns: u64,
    /// What each flow should get from then on, in bit/s, in the order of the flows.
    pub fair_rates_bps: Vec<f64>,
    /// The tolerance of what follows: 0.05 is 5 %.
    pub within: f64,
    /// Length of the window over which rates are averaged.
    pub window_ns: u64,
    /// From the change to the end of the first window from which on all flows that send stay fair until the
    /// next change; none if they never do, or if the run ended before.
    pub fair_again_ns: Option<u64>,
    /// From the change to the next one, or to the end of the run.
    #[serde(skip)]
    pub judged_ns: u64,
    /// What the allowed rates did, where switches tell flows their rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<AllowedSummary>,
}

impl ChangeSummary {
    /// Whether there was time enough to tell that rates are fair again, or never are.
    pub fn is_judged(&self) -> bool {
        self.fair_again_ns.is_some() || self.judged_ns >= self.window_ns
    }
}

/// Every change that comes before the run's end, in the order of time.
pub fn change_summaries(plan: &Plan, record: &Record, changes: &[Change]) -> Vec<ChangeSummary> {
    let (outline, counts) = (plan.outline(), record.counts(plan));
    let end = Instant::ZERO + counts.duration;
    let told = record.network().and_then(AllowedByFlow::of);
    let summary = |change: &Change| {
        let told = told.as_ref().map(|told| told.after(&outline, change, change.until.min(end)));
        ChangeSummary { allowed: told, ..summary(&outline, &counts, change) }
    };
    changes.iter().filter(|change| change.at < end).map(summary).collect()
}

fn summary(outline: &Outline, counts: &Counts<'_>, change: &Change) -> ChangeSummary {
    let until = change.until.since(Instant::ZERO).min(counts.duration);
    let sizes = outline.flows.iter().map(|flow| flow.packet_bytes);
    let window = fair_window(change.references.iter().copied().zip(sizes), WITHIN, outline.base_time, counts.window);
    // Who begins or ends before the next change has no one fair rate until then.
    let sends =
        |start: Instant, stop: Instant| start <= change.at && stop > change.at && stop.since(Instant::ZERO) >= until;
    let series: Vec<(WindowedRate, Reference)> = outline
        .flows
        .iter()
        .zip(&counts.flows)
        .zip(&change.references)
        .filter(|((flow, _), _)| sends(flow.start, flow.stop))
        .map(|((_, flow), reference)| (WindowedRate::new(flow.delivered_bytes, counts.window, until), *reference))
        .collect();
    let judged: Vec<_> = series.iter().map(|(series, reference)| (series, *reference)).collect();
    ChangeSummary {
        events: change.events.clone(),
        at_ns: change.at.as_nanos(),
        fair_rates_bps: change.references.iter().map(|reference| reference.rate_bps).collect(),
        within: WITHIN,
        window_ns: window.length.as_nanos(),
        judged_ns: (until - change.at.since(Instant::ZERO)).as_nanos(),
        fair_again_ns: time_to_fair(&judged, WITHIN, window.rows, change.at).map(Span::as_nanos),
        allowed: None,
    }
}
