//! What to take home, in one sentence a law.

use super::law_runs::LawRuns;
use super::numbers::{percent, time};
use super::view::View;

/// How fair a law turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Every flow's mean rate is within 5 % of fair.
    Fair,
    /// Some flow's is not.
    Unfair,
    /// There is nothing to compare with.
    Unknown,
}

/// The sentence and its mark.
pub(super) struct Verdict {
    pub mark: Mark,
    pub sentence: String,
}

/// Within this a mean rate counts as fair.
const TOLERANCE: f64 = 0.05;

/// Judges one law.
pub(super) fn verdict(view: &View<'_>, law: &LawRuns<'_>) -> Verdict {
    let flows = 0..view.plan.flows.len();
    let ratios: Vec<_> = flows.filter_map(|flow| law.flow(flow).ratio.map(|ratio| (flow, ratio))).collect();
    let by_ratio = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    let (Some(&lowest), Some(&highest)) = (ratios.iter().min_by(by_ratio), ratios.iter().max_by(by_ratio)) else {
        return Verdict { mark: Mark::Unknown, sentence: "No flow has a fair rate to compare with.".to_owned() };
    };
    let error = (1.0 - lowest.1).max(highest.1 - 1.0);
    let mark = if error <= TOLERANCE { Mark::Fair } else { Mark::Unfair };
    let rates = match mark {
        Mark::Fair => format!("Every flow is within {} of its {} rate", percent(error), view.criterion),
        _ => extremes(view, lowest, highest),
    };
    let sentence = format!("{rates}{}.{}{}", convergence(law, mark), losses(law), broken(law));
    Verdict { mark, sentence }
}

/// Who gets least and most for its fair rate.
fn extremes(view: &View<'_>, lowest: (usize, f64), highest: (usize, f64)) -> String {
    let name = |flow: usize| &view.plan.flows[flow].name;
    let (low, high) = (lowest.1 < 1.0 - TOLERANCE, highest.1 > 1.0 + TOLERANCE);
    let starved = format!("{} gets {} of its {} rate", name(lowest.0), percent(lowest.1), view.criterion);
    match (low, high) {
        (true, true) => format!("{starved}, {} gets {}", name(highest.0), percent(highest.1)),
        (true, false) => starved,
        _ => format!("{} gets {} of its {} rate", name(highest.0), percent(highest.1), view.criterion),
    }
}

fn convergence(law: &LawRuns<'_>, mark: Mark) -> String {
    let longest = if law.runs.len() > 1 { " at the latest" } else { "" };
    match (law.time_to_fair_ns(TOLERANCE), mark) {
        (Some(ns), Mark::Fair) => format!(" and stays within 5 % after {}{longest}", time(ns as f64)),
        (Some(ns), _) => format!("; within 5 % after {}{longest}", time(ns as f64)),
        (None, Mark::Fair) => ", but some flow keeps leaving the 5 % band".to_owned(),
        (None, _) => "; the rates never stay within 5 % of fair".to_owned(),
    }
}

fn losses(law: &LawRuns<'_>) -> String {
    let loss = law.loss();
    match percent(loss).as_str() {
        _ if loss == 0.0 => String::new(),
        "0 %" => " The ring drops a few packets.".to_owned(),
        part => format!(" The ring drops {part} of the packets."),
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
