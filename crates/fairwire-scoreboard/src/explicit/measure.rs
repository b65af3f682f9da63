//! What a run comes to.

use super::case::Case;
use super::entrants::Entrant;
use super::fair::FairPhase;
use super::network::Deed;
use fairwire_core::Instant;
use fairwire_plan::{AllowedRate, NetworkPlan, NetworkRecord, Offer};
use serde::{Deserialize, Serialize};

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What came of the start and of each step.
    pub responses: Vec<Response>,
    /// The longest queue of a port, in packets beyond the number of its flows; the packet in transmission included.
    pub queue_beyond_flows: f64,
    /// Data packets sent.
    pub sent: u64,
    /// Of these, dropped by laws and full queues, not by lossy links.
    pub dropped: u64,
    /// Control packets over all packets that sources sent.
    pub control: f64,
}

/// What comes of a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// Time in ms until all flows that are on are allowed their fair rates within 1 %, for good; none if that does not
    /// come before the next change.
    pub ms: Option<f64>,
    /// The same in loops.
    pub loops: Option<f64>,
    /// The largest relative error of an allowed rate right before the next change.
    pub error: f64,
}

/// Rates are near the fair ones within this part.
const NEAR: f64 = 0.01;

/// Measures a run of `plan`, which is the case's under the entrant.
pub fn measure(case: &Case, entrant: &Entrant, plan: &NetworkPlan, record: &NetworkRecord) -> Measured {
    let allowed = allowed(case, plan, record);
    let responses = case.phases.iter().enumerate().map(|(number, phase)| {
        let begin = (case.gap * number as u64).as_nanos();
        let end = begin + case.gap.as_nanos() - farewell_ns(case, number);
        let (near_ns, error) = respond(phase, &allowed, begin, end);
        let loop_s = phase.loop_s(&case.network, entrant.sources);
        let ms = near_ns.map(|ns| ns as f64 / 1e6);
        Response { ms, loops: ms.map(|ms| ms / 1e3 / loop_s), error }
    });
    let controls = record
        .flows
        .iter()
        .filter_map(|flow| flow.rate.as_ref())
        .map(|rate| rate.control_sent + rate.control_noticed)
        .sum::<u64>();
    let sent = record.flows.iter().map(|flow| flow.sent).sum::<u64>();
    Measured {
        responses: responses.collect(),
        queue_beyond_flows: queue_beyond_flows(case, record),
        sent,
        dropped: record.flows.iter().map(|flow| flow.dropped).sum(),
        control: controls as f64 / ((controls + sent) as f64).max(1.0),
    }
}

/// Each flow's allowed rates; where nobody tells a flow any it allows itself what it offers.
fn allowed(case: &Case, plan: &NetworkPlan, record: &NetworkRecord) -> Vec<Vec<AllowedRate>> {
    let told = record.flows.iter().map(|flow| flow.rate.as_ref().map(|rate| rate.allowed.clone()));
    told.enumerate().map(|(flow, told)| told.unwrap_or_else(|| offered(case, plan, flow))).collect()
}

fn offered(case: &Case, plan: &NetworkPlan, flow: usize) -> Vec<AllowedRate> {
    debug_assert!(!matches!(plan.flows[flow].offer, Offer::Rate(_)), "a flow that is told its rate has a record of it");
    let rate = |(number, phase): (usize, &FairPhase)| AllowedRate {
        t: Instant::ZERO + case.gap * number as u64,
        micro_flow: 0,
        rate_bps: if phase.on[flow] { phase.terms[flow].peak_bps } else { 0.0 },
    };
    case.phases.iter().enumerate().map(rate).collect()
}

/// A flow that stops sends its last packet up to a packet's time before, and ports hear of it then: the phase ends so much
/// earlier, by the slowest flow that stops at its end.
fn farewell_ns(case: &Case, phase: usize) -> u64 {
    let packet_bits = f64::from(case.network.packet_bytes) * 8.0;
    let stops = case.network.steps.get(phase).into_iter().flatten().filter_map(|deed| match *deed {
        Deed::Stop(flow) => Some(packet_bits / case.phases[phase].fair_bps[flow]),
        _ => None,
    });
    (stops.fold(0.0, f64::max) * 1e9).ceil() as u64
}

