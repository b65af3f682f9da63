//! How fast RPR's modes follow a change, and how they swing until they have: Fig. 20(b), (c).
//!
//! Read off throughput in windows of T from the fourth start on, as for Fig. 20(a).

use super::convergence::{self, Settling, settling, throughput_signal};
use super::drawn;
use super::rates_seen::{at_ms, mean, plan_under, range, run_under, windowed};
use super::{Claim, Finding, Trouble, expected_number};
use crate::runs::{self, Run};
use crate::swept::{Swept, SweptPoint};
use crate::tolerance::{compare, round, rounded};
use crate::ways::Way;
use fairwire_core::{Instant, Span};
use fairwire_plan::Detail;
use fairwire_results::Figure;
use fairwire_sweep::side_by_side;
use serde_json::{Value, json};

/// T of the paper's ring.
const LAP_MS: f64 = 1.0;
const LAP: Span = Span::from_millis(1);
/// One update in so many ms.
const UPDATE_MS: f64 = 0.1;
/// How long after the fourth start swings are looked at.
const LOOK: Span = Span::from_millis(200);

/// What follows the fourth start.
struct FourthStart {
    /// Until all throughputs have settled.
    settled_ms: f64,
    /// The widest band that counts as settled: what a flow strays by for ever.
    band: f64,
    /// How far a throughput goes beyond both its old and its new mean, above and below together, largest over flows.
    swing: f64,
    shares: Vec<f64>,
    /// As the sweep measures it.
    time_to_fair_ms: Option<f64>,
    /// Throughput around the fourth start, without a title.
    drawn: Figure,
}

fn after_the_fourth_start(name: &str, parameters: &str) -> Result<FourthStart, Trouble> {
    seen_at(convergence::under(name, parameters)?.point(&[])?)
}

/// What is seen at a point of Fig. 20's sweep.
fn seen_at(point: SweptPoint<'_>) -> Result<FourthStart, Trouble> {
    let scenario = point.scenario()?;
    let run = runs::run(&scenario, scenario.law().ok_or("the sweep is not of a ring")?, 0, Detail::Full)?;
    let event = run.plan.flows.iter().map(|flow| flow.start).max().ok_or("no flows")?;
    let flows = 0..run.plan.flows.len();
    let settled: Vec<Settling> =
        flows.clone().map(|flow| settling(&throughput_signal(&run, flow, event, LAP_MS), LAP_MS)).collect();
    Ok(FourthStart {
        settled_ms: settled.iter().map(|one| one.at_ms).fold(0.0, f64::max),
        band: settled.iter().map(|one| one.band).fold(0.0, f64::max),
        swing: flows.map(|flow| excess(&run, flow, event)).fold(0.0, f64::max),
        shares: run.shares(),
        time_to_fair_ms: convergence::time_to_fair_ms(point)?,
        drawn: around(&run, event),
    })
}

/// Throughput around the start of the last flow.
pub(super) fn around(run: &Run, event: Instant) -> Figure {
    let since = event.since(Instant::ZERO).as_secs_f64() * 1e3;
    let figure =
        drawn::throughputs(run, String::new(), LAP.as_nanos() / 1_000_000, [since - 20.0, since + 80.0], since);
    Figure { x: "ms since the fourth start".to_owned(), ..figure }
}

/// How far a flow's throughput strays beyond where it comes from and where it goes to.
fn excess(run: &Run, flow: usize, event: Instant) -> f64 {
    let end = Instant::ZERO + run.record.duration;
    let late = mean(&windowed(run, flow, LAP, event + LOOK, end));
    let begin = Instant::ZERO + (event.since(Instant::ZERO) - Span::from_millis(50));
    let started = run.plan.flows[flow].start < event;
    let before = if started { mean(&windowed(run, flow, LAP, begin, event)) } else { 0.0 };
    let seen = windowed(run, flow, LAP, event + Span::from_millis(1), event + LOOK);
    let (low, high) =
        seen.iter().fold((before.min(late), before.max(late)), |(low, high), &x| (low.min(x), high.max(x)));
    (high - before.max(late)) + (before.min(late) - low)
}

