//! The rules of VRR on hand-made arrivals ([vrr-gateway] §II), its parameters, its
//! cost, and Jain's index.

use super::drop_spacing::{Spacing, both_ways};
use super::{Claim, Finding, Trouble, expected_number};
use fairwire_alloc::jain_index;
use fairwire_core::{BitRate, Bytes, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::queue::{
    DropReason, Lanes, Limit, QueueLaw, QueueLawChoice, QueueSite, QueueView, QueuedPacket, Verdict, fred, red, vrr,
};
use rand::RngExt;
use serde_json::json;
use std::collections::VecDeque;

const PACKET_BYTES: u32 = 1_000;
const LIMIT: u32 = 200;

/// VRR in front of the paper's link, with the packets that wait there.
struct Gate {
    law: vrr::Law,
    waiting: VecDeque<QueuedPacket>,
    lanes: Lanes,
    now: Instant,
    rng: RandomStream,
}

impl Gate {
    fn new(params: &vrr::Params, limit: u32) -> Self {
        let site = QueueSite {
            start: Instant::ZERO,
            capacity: BitRate::from_bps(10_000_000),
            delay: Span::from_millis(5),
            limit: Limit::Packets(limit),
            mean_packet: Bytes::new(PACKET_BYTES.into()),
        };
        Self {
            law: vrr::Law::new(params, &site),
            waiting: VecDeque::new(),
            lanes: Lanes::default(),
            now: Instant::ZERO,
            rng: Streams::new(1, 0).component("gate"),
        }
    }

    /// A packet of `flow` comes.
    fn arrive(&mut self, flow: u32) -> Verdict {
        let (source, destination) = (flow, u32::MAX);
        let packet =
            QueuedPacket { flow: FlowId(flow), source, destination, size_bytes: PACKET_BYTES, ecn_capable: false };
        let queue = view(&self.waiting, &self.lanes);
        let verdict = self.law.on_arrival(&mut cx(self.now, &mut self.rng), &packet, &queue);
        if matches!(verdict, Verdict::Accept { .. }) {
            self.waiting.push_back(packet);
        }
        verdict
    }

    /// The packet at the head leaves.
    fn leave(&mut self) {
        if let Some(packet) = self.waiting.pop_front() {
            let queue = view(&self.waiting, &self.lanes);
            self.law.on_departure(&mut cx(self.now, &mut self.rng), &packet, &queue);
        }
    }

    /// Virtual lengths of the flows below `flows`.
    fn lengths(&self, flows: u32) -> Vec<u64> {
        (0..flows).map(|flow| self.law.virtual_length(FlowId(flow))).collect()
    }
}

fn cx<'a>(now: Instant, rng: &'a mut RandomStream) -> Cx<'a> {
    Cx { now, rng, probe: None }
}

fn view<'a>(waiting: &VecDeque<QueuedPacket>, lanes: &'a Lanes) -> QueueView<'a> {
    let packets = waiting.len() as u32;
    QueueView { packets, bytes: u64::from(packets) * u64::from(PACKET_BYTES), lanes }
}

/// An average that is the present length: what the rules say can be seen at once.
fn at_once(spacing: Spacing) -> vrr::Params {
    vrr::Params { w_q: 1.0, wait: spacing.waits("vrr"), ..Default::default() }
}

/// §II-A: when to accept, when to strike, and what becomes of a struck flow.
pub fn decision(claim: &Claim) -> Result<Finding, Trouble> {
    both_ways(claim, decision_spaced)
}

