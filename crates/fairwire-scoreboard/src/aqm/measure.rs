//! One run in numbers; `docs/aqm.md` defines them.

use super::cases::BOTTLENECK;
use super::reference::{Reference, is_active};
use fairwire_alloc::jain_index;
use fairwire_core::{Instant, Span};
use fairwire_plan::{
    Arrivals, DelaySummary, NetworkFlowPlan, NetworkFlowRecord, NetworkLinkPlan, NetworkLinkRecord, NetworkPlan,
    NetworkRecord, Offer, Traffic, Work,
};
use fairwire_results::measures::{percentile, transfer_times_s};
use serde::{Deserialize, Serialize};

/// What one law did on one case with one seed, after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// All flows together: of datagrams what arrived, of TCP what was acknowledged in order.
    pub goodput_bps: f64,
    /// Bits sent over what the bottleneck could have sent; mean over the bottlenecks.
    pub utilisation: f64,
    /// Jain's index over windows of a second, of goodput over max-min fair rate; mean over the windows.
    pub jain: f64,
    /// Largest over bulk and stream flows of what goodput misses of the max-min fair rate.
    pub largest_shortfall: f64,
    /// Mean over them of the same.
    pub mean_shortfall: f64,
    /// Mean time in a bottleneck's queue; mean over the bottlenecks, as are the percentiles.
    pub queue_mean_ns: f64,
    /// Median time in the queue.
    pub queue_p50_ns: f64,
    /// 95th percentile.
    pub queue_p95_ns: f64,
    /// 99th percentile.
    pub queue_p99_ns: f64,
    /// Data packets dropped over data packets sent.
    pub loss: f64,
    /// Packets marked over packets that arrived at the bottlenecks, over the whole run.
    pub marked: f64,
    /// Flows of one name together.
    pub groups: Vec<Group>,
    /// Goodput of every flow, in the order of the scenario.
    pub flows_bps: Vec<f64>,
}

/// Flows of one table of the scenario, or of several that differ in a number only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Their name up to the first hyphen.
    pub name: String,
    /// All of them together.
    pub goodput_bps: f64,
    /// Goodput over max-min fair rate; of flows that are on and off by chance, over what they offered where all that is due.
    pub ratio: f64,
    /// Data packets dropped over data packets sent.
    pub loss: f64,
    /// Median of a packet's delay beyond what an idle network takes; mean over the flows by packets.
    pub delay_p50_ns: f64,
    /// 95th percentile of the same.
    pub delay_p95_ns: f64,
    /// 99th percentile of the same.
    pub delay_p99_ns: f64,
    /// How long transfers took, where there are any.
    pub transfers: Option<Transfers>,
}

/// Completion times of the transfers that began after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfers {
    /// Finished ones.
    pub finished: u64,
    /// Not finished at the end of the run, whenever they began.
    pub unfinished: u64,
    /// Mean completion time.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: f64,
    /// 95th percentile.
    pub p95_ns: f64,
}

/// Jain's index is taken over windows of this length.
const WINDOW: Span = Span::from_millis(1_000);

/// Measures a run against the max-min fair rates.
pub fn measure(plan: &NetworkPlan, record: &NetworkRecord, reference: &Reference) -> Measured {
    let time_s = (record.duration - record.warmup).as_secs_f64();
    let flows_bps: Vec<f64> = record.flows.iter().map(|flow| flow.measured_bytes as f64 * 8.0 / time_s).collect();
    let shortfalls = shortfalls(plan, record, reference);
    let bottlenecks: Vec<_> = plan.links.iter().zip(&record.links).filter(|(link, _)| is_bottleneck(link)).collect();
    let over = |value: &dyn Fn(&NetworkLinkPlan, &NetworkLinkRecord) -> f64| {
        mean(&bottlenecks.iter().map(|(link, record)| value(link, record)).collect::<Vec<_>>())
    };
    let arrived: u64 = bottlenecks.iter().map(|(_, record)| record.arrived).sum();
    let marked: u64 = bottlenecks.iter().map(|(_, record)| record.marked).sum();
    Measured {
        goodput_bps: flows_bps.iter().sum(),
        utilisation: over(&|link, sent| used(plan, link, sent)),
        jain: jain(plan, record, reference),
        largest_shortfall: shortfalls.iter().copied().fold(0.0, f64::max),
        mean_shortfall: mean(&shortfalls),
        queue_mean_ns: over(&|_, queue| queue.waiting.mean_ns),
        queue_p50_ns: over(&|_, queue| queue.waiting.p50_ns as f64),
        queue_p95_ns: over(&|_, queue| queue.waiting.p95_ns as f64),
        queue_p99_ns: over(&|_, queue| queue.waiting.p99_ns as f64),
        loss: loss(record.flows.iter()),
        marked: part(marked as f64, arrived as f64),
        groups: groups(plan, record, reference),
        flows_bps,
    }
}

