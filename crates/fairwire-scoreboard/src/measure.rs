//! One run in the numbers of the scoreboard; `docs/measures.md` defines them.

use crate::Rates;
use fairwire_core::{Instant, Span};
use fairwire_plan::{FlowPlan, FlowRecord, RingPlan, RunRecord};
use fairwire_results::measures::{
    Reference, WindowedRate, fair_window, longest_unfair, oscillation_range, percentile, time_to_fair,
};
use serde::{Deserialize, Serialize};

/// What one law did on one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Largest over the flows of: distance of the mean rate from the fair rate, over the fair rate.
    pub largest_error: f64,
    /// 95th percentile of the same over the flows.
    pub p95_error: f64,
    /// Laps until all flows are within 5 % for good; none if never.
    pub laps_to_fair_5: Option<f64>,
    /// Laps until all flows are within 1 % for good; none if never.
    pub laps_to_fair_1: Option<f64>,
    /// Lasting oscillation: largest over the flows of the swing in the last third, over the fair rate.
    pub swing: f64,
    /// What the links carried too little, over what they carry at fair rates.
    pub utilisation_lost: f64,
    /// Packets dropped on the ring over packets that entered it, after the warm-up.
    pub transit_loss: f64,
    /// Median of the delay beyond propagation in laps, mean over the flows that get what they ask for.
    pub delay_p50_laps: Option<f64>,
    /// The 95th percentile of the same.
    pub delay_p95_laps: Option<f64>,
    /// The 99th percentile of the same.
    pub delay_p99_laps: Option<f64>,
    /// Control bits over what the links could have carried.
    pub control: f64,
}

/// Packets of a window that say nothing about the law: one more or less at
/// either end of the range.
const UNEXPLAINED_PACKETS: f64 = 2.0;

/// A flow's plan, record and reference side by side.
struct Followed<'a> {
    plan: &'a FlowPlan,
    record: &'a FlowRecord,
    reference: Reference,
    series: WindowedRate,
    /// Mean rate after the warm-up.
    rate_bps: f64,
    /// Links it crosses, by the station that each leaves.
    route: Vec<usize>,
}

/// Measures a run against the fair rates.
pub fn measure(plan: &RingPlan, record: &RunRecord, rates: &Rates) -> Measured {
    let lap = plan.lap();
    let flows = follow(plan, record, rates);
    let mut errors: Vec<f64> = flows.iter().filter_map(|flow| flow.reference.error(flow.rate_bps)).collect();
    errors.sort_by(f64::total_cmp);
    let delay = |percentile: fn(&FlowRecord) -> u64| mean_delay_laps(plan, &flows, lap, percentile);
    let entered: u64 = record.flows.iter().map(|flow| flow.measured_entered).sum();
    let dropped: u64 = record.flows.iter().map(|flow| flow.measured_dropped).sum();
    Measured {
        largest_error: errors.last().copied().unwrap_or(0.0),
        p95_error: percentile(&errors, 0.95).unwrap_or(0.0),
        laps_to_fair_5: laps_to_fair(plan, record, &flows, 0.05, Instant::ZERO),
        laps_to_fair_1: laps_to_fair(plan, record, &flows, 0.01, Instant::ZERO),
        swing: swing(plan, record, &flows),
        utilisation_lost: utilisation_lost(plan, &flows),
        transit_loss: part(dropped as f64, entered as f64),
        delay_p50_laps: delay(|flow| flow.delay.p50_ns),
        delay_p95_laps: delay(|flow| flow.delay.p95_ns),
        delay_p99_laps: delay(|flow| flow.delay.p99_ns),
        control: control(plan, record),
    }
}

fn follow<'a>(plan: &'a RingPlan, record: &'a RunRecord, rates: &Rates) -> Vec<Followed<'a>> {
    let measured_s = (record.duration - record.warmup).as_secs_f64();
    let stations = plan.stations.len();
    let pairs = plan.flows.iter().zip(&record.flows).enumerate();
    pairs
        .map(|(index, (flow, delivered))| {
            let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), stations);
            let next = |&at: &usize| Some(flow.ringlet.downstream(at, stations));
            Followed {
                plan: flow,
                record: delivered,
                reference: rates.reference(index),
                series: WindowedRate::new(&delivered.delivered_bytes, record.window, record.duration),
                rate_bps: part(delivered.measured_bytes as f64 * 8.0, measured_s),
                route: std::iter::successors(Some(flow.from.index()), next).take(hops).collect(),
            }
        })
        .collect()
}

