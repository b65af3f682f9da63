//! Stations wrap: spans are cut and stations fall silent under load, and what would leave over a dead
//! span comes round on the other ringlet.

use crate::common::*;
use fairwire_core::{Instant, RandomStream, Ringlet, Span, StationId, Streams};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::*;
use rand::RngExt;

fn cut(at: u64, span: u16) -> RingEvent {
    event(ms(at), RingChange::Cut(StationId(span)))
}

/// The plan on a ring that wraps and waits 50 ms before a span is used again.
fn wrapping(plan: RingPlan, events: Vec<RingEvent>) -> RingPlan {
    let params = Params { mode: ProtectionMode::Wrap, wait_to_restore: Span::from_millis(50), ..Params::default() };
    RingPlan { protection: Some(ProtectionPlan { params, events }), ..plan }
}

/// The same where sources steer.
fn steering(mut plan: RingPlan) -> RingPlan {
    plan.protection.as_mut().unwrap().params.mode = ProtectionMode::Steer;
    plan
}

/// One packet, sent on ringlet 0 from 1 to 4 on a ring of six, cut between 2 and 3: down to 2, all five
/// links of ringlet 1 round to 3, and on to 4.
#[test]
fn a_packet_goes_all_the_way_round_and_on_to_its_destination() {
    let plain = RingPlan { flows: vec![burst(1, 4, 50_000_000, 1)], duration: Span::from_millis(100), ..ring(6) };
    let (intact, cut_off) = (wrapping(plain.clone(), Vec::new()), wrapping(plain, vec![cut(10, 2)]));
    let law = law("fifo");
    let delay = |plan: &RingPlan| run_both(plan, &law, "a packet").flows[0].delay.p50_ns;
    let hop = 12_861; // of 1000 bytes at 622 Mb/s
    let (direct, round) = (delay(&intact), delay(&cut_off));
    assert!(direct.abs_diff(3 * (100_000 + hop)) < 2_000, "three links: {direct} ns");
    // Two more transmissions, before the dead span, cross nothing.
    assert!(round.abs_diff(7 * 100_000 + 9 * hop) < 20_000, "seven links and two turns: {round} ns");
}

/// Of six stations 1 and 2 are left by themselves. What 2 sends to 1 on ringlet 0 comes on the other one.
#[test]
fn two_stations_that_are_left_wrap_to_each_other() {
    let flows = vec![FlowPlan { ringlet: Ringlet::Zero, ..burst(2, 1, 50_000_000, 1) }];
    let plain = RingPlan { flows, duration: Span::from_millis(100), ..ring(6) };
    let record = run_both(&wrapping(plain, vec![cut(10, 0), cut(10, 2)]), &law("fifo"), "two that are left");
    assert_eq!((record.flows[0].delivered, record.flows[0].lost), (1, 0));
}

#[test]
fn what_must_not_be_wrapped_is_lost_at_the_edge_and_then_held() {
    let flows = vec![
        FlowPlan { wrap_eligible: false, ..flow(1, 4, cbr(80_000_000)) },
        FlowPlan { wrap_eligible: false, ..flow(3, 5, cbr(80_000_000)) },
        flow(1, 5, cbr(80_000_000)),
    ];
    let plain = RingPlan { flows, duration: Span::from_millis(200), ..ring(6) };
    let record = run_both(&wrapping(plain, vec![cut(50, 2)]), &law("fifo"), "not eligible");
    let [not, beside, other] = &record.flows[..] else { panic!("three flows") };
    assert!(not.longest_silence(ms(50), Instant::NEVER, record.window) > Span::from_millis(145));
    // Ten packets a millisecond until its source knows: the edge tells it when it begins to wrap.
    assert!(not.lost > 20 && not.lost < 60, "{} lost", not.lost);
    assert_eq!((beside.lost, beside.entered - beside.delivered < 10), (0, true));
    assert!(other.longest_silence(ms(50), Instant::NEVER, record.window) < Span::from_millis(7));
    assert!(other.lost < 40, "{} lost until the edge knows", other.lost);
}

