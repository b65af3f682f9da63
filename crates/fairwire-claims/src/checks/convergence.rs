//! How fast DVSR follows a change: Fig. 20(a) and the remark on longer rings.
//!
//! The paper reads the time off throughput in windows of T, and so does the
//! check. A window of 1 ms holds 19 packets of a flow at a quarter of 622 Mb/s,
//! so throughput comes in steps of 5 %, and so do the counts that DVSR decides
//! on: nothing ever quite comes to rest. Converged therefore means: for ten laps
//! as close to the final mean as in the steady state, and 5 % is close enough.
//! The limits that DVSR sets, the cause of the throughput, are reported beside.

use super::drawn;
use super::{Claim, Finding, Trouble, expected_number};
use crate::runs::{self, Run, run_plan};
use crate::swept::{Setting, Swept, SweptPoint};
use crate::tolerance::{compare, round};
use crate::ways::Way;
use fairwire_core::{Bytes, Instant, Span};
use fairwire_plan::{Detail, FlowPlan, LawSample};
use fairwire_results::Figure;
use fairwire_scenario::Scenario;
use serde_json::{Value, json};

/// Close enough in any case.
const BAND: f64 = 0.05;
/// For so many laps.
const HOLD_LAPS: f64 = 10.0;

struct Convergence {
    /// From the last flow's start until every limit is within its band and stays for ten laps.
    limits_ms: f64,
    /// The same for throughput in windows of T.
    throughput_ms: f64,
    /// The widest band among the limits: how far they stray in the steady state.
    stray: f64,
    /// T.
    lap_ms: f64,
    /// Mean shares in the second half of each phase.
    phases: Vec<Vec<f64>>,
    /// Throughput around the last start, without a title.
    drawn: Figure,
}

/// A queue that holds ten packets, to tell what the queues have to do with it.
const SHORT_QUEUE: Bytes = Bytes::new(10_000);

fn converge(scenario: &Scenario, buffer: Option<Bytes>, way: Way) -> Result<Convergence, Trouble> {
    let dvsr = way.law("")?;
    let mut plan = scenario.with_law(dvsr.clone()).ring_plan(0).ok_or("the scenario is not a ring")?;
    plan.detail = Detail::Full;
    plan.transit.buffer = buffer.unwrap_or(plan.transit.buffer);
    let run = run_plan(plan, &dvsr)?;
    let lap_ms = run.plan.links[1].iter().map(|link| link.delay).sum::<Span>().as_secs_f64() * 1e3;
    let starts: Vec<Instant> = run.plan.flows.iter().map(|flow| flow.start).collect();
    let event = *starts.last().ok_or("no flows")?;
    let limits: Vec<Settling> =
        run.plan.flows.iter().map(|flow| settling(&limit_signal(&run, flow, event), lap_ms)).collect();
    let throughputs =
        (0..run.plan.flows.len()).map(|flow| settling(&throughput_signal(&run, flow, event, lap_ms), lap_ms));
    Ok(Convergence {
        limits_ms: limits.iter().map(|limit| limit.at_ms).fold(0.0, f64::max),
        throughput_ms: throughputs.map(|throughput| throughput.at_ms).fold(0.0, f64::max),
        stray: limits.iter().map(|limit| limit.band).fold(0.0, f64::max),
        lap_ms,
        phases: phases(&run, &starts),
        drawn: super::rpr_convergence::around(&run, event),
    })
}

/// Fig. 20's sweep where the law is this one, with these parameters (TOML lines): one point.
pub(super) fn under(law: &str, parameters: &str) -> Result<Swept, Trouble> {
    let given = parameters.lines().filter_map(|line| line.split_once('='));
    let given: Vec<(String, &str)> =
        given.map(|(name, value)| (format!("ring.law.{}", name.trim()), value.trim())).collect();
    let mut settings: Vec<Setting<'_>> = vec![("ring.law.name", law)];
    settings.extend(given.iter().map(|(key, value)| (key.as_str(), *value)));
    Swept::of(&runs::convergence()?, &settings)
}

/// When every rate stays within 5 % of its fair rate after the last start, in ms, as the sweep measures it; none if never.
pub(super) fn time_to_fair_ms(point: SweptPoint<'_>) -> Result<Option<f64>, Trouble> {
    Ok(point.estimate("time-to-fair.5%_ns")?.mean.map(|ns| ns / 1e6))
}

/// When the limits that DVSR sets have settled after the last start, in ms.
pub(super) fn limits_settle_ms(way: Way) -> Result<f64, Trouble> {
    Ok(converge(&short_ring(way)?.0, None, way)?.limits_ms)
}

/// The ring of Fig. 20 under DVSR, and its time to fair in ms.
fn short_ring(way: Way) -> Result<(Scenario, Option<f64>), Trouble> {
    let swept = under("dvsr", &way.parameters(""))?;
    let point = swept.point(&[])?;
    Ok((point.scenario()?, time_to_fair_ms(point)?))
}

/// When a signal settles, and how far it strays from its mean in the second half.
pub(super) struct Settling {
    pub at_ms: f64,
    pub band: f64,
}

/// `signal` holds (time since the event in ms, value), in order.
pub(super) fn settling(signal: &[(f64, f64)], lap_ms: f64) -> Settling {
    let late = &signal[signal.len() / 2..];
    let mean = late.iter().map(|(_, value)| value).sum::<f64>() / late.len() as f64;
    let off = |(_, value): &(f64, f64)| (value - mean).abs() / mean;
    let band = late.iter().map(off).fold(BAND, f64::max);
    let stays = |&(from, _): &(f64, f64)| {
        let ahead = signal.iter().filter(|(at, _)| (from..from + HOLD_LAPS * lap_ms).contains(at));
        ahead.map(off).all(|off| off <= band)
    };
    let settled = signal.iter().find(|point| stays(point));
    Settling { at_ms: settled.map_or(f64::INFINITY, |(at, _)| *at), band }
}

