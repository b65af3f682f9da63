//! Sources that lie, under WMFQC with grants: the others keep their fair rates.

use crate::rate_laws::world::reference::fair_rates;
use crate::rate_laws::world::{FlowPlan, Plan, PortPlan, World};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{Admission, FirstRate, Manner, OnChange, RateLawChoice, SendingPlan, Terms, wmfqc_plus};

const PACKET_BYTES: u16 = 1000;
const MEASURED_FROM_MS: u64 = 2000;
const MEASURED_TO_MS: u64 = 3000;

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

/// Two links of 100 Mb/s in a row. The liar, flow 0, crosses both; beside it one flow crosses both, two cross each. Flow 5
/// comes when the others have settled, so that rates have to fall.
fn plan(manner: Manner, minimum_bps: f64, stop: Instant) -> Plan {
    let routes: [&[usize]; 6] = [&[0, 1], &[0, 1], &[0], &[0], &[1], &[0, 1]];
    let flow = |(at, route): (usize, &&[usize])| FlowPlan {
        route: route.to_vec(),
        access: Span::from_micros(100),
        terms: Terms { minimum_bps, peak_bps: 1e9, supported_bps: 1e9, weight: if at == 1 { 2.0 } else { 1.0 } },
        sending: SendingPlan {
            packet_bytes: PACKET_BYTES,
            control_every: 30,
            control_within: Some(Span::from_micros(500)),
            control_least: 16,
            first: FirstRate::Ask,
            on_change: OnChange::Reschedule,
            manner: if at == 0 { manner } else { Manner::Honest },
        },
        start: if at == 5 { ms(1000) } else { Instant::from_nanos(1 + at as u64) },
        stop: if at == 0 { stop } else { Instant::NEVER },
    };
    let port = PortPlan { capacity_bps: 100_000_000, delay: Span::from_millis(1), buffer: 1000 };
    Plan { ports: vec![port; 2], flows: routes.iter().enumerate().map(flow).collect(), ..Plan::default() }
}

/// What each flow got while it was measured, in bit/s of data and control packets, and what would be fair.
fn rates(manner: Manner, minimum_bps: f64, stop: Instant) -> (World, Vec<(f64, f64)>) {
    let plan = plan(manner, minimum_bps, stop);
    let mut world = World::new(&RateLawChoice::wmfqc_plus(wmfqc_plus::Params::default()), &plan);
    world.run(ms(MEASURED_FROM_MS));
    let before: Vec<u64> = world.flows.iter().map(|flow| flow.delivered_bytes).collect();
    world.run(ms(MEASURED_TO_MS));
    let seconds = (MEASURED_TO_MS - MEASURED_FROM_MS) as f64 * 1e-3;
    let got =
        world.flows.iter().zip(before).map(|(flow, before)| (flow.delivered_bytes - before) as f64 * 8.0 / seconds);
    let got: Vec<f64> = got.collect();
    let skip = usize::from(stop < ms(MEASURED_FROM_MS));
    let on: Vec<(&[usize], Terms)> = plan.flows[skip..].iter().map(|flow| (&flow.route[..], flow.terms)).collect();
    let mut fair = fair_rates(&[1e8, 1e8], &on);
    if skip == 1 {
        fair.insert(0, 0.0);
    }
    (world, got.into_iter().zip(fair).collect())
}

fn others_keep_their_rates(manner: Manner, minimum_bps: f64, stop: Instant) -> World {
    let (world, rates) = rates(manner, minimum_bps, stop);
    println!("{manner:?}, minimum {minimum_bps}: {rates:?}");
    for (flow, (got, fair)) in rates.iter().enumerate().skip(1) {
        assert!(*got > 0.98 * fair, "{manner:?}: flow {flow} gets {got} in place of {fair}");
    }
    let (got, fair) = rates[0];
    assert!(got < 1.02 * fair + 1.0, "{manner:?} gains: {got} in place of {fair}");
    let lost = |port: &crate::rate_laws::world::Port| {
        let honest = port.dropped.iter().filter(|(flow, _)| *flow != 0).count();
        honest + port.overflowed.len()
    };
    assert_eq!(world.ports.iter().map(lost).sum::<usize>(), 0, "{manner:?}: only the liar loses packets");
    world
}

#[test]
fn who_ignores_his_rate_loses_what_is_too_much() {
    for minimum_bps in [0.0, 5e6] {
        let world = others_keep_their_rates(Manner::IgnoresRates, minimum_bps, Instant::NEVER);
        assert!(world.ports[0].dropped.iter().all(|(_, why)| *why == Admission::AboveAllowed));
        assert!(world.ports[0].dropped.len() > 100_000);
    }
}

#[test]
fn who_claims_a_minimum_that_was_not_admitted_gets_nothing_for_it() {
    others_keep_their_rates(Manner::ClaimsMinimum, 0.0, Instant::NEVER);
    others_keep_their_rates(Manner::ClaimsMinimum, 5e6, Instant::NEVER);
}

#[test]
fn who_confirms_nothing_is_not_waited_for() {
    others_keep_their_rates(Manner::ConfirmsNothing, 0.0, Instant::NEVER);
    others_keep_their_rates(Manner::ConfirmsNothing, 5e6, Instant::NEVER);
}

#[test]
fn what_held_who_vanished_goes_to_the_others() {
    for minimum_bps in [0.0, 5e6] {
        let world = others_keep_their_rates(Manner::Vanishes, minimum_bps, ms(1500));
        assert_eq!(world.ports[0].law.flows(), 4);
    }
}

#[test]
fn honest_flows_get_what_is_fair() {
    others_keep_their_rates(Manner::Honest, 5e6, Instant::NEVER);
}