#[test]
fn rates_are_fair_again_after_a_cut_and_after_its_mend() {
    // Five senders to one hub of 16. The span before the hub is cut: what came on ringlet 0 comes round on
    // ringlet 1, where it meets the other two, and is taken only when it has passed the hub and come back.
    for name in ["dvsr", "dvsr-plus"] {
        let senders = [5, 6, 7, 9, 10];
        let flows = senders.map(|from| shortest(from, 8, 16, Arrivals::Greedy)).to_vec();
        let plain = RingPlan { flows, duration: Span::from_millis(500), ..ring(16) };
        let events = vec![cut(100, 6), event(ms(250), RingChange::Restore(StationId(6)))];
        let record = run_both(&wrapping(plain, events), &law(name), name);
        let due = [
            (80, 100, [3.0, 3.0, 3.0, 2.0, 2.0]),
            // 5 and 6 wrap, and cross every link of ringlet 1, where 9 and 10 are; and 7 joins them on its last link.
            (180, 250, [4.0, 4.0, 2.0, 4.0, 4.0]),
            (380, 500, [3.0, 3.0, 3.0, 2.0, 2.0]),
        ];
        for (from, to, shares) in due {
            for (flow, share) in shares.into_iter().enumerate() {
                let ratio = rate_between(&record, flow, from, to) * share / 622e6;
                assert!((ratio - 1.0).abs() < 0.05, "{name}: {} has {ratio} of its due from {from} ms", senders[flow]);
            }
        }
        for flow in &record.flows {
            let silence = flow.longest_silence(ms(100), ms(250), record.window);
            assert!(silence < Span::from_millis(7), "{name}: {silence}");
        }
    }
}

/// A random ring of flows, and cuts, mends and losses.
fn random_wrapping_plan(number: u64) -> (RingPlan, RingLawChoice) {
    let mut draw: RandomStream = Streams::new(8017, number).component("wrapping");
    // What circulates on shorter rings would take most of the test's time.
    let fits = |plan: &RingPlan| plan.lap() > Span::from_micros(50);
    let (mut plan, law) = random_steerable_plan(&mut draw, fits, Span::from_millis(60));
    plan.flows.iter_mut().for_each(|flow| flow.wrap_eligible = (flow.from.0 + 2 * flow.to.0) % 5 != 0);
    let changes = [
        RingChange::Cut,
        RingChange::Cut,
        RingChange::Restore,
        RingChange::Restore,
        RingChange::StationDown,
        RingChange::StationUp,
    ];
    let events = random_events(&mut draw, plan.stations.len(), 6, &changes, 40_000_000);
    let params = Params {
        mode: ProtectionMode::Wrap,
        wait_to_restore: Span::from_millis(4),
        stability: Span::from_millis(3),
        ..Params::default()
    };
    plan.protection = Some(ProtectionPlan { params, events });
    (plan, law)
}

#[test]
fn packets_are_conserved_and_both_ways_through_time_agree() {
    let (mut lost, mut again, mut tried) = (0, 0, 0);
    for number in 0..60 {
        let (plan, law) = random_wrapping_plan(number);
        if plan.validate().is_err() {
            continue;
        }
        tried += 1;
        let record = run_both(&plan, &law, &format!("plan {number} under {}", law.about().name));
        for (flow, counts) in plan.flows.iter().zip(&record.flows).filter(|(flow, _)| flow.strict_order) {
            assert_eq!(counts.reordered, 0, "plan {number}, flow {}", flow.name);
        }
        lost += record.flows.iter().map(|flow| flow.lost).sum::<u64>();
        again += record.flows.iter().map(|flow| flow.retransmitted).sum::<u64>();
    }
    assert!(tried > 40, "{tried} plans");
    assert!(lost > 1_000, "cuts cost something: {lost}");
    assert!(again > 1_000, "TCP sent {again} segments again");
}

/// Random cuts, mends and losses on a loaded ring of 16, every other flow in strict order: no packet
/// of these comes after a later one, and none of the others either, since what is still on the other
/// ringlet when a span is mended is lost.
#[test]
fn strict_order_is_kept_whatever_happens() {
    let (mut relaxed, mut discarded) = (0, 0);
    for number in 0..24 {
        let mut draw: RandomStream = Streams::new(18, number).component("order");
        let (plan, law) = troubled_ring(&mut draw, number, Span::from_millis(220), [125, 150], wrapping);
        let record = run_both(&plan, &law, &format!("ring {number}"));
        for (flow, counts) in plan.flows.iter().zip(&record.flows) {
            if flow.strict_order {
                assert_eq!(counts.reordered, 0, "ring {number}, flow {}", flow.name);
                discarded += counts.discarded;
            } else {
                assert_eq!(counts.discarded, 0);
                relaxed += counts.reordered;
            }
        }
    }
    assert!(discarded > 1_000, "order has its price: {discarded} discarded");
    assert_eq!(relaxed, 0, "others are not overtaken either");
}

