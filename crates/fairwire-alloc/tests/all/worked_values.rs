//! Rates that the papers print or that can be worked out by hand.

use crate::common::{GREEDY, assert_close, rates, tandem, tandem_with_demands};
use fairwire_alloc::{Criterion, Flow, Limit, Link, Problem, Uniqueness, check, max_min_shares, solve};

const EXACT: f64 = 1e-14;

/// Solves, has the checker confirm the answer, and compares.
fn expect(problem: &Problem, criterion: Criterion, expected: &[f64]) {
    let fair = solve(problem, criterion).expect("solvable");
    assert_close(&rates(&fair), expected, EXACT);
    check(problem, criterion, &rates(&fair), 1e-12).expect("fair");
    assert_eq!(fair.unique, Uniqueness::Yes);
    for flow in &fair.flows {
        assert_eq!((flow.low_bps, flow.high_bps), (flow.rate_bps, flow.rate_bps));
    }
}

#[test]
fn parking_lot() {
    let lot = tandem(5, &[(1, 5), (2, 5), (3, 5), (4, 5)]);
    expect(&lot, Criterion::Rias, &[0.25; 4]);
    expect(&lot, Criterion::RiasIterative, &[0.25; 4]);
    expect(&lot, Criterion::MaxMin, &[0.25; 4]);
}

#[test]
fn parallel_parking_lot() {
    let lot = tandem(5, &[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)]);
    expect(&lot, Criterion::Rias, &[0.75, 0.25, 0.25, 0.25, 0.25]);
    expect(&lot, Criterion::RiasIterative, &[0.75, 0.25, 0.25, 0.25, 0.25]);
}

#[test]
fn upstream_parallel_parking_lot() {
    let lot = tandem(6, &[(1, 3), (2, 6), (3, 6), (4, 6), (5, 6)]);
    expect(&lot, Criterion::Rias, &[0.75, 0.25, 0.25, 0.25, 0.25]);
    expect(&lot, Criterion::RiasIterative, &[0.75, 0.25, 0.25, 0.25, 0.25]);
}

#[test]
fn two_exit_parking_lot() {
    let lot = tandem(6, &[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)]);
    expect(&lot, Criterion::Rias, &[0.25, 0.25, 0.25, 0.125, 0.125]);
    expect(&lot, Criterion::RiasIterative, &[0.25, 0.25, 0.25, 0.125, 0.125]);
    expect(&lot, Criterion::MaxMin, &[0.2; 5]);
    check(&lot, Criterion::Rias, &[0.2; 5], 1e-9).expect_err("the slides reject 1/5 each");
}

#[test]
fn figure_5() {
    let flows = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (4, 5)];
    let six = tandem(5, &flows);
    expect(&six, Criterion::Rias, &[0.4, 0.2, 0.2, 0.2, 0.4, 0.4]);
    let iterated = solve(&six, Criterion::RiasIterative).expect("solvable");
    assert_close(&rates(&iterated), &[0.4, 0.2, 0.2, 0.2, 0.4, 0.4], 1e-12);
}

#[test]
fn the_iteration_misses_rias_on_four_flows() {
    let four = tandem(4, &[(1, 3), (1, 4), (2, 4), (3, 4)]);
    expect(&four, Criterion::Rias, &[1.0 / 3.0; 4]);
    let iterated = rates(&solve(&four, Criterion::RiasIterative).expect("solvable"));
    let thirty_sixths = [13.0 / 36.0, 10.0 / 36.0, 13.0 / 36.0, 13.0 / 36.0];
    assert_close(&iterated, &thirty_sixths, 1e-12);
    check(&four, Criterion::RiasIterative, &iterated, 1e-9).expect("its own criterion");
    check(&four, Criterion::Rias, &iterated, 1e-3).expect_err("not RIAS fair");
}

#[test]
fn the_iteration_misses_rias_with_finite_demands() {
    let flows = [(4, 8, GREEDY), (3, 5, GREEDY), (6, 8, 0.366), (3, 7, 0.327)];
    let four = tandem_with_demands(8, &flows);
    expect(&four, Criterion::Rias, &[0.3365, 0.3365, 0.3365, 0.327]);
    let iterated = rates(&solve(&four, Criterion::RiasIterative).expect("solvable"));
    assert_close(&iterated, &[0.3622, 0.3622, 0.3622, 0.2757], 1e-4);
    check(&four, Criterion::Rias, &iterated, 1e-3).expect_err("not RIAS fair");
}

/// (2,3) has 1/2, then half of what is left of 1/6, of 1/12, … : 2/3 in the end, or what it asks for before that.
#[test]
fn the_iteration_ends_at_a_demand_though_its_rounds_are_summed() {
    let mut lot = tandem(3, &[(1, 3), (2, 3), (1, 2), (1, 2)]);
    (lot.flows[2].ingress, lot.flows[3].ingress) = (1, 2);
    let third = 1.0 / 3.0;
    expect(&lot, Criterion::RiasIterative, &[third, 2.0 * third, third, third]);
    for demand_bps in [0.63, 0.65, 0.66, 0.666] {
        lot.flows[1].demand_bps = demand_bps;
        expect(&lot, Criterion::RiasIterative, &[third, demand_bps, third, third]);
    }
}