fn decision_spaced(_claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    // Alone, a flow is safe while it has no more than max(4, 30/1), whatever the average says.
    let mut alone = Gate::new(&at_once(spacing), LIMIT);
    let safe = (0..31).all(|_| alone.arrive(0) == Verdict::ACCEPT);
    // Ten flows: max(4, 30/10) = 4, so each may come to five packets for sure.
    let mut ten = Gate::new(&vrr::Params { max_p: 0.5, max_th: 60.0, ..at_once(spacing) }, LIMIT);
    let safe_among_ten = (0..5).all(|_| (0..10).all(|flow| ten.arrive(flow) == Verdict::ACCEPT));
    // Beyond that the draw decides, which above max_th always drops, and strikes the longest.
    let mut at_random = false;
    while !at_random && ten.waiting.len() < 59 {
        at_random = ten.arrive(0) == Verdict::Drop(DropReason::Early);
    }
    let before = ten.law.is_struck(FlowId(0));
    for arrival in 0..10_000 {
        if ten.waiting.len() < 60 {
            ten.arrive(arrival % 2);
        }
    }
    let longest = ten.law.longest();
    ten.arrive(9);
    let struck = !before && longest.is_some_and(|flow| ten.law.is_struck(flow));
    let dropped = longest.is_some_and(|flow| ten.arrive(flow.0) == Verdict::Drop(DropReason::Unfair));
    // Others go on as before, and a full queue drops whoever comes.
    let mut full = Gate::new(&vrr::Params { min_q: 50.0, ..at_once(spacing) }, 20);
    let filled = (0..20).all(|k| full.arrive(k % 4) == Verdict::ACCEPT);
    let overflow = full.arrive(3) == Verdict::Drop(DropReason::Full);
    let struck_by_overflow = (0..4).any(|flow| full.law.is_struck(FlowId(flow)));
    let ends = {
        while full.law.virtual_length(FlowId(0)) > 0 {
            full.leave();
        }
        !full.law.is_struck(FlowId(0))
    };
    let measured = json!({
        "accepts_up_to_min_th_over_active": safe && safe_among_ten, "draws_beyond": at_random,
        "strikes_the_longest_from_max_th_on": struck, "drops_what_a_struck_flow_sends_beyond": dropped,
        "full_queue_drops_and_strikes": filled && overflow && struck_by_overflow, "strike_ends_with_the_virtual_queue": ends,
    });
    let holds =
        safe && safe_among_ten && at_random && struck && dropped && filled && overflow && struck_by_overflow && ends;
    let note = "the law object on arrivals made by hand, its average following at once (w-q = 1). Ours: the strike ends as the \
                virtual queue empties, and a full queue drops what the rule would accept";
    Ok(Finding::new(measured, holds, note))
}

/// §II-B: the virtual lengths add up to the real one.
pub fn sum_of_lengths(_claim: &Claim) -> Result<Finding, Trouble> {
    const FLOWS: u32 = 12;
    let mut rng = Streams::new(2, 0).component("arrivals");
    let mut gate = Gate::new(&vrr::Params::default(), LIMIT);
    let (mut differences, mut strangers, mut deepest) = (0, 0, 0);
    const STEPS: usize = 200_000;
    for step in 0..STEPS {
        gate.now += Span::from_micros(400);
        // Long stretches of overload, and of calm in which the queue empties.
        let arrives = rng.random_range(0.0..1.0) < if step / 5_000 % 3 == 2 { 0.3 } else { 0.6 };
        if arrives {
            gate.arrive(rng.random_range(0..FLOWS).min(rng.random_range(0..FLOWS)));
        } else {
            gate.leave();
        }
        let lengths = gate.lengths(FLOWS);
        differences += usize::from(lengths.iter().sum::<u64>() != gate.waiting.len() as u64);
        let active = lengths.iter().filter(|length| **length > 0).count();
        strangers += usize::from(active != gate.law.active_flows().len());
        deepest = deepest.max(gate.waiting.len());
    }
    let measured = json!({ "steps": STEPS, "sums_that_differ": differences, "wrong_active_lists": strangers, "deepest_packets": deepest });
    let note = "200,000 random arrivals and departures of 12 flows; the law's own property tests draw more";
    Ok(Finding::new(measured, differences == 0 && strangers == 0, note))
}

/// §III-B: a flow whose virtual queue is empty is passed over; the others share evenly.
pub fn misses_its_round(claim: &Claim) -> Result<Finding, Trouble> {
    let credits_off = claim.tolerance.get("credits_abs").and_then(crate::catalogue::number).unwrap_or(0.0);
    let mut gate = Gate::new(&vrr::Params { min_q: 1_000.0, ..Default::default() }, 1_000);
    let (mut credits, mut while_empty) = ([0u64; 3], 0);
    for round in 0..30_000u32 {
        // Two flows always wait; the third comes in bursts of ten, with pauses.
        for flow in [0, 1] {
            while gate.law.virtual_length(FlowId(flow)) < 20 {
                gate.arrive(flow);
            }
        }
        if round % 100 < 10 {
            gate.arrive(2);
        }
        let before = gate.lengths(3);
        gate.leave();
        let after = gate.lengths(3);
        for flow in 0..3 {
            let credited = before[flow] - after[flow];
            credits[flow] += credited;
            while_empty += if before[flow] == 0 { credited } else { 0 };
        }
    }
    let apart = credits[0].abs_diff(credits[1]) as f64;
    let measured = json!({
        "credits_to_backlogged": [credits[0], credits[1]], "credits_to_the_third": credits[2], "credits_while_empty": while_empty,
    });
    let note = "30,000 departures; the third flow sends ten packets in a hundred departures and is credited with just these, though its \
                share would be a third";
    Ok(Finding::new(measured, apart <= credits_off && while_empty == 0 && credits[2] == 3_000, note))
}

