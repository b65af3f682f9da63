//! What every part of the page looks at.

use super::input::ReportInput;
use super::law_runs::LawRuns;
use super::numbers::time;
use super::scene::Scene;
use super::tints::flow_tints;
use crate::measures::{ChangeSummary, WindowedRate};
use crate::plan::Outline;
use fairwire_core::{Instant, Span};
use std::ops::Range;

/// So many windows are shown after a change that rates never follow.
const SHOWN_WINDOWS: u64 = 6;

/// The input, sorted by law, and what the page has decided once for all parts.
pub(super) struct View<'a> {
    pub input: &'a ReportInput<'a>,
    pub scene: Scene<'a>,
    pub laws: Vec<LawRuns<'a>>,
    /// The window W of the time to fair within 5 %.
    pub fair_window: Span,
    /// The window over which lines over time are averaged: W, or less in short runs.
    pub window: Span,
    /// The stretch of time around convergence, in seconds; none where it is most of the run anyway.
    pub zoom: Option<Range<f64>>,
    /// Around what else than the last start or stop of a flow it is.
    around: Option<String>,
}

impl<'a> View<'a> {
    pub fn new(input: &'a ReportInput<'a>) -> Self {
        let laws = LawRuns::all(input);
        let mut scene =
            Scene::new(input.plan, input.problem, input.allocation, |plan| flow_tints(plan.flows.len(), &laws));
        scene.references = input.references();
        let plan = &scene.plan;
        let fair_window = laws.first().and_then(|law| law.first.summary.time_to_fair.first());
        let fair_window = fair_window.map_or(plan.window, |fair| Span::from_nanos(fair.window_ns));
        // A window that is long beside the run would smooth everything away.
        let longest = Span::from_nanos(plan.duration.as_nanos() / 20).max(plan.window);
        let window = fair_window.min(longest);
        let slowest = slowest_change(&laws);
        let zoom = match slowest {
            Some((at_s, response_s)) => zoom_on(plan, at_s, 1.6 * response_s, window),
            None => zoom(plan, &laws, window),
        };
        let around = slowest.map(|(at_s, _)| format!("Around the slowest change, at {}", time(at_s * 1e9)));
        Self { input, zoom, around, fair_window, window, laws, scene }
    }

    /// The length of the drawn part of a run in seconds.
    pub fn duration_s(&self) -> f64 {
        self.scene.plan.duration.as_secs_f64()
    }

    /// Names of the two charts in a row: the whole run, and the close view.
    pub fn titles(&self) -> [String; 2] {
        let close = match &self.zoom {
            Some(zoom) if zoom.start == 0.0 => format!("The first {}", time(zoom.end * 1e9)),
            _ => self.around.clone().unwrap_or("Around the last start or stop of a flow".to_owned()),
        };
        ["The whole run".to_owned(), close]
    }

    /// The bytes of flow `flow` that reached their end, when they left its links or else when they were delivered;
    /// ready for means.
    pub fn passed(&self, law: &LawRuns<'_>, flow: usize) -> WindowedRate {
        let counts = &law.counts;
        let delivered = counts.flows.get(flow).map_or(&[][..], |flow| flow.delivered_bytes);
        let left = law.left.as_ref().and_then(|left| left.get(flow));
        WindowedRate::new(left.map_or(delivered, |left| &left[..]), counts.window, counts.duration)
    }

    /// The time to fair within 5 %, where it leaves at least as much time again
    /// to show that the rates stay there.
    pub fn convergence_ns(&self, law: &LawRuns<'_>) -> Option<u64> {
        law.time_to_fair_ns(0.05).filter(|&ns| self.is_convergence(ns))
    }

    /// Whether a time to fair is one, and not the luck of the last windows.
    pub fn is_convergence(&self, ns: u64) -> bool {
        ns <= remaining_ns(&self.scene.plan) / 2
    }

    /// Whether the run goes on for at least one window after the last event.
    pub fn can_tell_time_to_fair(&self) -> bool {
        remaining_ns(&self.scene.plan) >= self.fair_window.as_nanos()
    }

    /// Whether the flow offers traffic during all the time that is measured.
    pub fn always_active(&self, flow: usize) -> bool {
        let flow = &self.scene.plan.flows[flow];
        flow.start <= Instant::ZERO + self.scene.plan.warmup && flow.stop >= Instant::ZERO + self.scene.plan.duration
    }

