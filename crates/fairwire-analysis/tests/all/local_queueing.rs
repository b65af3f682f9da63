//! Fair queues that nobody coordinates.

use crate::common::{GREEDY, fair, tandem};
use fairwire_alloc::{Flow, Link, Problem};
use fairwire_analysis::local_queueing::deliveries;
use proptest::prelude::*;

#[test]
fn the_short_flow_of_the_parallel_parking_lot_gets_half() {
    // [dvsr] §I: 1/2, not 3/4.
    let problem = tandem(&[(1, 2, GREEDY), (1, 5, GREEDY), (2, 5, GREEDY), (3, 5, GREEDY), (4, 5, GREEDY)]);
    let found = deliveries(&problem).expect("a tandem settles");
    let rates: Vec<f64> = found.iter().map(|flow| flow.delivered_bps()).collect();
    assert_eq!(rates, [0.5, 0.25, 0.25, 0.25, 0.25]);
    assert!((found[1].wasted_bps() - 0.25).abs() < 1e-12, "half of what (1,5) takes on link 1 is thrown away");
}

#[test]
fn ingresses_share_by_their_weights_and_flows_of_one_by_theirs() {
    let mut problem = tandem(&[(0, 1, GREEDY), (0, 2, GREEDY), (1, 2, GREEDY)]);
    problem.flows[1].weight = 3.0;
    problem.ingress_weights[1] = 2.0;
    let found = deliveries(&problem).expect("a tandem settles");
    assert_eq!(found[0].after_link_bps, [0.25]);
    // On link 1 a third is left of its three quarters, and the rest belongs to ingress 1.
    for (found, expected) in found[1].after_link_bps.iter().zip([0.75, 1.0 / 3.0]) {
        assert!((found - expected).abs() < 1e-12, "{found}");
    }
    assert!((found[2].delivered_bps() - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn rates_settle_around_a_whole_ring() {
    let links = 4;
    let problem = Problem {
        nodes: (0..links).map(|node| node.to_string()).collect(),
        ingress_weights: vec![1.0; links],
        links: (0..links).map(|link| Link { id: link.to_string(), capacity_bps: 1.0 }).collect(),
        flows: (0..links)
            .map(|from| Flow {
                id: from.to_string(),
                ingress: from,
                egress: (from + 3) % links,
                route: (0..3).map(|hop| (from + hop) % links).collect(),
                demand_bps: GREEDY,
                weight: 1.0,
            })
            .collect(),
    };
    for flow in deliveries(&problem).expect("it settles") {
        assert!((flow.delivered_bps() - 1.0 / 3.0).abs() < 1e-9);
        assert!(flow.after_link_bps.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
    }
}

proptest! {
    /// Links are never overfull, nothing grows on its way, and where nothing is lost all is fair.
    #[test]
    fn what_is_carried_fits(
        flows in prop::collection::vec((0..5usize, 1..4usize, prop_oneof![Just(GREEDY), 0.05..1.5f64]), 1..9)
    ) {
        let flows: Vec<(usize, usize, f64)> =
            flows.into_iter().map(|(from, hops, demand)| (from, from + hops, demand)).collect();
        let problem = tandem(&flows);
        let found = deliveries(&problem).unwrap();
        for link in 0..problem.links.len() {
            let load: f64 = problem.flows.iter().zip(&found)
                .filter_map(|(flow, found)| Some(found.after_link_bps[flow.route.iter().position(|&crossed| crossed == link)?]))
                .sum();
            prop_assert!(load <= 1.0 + 1e-9);
        }
        for (flow, found) in problem.flows.iter().zip(&found) {
            prop_assert!(found.after_link_bps.iter().all(|rate| *rate <= flow.demand_bps + 1e-9));
            prop_assert!(found.after_link_bps.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
        }
        if found.iter().all(|flow| flow.delivered_bps() >= flow.sent_bps - 1e-12) {
            for (rate, found) in fair(&problem).iter().zip(&found) {
                prop_assert!((rate - found.delivered_bps()).abs() < 1e-9);
            }
        }
    }
}