/// Queues of the other direction hold acknowledgements, and data in one case only.
fn is_bottleneck(link: &NetworkLinkPlan) -> bool {
    link.name.starts_with(BOTTLENECK) && !link.name.ends_with("-back")
}

/// Whether a flow is compared with its fair rate: one that wants all it can get, or keeps a rate.
fn is_judged(flow: &NetworkFlowPlan) -> bool {
    match flow.offer {
        Offer::Datagrams(_) | Offer::Rate(_) => true,
        Offer::Tcp(tcp) => tcp.work == Work::Unlimited,
    }
}

/// The part of what the link could have sent after the warm-up, at most 1: a packet counts whole as soon as it is being sent.
fn used(plan: &NetworkPlan, link: &NetworkLinkPlan, record: &NetworkLinkRecord) -> f64 {
    let room_bits = link.mean_capacity_bps(plan.warmup, plan.duration) * (plan.duration - plan.warmup).as_secs_f64();
    part(record.measured_bytes as f64 * 8.0, room_bits).min(1.0)
}

/// Of every judged flow, over the whole measured time.
fn shortfalls(plan: &NetworkPlan, record: &NetworkRecord, reference: &Reference) -> Vec<f64> {
    let judged = (0..plan.flows.len()).filter(|&flow| is_judged(&plan.flows[flow]));
    let due = judged.map(|flow| (flow, due_bits(flow, plan, record, reference))).filter(|(_, bits)| *bits > 0.0);
    due.map(|(flow, bits)| (1.0 - record.flows[flow].measured_bytes as f64 * 8.0 / bits).max(0.0)).collect()
}

/// What a flow should have got over the whole measured time. One that is on and off by chance offers more or less than it was
/// expected to: where all that is due, it is due what it offered.
fn due_bits(flow: usize, plan: &NetworkPlan, record: &NetworkRecord, reference: &Reference) -> f64 {
    let fair = reference.bits(flow, Instant::ZERO + plan.warmup, Instant::ZERO + plan.duration);
    let Offer::Datagrams(traffic @ Traffic { arrivals: Arrivals::ParetoOnOff { .. }, .. }) = plan.flows[flow].offer
    else {
        return fair;
    };
    let offered = record.flows[flow].measured_sent as f64 * f64::from(traffic.packet_bytes) * 8.0;
    let micro_flows = f64::from(plan.flows[flow].micro_flows);
    let expected_bps = traffic.arrivals.mean_rate().map_or(f64::INFINITY, |rate| rate.as_bps_f64() * micro_flows);
    let expected = expected_bps * (plan.duration - plan.warmup).as_secs_f64();
    if fair >= expected * (1.0 - 1e-6) { offered } else { fair.min(offered) }
}

fn jain(plan: &NetworkPlan, record: &NetworkRecord, reference: &Reference) -> f64 {
    let rows = (WINDOW.as_nanos() / record.window.as_nanos().max(1)).max(1) as usize;
    let first = record.warmup.as_nanos().div_ceil(record.window.as_nanos().max(1)) as usize;
    let all = (record.duration.as_nanos() / record.window.as_nanos().max(1)) as usize;
    let windows = (first..all).step_by(rows).filter(|row| row + rows <= all);
    let indices: Vec<f64> = windows
        .filter_map(|row| {
            let from = Instant::ZERO + record.window * row as u64;
            let until = from + record.window * rows as u64;
            let ratios = (0..plan.flows.len()).filter(|&flow| is_judged(&plan.flows[flow]));
            let ratios = ratios.filter(|&flow| is_active(&plan.flows[flow], from, until)).flat_map(|flow| {
                let delivered = record.flows[flow].delivered_bytes.get(row..row + rows).unwrap_or_default();
                let bits = delivered.iter().map(|bytes| f64::from(*bytes) * 8.0).sum::<f64>();
                let ratio = part(bits, reference.bits(flow, from, until));
                std::iter::repeat_n(ratio, plan.flows[flow].micro_flows as usize)
            });
            let ratios: Vec<f64> = ratios.collect();
            (!ratios.is_empty()).then(|| jain_index(&ratios))
        })
        .collect();
    if indices.is_empty() { 1.0 } else { mean(&indices) }
}

