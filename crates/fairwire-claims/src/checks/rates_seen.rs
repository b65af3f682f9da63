//! What a run shows of rates over time, for checks that look at swings and settling.

use super::Trouble;
use crate::runs::{self, Run, law};
use fairwire_core::{BitRate, Instant, Span, StationId};
use fairwire_plan::{Arrivals, Detail, FlowPlan, Offer, RingPlan, Traffic};
use fairwire_scenario::Scenario;
use std::sync::Arc;

/// The plan of `scenario` under a law given by name and parameters, everything recorded.
pub(super) fn plan_under(scenario: &Scenario, name: &str, parameters: &str) -> Result<RingPlan, Trouble> {
    let law = law(name, parameters)?;
    let mut plan = scenario.with_law(law).ring_plan(0).ok_or("the scenario is not a ring")?;
    plan.detail = Detail::Full;
    Ok(plan)
}

/// Short rows, so that every aging interval of 0.1 ms shows what a law decides: a row keeps one value of a kind.
pub(super) fn finely(plan: &mut RingPlan) {
    plan.window = Span::from_micros(100);
}

/// Ends a run after `duration`, and no flow before.
pub(super) fn lasting(plan: &mut RingPlan, duration: Span) {
    plan.duration = duration;
    plan.flows.iter_mut().for_each(|flow| flow.stop = Instant::ZERO + duration);
}

/// Runs a plan under a law given by name and parameters.
pub(super) fn run_under(plan: RingPlan, name: &str, parameters: &str) -> Result<Arc<Run>, Trouble> {
    runs::run_plan(plan, &law(name, parameters)?)
}

/// A flow of constant rate, in all else like `model`.
pub(super) fn constant(model: &FlowPlan, ends: (u16, u16), mbps: f64, packet_bytes: u16) -> FlowPlan {
    let (from, to) = ends;
    let arrivals = Arrivals::Cbr { rate: BitRate::from_bps_f64(mbps * 1e6), jitter: 0.0 };
    let size_jitter = model.offer.datagrams().map_or(0.0, |traffic| traffic.size_jitter);
    let offer = Offer::Datagrams(Traffic { arrivals, packet_bytes, size_jitter });
    FlowPlan { name: format!("{from}-{to}"), from: StationId(from), to: StationId(to), offer, ..model.clone() }
}

/// Sizes that vary by ± `part`.
pub(super) fn vary_sizes(plan: &mut RingPlan, part: f64) {
    runs::datagrams(plan).for_each(|traffic| traffic.size_jitter = part);
}

/// A flow's throughput as a part of capacity, in windows of `width` (whole rows) that end in `[from, to)`.
pub(super) fn windowed(run: &Run, flow: usize, width: Span, from: Instant, to: Instant) -> Vec<f64> {
    let row = run.record.window;
    let rows = (width.as_nanos() / row.as_nanos()).max(1) as usize;
    let index = |at: Instant| (at.as_nanos() / row.as_nanos()) as usize;
    let room = run.capacity() * row.as_secs_f64() * rows as f64 / 8.0;
    let delivered = &run.record.flows[flow].delivered_bytes;
    let begin = (index(from) + 1).saturating_sub(rows);
    let rows_of = &delivered[begin..index(to).min(delivered.len())];
    rows_of.windows(rows).map(|rows| rows.iter().map(|&bytes| f64::from(bytes)).sum::<f64>() / room).collect()
}

/// What a law shows at a station about itself or an egress, from `from` on.
pub(super) fn shown(run: &Run, name: &str, station: u16, about: u16, from: Instant) -> Vec<(Instant, f64)> {
    let of = run.record.laws.iter().filter(|sample| {
        sample.name == name
            && sample.station == StationId(station)
            && sample.about == StationId(about)
            && sample.ringlet == fairwire_core::Ringlet::Zero
            && sample.t >= from
    });
    of.map(|sample| (sample.t, sample.value)).collect()
}

/// What a flow's station allows it, as a part of capacity, from `from` on.
pub(super) fn allowed(run: &Run, flow: usize, from: Instant) -> Vec<f64> {
    let plan = &run.plan.flows[flow];
    let capacity = run.capacity();
    shown(run, "allowed_rate_bps", plan.from.0, plan.to.0, from).into_iter().map(|(_, bps)| bps / capacity).collect()
}

/// Largest less smallest.
pub(super) fn range(values: &[f64]) -> f64 {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    if values.is_empty() { 0.0 } else { high - low }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

pub(super) fn standard_deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64).sqrt()
}

/// `ms` milliseconds into the run.
pub(super) fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}
