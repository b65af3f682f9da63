//! What to take home, in one sentence a law.

use super::law_runs::LawRuns;
use super::numbers::{percent, time};
use super::view::View;
use crate::measures::{AllowedSummary, LimitedBy};
use fairwire_alloc::{Uniqueness, text};

/// How fair a law turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// From some time on every flow stays within 5 % of fair.
    Fair,
    /// Every flow's mean is within 5 % of fair, but some swing further.
    OnAverage,
    /// Some flow's mean is not.
    Unfair,
    /// There is nothing to compare with.
    Unknown,
}

/// The sentence and its mark.
pub(super) struct Verdict {
    pub mark: Mark,
    pub sentence: String,
}

/// Within this a rate counts as fair.
const TOLERANCE: f64 = 0.05;

/// Judges one law.
pub(super) fn verdict(view: &View<'_>, law: &LawRuns<'_>) -> Verdict {
    let (mark, rates) = match extremes(view, law) {
        _ if told_rates(law).next().is_some() => allowed_rates(view, law),
        None if law.first.summary.has_fair_rates() => {
            (Mark::Unknown, "No flow sends all the time that is measured, so that none is judged".to_owned())
        }
        None => (Mark::Unknown, "No flow has a fair rate to compare with".to_owned()),
        Some(extremes) => judge(view, law, extremes),
    };
    Verdict { mark, sentence: format!("{rates}.{}{}{}", not_decided(view), losses(view, law), broken(law)) }
}

/// The flows with the smallest and the largest ratio of those that offer
/// traffic all the time that is measured, as (flow, ratio).
fn extremes(view: &View<'_>, law: &LawRuns<'_>) -> Option<[(usize, f64); 2]> {
    let flows = (0..view.scene.plan.flows.len()).filter(|&flow| view.always_active(flow));
    let ratios: Vec<_> = flows.filter_map(|flow| law.flow(flow).ratio.map(|ratio| (flow, ratio))).collect();
    let by_ratio = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    Some([*ratios.iter().min_by(by_ratio)?, *ratios.iter().max_by(by_ratio)?])
}

fn judge(view: &View<'_>, law: &LawRuns<'_>, [lowest, highest]: [(usize, f64); 2]) -> (Mark, String) {
    if let Some(after_events) = after_events(view, law, [lowest, highest]) {
        return after_events;
    }
    if view.fair_is_of_the_start() {
        return after_changes(view, law);
    }
    let error = (1.0 - lowest.1).max(highest.1 - 1.0);
    let criterion = &view.scene.criterion;
    let means_are_fair = error <= TOLERANCE;
    match view.convergence_ns(law).map(|ns| view.after_event(law, ns)) {
        Some(after) if means_are_fair => {
            let part = percent(error.max(0.0));
            (
                Mark::Fair,
                format!("Every flow’s mean rate is within {part} of its {criterion} rate; all stay within 5 % {after}"),
            )
        }
        Some(after) => {
            let means = if view.flows_come_and_go() {
                "means over the whole run differ, as flows come and go".to_owned()
            } else {
                format!("over the whole run {}", uneven(view, law, lowest, highest))
            };
            (Mark::Fair, format!("All flows stay within 5 % of their {criterion} rates {after}; {means}"))
        }
        None if means_are_fair => {
            let part = percent(error);
            let but = if view.can_tell_time_to_fair() {
                "but not all stay within 5 %".to_owned()
            } else {
                format!(
                    "but telling when they became fair takes a run of at least {}",
                    time(view.fair_window.as_nanos() as f64)
                )
            };
            (Mark::OnAverage, format!("Every flow’s mean rate is within {part} of its {criterion} rate, {but}"))
        }
        None => (Mark::Unfair, uneven(view, law, lowest, highest)),
    }
}

/// Where spans or stations of a protected ring failed: how soon all was fair again for the ways that were left.
fn after_events(view: &View<'_>, law: &LawRuns<'_>, [lowest, highest]: [(usize, f64); 2]) -> Option<(Mark, String)> {
    let events = law.runs.iter().flat_map(|run| &run.summary.protection).filter(|event| event.is_judged());
    let fair_again: Vec<Option<u64>> = events.map(|event| event.fair_again.ns).collect();
    let criterion = &view.scene.criterion;
    let means = match (1.0 - lowest.1).max(highest.1 - 1.0) {
        error if error <= TOLERANCE => {
            format!("means over the whole run are within {} of those of the intact ring", percent(error))
        }
        _ => format!("over the whole run, the time to recover included, {}", uneven(view, law, lowest, highest)),
    };
    let never = fair_again.iter().filter(|ns| ns.is_none()).count();
    match (fair_again.len(), fair_again.iter().flatten().max()) {
        (0, _) => None,
        (all, Some(&slowest)) if never == 0 => {
            let each = if all == 1 { "the event" } else { "each event" };
            let slowest = time(slowest as f64);
            Some((
                Mark::Fair,
                format!(
                    "After {each} all flows are within 5 % of their {criterion} rates again, {slowest} after the ring has settled at the latest; {means}"
                ),
            ))
        }
        (all, _) => Some((
            Mark::Unfair,
            format!(
                "After {never} of {all} events not all flows come back within 5 % of their {criterion} rates for good; {means}"
            ),
        )),
    }
}