/// "light" has next to nothing when nobody gets any more, though neither of its links is full: of "wide" 4 of 10 parts are
/// left, of "narrow" 9 of 10.
#[test]
fn the_iteration_names_the_link_with_the_smallest_part_left() {
    let link = |id: &str, capacity_bps| Link { id: id.to_owned(), capacity_bps };
    let flow = |id: &str, ingress, route: &[usize], weight| Flow {
        id: id.to_owned(),
        ingress,
        egress: 3,
        route: route.to_vec(),
        demand_bps: GREEDY,
        weight,
    };
    let [wide, narrow, exit, way_out] = [0, 1, 2, 3];
    let problem = Problem {
        nodes: (0..4).map(|node| node.to_string()).collect(),
        ingress_weights: vec![1e-6, 1e6, 1.0, 1.0],
        links: vec![link("wide", 1000.0), link("narrow", 10.0), link("exit", 1.0), link("way out", 600.0)],
        flows: vec![
            flow("light", 0, &[wide, narrow], 1e-6),
            flow("heavy", 0, &[wide, narrow, exit], 1e6),
            flow("other", 1, &[narrow, exit], 1.0),
            flow("much", 2, &[wide, way_out], 1.0),
        ],
    };
    let fair = solve(&problem, Criterion::RiasIterative).expect("solvable");
    assert_close(&rates(&fair), &[0.0, 0.0, 1.0, 600.0], 1e-9);
    assert!(matches!(fair.flows[0].limited_by, Limit::Link { link, .. } if link == wide), "{:?}", fair.flows[0]);
}

#[test]
fn ingress_weights_realise_minimum_rates() {
    let mut lot = tandem(5, &[(1, 5), (2, 5), (3, 5), (4, 5)]);
    lot.ingress_weights = vec![1.0, 2.0, 3.0, 4.0, 1.0];
    expect(&lot, Criterion::Rias, &[0.1, 0.2, 0.3, 0.4]);
    expect(&lot, Criterion::RiasIterative, &[0.1, 0.2, 0.3, 0.4]);
    expect(&lot, Criterion::MaxMin, &[0.25; 4]);
}

#[test]
fn flow_weights_divide_an_ingress() {
    let mut lot = tandem(6, &[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)]);
    lot.flows[4].weight = 4.0;
    expect(&lot, Criterion::Rias, &[0.25, 0.25, 0.25, 0.05, 0.2]);
    expect(&lot, Criterion::WeightedMaxMin, &[0.125, 0.125, 0.125, 0.125, 0.5]);
}

#[test]
fn pairs_reward_spreading_and_ingresses_do_not() {
    let six = tandem(7, &[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6), (4, 7)]);
    expect(&six, Criterion::IngressEgress, &[1.0 / 6.0; 6]);
    let twelfth = 1.0 / 12.0;
    expect(&six, Criterion::Rias, &[0.25, 0.25, 0.25, twelfth, twelfth, twelfth]);
}

#[test]
fn a_pair_counts_once_however_many_flows_it_has() {
    let mut flows = vec![(1, 3, GREEDY), (2, 3, GREEDY)];
    flows.extend([(2, 3, 0.1), (2, 3, GREEDY)]);
    let shared = tandem_with_demands(3, &flows);
    expect(&shared, Criterion::IngressEgress, &[0.5, 0.2, 0.1, 0.2]);
    expect(&shared, Criterion::MaxMin, &[0.3, 0.3, 0.1, 0.3]);
}

#[test]
fn spreading_pays_under_max_min_only() {
    for exits in 1..=12 {
        let mut flows = vec![(1, 5), (2, 5), (3, 5)];
        flows.extend((0..exits).map(|exit| (4, 5 + exit)));
        let lot = tandem(5 + exits, &flows);
        let total = |criterion| -> f64 {
            let fair = solve(&lot, criterion).expect("solvable");
            check(&lot, criterion, &rates(&fair), 1e-12).expect("fair");
            rates(&fair)[3..].iter().sum()
        };
        let m = exits as f64;
        assert!((total(Criterion::MaxMin) - m / (3.0 + m)).abs() < EXACT);
        assert!((total(Criterion::IngressEgress) - m / (3.0 + m)).abs() < EXACT);
        assert!((total(Criterion::Rias) - 0.25).abs() < EXACT);
    }
}

#[test]
fn inverse_hop_gives_what_is_printed_as_proportional() {
    let lot = tandem(5, &[(1, 5), (2, 5), (3, 5), (4, 5)]);
    let whole = 25.0 / 12.0;
    let expected = [0.25 / whole, (1.0 / 3.0) / whole, 0.5 / whole, 1.0 / whole];
    expect(&lot, Criterion::InverseHop, &expected);
    assert_close(&expected, &[0.12, 0.16, 0.24, 0.48], 1e-15);
}