/// §III: the parameters are the laws' defaults.
pub fn parameters(claim: &Claim) -> Result<Finding, Trouble> {
    let (red, fred, vrr) = (red::Params::default(), fred::Params::default(), vrr::Params::default());
    let alike = |value: [f64; 3]| value.iter().all(|other| *other == value[0]).then_some(value[0]);
    let found = [
        ("min_th", alike([red.min_th, fred.min_th, vrr.min_th])),
        ("max_th", alike([red.max_th, fred.max_th, vrr.max_th])),
        ("w_q", alike([red.w_q, fred.w_q, vrr.w_q])),
        ("max_p", alike([red.max_p, fred.max_p, vrr.max_p])),
        ("min_q", alike([fred.min_q.into(), vrr.min_q, vrr.min_q])),
        ("buffer_packets", Some(f64::from(LIMIT))),
        ("packet_bytes", Some(f64::from(PACKET_BYTES))),
    ];
    let mut holds = true;
    for (key, value) in found {
        holds &= value == Some(expected_number(claim, key)?);
    }
    let measured: serde_json::Map<_, _> =
        found.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
    let laws = ["red", "fred", "vrr"].map(|name| QueueLawChoice::by_name(name).is_ok());
    holds &= red.wait == fred.wait && fred.wait == vrr.wait;
    let note = "the defaults of the laws red, fred and vrr, and what every run for this paper has; all three wait between \
                drops (as ns-2's RED does), none is gentle, and they count packets";
    Ok(Finding::new(measured.into(), holds && laws == [true; 3], note))
}

/// §III, eq. (1).
pub fn jain(claim: &Claim) -> Result<Finding, Trouble> {
    let equal = jain_index(&[0.7; 12]);
    let one_of: Vec<f64> = (2..=12)
        .map(|count| {
            let mut values = vec![0.0; count];
            values[0] = 3.0;
            jain_index(&values) * count as f64
        })
        .collect();
    let (sum, squares) = (1.0 + 2.0 + 4.0, 1.0 + 4.0 + 16.0);
    let unequal = jain_index(&[1.0, 2.0, 4.0]) - sum * sum / (3.0 * squares);
    let within = claim.tolerance.get("abs").and_then(toml::Value::as_float).unwrap_or(0.0);
    let worst = one_of.iter().map(|index| (index - 1.0).abs()).fold((equal - 1.0).abs().max(unequal.abs()), f64::max);
    let measured = json!({ "equal": equal, "n_times_one_of_n": one_of[0], "largest_distance": worst });
    Ok(Finding::new(measured, worst <= within, "of equal values, of one among N for N = 2 to 12, and of 1, 2 and 4"))
}

/// §I and IV: a decision takes the same time for ten flows and for 100,000.
pub fn constant_time(_claim: &Claim) -> Result<Finding, Trouble> {
    /// A time that grew with the logarithm of the number of flows would grow by more.
    const NOT_EVEN_A_LOGARITHM: f64 = 4.0;
    let sizes = [10u32, 100, 1_000, 10_000, 100_000];
    let ns: Vec<f64> = sizes.iter().map(|&flows| ns_per_packet(flows)).collect();
    let growth = ns.iter().fold(0.0f64, |largest, ns| largest.max(*ns)) / ns[0];
    let constant = growth < NOT_EVEN_A_LOGARITHM;
    let measured = json!({ "flows": sizes, "time_grows_less_than_by": NOT_EVEN_A_LOGARITHM, "so": constant });
    let note = "one arrival and one departure with so many active flows of one packet each, in turn, so that their state is met in the \
                order in which it lies in memory; the least of nine measurements. The logarithm of so many flows grows by 5, their \
                number by 10,000. The example `queue_cost` of the laws prints the times of every law";
    Ok(Finding::new(measured, constant, note))
}

fn ns_per_packet(flows: u32) -> f64 {
    const PACKETS: u32 = 400_000;
    let params = vrr::Params { min_th: 1e9, max_th: 2e9, ..Default::default() };
    let one = |_| {
        let mut gate = Gate::new(&params, u32::MAX);
        for flow in 0..flows {
            gate.arrive(flow);
        }
        let started = std::time::Instant::now();
        for packet in 0..PACKETS {
            gate.leave();
            gate.arrive(packet % flows);
        }
        started.elapsed().as_nanos() as f64 / f64::from(PACKETS)
    };
    (0..9).map(one).fold(f64::INFINITY, f64::min)
}
