//! What an event costs a protected ring, and how long it takes until all is well again.

use super::{FairWindow, Reference, WindowedRate, fair_window, time_to_fair};
use fairwire_core::{Instant, Span};
use fairwire_plan::{Phase, RingChange, RingPlan, RunRecord};
use serde::Serialize;

/// The tolerance for which the time to fair after an event is told.
const WITHIN: f64 = 0.05;

/// One event of a protected ring in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventSummary {
    /// What happened, as `cut 3-4` or `station-down 7`; what comes of it a second time as `station-up 7, wait over`.
    pub event: String,
    /// When it happened.
    pub at_ns: u64,
    /// From when on the ring acts on it: `wait-to-restore` after a mend that no other failure makes
    /// use of, else at once; none if nothing comes of it within the run.
    pub acts_ns: Option<u64>,
    /// Whether stations noticed it; not a failure that was over too soon.
    pub noticed: bool,
    /// The longest silence of any flow that still has a way, between the event's effect and the
    /// next one's, in whole rows. The true silence is longer by less than two rows. None
    /// without an effect, or if no flow has a way and sends throughout.
    pub outage_ns: Option<u64>,
    /// The flow that was silent so long.
    pub outage_flow: Option<String>,
    /// Length of a row.
    pub row_ns: u64,
    /// Flows that neither ringlet carries any more.
    pub cut_off: usize,
    /// Flows that take the other ringlet than in the intact ring.
    pub steered: usize,
    /// Flows that take both ringlets: they wrap.
    pub wrapped: usize,
    /// When the last station found the topology settled and its laws began
    /// anew, counted from the effect; none if the run or another event came first. Nothing if
    /// nobody noticed.
    pub settled_ns: Option<u64>,
    /// When rates were fair again for the ways that are left.
    pub fair_again: FairAgain,
}

/// When all flows were within 5 % of the fair rates of the changed ring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FairAgain {
    /// The tolerance: 0.05 is 5 %.
    pub within: f64,
    /// Length W of the window over which rates are averaged.
    pub window_ns: u64,
    /// From reconvergence to the end of the first window from which on all stay
    /// fair until the next event takes effect; none if they never do.
    pub ns: Option<u64>,
    /// What of it is left beside the window, in ring times.
    pub ring_times: Option<f64>,
}

impl EventSummary {
    /// Whether any flow had a way and sent throughout, so that it could be judged.
    pub fn is_judged(&self) -> bool {
        self.outage_ns.is_some()
    }

    /// Why nothing is told of an event after which none of so many `flows` is judged.
    pub fn untold(&self, flows: usize) -> &'static str {
        match self.acts_ns {
            None => "no effect in the run",
            Some(_) if self.cut_off == flows => "no flow has a way left",
            Some(_) => "no flow with a way left sends throughout",
        }
    }
}

/// Every event in the order of `phases`, each with the fair rates of the ways
/// that flows have after it.
pub fn event_summaries(
    plan: &RingPlan,
    record: &RunRecord,
    phases: &[Phase],
    references: &[Vec<Reference>],
) -> Vec<EventSummary> {
    phases.iter().zip(references).map(|(phase, references)| summary(plan, record, phase, references)).collect()
}

fn summary(plan: &RingPlan, record: &RunRecord, phase: &Phase, references: &[Reference]) -> EventSummary {
    let acts = Some(phase.acts_at).filter(|&at| at < Instant::ZERO + record.duration);
    let outage = acts.and_then(|_| outage(plan, record, phase));
    let settled = acts.and_then(|_| settled(record, phase));
    EventSummary {
        event: name(plan, phase),
        at_ns: phase.at.as_nanos(),
        acts_ns: acts.map(Instant::as_nanos),
        noticed: phase.noticed,
        outage_ns: outage.map(|(silence, _)| silence.as_nanos()),
        outage_flow: outage.map(|(_, flow)| plan.flows[flow].name.clone()),
        row_ns: record.window.as_nanos(),
        cut_off: phase.ways.iter().filter(|way| way.is_none()).count(),
        steered: phase.steered(plan),
        wrapped: phase.wrapped(plan),
        settled_ns: settled.map(|at| at.since(phase.acts_at).as_nanos()),
        fair_again: fair_again(plan, record, phase, references, settled),
    }
}