/// How long after `begin` all flows are near their fair rates until `end`, in ns, and the largest error at the end.
fn respond(phase: &FairPhase, allowed: &[Vec<AllowedRate>], begin: u64, end: u64) -> (Option<u64>, f64) {
    let (mut latest, mut largest) = (Some(0), 0.0_f64);
    for (flow, changes) in allowed.iter().enumerate().filter(|(flow, _)| phase.on[*flow]) {
        let fair_bps = phase.fair_bps[flow];
        let error = |rate_bps: f64| (rate_bps - fair_bps).abs() / fair_bps;
        let before_end = changes.partition_point(|change| change.t.as_nanos() < end);
        // Who was told nothing yet is allowed nothing.
        largest = largest.max(error(changes[..before_end].last().map_or(0.0, |last| last.rate_bps)));
        // Back to the last change that is not near: the one after it has come to stay.
        let far = changes[..before_end].iter().rposition(|change| error(change.rate_bps) > NEAR);
        let since = match far {
            None => changes[..before_end].first().map(|change| change.t.as_nanos()),
            Some(far) => changes[..before_end].get(far + 1).map(|change| change.t.as_nanos()),
        };
        latest = latest.zip(since).map(|(latest, since)| latest.max(since.saturating_sub(begin)));
    }
    (latest, largest)
}

fn queue_beyond_flows(case: &Case, record: &NetworkRecord) -> f64 {
    let links = record.links.iter().take(case.network.links.len()).enumerate();
    let beyond = links.map(|(number, link)| {
        // Without a port the packet in transmission is not counted.
        let packets = link.port.as_ref().map_or(link.deepest_packets + 1, |port| port.deepest_packets);
        f64::from(packets) - case.network.flows_over(number) as f64
    });
    beyond.fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Span;
    use fairwire_laws::rate::Terms;

    fn rates(told: &[(u64, f64)]) -> Vec<AllowedRate> {
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        told.iter().map(|&(ms, rate_bps)| AllowedRate { t: at(ms), micro_flow: 0, rate_bps }).collect()
    }

    fn responds(allowed: &[Vec<AllowedRate>]) -> (Option<f64>, f64) {
        let terms = Terms { minimum_bps: 0.0, peak_bps: 1e9, supported_bps: 1e9, weight: 1.0 };
        let phase = FairPhase {
            on: vec![true, true, false],
            terms: vec![terms; 3],
            capacities: Vec::new(),
            fair_bps: vec![100.0, 50.0, 0.0],
        };
        let (ns, error) = respond(&phase, allowed, 10_000_000, 20_000_000);
        (ns.map(|ns| ns as f64 / 1e6), error)
    }

    #[test]
    fn the_slowest_flow_decides_and_only_what_lasts_counts() {
        // The first was right, left and came back 4 ms after the change; the second drifts within 1 % from 2 ms on.
        let first = rates(&[(0, 100.0), (12, 70.0), (14, 100.0), (20, 3.0)]);
        let second = rates(&[(5, 20.0), (12, 50.4), (13, 49.6), (15, 50.0)]);
        let off = rates(&[(0, 7.0)]);
        assert_eq!(responds(&[first.clone(), second, off.clone()]), (Some(4.0), 0.0));
        let late = rates(&[(5, 50.0), (19, 60.0)]);
        assert_eq!(responds(&[first.clone(), late, off.clone()]), (None, 0.2));
        assert_eq!(responds(&[first, rates(&[(20, 50.0)]), off]), (None, 1.0), "told nothing before the end");
    }

    #[test]
    fn who_was_right_before_takes_no_time() {
        let rates = [rates(&[(0, 100.0)]), rates(&[(9, 50.0)]), rates(&[])];
        assert_eq!(responds(&rates), (Some(0.0), 0.0));
    }
}