/// Steady packets on a ring with room. Where stations wrap, what is lost is what crosses the dead span until they
/// notice; where sources steer, also what is on its way until they hear of it. The first wrapped packet has the
/// whole ring to go.
#[test]
fn no_more_is_lost_than_until_the_edges_notice() {
    let stations = 64;
    for number in 0..8 {
        let mut draw: RandomStream = Streams::new(19, number).component("outage");
        let span = draw.random_range(0..stations);
        let flows = (0..stations).map(|from| shortest(from, (from + 20) % stations, stations, cbr(10_000_000)));
        let window = Span::from_micros(500);
        let plain = RingPlan { flows: flows.collect(), duration: Span::from_millis(120), window, ..ring(64) };
        let wrap = wrapping(plain, vec![cut(60, span)]);
        let steer = steering(wrap.clone());
        let measure = |plan: &RingPlan| {
            let record = run(plan, &law("fifo"));
            let silence = record.flows.iter().map(|flow| flow.longest_silence(ms(60), Instant::NEVER, record.window));
            (silence.max().unwrap(), record.flows.iter().map(|flow| flow.lost).sum::<u64>())
        };
        let ((wrapped, lost), (_, lost_steered)) = (measure(&wrap), measure(&steer));
        // Twenty flows of 1.25 packets a millisecond; a span was heard last up to a millisecond before it was cut.
        assert!((20 * 2..20 * 5).contains(&lost), "cut {number}: {lost} lost");
        assert!(lost + 20 < lost_steered, "cut {number}: {lost} lost beside {lost_steered}");
        let lap = Span::from_micros(6_400);
        assert!(wrapped < Span::from_millis(4) + lap + window * 4, "cut {number}: {wrapped}");
    }
}

/// Every law is fair again on the folded ring if it is on others: it sees a closed ringlet.
#[test]
fn laws_see_a_closed_ringlet_of_twice_the_stations() {
    for name in ["dvsr", "dvsr-plus", "rpr-aggressive-stq"] {
        let law = law(name);
        let flows = [(1, 5), (2, 5), (9, 5)].map(|(from, to)| flow(from, to, Arrivals::Greedy)).to_vec();
        let transit = TransitPlan {
            datapath: law.needs().datapath,
            primary_buffer: fairwire_core::Bytes::new(20_000),
            ..ring(10).transit
        };
        let plain = RingPlan { flows, transit, duration: Span::from_millis(500), detail: Detail::Full, ..ring(10) };
        let record = run_both(&wrapping(plain, vec![cut(50, 3)]), &law, name);
        // All three cross all of ringlet 1.
        let rates = [0, 1, 2].map(|flow| rate_between(&record, flow, 300, 500) / 622e6);
        assert!(rates.iter().all(|rate| (rate - 1.0 / 3.0).abs() < 0.05), "{name}: {rates:?}");
        assert!(record.laws.iter().all(|sample| sample.station.0 < 10 && sample.about.0 < 10), "{name}");
    }
}

#[test]
fn what_does_not_fit_on_the_folded_ring_is_refused() {
    use fairwire_core::{BitRate, Ringlet, ServiceClass};
    let voice = |ringlet, from, to| FlowPlan {
        ringlet,
        class: ServiceClass::A0,
        guaranteed: BitRate::from_mbps(400),
        ..flow(from, to, cbr(400_000_000))
    };
    let flows = vec![voice(Ringlet::Zero, 1, 3), voice(Ringlet::One, 8, 5)];
    let law = law("rpr-aggressive-stq");
    let transit = TransitPlan { datapath: law.needs().datapath, ..ring(10).transit };
    let plan = wrapping(RingPlan { flows, transit, ..ring(10) }, Vec::new());
    assert!(plan.validate().is_ok(), "each ringlet has room for one");
    let mut cut_off = plan.clone();
    cut_off.protection.as_mut().unwrap().events.push(cut(5, 0));
    let error = cut_off.validate().unwrap_err().to_string();
    assert!(error.contains("after the event at 5 ms class A0 reserves 800 Mb/s of links of 622 Mb/s"), "{error}");
    assert!(steering(cut_off).validate().is_ok(), "sources that steer need not go that way");
    let large = |plan: RingPlan| plan.validate().map_err(|error| error.to_string());
    assert_eq!(large(wrapping(ring(127), Vec::new())), Ok(()));
    let refused = |words: &str| Err(format!("protection {words} stations at most"));
    assert_eq!(large(wrapping(ring(128), Vec::new())), refused("wraps over 127"));
    assert_eq!(large(steering(wrapping(ring(255), Vec::new()))), Ok(()));
    assert_eq!(large(steering(wrapping(ring(256), Vec::new()))), refused("reaches over 255"));
}
