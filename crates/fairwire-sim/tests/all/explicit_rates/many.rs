//! Networks of so many flows that what comes soon is fetched into the processor's cache.

use super::one_link::{MBPS, cbr, ms, plan, run, terms, told};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::{FlowChange, FlowChangeKind, NetworkFlowPlan};

/// Twenty flows that begin one after the other, some of which stop, come back or have other terms, and one that no law controls.
#[test]
fn many_flows_that_never_begin_change_nothing() {
    for law in RateLawChoice::ALL {
        let flow = |number: usize| (told(terms(number as f64 / 10.0, 1.0 + number as f64 % 4.0)), false);
        let mut offers: Vec<_> = (0..20).map(flow).collect();
        offers.push((cbr(10), false));
        let mut few = plan(&offers);
        few.links[0].rate = RateLawChoice::by_name(law.name).ok();
        for (number, flow) in few.flows.iter_mut().enumerate() {
            flow.start = ms(3 * number as u64);
        }
        let change = |at, flow, kind| FlowChange { at: ms(at), flow, kind };
        few.flow_changes = vec![
            change(80, 3, FlowChangeKind::Stop),
            change(120, 3, FlowChangeKind::Start),
            change(130, 5, FlowChangeKind::Terms(terms(2.0, 7.0))),
        ];
        let mut many = few.clone();
        many.flows.push(NetworkFlowPlan {
            name: "late".to_owned(),
            micro_flows: 512,
            start: Instant::ZERO + few.duration + Span::from_millis(1),
            ..few.flows[0].clone()
        });
        let (few, mut many) = (run(&few), run(&many));
        assert!(
            few.flows.iter().map(|flow| flow.measured_bytes).sum::<u64>() as f64 * 8.0 > 5.0 * MBPS,
            "{}",
            law.name
        );
        assert_eq!(many.flows.pop().map(|late| late.sent), Some(0));
        assert!(few == many, "{}", law.name);
    }
}

/// A flow that is told nothing sends twice the capacity for 50 ms, which leaves 625 packets waiting. Then they leave.
#[test]
fn a_port_knows_the_deepest_queue_that_its_flows_have_met() {
    let mut plan = plan(&[(told(terms(10.0, 1.0)), false), (cbr(200), false)]);
    plan.flows[1].stop = ms(50);
    let deepest = run(&plan).links[0].port.as_ref().expect("a port").deepest_packets;
    assert!((500..=700).contains(&deepest), "{deepest}");
}