fn groups(plan: &NetworkPlan, record: &NetworkRecord, reference: &Reference) -> Vec<Group> {
    let mut names: Vec<&str> = Vec::new();
    let name_of = |flow: usize| plan.flows[flow].name.split('-').next().unwrap_or_default();
    for flow in 0..plan.flows.len() {
        if !names.contains(&name_of(flow)) {
            names.push(name_of(flow));
        }
    }
    let members = |name: &str| (0..plan.flows.len()).filter(|&flow| name_of(flow) == name).collect::<Vec<_>>();
    names.into_iter().map(|name| group(name, &members(name), plan, record, reference)).collect()
}

fn group(name: &str, members: &[usize], plan: &NetworkPlan, record: &NetworkRecord, reference: &Reference) -> Group {
    let (from, until) = (Instant::ZERO + plan.warmup, Instant::ZERO + plan.duration);
    let bits = members.iter().map(|&flow| record.flows[flow].measured_bytes as f64 * 8.0).sum::<f64>();
    let due = members.iter().map(|&flow| due_bits(flow, plan, record, reference)).sum();
    let delay = |percentile: fn(&DelaySummary) -> u64| {
        let packets: u64 = members.iter().map(|&flow| record.flows[flow].delay.count).sum();
        let sum = members.iter().map(|&flow| {
            let delay = &record.flows[flow].delay;
            let beyond_ns = percentile(delay) as f64 - idle_ns(plan, &plan.flows[flow]);
            beyond_ns.max(0.0) * delay.count as f64
        });
        part(sum.sum(), packets as f64)
    };
    Group {
        name: name.to_owned(),
        goodput_bps: bits / (until.since(from)).as_secs_f64(),
        ratio: part(bits, due),
        loss: loss(members.iter().map(|&flow| &record.flows[flow])),
        delay_p50_ns: delay(|delay| delay.p50_ns),
        delay_p95_ns: delay(|delay| delay.p95_ns),
        delay_p99_ns: delay(|delay| delay.p99_ns),
        transfers: transfers(members, plan, record),
    }
}

/// What a full packet takes to its destination where nothing waits.
fn idle_ns(plan: &NetworkPlan, flow: &NetworkFlowPlan) -> f64 {
    let bits = 8.0 * f64::from(flow.offer.packet_bytes());
    let links = flow.route.iter().map(|&link| &plan.links[link as usize]);
    links.map(|link| link.delay.as_nanos() as f64 + bits / link.capacity.as_bps_f64() * 1e9).sum()
}

fn transfers(members: &[usize], plan: &NetworkPlan, record: &NetworkRecord) -> Option<Transfers> {
    let of_transfers: Vec<usize> = members.iter().copied().filter(|&flow| !is_judged(&plan.flows[flow])).collect();
    if of_transfers.is_empty() {
        return None;
    }
    let begun = Instant::ZERO + record.warmup;
    let finished: Vec<_> = of_transfers.iter().flat_map(|&flow| record.flows[flow].transfers.iter().copied()).collect();
    let times_ns: Vec<f64> = transfer_times_s(&finished, begun).into_iter().map(|time_s| time_s * 1e9).collect();
    Some(Transfers {
        finished: times_ns.len() as u64,
        unfinished: of_transfers.iter().map(|&flow| record.flows[flow].unfinished).sum(),
        mean_ns: mean(&times_ns),
        p50_ns: percentile(&times_ns, 0.5).unwrap_or(0.0),
        p95_ns: percentile(&times_ns, 0.95).unwrap_or(0.0),
    })
}

fn loss<'a>(flows: impl Iterator<Item = &'a NetworkFlowRecord>) -> f64 {
    let (sent, dropped) =
        flows.fold((0, 0), |(sent, dropped), flow| (sent + flow.measured_sent, dropped + flow.measured_dropped));
    part(dropped as f64, sent as f64)
}

fn mean(values: &[f64]) -> f64 {
    part(values.iter().sum(), values.len() as f64)
}

fn part(some: f64, all: f64) -> f64 {
    if all > 0.0 { some / all } else { 0.0 }
}