/// Where events change what is fair: how soon rates were fair after each.
fn after_changes(view: &View<'_>, law: &LawRuns<'_>) -> (Mark, String) {
    let criterion = &view.scene.criterion;
    let changes = law.runs.iter().flat_map(|run| &run.summary.changes).filter(|change| change.is_judged());
    let fair_again: Vec<Option<u64>> = changes.map(|change| change.fair_again_ns).collect();
    let never = fair_again.iter().filter(|ns| ns.is_none()).count();
    let all = text::count(fair_again.len(), "change");
    match fair_again.iter().flatten().max() {
        _ if fair_again.is_empty() => {
            let sentence = "Events change what is fair, and none leaves time enough to tell how soon rates follow";
            (Mark::Unknown, sentence.to_owned())
        }
        Some(&slowest) if never == 0 => {
            let what = if fair_again.len() == 1 { "the change".to_owned() } else { format!("each of {all}") };
            let slowest = time(slowest as f64);
            let sentence =
                format!("All flows are within 5 % of their {criterion} rates {slowest} after {what} at the latest");
            (Mark::Fair, sentence)
        }
        _ => {
            let sentence = format!(
                "After {never} of {all} not all flows come within 5 % of their {criterion} rates for good before the next"
            );
            (Mark::Unfair, sentence)
        }
    }
}

/// What allowed rates did after each change after which some flow should have something.
fn told_rates<'a>(law: &'a LawRuns<'_>) -> impl Iterator<Item = &'a AllowedSummary> {
    let changes = law.runs.iter().flat_map(|run| &run.summary.changes);
    changes.filter_map(|change| change.allowed.as_ref()).filter(|allowed| allowed.error.is_some())
}

/// Where switches tell rates: how soon they were fair after each change.
fn allowed_rates(view: &View<'_>, law: &LawRuns<'_>) -> (Mark, String) {
    let criterion = &view.scene.criterion;
    let fair_after: Vec<Option<u64>> = told_rates(law)
        .map(|allowed| allowed.time_to_fair.iter().find(|time| time.within == TOLERANCE).and_then(|time| time.ns))
        .collect();
    let never = fair_after.iter().filter(|ns| ns.is_none()).count();
    let all = text::count(fair_after.len(), "change");
    match fair_after.iter().flatten().max() {
        Some(&slowest) if never == 0 => {
            let slowest = time(slowest as f64);
            let what = if fair_after.len() == 1 { "the change".to_owned() } else { format!("each of {all}") };
            (
                Mark::Fair,
                format!(
                    "All allowed rates are within 5 % of their {criterion} rates {slowest} after {what} at the latest"
                ),
            )
        }
        _ => {
            let worst = told_rates(law).filter_map(|allowed| allowed.error).fold(0.0, f64::max);
            let sentence = format!(
                "After {never} of {all} not all allowed rates come within 5 % of their {criterion} rates before the next; the worst is {} off",
                percent(worst)
            );
            (Mark::Unfair, sentence)
        }
    }
}

/// Who gets least and most for its fair rate, and whether who gets least was held back by itself.
fn uneven(view: &View<'_>, law: &LawRuns<'_>, lowest: (usize, f64), highest: (usize, f64)) -> String {
    let rates = uneven_rates(view, lowest, highest);
    let held = law.first.summary.flows.get(lowest.0).and_then(|flow| flow.limited_by);
    match held.filter(|held| *held != LimitedBy::Link && lowest.1 < 1.0 - TOLERANCE) {
        Some(held) => {
            format!("{rates}; {} is held back by {}", view.scene.plan.flows[lowest.0].name, held.in_words(None))
        }
        None => rates,
    }
}

fn uneven_rates(view: &View<'_>, lowest: (usize, f64), highest: (usize, f64)) -> String {
    let name = |flow: usize| &view.scene.plan.flows[flow].name;
    let least = format!("{} gets {} of its {} rate", name(lowest.0), percent(lowest.1), view.scene.criterion);
    let most = format!("{} gets {}", name(highest.0), percent(highest.1));
    match (lowest.1 < 1.0 - TOLERANCE, highest.1 > 1.0 + TOLERANCE) {
        (true, true) => format!("{least}, {most}"),
        (true, false) => least,
        _ => format!("{most} of its {} rate", view.scene.criterion),
    }
}

/// Where the search for fair rates was cut short, ratios tell less than they seem to.
fn not_decided(view: &View<'_>) -> &'static str {
    match view.scene.allocation.unique {
        Uniqueness::NotDecided => " Which rates are fair was not decided: all that may be count as fair.",
        Uniqueness::Yes | Uniqueness::No => "",
    }
}

fn losses(view: &View<'_>, law: &LawRuns<'_>) -> String {
    let loss = law.loss();
    match percent(loss).as_str() {
        _ if loss == 0.0 => String::new(),
        "0 %" => format!(" The {} drops a few packets.", view.scene.ground_name()),
        part => format!(" The {} drops {part} of the packets.", view.scene.ground_name()),
    }
}

fn broken(law: &LawRuns<'_>) -> String {
    let violations: usize = law.runs.iter().map(|run| run.summary.violations.len()).sum();
    if violations == 0 {
        String::new()
    } else {
        format!(" {violations} invariants were broken: do not trust these numbers.")
    }
}
