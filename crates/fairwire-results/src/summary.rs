//! One run in numbers.

use crate::measures::{
    EventSummary, FairWindow, Reference, WindowedRate, fair_window, oscillation_range, settling_time, time_to_fair,
};
use crate::ring::{active_after, lap_time, last_event, link_name, route_capacity};
use fairwire_alloc::{Allocation, jain_index};
use fairwire_core::Instant;
use fairwire_sim::{FlowPlan, FlowRecord, RingPlan, RunRecord};
use serde::Serialize;

/// The tolerances for which the time to fair is told.
const TOLERANCES: [f64; 2] = [0.05, 0.01];

/// What a summary is made of.
#[derive(Clone, Copy, Debug)]
pub struct SummaryInput<'a> {
    /// What was run.
    pub plan: &'a RingPlan,
    /// What the run left behind.
    pub record: &'a RunRecord,
    /// The fair rates, one a flow in the order of the plan.
    pub allocation: &'a Allocation,
    /// The law that ran.
    pub law: &'a str,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// How long the run took on this machine, in seconds.
    pub wall_s: f64,
}

/// One run in numbers; as JSON one element of `"runs"` in the answer of `fairwire run`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// The law that ran.
    pub law: String,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// The criterion behind the fair rates.
    pub criterion: String,
    /// Flows in the order they were declared.
    pub flows: Vec<FlowSummary>,
    /// Time to fair at 5 % and at 1 %.
    pub time_to_fair: Vec<TimeToFair>,
    /// When the rates became steady, fair or not.
    pub settling: Settling,
    /// The event from which the two times above count: the last start or stop of a flow.
    pub event_ns: u64,
    /// Largest over the flows of: range of the windowed rate after the warm-up over the capacity of its route.
    pub oscillation: f64,
    /// Jain's index of the flows' ratios.
    pub jain: f64,
    /// Part of the busiest link's capacity that was used after the warm-up.
    pub utilisation: f64,
    /// The busiest link, for example `r0:4`; none where nothing was sent.
    pub busiest_link: Option<String>,
    /// What each event cost a protected ring; empty without events. The fair rates
    /// and times above are those of the intact ring, as if nothing had happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protection: Vec<EventSummary>,
    /// Packets sent over one link each, data and control.
    pub packet_hops: u64,
    /// Of these, control frames.
    pub control_hops: u64,
    /// Broken invariants, in words.
    pub violations: Vec<String>,
    /// How long the run took on this machine, in seconds.
    pub wall_s: f64,
}

/// One flow in numbers. Rates, losses and delays are those after the warm-up,
/// packet counts those of the whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowSummary {
    /// The flow's name.
    pub id: String,
    /// Mean rate delivered.
    pub rate_bps: f64,
    /// The reference rate.
    pub fair_rate_bps: f64,
    /// Smallest fair rate.
    pub fair_rate_low_bps: f64,
    /// Largest fair rate.
    pub fair_rate_high_bps: f64,
    /// Rate over fair rate, 1 inside the interval of fair rates; none where the fair rate is 0.
    pub ratio: Option<f64>,
    /// Packets dropped on the ring over packets that entered it; 0 where none entered.
    pub loss: f64,
    /// Median of the delay from source to egress; none where nothing was delivered.
    pub delay_p50_ns: Option<u64>,
    /// 95th percentile of the delay.
    pub delay_p95_ns: Option<u64>,
    /// 99th percentile of the delay.
    pub delay_p99_ns: Option<u64>,
    /// Mean delay.
    pub delay_mean_ns: Option<f64>,
    /// Largest delay.
    pub delay_max_ns: Option<u64>,
    /// Range of the windowed rate after the warm-up over the capacity of the route.
    pub oscillation: f64,
    /// Packets that the source made.
    pub offered: u64,
    /// Of these, refused by a full station queue.
    pub refused: u64,
    /// Of these, let onto the ring.
    pub entered: u64,
    /// Of these, dropped on the ring.
    pub dropped: u64,
    /// Of these, delivered.
    pub delivered: u64,
}

/// When all flows were within a tolerance of their fair rates, for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeToFair {
    /// The tolerance: 0.05 is 5 %.
    pub within: f64,
    /// Length W of the window over which rates are averaged.
    pub window_ns: u64,
    /// From the event on; none if never.
    pub ns: Option<u64>,
}

/// When all rates were within 5 % of their final means, for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settling {
    /// Length of the window over which rates are averaged; that of time to fair at 5 %.
    pub window_ns: u64,
    /// From the event on; none if never.
    pub ns: Option<u64>,
}

