//! Plans of networks at the edge of what can run, and just beyond it.

use crate::network_common::{cbr, flow, link, network, tcp};
use fairwire_core::{Bytes, Span};
use fairwire_laws::queue::Limit;
use fairwire_plan::{NetworkPlan, Offer, PlanError, Work};
use fairwire_sim::simulate_network;

/// Two nodes, a link each way, datagrams one way and a connection the other.
fn good() -> NetworkPlan {
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 10, Span::ZERO), link(1, 0, 10, Span::ZERO)];
    let connection = flow("connection", &[1], &[0], tcp("reno", Work::Unlimited));
    plan.flows = vec![flow("datagrams", &[0], &[], cbr(8, 0.0)), connection];
    plan
}

fn changed(change: &dyn Fn(&mut NetworkPlan)) -> NetworkPlan {
    let mut plan = good();
    change(&mut plan);
    plan
}

fn runs(change: &dyn Fn(&mut NetworkPlan)) {
    assert_eq!(changed(change).validate(), Ok(()));
}

/// What is said of a plan that neither passes its check nor runs.
fn refused(change: &dyn Fn(&mut NetworkPlan)) -> String {
    let plan = changed(change);
    let error = plan.validate().expect_err("it cannot run");
    assert_eq!(simulate_network(&plan), Err(error.clone()));
    let PlanError::Range(what) = error else { panic!("{error}") };
    what
}

#[test]
fn times_are_bounded_by_each_other() {
    runs(&|plan| plan.window = Span::from_micros(1));
    assert_eq!(refused(&|plan| plan.window = Span::from_nanos(999)), "the window is 999 ns, below 1 us");
    runs(&|plan| plan.warmup = plan.duration);
    let longer = refused(&|plan| plan.warmup = plan.duration + Span::from_nanos(1));
    assert_eq!(longer, "the warm-up outlasts the run");
}

#[test]
fn a_queue_has_room_for_something() {
    runs(&|plan| plan.links[0].limit = Limit::Packets(1));
    runs(&|plan| plan.links[0].limit = Limit::Bytes(Bytes::new(1)));
    for none in [Limit::Packets(0), Limit::Bytes(Bytes::new(0))] {
        let refused = refused(&|plan| plan.links[0].limit = none);
        assert!(refused.contains("its queue needs room"), "{refused}");
    }
    let mean = |bytes: u64| changed(&|plan| plan.links[0].mean_packet = Bytes::new(bytes)).validate().is_ok();
    assert_eq!([0, 1, 65_535, 65_536].map(mean), [false, true, true, false]);
}

#[test]
fn probabilities_go_from_zero_to_one() {
    let loss = |random_loss: f64| changed(&|plan| plan.links[0].random_loss = random_loss).validate().is_ok();
    assert_eq!([-0.1, 0.0, 1.0, 1.1, f64::NAN].map(loss), [false, true, true, false, false]);
}

#[test]
fn a_route_visits_no_node_twice() {
    let twice = refused(&|plan| plan.flows[0].route = vec![0, 1]);
    assert_eq!(
        twice, "flow datagrams: its route comes to one node twice, over link 1-0",
        "it comes back to its source"
    );
    let apart = refused(&|plan| plan.flows[0].route = vec![0, 0]);
    assert_eq!(apart, "flow datagrams: its route does not go on at link 0-1");
    assert_eq!(refused(&|plan| plan.flows[0].route.clear()), "flow datagrams: its route takes no link");
    let nowhere = refused(&|plan| plan.flows[0].route = vec![2]);
    assert_eq!(nowhere, "flow datagrams: its route takes a link that is not there");
}

#[test]
fn segments_and_acknowledgements_fit_into_packets() {
    let sizes = |segment: u64, ack: u64| {
        let change = |plan: &mut NetworkPlan| {
            let Offer::Tcp(tcp) = &mut plan.flows[1].offer else { panic!("a connection") };
            (tcp.settings.segment, tcp.settings.ack) = (Bytes::new(segment), Bytes::new(ack));
        };
        changed(&change).validate().is_ok()
    };
    assert!(sizes(1_000, 40) && sizes(40, 40) && sizes(65_535, 65_535));
    assert!(!sizes(40, 41), "an acknowledgement is no larger than a segment");
    assert!(!sizes(1_000, 0) && !sizes(65_536, 40), "sizes go from 1 to 65535");
}