    /// Whether fair rates are the means of what was fair at each time: where switches tell rates, and something changed.
    pub fn fair_is_a_mean(&self) -> bool {
        let first = self.laws.first().map(|law| &law.first.summary);
        first.is_some_and(|summary| {
            summary.explicit_rates.is_some() && summary.changes.iter().any(|change| change.at_ns > 0)
        })
    }

    /// What changes on the way, in the first law's run: what is fair then is the same under all.
    pub fn changes(&self) -> &[ChangeSummary] {
        self.laws.first().map_or(&[], |law| &law.first.summary.changes)
    }

    /// Whether fair rates are those of the start and others hold later, as events change what is fair.
    pub fn fair_is_of_the_start(&self) -> bool {
        has_events(&self.laws)
    }

    /// Whether what is fair over time is drawn in steps. Where spans fail, other rates are fair in between.
    pub fn fair_is_in_steps(&self) -> bool {
        let fails = self.laws.iter().any(|law| !law.first.summary.protection.is_empty());
        self.changes().iter().any(|change| change.allowed.is_some()) || self.fair_is_of_the_start() && !fails
    }

    /// Whether some flow does not.
    pub fn flows_come_and_go(&self) -> bool {
        !(0..self.scene.plan.flows.len()).all(|flow| self.always_active(flow))
    }

    /// A time to fair in words: `from 4.2 ms on`, or so long after the last event.
    pub fn after_event(&self, law: &LawRuns<'_>, ns: u64) -> String {
        let when =
            if self.scene.plan.last_event() == Instant::ZERO { "" } else { " after the last flow starts or stops" };
        let runs = if law.runs.len() > 1 { " at the latest" } else { "" };
        match when {
            "" => format!("from {} on{runs}", time(ns as f64)),
            when => format!("{}{when}{runs}", time(ns as f64)),
        }
    }

    /// Whether any run kept links, queues and what laws show.
    pub fn has_detail(&self) -> bool {
        self.laws.iter().any(|law| law.counts.links.iter().any(|link| !link.sent_bytes.is_empty()))
    }
}

/// From just before the last event until well after the slowest law that
/// becomes fair soon has done so, or some windows where none does.
fn zoom(plan: &Outline, laws: &[LawRuns<'_>], window: Span) -> Option<Range<f64>> {
    let event = plan.last_event();
    let soon = laws.iter().filter_map(|law| law.time_to_fair_ns(0.05)).filter(|&ns| ns < remaining_ns(plan) / 4);
    let length_s = soon.max().unwrap_or(0) as f64 * 1.6e-9;
    zoom_on(plan, event.as_secs_f64(), length_s, window)
}

/// From just before `event_s` until so long after it, or some windows.
fn zoom_on(plan: &Outline, event_s: f64, length_s: f64, window: Span) -> Option<Range<f64>> {
    let length_s = length_s.max(4.0 * window.as_secs_f64());
    let lead_s = if event_s == 0.0 { 0.0 } else { length_s * 0.15 };
    let start_s = (event_s - lead_s).max(0.0);
    let end_s = (event_s + length_s).min(plan.duration.as_secs_f64());
    (end_s - start_s < 0.6 * plan.duration.as_secs_f64()).then_some(start_s..end_s)
}

/// When the change was that rates followed most slowly, and how long that took, in seconds: allowed ones where switches tell rates.
fn slowest_change(laws: &[LawRuns<'_>]) -> Option<(f64, f64)> {
    let changes = || laws.iter().flat_map(|law| &law.first.summary.changes);
    let slowest = if has_events(laws) {
        // Who never follows is slowest; the beginning of that shows it.
        let response = |change: &ChangeSummary| change.fair_again_ns.unwrap_or(SHOWN_WINDOWS * change.window_ns);
        let judged = changes().filter(|change| change.is_judged());
        let slowest = judged.max_by_key(|change| (change.fair_again_ns.is_none(), response(change)));
        slowest.map(|change| (response(change), change.at_ns))
    } else {
        changes().filter_map(|change| Some((change.allowed.as_ref()?.response_max_ns?, change.at_ns))).max()
    };
    let (response, at) = slowest.filter(|(response, _)| *response > 0)?;
    Some((at as f64 * 1e-9, response as f64 * 1e-9))
}

/// Whether events change what is fair, and no switch tells rates.
fn has_events(laws: &[LawRuns<'_>]) -> bool {
    let first = laws.first().map(|law| &law.first.summary);
    first.is_some_and(|summary| summary.fair_rates_are_of_the_start())
}

/// From the last event to the end of the run.
fn remaining_ns(plan: &Outline) -> u64 {
    plan.duration.as_nanos().saturating_sub(plan.last_event().as_nanos())
}