/// How people call the event, or what comes of it later.
fn name(plan: &RingPlan, phase: &Phase) -> String {
    format!("{}{}", event_name(plan, phase), if phase.again { ", wait over" } else { "" })
}

fn event_name(plan: &RingPlan, phase: &Phase) -> String {
    let next = |span: usize| (span + 1) % plan.stations.len();
    match plan.protection.as_ref().map(|protection| protection.events[phase.event].change) {
        Some(RingChange::Cut(at)) => format!("cut {at}-{}", next(at.index())),
        Some(RingChange::Restore(at)) => format!("restore {at}-{}", next(at.index())),
        Some(RingChange::StationDown(at)) => format!("station-down {at}"),
        Some(RingChange::StationUp(at)) => format!("station-up {at}"),
        None => String::new(),
    }
}

/// Whether the flow has a way and offers traffic throughout the phase.
fn is_judged(plan: &RingPlan, phase: &Phase, flow: usize) -> bool {
    let planned = &plan.flows[flow];
    let begins = planned.start + planned.start_jitter;
    phase.ways[flow].is_some() && begins <= phase.acts_at && planned.stop > phase.acts_at && planned.stop >= phase.until
}

/// The longest silence, and whose it was.
fn outage(plan: &RingPlan, record: &RunRecord, phase: &Phase) -> Option<(Span, usize)> {
    let judged = (0..plan.flows.len()).filter(|&flow| is_judged(plan, phase, flow));
    let silence = |flow: usize| record.flows[flow].longest_silence(phase.acts_at, phase.until, record.window);
    judged.map(|flow| (silence(flow), flow)).max_by_key(|(silence, flow)| (*silence, std::cmp::Reverse(*flow)))
}

/// When the last station began anew, if all did that will; at once if there was nothing to notice.
fn settled(record: &RunRecord, phase: &Phase) -> Option<Instant> {
    let within = |at: Instant| at >= phase.acts_at && at < phase.until;
    let changes = || record.topology.iter().filter(|change| within(change.t));
    if !phase.noticed && changes().next().is_none() {
        return Some(phase.acts_at);
    }
    let last_settled = changes().filter(|change| change.settled).map(|change| change.t).max()?;
    // A station that has found a change after it last settled is not done yet.
    let done = |change: &fairwire_plan::TopologyChange| {
        change.settled || changes().any(|later| later.station == change.station && later.settled && later.t >= change.t)
    };
    changes().all(done).then_some(last_settled)
}

fn fair_again(
    plan: &RingPlan,
    record: &RunRecord,
    phase: &Phase,
    references: &[Reference],
    settled: Option<Instant>,
) -> FairAgain {
    let judged: Vec<usize> = (0..plan.flows.len()).filter(|&flow| is_judged(plan, phase, flow)).collect();
    let sized = judged.iter().map(|&flow| (references[flow], plan.flows[flow].offer.packet_bytes()));
    let FairWindow { rows, length } = fair_window(sized, WITHIN, plan.lap(), record.window);
    let until = phase.until.since(Instant::ZERO).min(record.duration);
    let series: Vec<_> = judged
        .iter()
        .map(|&flow| WindowedRate::new(&record.flows[flow].delivered_bytes, record.window, until))
        .collect();
    let pairs: Vec<_> = series.iter().zip(judged.iter().map(|&flow| references[flow])).collect();
    let ns = settled.and_then(|settled| time_to_fair(&pairs, WITHIN, rows, settled));
    let beside = |ns: Span| ns.as_nanos().saturating_sub(length.as_nanos()) as f64;
    FairAgain {
        within: WITHIN,
        window_ns: length.as_nanos(),
        ns: ns.map(Span::as_nanos),
        ring_times: ns.map(|ns| beside(ns) / plan.lap().as_nanos().max(1) as f64),
    }
}