/// The limit that DVSR sets for `flow`.
fn limit_signal(run: &Run, flow: &FlowPlan, event: Instant) -> Vec<(f64, f64)> {
    let mine = |sample: &&LawSample| {
        sample.name == "allowed_rate_bps" && sample.station == flow.from && sample.about == flow.to && sample.t >= event
    };
    run.record.laws.iter().filter(mine).map(|sample| (ms(sample.t, event), sample.value)).collect()
}

/// Throughput in windows of T, each at its end.
pub(super) fn throughput_signal(run: &Run, flow: usize, event: Instant, lap_ms: f64) -> Vec<(f64, f64)> {
    let row_ms = run.record.window.as_secs_f64() * 1e3;
    let width = (lap_ms / row_ms).round().max(1.0) as usize;
    let first = (event.as_nanos() / run.record.window.as_nanos()) as usize;
    let windows = run.record.flows[flow].delivered_bytes[first..].windows(width).enumerate();
    windows.map(|(at, rows)| ((at + width) as f64 * row_ms, rows.iter().map(|&bytes| f64::from(bytes)).sum())).collect()
}

fn ms(at: Instant, event: Instant) -> f64 {
    at.since(event).as_secs_f64() * 1e3
}

/// Mean shares in the second half of each phase between two starts (the last lasts as long as the others).
fn phases(run: &Run, starts: &[Instant]) -> Vec<Vec<f64>> {
    let gap = starts[1].since(starts[0]);
    let phase = |active: usize| {
        let begin = starts[active] + Span::from_nanos(gap.as_nanos() / 2);
        (0..=active).map(|flow| round(run.share_between(flow, begin, starts[active] + gap))).collect()
    };
    (0..starts.len()).map(phase).collect()
}

/// Fig. 20(a).
pub fn two_ring_times(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let (scenario, fair_ms) = short_ring(way)?;
    let found = converge(&scenario, None, way)?;
    let short_queues = converge(&scenario, Some(SHORT_QUEUE), way)?;
    let expected = expected_number(claim, "convergence_ms")?;
    let in_time = compare(claim, &[found.throughput_ms], &[expected]).holds;
    let phases_right = phases_match(claim, &found.phases);
    let measured = json!({
        "convergence_ms": round(found.throughput_ms),
        "limits_ms": round(found.limits_ms),
        "T_ms": round(found.lap_ms),
        "shares_by_phase": found.phases,
        "time_to_fair_5_percent_ms": fair_ms.map(round),
    });
    let note = format!(
        "from the fourth start until throughput in windows of T is, for ten laps, as close to its final mean as in the \
         steady state. The limits that DVSR sets are there after {} ms, two frames (they stray by {:.1} % for ever: a \
         window holds 19 packets of a flow); throughput follows later, because what the four sent too much meanwhile \
         stands in the last link's queue and leaves it in the order it came: with queues of {} it takes {} ms",
        round(found.limits_ms),
        found.stray * 100.0,
        SHORT_QUEUE,
        round(short_queues.throughput_ms)
    );
    let title = drawn::title(claim, "throughput under DVSR when a fourth flow starts");
    let figure = Figure { title, ..found.drawn }.at_place("the paper, settled after", expected);
    Ok(Finding::new(measured, in_time && phases_right, note).drawn(figure))
}

fn phases_match(claim: &Claim, phases: &[Vec<f64>]) -> bool {
    let expected = claim.expected.get("derived_shares_by_phase").and_then(|value| value.as_array());
    expected.is_some_and(|expected| {
        expected.len() == phases.len()
            && expected.iter().zip(phases).all(|(expected, phase)| {
                let numbers =
                    expected.as_array().map(|list| list.iter().filter_map(toml::Value::as_float).collect::<Vec<_>>());
                numbers.is_some_and(|numbers| {
                    numbers.len() == phase.len() && numbers.iter().zip(phase).all(|(x, y)| (x - y).abs() <= 0.02 * x)
                })
            })
    })
}

/// Ten times the delay: about 22 ms, a little over 2 T.
pub fn ten_times_the_delay(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let short = converge(&short_ring(way)?.0, None, way)?;
    let long = converge(&runs::convergence_long_ring()?, None, way)?;
    let short_queues = converge(&runs::convergence_long_ring()?, Some(SHORT_QUEUE), way)?;
    let expected = expected_number(claim, "convergence_ms")?;
    let in_time = compare(claim, &[long.throughput_ms], &[expected]).holds;
    let in_laps = |found: &Convergence| found.limits_ms / found.lap_ms;
    // Linear: the limits take as many laps on the long ring as on the short one, give or take
    // one, since the event may fall anywhere in a lap.
    let linear = (in_laps(&long) - in_laps(&short)).abs() <= 1.0;
    let measured: Value = json!({
        "convergence_ms": round(long.throughput_ms),
        "limits_ms": round(long.limits_ms),
        "T_ms": round(long.lap_ms),
        "limits_laps": round(in_laps(&long)),
        "limits_laps_on_the_short_ring": round(in_laps(&short)),
    });
    let note = format!(
        "measured as Fig. 20(a). The limits are there after {} ms, as many laps as on the short ring; throughput waits \
         for the queue that ten times the feedback delay has filled: with queues of {} it takes {} ms",
        round(long.limits_ms),
        SHORT_QUEUE,
        round(short_queues.throughput_ms)
    );
    let title = drawn::title(claim, "throughput under DVSR on a ring ten times as long");
    let figure = Figure { title, ..long.drawn }.at_place("the paper, settled after", expected);
    Ok(Finding::new(measured, in_time && linear, note).drawn(figure))
}
