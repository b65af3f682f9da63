//! Run records from a fluid that swings towards given rates: for looking at
//! reports and for testing what reads records, not for learning about laws.

use fairwire_core::{Bytes, Instant, Ringlet, StationId};
use fairwire_sim::{DelaySummary, FlowPlan, FlowRecord, LawSample, LinkRecord, RingPlan, RunRecord};

/// How the fluid behaves.
pub struct Fluid<'a> {
    /// Where each flow's rate ends up, bit/s.
    pub targets_bps: &'a [f64],
    /// Time constant of the approach.
    pub tau_s: f64,
    /// Length of one swing during the approach.
    pub swing_s: f64,
    /// Part of the packets that the ring drops.
    pub loss: f64,
    /// Whether queues stay full after the approach.
    pub standing_queue: bool,
    /// The fair rate that the law shows at each link of ringlet 0, as a part of capacity; empty for none.
    pub shown: &'a [f64],
}

/// One run of `plan`, without any randomness.
pub fn record(plan: &RingPlan, fluid: &Fluid<'_>) -> RunRecord {
    let rows = plan.duration.as_nanos().div_ceil(plan.window.as_nanos()) as usize;
    let flows: Vec<_> =
        plan.flows.iter().enumerate().map(|(at, flow)| flow_record(plan, fluid, flow, at, rows)).collect();
    let links = links(plan, fluid, &flows, rows);
    let packet_hops = links.iter().flat_map(|link| &link.sent_bytes).map(|&bytes| u64::from(bytes) / 1000).sum();
    RunRecord {
        duration: plan.duration,
        warmup: plan.warmup,
        window: plan.window,
        flows,
        links,
        laws: laws(plan, fluid),
        packet_hops,
        control_hops: 10 * plan.duration.as_nanos() / 1_000_000,
        violations: Vec::new(),
    }
}

/// 1 at the end, far from it at the beginning.
fn approach(fluid: &Fluid<'_>, since_s: f64, at: usize) -> f64 {
    let start = if at % 2 == 0 { -0.9 } else { 1.1 };
    let swing = (since_s / fluid.swing_s * std::f64::consts::TAU).cos();
    (1.0 + start * (-since_s / fluid.tau_s).exp() * swing).max(0.0)
}

fn flow_record(plan: &RingPlan, fluid: &Fluid<'_>, flow: &FlowPlan, at: usize, rows: usize) -> FlowRecord {
    let packet = u64::from(flow.traffic.packet_bytes);
    let row_s = plan.window.as_secs_f64();
    let (mut credit, mut delivered_bytes) = (0.0, Vec::with_capacity(rows));
    for row in 0..rows {
        let now_s = (row as f64 + 0.5) * row_s;
        let active = now_s >= flow.start.as_secs_f64() && now_s < flow.stop.as_secs_f64();
        let since_s = now_s - flow.start.as_secs_f64();
        // A slow wave keeps lines from lying exactly on each other.
        let wave = 1.0 + 0.012 * (now_s * 40.0 + at as f64).sin();
        let rate = if active { fluid.targets_bps[at] * approach(fluid, since_s, at) * wave } else { 0.0 };
        credit += rate * row_s / 8.0 / packet as f64;
        let packets = f64::floor(credit);
        credit -= packets;
        delivered_bytes.push((packets as u64 * packet) as u32);
    }
    let measured_bytes: u64 = delivered_bytes.iter().map(|&bytes| u64::from(bytes)).sum();
    let delivered = measured_bytes / packet;
    let dropped = (delivered as f64 * fluid.loss / (1.0 - fluid.loss)) as u64;
    let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), plan.stations.len()) as u64;
    let base_ns = hops * 113_000;
    FlowRecord {
        offered: delivered + dropped + delivered / 3,
        refused: delivered / 3,
        entered: delivered + dropped,
        dropped,
        delivered,
        measured_entered: delivered + dropped,
        measured_dropped: dropped,
        measured_bytes,
        delivered_bytes,
        delay: DelaySummary {
            count: delivered,
            mean_ns: base_ns as f64 * 1.3,
            p50_ns: base_ns * 5 / 4,
            p95_ns: base_ns * 3,
            p99_ns: base_ns * 7 / 2,
            max_ns: base_ns * 5,
        },
    }
}

fn links(plan: &RingPlan, fluid: &Fluid<'_>, flows: &[FlowRecord], rows: usize) -> Vec<LinkRecord> {
    let stations = plan.stations.len();
    let mut links = Vec::new();
    for ringlet in Ringlet::BOTH {
        for station in 0..stations {
            let crosses = |flow: &FlowPlan| {
                let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), stations);
                flow.ringlet == ringlet && flow.ringlet.hops(flow.from.index(), station, stations) < hops
            };
            let here: Vec<_> =
                plan.flows.iter().zip(flows).filter(|(flow, _)| crosses(flow)).map(|(_, record)| record).collect();
            if !here.is_empty() {
                links.push(link(plan, fluid, ringlet, station, &here, rows));
            }
        }
    }
    links
}

fn link(
    plan: &RingPlan,
    fluid: &Fluid<'_>,
    ringlet: Ringlet,
    station: usize,
    here: &[&FlowRecord],
    rows: usize,
) -> LinkRecord {
    let sent_bytes: Vec<u32> = (0..rows).map(|row| here.iter().map(|flow| flow.delivered_bytes[row]).sum()).collect();
    let room = plan.links[ringlet.index()][station].capacity.as_bps_f64() * plan.window.as_secs_f64() / 8.0;
    let buffer = plan.transit.buffer.get() as f64;
    let deepest_bytes: Vec<u32> = sent_bytes
        .iter()
        .enumerate()
        .map(|(row, &bytes)| {
            let since_s = row as f64 * plan.window.as_secs_f64();
            let busy = (f64::from(bytes) / room).min(1.0);
            let burst = buffer * 0.5 * busy * (-since_s / (3.0 * fluid.tau_s)).exp();
            let noise = 3_000.0 * busy * (1.0 + ((row * 7919 + station * 31) % 101) as f64 / 50.0);
            let standing = if fluid.standing_queue && busy > 0.9 { buffer * 0.9 } else { 0.0 };
            (burst + noise + standing).min(buffer) as u32
        })
        .collect();
    LinkRecord {
        ringlet,
        station: StationId(station as u16),
        measured_bytes: sent_bytes.iter().map(|&bytes| u64::from(bytes)).sum(),
        dropped: here.iter().map(|flow| flow.dropped).sum::<u64>() / 4,
        deepest: Bytes::new(deepest_bytes.iter().copied().max().unwrap_or(0).into()),
        waiting_bytes: deepest_bytes.iter().map(|&bytes| bytes / 2).collect(),
        deepest_bytes,
        sent_bytes,
    }
}

/// A fair rate a link and a millisecond.
fn laws(plan: &RingPlan, fluid: &Fluid<'_>) -> Vec<LawSample> {
    let mut samples = Vec::new();
    for (station, &part) in fluid.shown.iter().enumerate() {
        let capacity = plan.links[0][station].capacity.as_bps_f64();
        for ms in 0..plan.duration.as_nanos() / 1_000_000 {
            let t = Instant::from_nanos(ms * 1_000_000 + station as u64 * 100_000);
            let value = part + (1.0 - part) * (-t.as_secs_f64() / fluid.tau_s).exp();
            let station = StationId(station as u16);
            samples.push(LawSample {
                t,
                ringlet: Ringlet::Zero,
                station,
                name: "fair_rate_bps",
                about: station,
                value: value * capacity,
            });
        }
    }
    samples
}