/// A finding about one mode, with what other values of the open parameters would give.
fn mode(claim: &Claim, name: &str, open: &[&str], note: &str) -> Result<Finding, Trouble> {
    let expected = expected_number(claim, "convergence_ms")?;
    let found = after_the_fourth_start(name, "")?;
    let holds = compare(claim, &[found.settled_ms], &[expected]).holds;
    let others = side_by_side(open, |one| after_the_fourth_start(name, one))?;
    let others: Value =
        open.iter().zip(&others).map(|(one, seen)| ((*one).to_owned(), json!(round(seen.settled_ms)))).collect();
    let measured = json!({
        "convergence_ms": round(found.settled_ms), "control_messages": (found.settled_ms / UPDATE_MS).round(),
        "band": round(found.band), "shares": rounded(&found.shares), "convergence_ms_if": others,
        "time_to_fair_5_percent_ms": found.time_to_fair_ms.map(round),
    });
    let title = drawn::title(claim, &format!("throughput under {name} when a fourth flow starts"));
    let figure = Figure { title, ..found.drawn }.at_place("the paper, settled after", expected);
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// Fig. 20(b).
pub fn aggressive(claim: &Claim) -> Result<Finding, Trouble> {
    let open = [
        "lp-coef = 16",
        "lp-coef = 128",
        "lp-coef = 256",
        "lp-coef = 512",
        "ramp-coef = 16",
        "ramp-coef = 256",
        "ramp-coef = 1024",
        "stq-low-threshold = 0.02",
    ];
    let note = "from the fourth start until throughput in windows of T is, for ten laps, as close to its final mean as in the steady \
                state. LPCOEF is not printed, and the time is mostly that of the filter: 64 aging intervals are 6.4 ms";
    mode(claim, "rpr-aggressive", &open, note)
}

/// Fig. 20(c).
pub fn conservative(claim: &Claim) -> Result<Finding, Trouble> {
    let open = [
        "lp-coef = 4",
        "lp-coef = 16",
        "lp-coef = 32",
        "lp-coef = 128",
        "fair-rate-ramp-coef = 64",
        "fair-rate-ramp-coef = 512",
        "fair-rate-ramp-coef = 4096",
        "onset-intervals = 1",
    ];
    let note = "measured as Fig. 20(b). All start over at a quarter and sink until the filtered load is below 0.95, which the filter \
                tells late. LPCOEF and the step of the fair rate are not printed: 64, and a 1024th an interval, here";
    mode(claim, "rpr-conservative", &open, note)
}

/// VII-B: who swings how far on the way.
pub fn swings_on_the_way(_claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let of = |name: &str| after_the_fourth_start(name, &way.of(name));
    let (dvsr, am, cm) = (of("dvsr")?, of("rpr-aggressive")?, of("rpr-conservative")?);
    let holds = dvsr.swing < am.swing && dvsr.swing < cm.swing;
    let measured = json!({ "dvsr": round(dvsr.swing), "rpr_am": round(am.swing), "rpr_cm": round(cm.swing) });
    let names = ["DVSR", "RPR, aggressive", "RPR, conservative"].map(str::to_owned).to_vec();
    let swings = [dvsr.swing, am.swing, cm.swing];
    let title = "VII-B: how far throughput swings on the way".to_owned();
    let figure = drawn::bars(title, names, "part of capacity", &[("here", &swings)], &[]);
    let note = "in the 200 ms after the fourth start: how far a flow's throughput in windows of T goes beyond both its old and its new \
                mean, above and below together, as a part of capacity; the largest of the flows. A packet in such a window is 0.013";
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// IV-C: a slower filter settles later and overshoots less.
pub fn filter(claim: &Claim) -> Result<Finding, Trouble> {
    let coefficients = [("ring.law.name", "rpr-aggressive"), ("sweep.ring.law.lp-coef", "[1, 4, 16, 64, 256]")];
    let swept = Swept::of(&runs::convergence()?, &coefficients)?;
    let points = swept.points(&[])?;
    let seen = side_by_side(points.iter().copied(), seen_at)?;
    let coefficients = points.iter().map(|point| point.number("ring.law.lp-coef")).collect::<Result<Vec<_>, _>>()?;
    let settled: Vec<f64> = seen.iter().map(|one| one.settled_ms).collect();
    let swings: Vec<f64> = seen.iter().map(|one| one.swing).collect();
    let bands: Vec<f64> = seen.iter().map(|one| one.band).collect();
    let later = swaps(&settled) <= 1;
    let calmer = swaps(&swings.iter().map(|swing| -swing).collect::<Vec<_>>()) <= 1;
    let measured = json!({
        "lpcoef": rounded(&coefficients), "settled_ms": rounded(&settled), "overshoot": rounded(&swings), "strays_for_ever": rounded(&bands),
        "later": later, "calmer": calmer,
    });
    let note = "aggressive mode after the fourth start of Fig. 20: until throughput in windows of T is as close to its final mean as in \
                the steady state, and how far it goes beyond its old and its new mean. What counts as steady is the wider, the \
                less is filtered: strays_for_ever, as a part of the mean";
    let names: Vec<String> = coefficients.iter().map(f64::to_string).collect();
    let of = |what: &str, y: &str, values: &[f64]| Figure {
        x: "LPCOEF".to_owned(),
        ..drawn::bars(drawn::title(claim, what), names.clone(), y, &[("here", values)], &[])
    };
    let settles = of("until throughput has settled", "ms", &settled);
    let overshoots = of("how far throughput goes beyond", "part of capacity", &swings);
    Ok(Finding::new(measured, later && calmer, note).drawn(settles).drawn(overshoots))
}

/// Pairs of neighbours out of ascending order.
fn swaps(values: &[f64]) -> usize {
    values.windows(2).filter(|pair| pair[1] < pair[0]).count()
}

/// II-C: in the parking lot aggressive mode swings ever less.
pub fn aggressive_calms_down(claim: &Claim) -> Result<Finding, Trouble> {
    let run = run_under(plan_under(&runs::parking_lot()?, "rpr-aggressive", "")?, "rpr-aggressive", "")?;
    let begins = [6, 36, 66, 96, 500, 2_500, 4_900];
    let flows = 0..run.plan.flows.len();
    let swing = |&begin: &u64| {
        let of = |flow| range(&windowed(&run, flow, Span::from_millis(5), at_ms(begin), at_ms(begin + 30)));
        flows.clone().map(of).fold(0.0, f64::max)
    };
    let swings: Vec<f64> = begins.iter().map(swing).collect();
    let late: Vec<f64> =
        flows.clone().map(|flow| mean(&windowed(&run, flow, Span::from_millis(5), at_ms(500), at_ms(5_000)))).collect();
    // A packet at either end of a window of 5 ms.
    let noise = 2.0 * 8e3 / (5e-3 * run.capacity());
    let shrinks =
        swings.windows(2).all(|pair| pair[1] <= pair[0] + noise) && swings[swings.len() - 1] < 0.5 * swings[0];
    let fair = compare(claim, &late, &[0.25; 4]).holds;
    let measured = json!({ "from_ms_for_30_ms": begins, "swing": rounded(&swings), "two_packets": round(noise), "mean_after_500_ms": rounded(&late) });
    let title = drawn::title(claim, "throughput from the start on");
    let figure =
        drawn::throughputs(&run, title, 1, [0.0, 150.0], 0.0).at_level("a quarter", 0.25 * run.capacity() / 1e6);
    let note = "range of throughput in windows of 5 ms, the largest of the flows, as a part of capacity; all four start at once. From \
                one stretch to the next it grows by no more than the packets at the ends of a window";
    Ok(Finding::new(measured, shrinks && fair, note).drawn(figure))
}

/// Slides: DVSR against Gandalf.
pub fn slides(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let (dvsr, gandalf) =
        (after_the_fourth_start("dvsr", &way.of("dvsr"))?, after_the_fourth_start("rpr-aggressive", "")?);
    let limits = convergence::limits_settle_ms(way)?;
    let holds = limits < gandalf.settled_ms && dvsr.settled_ms < gandalf.settled_ms && limits <= 2.5 * LAP_MS;
    let measured = json!({
        "dvsr_ms": round(dvsr.settled_ms), "dvsr_limits_ms": round(limits), "gandalf_ms": round(gandalf.settled_ms),
        "gandalf_ms_if_lp_coef_256": round(after_the_fourth_start("rpr-aggressive", "lp-coef = 256")?.settled_ms),
    });
    let note = "from the fourth start. DVSR's limits settle within 2.5 feedback periods of 1 ms, its throughput later, when the queue \
                of the last link has passed on what came before (see dvsr-fig20-convergence-dvsr): the comparison holds for \
                both, the 2.5 periods for the limits. 0.2 ms is less than one period";
    let named = |law: &str, seen: FourthStart, key: &str| {
        let title = drawn::title(claim, &format!("throughput under {law} when a fourth flow starts"));
        let printed = expected_number(claim, key)?;
        Ok::<_, Trouble>(Figure { title, ..seen.drawn }.at_place("the slides, settled after", printed))
    };
    let (dvsr, gandalf) = (named("DVSR", dvsr, "dvsr_ms")?, named("Gandalf", gandalf, "gandalf_ms")?);
    Ok(Finding::new(measured, holds, note).drawn(dvsr).drawn(gandalf))
}