/// Sums up one run, but for the events of a protected ring, which
/// [`crate::measures::event_summaries`] tells. The definitions are those of [`crate::measures`].
pub fn summarise(input: &SummaryInput<'_>) -> RunSummary {
    let SummaryInput { plan, record, allocation, .. } = *input;
    let followed = Followed::all(plan, record, allocation);
    let windows = TOLERANCES.map(|within| (within, window_of(plan, record, &followed, within)));
    let coarse = windows[0].1;
    let event = last_event(plan);
    let judged: Vec<_> = followed.iter().filter(|flow| active_after(flow.plan, event)).collect();
    let judged_rates: Vec<_> = judged.iter().map(|flow| (&flow.series, flow.reference)).collect();
    let judged_series: Vec<_> = judged.iter().map(|flow| &flow.series).collect();

    let flows: Vec<_> = followed.iter().map(|flow| flow.summary(plan, record, coarse)).collect();
    let ratios: Vec<_> = flows.iter().filter_map(|flow| flow.ratio).collect();
    let (utilisation, busiest_link) = busiest_link(plan, record).unzip();
    RunSummary {
        law: input.law.to_owned(),
        seed: input.seed,
        run: input.run,
        criterion: allocation.criterion.to_string(),
        time_to_fair: windows
            .iter()
            .map(|&(within, window)| TimeToFair {
                within,
                window_ns: window.length.as_nanos(),
                ns: time_to_fair(&judged_rates, within, window.rows, event).map(|span| span.as_nanos()),
            })
            .collect(),
        settling: Settling {
            window_ns: coarse.length.as_nanos(),
            ns: settling_time(&judged_series, coarse.rows, event).map(|span| span.as_nanos()),
        },
        event_ns: event.as_nanos(),
        oscillation: flows.iter().map(|flow| flow.oscillation).fold(0.0, f64::max),
        jain: if ratios.iter().any(|ratio| *ratio > 0.0) { jain_index(&ratios) } else { f64::NAN },
        utilisation: utilisation.unwrap_or(0.0),
        busiest_link,
        protection: Vec::new(),
        packet_hops: record.packet_hops,
        control_hops: record.control_hops,
        violations: record.violations.clone(),
        wall_s: input.wall_s,
        flows,
    }
}

/// A flow's plan, record and reference side by side.
struct Followed<'a> {
    plan: &'a FlowPlan,
    record: &'a FlowRecord,
    reference: Reference,
    series: WindowedRate,
}

impl<'a> Followed<'a> {
    fn all(plan: &'a RingPlan, record: &'a RunRecord, allocation: &Allocation) -> Vec<Self> {
        let pairs = plan.flows.iter().zip(&record.flows).zip(&allocation.flows);
        pairs
            .map(|((plan, flow), fair)| Self {
                plan,
                record: flow,
                reference: Reference::from(fair),
                series: WindowedRate::new(&flow.delivered_bytes, record.window, record.duration),
            })
            .collect()
    }

    fn summary(&self, plan: &RingPlan, run: &RunRecord, window: FairWindow) -> FlowSummary {
        let record = self.record;
        let measured_s = (run.duration - run.warmup).as_secs_f64();
        let rate_bps = if measured_s > 0.0 { record.measured_bytes as f64 * 8.0 / measured_s } else { 0.0 };
        let delay = Some(record.delay).filter(|delay| delay.count > 0);
        FlowSummary {
            id: self.plan.name.clone(),
            rate_bps,
            fair_rate_bps: self.reference.rate_bps,
            fair_rate_low_bps: self.reference.low_bps,
            fair_rate_high_bps: self.reference.high_bps,
            ratio: self.reference.ratio(rate_bps),
            loss: part(record.measured_dropped, record.measured_entered),
            delay_p50_ns: delay.map(|delay| delay.p50_ns),
            delay_p95_ns: delay.map(|delay| delay.p95_ns),
            delay_p99_ns: delay.map(|delay| delay.p99_ns),
            delay_mean_ns: delay.map(|delay| delay.mean_ns),
            delay_max_ns: delay.map(|delay| delay.max_ns),
            oscillation: self.oscillation(plan, run, window),
            offered: record.offered,
            refused: record.refused,
            entered: record.entered,
            dropped: record.dropped,
            delivered: record.delivered,
        }
    }

    /// Only while the flow offers traffic: silence before and after is no swing.
    fn oscillation(&self, plan: &RingPlan, run: &RunRecord, window: FairWindow) -> f64 {
        let from = self.plan.start.max(Instant::ZERO + run.warmup);
        let range_bps = oscillation_range(&self.series, window.rows, from, self.plan.stop);
        let capacity_bps = route_capacity(plan, self.plan).as_bps_f64();
        if capacity_bps > 0.0 { range_bps / capacity_bps } else { 0.0 }
    }
}

fn window_of(plan: &RingPlan, record: &RunRecord, flows: &[Followed<'_>], within: f64) -> FairWindow {
    let references = flows.iter().map(|flow| (flow.reference, flow.plan.traffic.packet_bytes));
    fair_window(references, within, lap_time(plan), record.window)
}

/// The used part of the busiest link's capacity, and the link.
fn busiest_link(plan: &RingPlan, record: &RunRecord) -> Option<(f64, String)> {
    let measured_s = (record.duration - record.warmup).as_secs_f64();
    let used = record.links.iter().filter_map(|link| {
        let capacity = plan.links[link.ringlet.index()].get(link.station.index())?.capacity;
        let room_bits = capacity.as_bps_f64() * measured_s;
        (room_bits > 0.0).then(|| (link.measured_bytes as f64 * 8.0 / room_bits, link))
    });
    used.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(used, link)| (used, link_name(link.ringlet, link.station)))
}

fn part(some: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { some as f64 / all as f64 }
}
