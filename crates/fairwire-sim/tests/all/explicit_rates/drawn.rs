//! Flows of all manners under all laws on slow and fast links, drawn at random.

use super::one_link::{cbr, ms, plan};
use crate::network_common::run;
use fairwire_core::{BitRate, Bytes, RandomStream, Span, Streams};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, RateLawChoice, SendingPlan, Terms};
use fairwire_plan::{FlowChange, FlowChangeKind, LinkChange, NetworkPlan, Offer, RatePlan};
use rand::RngExt;

fn one_of<T: Copy>(draw: &mut RandomStream, all: &[T]) -> T {
    all[draw.random_range(0..all.len())]
}

fn some_terms(draw: &mut RandomStream, capacity_bps: f64) -> Terms {
    let peak_bps = capacity_bps * one_of(draw, &[0.1, 1.0, 2.0]);
    let minimum_bps = peak_bps * one_of(draw, &[0.0, 0.0, 0.01, 0.2]);
    Terms { minimum_bps, peak_bps, supported_bps: peak_bps, weight: one_of(draw, &[0.1, 1.0, 1.0, 7.0]) }
}

fn some_flow(draw: &mut RandomStream, capacity_bps: f64) -> Offer {
    let sending = SendingPlan {
        packet_bytes: one_of(draw, &[64, 1_000, 1_500, 9_000]),
        control_every: one_of(draw, &[2, 5, 30, 1_000]),
        control_within: one_of(draw, &[None, None, Some(Span::from_micros(500)), Some(Span::from_millis(20))]),
        control_least: one_of(draw, &[0, 0, 4]),
        first: one_of(draw, &[FirstRate::Minimum, FirstRate::Peak, FirstRate::Ask]),
        on_change: one_of(draw, &[OnChange::Keep, OnChange::Reschedule]),
        manner: one_of(
            draw,
            &[Manner::Honest, Manner::Honest, Manner::Honest, Manner::ConfirmsNothing, Manner::ClaimsMinimum],
        ),
    };
    let size = one_of(draw, &[None, None, Some(Bytes::new(200_000))]);
    Offer::Rate(RatePlan { sending, terms: some_terms(draw, capacity_bps), size })
}

/// The `number`th of a fixed endless list.
fn some_plan(number: u64) -> NetworkPlan {
    let mut draw = Streams::new(4_004, number).component("plan");
    let capacity = one_of(&mut draw, &[100_000_u64, 1_000_000, 3_000_000, 100_000_000]);
    let mut offers: Vec<_> =
        (0..draw.random_range(1..4)).map(|_| (some_flow(&mut draw, capacity as f64), false)).collect();
    if draw.random_bool(0.3) {
        offers.push((cbr(2 * capacity.div_ceil(1_000_000)), draw.random_bool(0.5)));
    }
    let mut plan = plan(&offers);
    plan.links[0].capacity = BitRate::from_bps(capacity);
    plan.links[0].rate = RateLawChoice::by_name(one_of(&mut draw, RateLawChoice::ALL).name).ok();
    plan.duration = Span::from_millis(draw.random_range(200..3_000));
    if draw.random_bool(0.5) {
        let capacity = BitRate::from_bps(capacity / one_of(&mut draw, &[2, 3]));
        plan.links[0].changes = vec![LinkChange { at: ms(draw.random_range(100..200)), capacity }];
    }
    for (flow, (offer, _)) in offers.iter().enumerate() {
        plan.flows[flow].start = ms(draw.random_range(0..100));
        if matches!(offer, Offer::Rate(_)) && draw.random_bool(0.3) {
            let (stop, start, terms) =
                (draw.random_range(100..120), draw.random_range(120..140), draw.random_range(150..190));
            let other = FlowChangeKind::Terms(some_terms(&mut draw, capacity as f64));
            plan.flow_changes.extend(
                [(stop, FlowChangeKind::Stop), (start, FlowChangeKind::Start), (terms, other)]
                    .map(|(at, kind)| FlowChange { at: ms(at), flow, kind }),
            );
        }
    }
    plan.flow_changes.sort_by_key(|change| change.at);
    plan
}

/// Above all, time never goes back: a source that has just been told a rate may find that a packet was due long ago.
#[test]
fn no_plan_breaks_an_invariant() {
    let mut flown = 0;
    for number in 0..400 {
        let plan = some_plan(number);
        let record = run(&plan);
        flown += usize::from(record.flows.iter().any(|flow| flow.arrived > 0));
        let bits = record.flows.iter().map(|flow| flow.measured_bytes).sum::<u64>() as f64 * 8.0;
        let measured =
            (plan.duration.as_secs_f64() - plan.warmup.as_secs_f64()) * plan.links[0].capacity.as_bps() as f64;
        let largest = 8.0 * 9_000.0;
        assert!(bits <= measured + largest, "plan {number}: {bits} bits over a link that carries {measured}");
    }
    assert!(flown > 300, "{flown}");
}