fn window_rows(plan: &RingPlan, record: &RunRecord, flows: &[Followed<'_>], within: f64) -> usize {
    let references = flows.iter().map(|flow| (flow.reference, flow.plan.offer.packet_bytes()));
    fair_window(references, within, plan.lap(), record.window).rows
}

/// Laps from `event` until all flows are within so much of their fair rates for good; none if never.
pub(crate) fn laps_to_fair_after(
    plan: &RingPlan,
    record: &RunRecord,
    rates: &Rates,
    within: f64,
    event: Instant,
) -> Option<f64> {
    laps_to_fair(plan, record, &follow(plan, record, rates), within, event)
}

/// Once all flows have been within so much of their fair rates after `event`: the longest time, in laps, for which some flow was
/// not; none if they never are.
pub(crate) fn longest_unfair_laps(
    plan: &RingPlan,
    record: &RunRecord,
    rates: &Rates,
    within: f64,
    event: Instant,
) -> Option<f64> {
    let flows = follow(plan, record, rates);
    let rows = window_rows(plan, record, &flows, within);
    let time = longest_unfair(&judged(&flows), within, rows, event)?;
    Some(time.as_secs_f64() / plan.lap().as_secs_f64())
}

fn judged<'a>(flows: &'a [Followed<'_>]) -> Vec<(&'a WindowedRate, Reference)> {
    flows.iter().map(|flow| (&flow.series, flow.reference)).collect()
}

fn laps_to_fair(
    plan: &RingPlan,
    record: &RunRecord,
    flows: &[Followed<'_>],
    within: f64,
    event: Instant,
) -> Option<f64> {
    let rows = window_rows(plan, record, flows, within);
    let time = time_to_fair(&judged(flows), within, rows, event)?;
    Some(time.as_secs_f64() / plan.lap().as_secs_f64())
}

/// Largest over the flows of: range of the windowed rate in the last third of the
/// run, less two packets a window, over the fair rate. The window is that of the
/// time to fair at 5 %.
fn swing(plan: &RingPlan, record: &RunRecord, flows: &[Followed<'_>]) -> f64 {
    let rows = window_rows(plan, record, flows, 0.05);
    let window_s = (record.window * rows as u64).as_secs_f64();
    let from = Instant::from_nanos(record.duration.as_nanos() / 3 * 2);
    let swings = flows.iter().filter(|flow| flow.reference.exists()).map(|flow| {
        let range_bps = oscillation_range(&flow.series, rows, from, Instant::NEVER);
        let unexplained_bps = UNEXPLAINED_PACKETS * f64::from(flow.plan.offer.packet_bytes()) * 8.0 / window_s;
        (range_bps - unexplained_bps).max(0.0) / flow.reference.rate_bps
    });
    swings.fold(0.0, f64::max)
}

/// Shortfall of every link against its load at fair rates, over the sum of those loads.
fn utilisation_lost(plan: &RingPlan, flows: &[Followed<'_>]) -> f64 {
    let loads = |rate_bps: fn(&Followed<'_>) -> f64| {
        let mut loads = [vec![0.0; plan.stations.len()], vec![0.0; plan.stations.len()]];
        for flow in flows {
            for &link in &flow.route {
                loads[flow.plan.ringlet.index()][link] += rate_bps(flow);
            }
        }
        loads.concat()
    };
    let (fair, carried) = (loads(|flow| flow.reference.rate_bps), loads(|flow| flow.rate_bps));
    let missing: f64 = fair.iter().zip(&carried).map(|(fair, carried)| (fair - carried).max(0.0)).sum();
    part(missing, fair.iter().sum())
}

/// Mean over the flows whose own queue need not grow. One that offers more than
/// its fair rate waits in its own full buffer, whatever the law.
fn mean_delay_laps(
    plan: &RingPlan,
    flows: &[Followed<'_>],
    lap: Span,
    percentile_ns: fn(&FlowRecord) -> u64,
) -> Option<f64> {
    let content = flows.iter().filter(|flow| {
        let offered = flow.plan.offer.mean_rate();
        let gets_all = offered.is_some_and(|rate| rate.as_bps_f64() <= flow.reference.low_bps * (1.0 + 1e-6));
        flow.record.delay.count > 0 && (flow.plan.offer.is_greedy() || gets_all)
    });
    let delays: Vec<f64> = content
        .map(|flow| {
            let links = &plan.links[flow.plan.ringlet.index()];
            let propagation: Span = flow.route.iter().map(|&link| links[link].delay).sum();
            let beyond_ns = percentile_ns(flow.record) as f64 - propagation.as_nanos() as f64;
            beyond_ns.max(0.0) / lap.as_nanos() as f64
        })
        .collect();
    (!delays.is_empty()).then(|| delays.iter().sum::<f64>() / delays.len() as f64)
}

/// Over the links that carried anything.
fn control(plan: &RingPlan, record: &RunRecord) -> f64 {
    let sent: u64 = record.links.iter().map(|link| link.control_bytes).sum();
    let capacities = record.links.iter().filter_map(|link| plan.links[link.ringlet.index()].get(link.station.index()));
    let room_bits: f64 = capacities.map(|link| link.capacity.as_bps_f64()).sum::<f64>() * record.duration.as_secs_f64();
    part(sent as f64 * 8.0, room_bits)
}

fn part(some: f64, all: f64) -> f64 {
    if all > 0.0 { some / all } else { 0.0 }
}
