//! What rates come to between two events of the paper's schedule, beside what is fair.

use super::central::Central;
use super::runs::{RunMeasured, Scheme, Setting, Test, is_on, steps};
use super::spread::Spread;
use super::table::{FLOWS, OFF};
use super::{Claim, Finding, Trouble, margin};
use crate::tolerance::{round, rounded};
use fairwire_core::{Instant, Span};
use fairwire_plan::AllowedRate;
use fairwire_results::{Curve, Figure};
use serde_json::json;
use std::ops::Range;

/// Who is on after an event.
fn active(event: usize) -> Vec<usize> {
    (0..FLOWS).filter(|flow| is_on(event, *flow)).collect()
}

/// Each event's fair rates, of those that are on.
fn fair(test: Test) -> Result<Vec<Vec<f64>>, Trouble> {
    let central = Central::of(&test.setting.plan(test.scheme)?)?;
    (0..2 * FLOWS).map(|event| central.rates(&active(event))).collect()
}

/// How far allowed rates are from the fair ones at the most when each event's time is over, as a part of these.
fn apart(seen: &RunMeasured, fair: &[Vec<f64>]) -> Vec<f64> {
    let ends = seen.ends().enumerate();
    let farthest = |(event, end): (usize, Instant)| {
        let allowed = seen.allowed_before(end);
        let off = active(event).into_iter().zip(&fair[event]).map(|(flow, fair)| (allowed[flow] / fair - 1.0).abs());
        off.fold(0.0, f64::max)
    };
    ends.map(farthest).collect()
}

fn worst(apart: &[f64], events: Range<usize>) -> f64 {
    apart[events].iter().copied().fold(0.0, f64::max)
}

/// Of the states between two events in which somebody sends, in how many the checker takes allowed rates for fair.
pub(super) fn certified(test: Test, within: f64) -> Result<(usize, usize), Trouble> {
    let (seen, central) = (test.printed()?, Central::of(&test.setting.plan(test.scheme)?)?);
    let states: Vec<(usize, Instant)> =
        seen.ends().enumerate().filter(|(event, _)| !active(*event).is_empty()).collect();
    let is_fair = |(event, end): &&(usize, Instant)| {
        let (allowed, active) = (seen.allowed_before(*end), active(*event));
        let rates: Vec<f64> = active.iter().map(|flow| allowed[*flow]).collect();
        central.certify(&active, &rates, within).is_ok()
    };
    Ok((states.len(), states.iter().filter(is_fair).count()))
}

/// §2.3, last paragraph.
pub fn max_min_fails(_claim: &Claim) -> Result<Finding, Trouble> {
    let test = Test::new(Setting::Equal, Scheme::MaxMin);
    let (seen, fair) = (test.printed()?, fair(test)?);
    let ends: Vec<Instant> = seen.ends().collect();
    let changes = OFF.map(|event| {
        let within = |flow: usize| {
            seen.allowed[flow].iter().filter(|rate| rate.t >= seen.events[event] && rate.t < ends[event]).count()
        };
        active(event).into_iter().map(within).sum::<usize>()
    });
    let changes: usize = changes.sum();
    let below: Vec<f64> = apart(&seen, &fair)[OFF].to_vec();
    let measured = json!({ "ar_changes_after_off": changes, "worst_below_fair_after_each_off": rounded(&below) });
    let note = "allowed rates of those that go on sending, from each turn-off to the next, once on the printed schedule; every connection \
                crosses two controlled ports or more";
    Ok(Finding::new(measured, changes == 0, note))
}

/// §3.1: WMFQC passes an idle flow's bandwidth on.
pub fn wmfqc_recovers(claim: &Claim) -> Result<Finding, Trouble> {
    let mut worst_of = Vec::new();
    for setting in [Setting::Equal, Setting::Wan] {
        let test = Test::new(setting, Scheme::Wmfqc);
        worst_of.push(worst(&apart(&*test.printed()?, &fair(test)?), OFF));
    }
    let holds = worst_of.iter().all(|off| margin(claim, "rel").is_ok_and(|within| *off <= within));
    let measured = json!({ "fair_after_every_off": holds, "farthest_without_weights": round(worst_of[0]), "farthest_by_weight": round(worst_of[1]) });
    let note = "allowed rates before the next event against rates solved centrally, as a part of these, in the WAN without queue control";
    Ok(Finding::new(measured, holds, note))
}

/// Changes of allowed rates in the second half of an event's time.
fn late_changes(seen: &RunMeasured, event: usize, end: Instant) -> usize {
    let from = seen.events[event];
    let half = from + Span::from_nanos(end.since(from).as_nanos() / 2);
    let late = |flow: usize| seen.allowed[flow].iter().filter(|rate| rate.t >= half && rate.t < end).count();
    active(event).into_iter().map(late).sum()
}

/// Figs. 8 and 9.
pub fn dynamics(claim: &Claim) -> Result<Finding, Trouble> {
    let within = margin(claim, "rel")?;
    let mut measured = serde_json::Map::new();
    let (mut holds, mut figures) = (true, Vec::new());
    let figures_of = [
        ("LQC67", Setting::Lan, 50, 75, "Fig. 8: allowed rates, LQC67%"),
        ("WQC60", Setting::Wan, 300, 500, "Fig. 9: allowed rates, WQC60%"),
    ];
    for (name, setting, q_t, q_d, title) in figures_of {
        let test = Test::new(setting, Scheme::Controlled { q_t, q_d });
        let (seen, fair) = (test.printed()?, fair(test)?);
        let events = 0..2 * FLOWS - 1;
        let ends: Vec<Instant> = seen.ends().collect();
        let unsettled = |seen: &RunMeasured| {
            let apart = apart(seen, &fair);
            events.clone().filter(|event| apart[*event] > within).count()
        };
        // Ten milliseconds between turn-ons leave no time to stand still.
        let changed: usize = (FLOWS - 1..2 * FLOWS - 1).map(|event| late_changes(&seen, event, ends[event])).sum();
        let not_fair = unsettled(&seen);
        let drawn = test.drawn()?;
        let of_draws = Spread::of(drawn.iter().map(|seen| unsettled(seen) as f64));
        let farthest = worst(&apart(&seen, &fair), events.clone());
        measured.insert(
            name.to_owned(),
            json!({
                "farthest_from_fair": round(farthest), "events_not_fair_in_time": not_fair, "ar_changes_after_settling": changed,
                "drawn_events_not_fair_in_time": of_draws.json(),
            }),
        );
        holds &= not_fair == 0 && changed == 0;
        figures.push(rates_over_time(&seen, title));
    }
    let note = "rates before each next event against those solved centrally, and changes in the second half of the time to the next event where that \
                is 50 ms or more, on the printed schedule; drawn: \
                5th percentile, median and 95th percentile over 100 draws. In the WAN the 10 ms after VC4 comes on do not suffice: VC1 to \
                VC4 are told to fall to their minimums first (Table 11)";
    Ok(figures.into_iter().fold(Finding::new(measured.into(), holds, note), Finding::drawn))
}

/// AR of each connection.
fn rates_over_time(seen: &RunMeasured, title: &str) -> Figure {
    let curve =
        |(flow, rates): (usize, &Vec<AllowedRate>)| Curve { name: format!("VC{}", flow + 1), points: steps(rates) };
    Figure {
        title: title.to_owned(),
        x: "ms".to_owned(),
        y: "cell/ms".to_owned(),
        curves: seen.allowed.iter().enumerate().map(curve).collect(),
        ..Figure::default()
    }
}