#[test]
fn local_fair_share_of_aggregates() {
    let shares = max_min_shares(1.0, &[0.1, 0.5, 0.9], &[1.0; 3]);
    assert_close(&shares, &[0.1, 0.45, 0.45], 1e-15);
}

#[test]
fn a_flow_at_its_demand_says_so_and_the_others_name_their_link() {
    let lot = tandem_with_demands(5, &[(1, 5, GREEDY), (2, 5, 0.1), (3, 5, GREEDY), (4, 5, GREEDY)]);
    let fair = solve(&lot, Criterion::Rias).expect("solvable");
    assert_close(&rates(&fair), &[0.3, 0.1, 0.3, 0.3], EXACT);
    assert_eq!(fair.flows[1].limited_by, Limit::Demand);
    for flow in [0, 2, 3] {
        let Limit::Link { link, why, sharers } = &fair.flows[flow].limited_by else {
            panic!("flow {flow} is held by a link");
        };
        assert_eq!(*link, 3);
        assert_eq!(
            why,
            "link link 4 is full (1 b/s); ingresses 1, 3 and 4 hold 0.3 b/s each, \
             and the other one holds less"
        );
        assert_eq!(sharers.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["1", "2", "3", "4"]);
        let sum: f64 = sharers.iter().map(|sharer| sharer.rate_bps).sum();
        assert!((sum - 1.0).abs() < EXACT);
    }
    assert!((fair.links[3].load_bps - 1.0).abs() < EXACT);
    assert!((fair.links[0].load_bps - 0.3).abs() < EXACT);
}

/// Kelly 1997: a proportionally fair flow pays its weight, so it gets its weight over the price of its route.
#[test]
fn what_a_weight_buys_is_the_rate_of_its_flow() {
    let mut link = tandem(2, &[(1, 2), (1, 2)]);
    link.flows[1].weight = 3.0;
    let fair = solve(&link, Criterion::Proportional).expect("solvable");
    for (flow, told) in fair.flows.iter().zip(["a weight of 1 buys 0.25 b/s", "a weight of 3 buys 0.75 b/s"]) {
        let Limit::Link { why, .. } = &flow.limited_by else { panic!("it is held by the link") };
        assert!(why.ends_with(told), "{why}");
    }
}

/// Seventy heavy flows have all they ask for, half of what their weight would give them; two light ones hold the most.
#[test]
fn a_list_that_is_cut_keeps_those_who_hold_the_most_for_their_weight() {
    let mut flows = vec![(1, 2, 50.0); 70];
    flows.extend([(1, 2, GREEDY); 2]);
    let mut link = tandem_with_demands(2, &flows);
    link.links[0].capacity_bps = 70.0 * 50.0 + 2.0;
    for (number, flow) in link.flows.iter_mut().enumerate() {
        flow.id = format!("flow {number}");
        flow.weight = if number < 70 { 100.0 } else { 1.0 };
    }
    let fair = solve(&link, Criterion::WeightedMaxMin).expect("solvable");
    let Limit::Link { why, sharers, .. } = &fair.flows[71].limited_by else { panic!("it is held by the link") };
    assert!(why.contains("flows flow 70 and flow 71 hold 1 b/s per unit of weight"), "{why}");
    assert_eq!(sharers.len(), Limit::SHARERS_LISTED);
    let first: Vec<_> = sharers.iter().take(3).map(|sharer| sharer.name.as_str()).collect();
    assert_eq!(first, ["flow 70", "flow 71", "flow 0"]);
}

#[test]
fn an_ingress_with_several_flows_is_told_how_they_share() {
    let mut lot = tandem(6, &[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)]);
    lot.links.iter_mut().for_each(|link| link.capacity_bps = 622e6);
    let why = |problem: &Problem, criterion: Criterion, flow: usize| -> String {
        match solve(problem, criterion).expect("solvable").flows.swap_remove(flow).limited_by {
            Limit::Link { why, .. } => why,
            Limit::Demand => "demand".to_owned(),
        }
    };
    assert_eq!(
        why(&lot, Criterion::Rias, 4),
        "link link 4 is full (622 Mb/s); ingresses 1, 2, 3 and 4 hold 155.5 Mb/s each, and there is nobody else; \
         of the 155.5 Mb/s of 4 this flow has 77.75 Mb/s, all 2 of its flows here hold the same"
    );
    assert_eq!(
        why(&lot, Criterion::MaxMin, 4),
        "link link 4 is full (622 Mb/s); flows (1,5), (2,5), (3,5), (4,5) and (4,6) hold 124.4 Mb/s each, \
         and there is nobody else"
    );
    lot.flows[3].demand_bps = 22e6;
    assert_eq!(
        why(&lot, Criterion::Rias, 4),
        "link link 4 is full (622 Mb/s); ingresses 1, 2, 3 and 4 hold 155.5 Mb/s each, and there is nobody else; \
         of the 155.5 Mb/s of 4 this flow has 133.5 Mb/s, none of its 2 flows here holds more"
    );
    lot.ingress_weights[0] = 2.0;
    assert!(why(&lot, Criterion::Rias, 0).contains("ingresses 1, 2, 3 and 4 hold 124.4 Mb/s per unit of weight"));
}
