//! What governors of nodes do without a kernel: networks of them, and what may fail there.

use super::lab::{Lab, plans};
use crate::desk::{NETWORK, scenario};
use fairwire_core::{RandomStream, Span, Streams};
use fairwire_scenario::Scenario;
use rand::RngExt;
use std::collections::BTreeSet;

fn s(seconds: u64) -> Span {
    Span::from_millis(1_000 * seconds)
}

/// A network of links both ways, and flows between nodes of it, under a law.
fn random_network(law: &str, seed: u64) -> Scenario {
    let mut rng: RandomStream = Streams::new(seed, 0).component("network");
    let nodes = rng.random_range(4..=7);
    let mut pairs: BTreeSet<(usize, usize)> = (1..nodes).map(|node| (rng.random_range(0..node), node)).collect();
    for _ in 0..rng.random_range(0..3) {
        let (one, other) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
        if one < other {
            pairs.insert((one, other));
        }
    }
    let links: Vec<String> = pairs
        .into_iter()
        .map(|(one, other)| {
            let mbps = rng.random_range(5..=40);
            let ends = format!("from = \"n{one}\", to = \"n{other}\"");
            format!("{{ {ends}, capacity = \"{mbps} Mb/s\", delay = \"1 ms\", duplex = true }}")
        })
        .collect();
    let mut ends = BTreeSet::new();
    while ends.len() < 6 {
        let (from, to) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
        if from != to {
            ends.insert((from, to));
        }
    }
    let flows: String = ends
        .iter()
        .map(|(from, to)| {
            format!(
                "[[flow]]\nname = \"f{from}{to}\"\nfrom = \"n{from}\"\nto = \"n{to}\"\n\
                 traffic = {{ kind = \"explicit-rate\" }}\n"
            )
        })
        .collect();
    let names: Vec<String> = (0..nodes).map(|node| format!("\"n{node}\"")).collect();
    scenario(&format!(
        "schema = 1\ntitle = \"Made\"\n[network]\nnodes = [{}]\nrate = {law}\nlink = [{}]\n{flows}",
        names.join(", "),
        links.join(", ")
    ))
}

/// How far rates are from what is fair at most, as a part of it, with its sign.
fn off(rates_mbps: &[f64], fair_mbps: &[f64]) -> f64 {
    let off = rates_mbps.iter().zip(fair_mbps).map(|(rate, fair)| rate / fair - 1.0);
    off.fold(0.0, |most, off| if off.abs() > f64::abs(most) { off } else { most })
}

fn fair_mbps(scenario: &Scenario) -> Vec<f64> {
    let fair = scenario.fair_rates(scenario.criterion()).unwrap();
    fair.rates_bps.into_iter().map(|bps| bps / 1e6).collect()
}

/// What becomes of messages: lost, twice, later by so many steps.
type Way = (f64, f64, u32);
const ALL_COME: Way = (0.0, 0.0, 0);
const SOME_ARE_LOST: Way = (0.1, 0.05, 3);

/// How far from fair the rates of random networks are after so long, at most.
fn off_in_random_networks(law: &str, (lost, twice, late): Way, after: Span) -> f64 {
    let of = |seed: u64| {
        let scenario = random_network(law, seed);
        let (fair, plans) = (fair_mbps(&scenario), plans(&scenario));
        let mut lab = Lab::new(&plans, fair.len());
        (lab.lost, lab.twice, lab.late) = (lost, twice, late);
        lab.run(after);
        let off = off(&lab.rates(s(2)), &fair);
        if off.abs() > 0.01 {
            println!("{law}, network {seed}: {off:.3}");
        }
        off
    };
    (0..20).map(of).fold(0.0, |most: f64, off| if off.abs() > most.abs() { off } else { most })
}

const WMFQC: &str = "{ name = \"wmfqc\", queue-control = false }";
const PLUS: &str = "{ name = \"wmfqc-plus\" }";

#[test]
fn rates_of_random_networks_come_to_what_is_fair_even_where_messages_are_lost() {
    for law in [WMFQC, PLUS] {
        for way in [ALL_COME, SOME_ARE_LOST] {
            let off = off_in_random_networks(law, way, s(4));
            assert!(off.abs() < 0.01, "{law}, {way:?}: {off}");
        }
    }
}

/// Its states must not be lost often; that they come twice does no harm.
#[test]
fn s_perc_comes_to_what_is_fair_where_no_message_is_lost() {
    for way in [ALL_COME, (0.0, 0.05, 0)] {
        let off = off_in_random_networks("{ name = \"s-perc\" }", way, s(4));
        assert!(off.abs() < 0.01, "{way:?}: {off}");
    }
}

/// Laws that measure load leave 5 % of it free.
#[test]
fn capc_comes_near_95_percent_of_what_is_fair_if_its_intervals_are_long() {
    for way in [ALL_COME, SOME_ARE_LOST] {
        let off = off_in_random_networks("{ name = \"capc\", interval = \"100 ms\" }", way, s(15));
        assert!((-0.1..-0.04).contains(&off), "{way:?}: {off}");
    }
}

/// The routers of the example, under a law.
fn example(law: &str) -> Scenario {
    scenario(&NETWORK.replace("{ name = \"wmfqc-plus\" }", law))
}

const FAIR: [f64; 4] = [20.0 / 3.0, 40.0 / 3.0, 20.0 / 3.0, 20.0 / 3.0];

#[test]
fn all_laws_that_serve_govern_the_example() {
    for (law, least, most) in [
        (WMFQC, 0.99, 1.01),
        (PLUS, 0.99, 1.01),
        ("{ name = \"s-perc\" }", 0.99, 1.01),
        ("{ name = \"max-min-marking\" }", 0.74, 1.01),
        ("{ name = \"capc\", interval = \"100 ms\" }", 0.92, 0.97),
        ("{ name = \"erica-early\", interval = \"100 ms\" }", 0.92, 0.97),
    ] {
        let plans = plans(&example(law));
        let mut lab = Lab::new(&plans, 4);
        lab.run(s(10));
        let rates = lab.rates(s(2));
        let ratios: Vec<f64> = rates.iter().zip(FAIR).map(|(rate, fair)| rate / fair).collect();
        assert!(ratios.iter().all(|ratio| (least..most).contains(ratio)), "{law}: {ratios:?}");
        assert_eq!(lab.refused(), 0, "{law}");
    }
}

/// The example, governed for so long.
fn governed<'a>(plans: &'a [crate::NodePlan], seconds: u64) -> Lab<'a> {
    let mut lab = Lab::new(plans, 4);
    lab.run(s(seconds));
    lab
}

#[test]
fn until_a_source_is_answered_it_has_its_safe_rate() {
    let plans = plans(&example(PLUS));
    let lab = Lab::new(&plans, 4);
    for ((limit, leased), fair) in lab.limits().into_iter().zip(FAIR) {
        assert!((limit - fair).abs() < 0.01 && !leased, "{limit} for {fair}");
    }
}

#[test]
fn where_a_router_is_silent_flows_that_cross_it_have_their_safe_rates() {
    let plans = plans(&example(PLUS));
    let mut lab = governed(&plans, 2);
    // Router c turns nothing and passes nothing on; what enters there has its safe rate as its process is gone.
    lab.kill(2);
    lab.run(Span::from_millis(450));
    assert!(lab.limits()[0].1, "the lease holds");
    lab.run(Span::from_millis(150));
    let limits = lab.limits();
    assert!([0, 2, 3].iter().all(|&flow| !limits[flow].1 && (limits[flow].0 - FAIR[flow]).abs() < 0.01), "{limits:?}");
    assert!(limits[1].1, "what goes another way hears its answers");
    lab.begin(2);
    lab.run(Span::from_millis(300));
    assert!(lab.limits().iter().all(|(_, leased)| *leased), "{:?}", lab.limits());
    lab.run(s(1));
    assert!(off(&lab.rates(s(1)), &FAIR).abs() < 0.01);
}

/// Its law has forgotten all flows; those that enter there number their control packets from 1 on again.
#[test]
fn after_a_restart_of_any_router_rates_are_fair_again() {
    for law in [WMFQC, PLUS, "{ name = \"s-perc\" }"] {
        let plans = plans(&example(law));
        for place in 0..plans.len() {
            for away in [20, 100, 300, 2_000] {
                let mut lab = governed(&plans, 2);
                lab.kill(place);
                lab.run(Span::from_millis(away));
                lab.begin(place);
                lab.run(s(2));
                let rates = lab.rates(s(1));
                assert!(off(&rates, &FAIR).abs() < 0.02, "{law}, router {place} away for {away} ms: {rates:?}");
                assert!(lab.limits().iter().all(|(_, leased)| *leased));
            }
        }
    }
}

#[test]
fn what_belongs_to_no_flow_is_taken_off() {
    for law in [WMFQC, PLUS, "{ name = \"s-perc\" }"] {
        let plans = plans(&example(law));
        let mut lab = governed(&plans, 2);
        lab.other = Some(("cd".to_owned(), 11e6));
        lab.run(s(2));
        // 9 Mb/s are left of the last link.
        let rates = lab.rates(s(1));
        assert!(off(&rates, &[3.0, 17.0, 3.0, 3.0]).abs() < 0.02, "{law}: {rates:?}");
        lab.other = None;
        lab.run(s(2));
        assert!(off(&lab.rates(s(1)), &FAIR).abs() < 0.01, "{law}");
    }
}

#[test]
fn what_a_flow_leaves_goes_to_others_until_it_can_use_it() {
    for law in [WMFQC, PLUS, "{ name = \"s-perc\" }"] {
        let plans = plans(&example(law));
        let mut lab = governed(&plans, 1);
        // It wants a quarter more than it sends, and that is kept for it.
        lab.offers[2] = Some(2e6);
        lab.run(s(3));
        let rates = lab.rates(s(1));
        assert!(off(&rates, &[8.75, 11.25, 2.0, 8.75]).abs() < 0.05, "{law}: {rates:?}");
        lab.offers[2] = Some(0.0);
        lab.run(s(3));
        let rates = lab.rates(s(1));
        assert!(off(&[rates[0], rates[1], rates[3]], &[9.9, 10.1, 9.9]).abs() < 0.02, "{law}: {rates:?}");
        lab.offers[2] = None;
        lab.run(s(1));
        assert!(off(&lab.rates(s(1)), &FAIR).abs() < 0.02, "{law}: {:?}", lab.limits());
    }
}

/// For how long limits are farther than 5 % from what is fair, or are not the law's.
fn unfair_for(lab: &mut Lab<'_>, fair_mbps: &[f64]) -> Span {
    const LOOK: Span = Span::from_millis(10);
    let mut unfair = 0;
    for look in 1..=200 {
        lab.run(LOOK);
        let limits = lab.limits();
        let rates: Vec<f64> = limits.iter().map(|(limit, _)| *limit).collect();
        if off(&rates, fair_mbps).abs() > 0.05 || limits.iter().any(|(_, leased)| !leased) {
            unfair = look;
        }
    }
    LOOK * unfair
}

#[test]
fn limits_are_fair_soon_after_the_start() {
    for law in [WMFQC, PLUS, "{ name = \"s-perc\" }"] {
        for seed in 0..20 {
            let scenario = random_network(law, seed);
            let (fair, plans) = (fair_mbps(&scenario), plans(&scenario));
            let took = unfair_for(&mut Lab::new(&plans, fair.len()), &fair);
            assert!(took <= Span::from_millis(200), "{law}, network {seed}: {took}");
        }
    }
}

#[test]
fn a_flow_that_opens_late_soon_has_its_part() {
    for law in [WMFQC, PLUS, "{ name = \"s-perc\" }"] {
        let plans = plans(&example(law));
        let mut lab = Lab::new(&plans, 4);
        lab.offers[2] = Some(0.0);
        lab.run(s(3));
        lab.offers[2] = None;
        let took = unfair_for(&mut lab, &FAIR);
        assert!(took <= Span::from_millis(200), "{law}: {took}");
    }
}

/// Flows begin, stop, or send less than they may; routers are killed and begin again.
fn disturb(lab: &mut Lab<'_>, routers: usize, rng: &mut RandomStream) {
    let flow = rng.random_range(0..lab.offers.len());
    match rng.random_range(0..5) {
        0 => {
            let router = rng.random_range(0..routers);
            lab.kill(router);
            lab.run(Span::from_millis(rng.random_range(1..1_500)));
            lab.begin(router);
        }
        1 | 2 => lab.offers[flow] = Some(rng.random_range(0.0..10e6)),
        3 => lab.offers[flow] = Some(0.0),
        _ => lab.offers[flow] = None,
    }
    lab.run(Span::from_millis(rng.random_range(1..600)));
}

#[test]
fn whatever_has_happened_limits_are_fair_again_soon() {
    for law in [WMFQC, PLUS, "{ name = \"s-perc\" }"] {
        for seed in 0..10 {
            let scenario = random_network(law, seed);
            let (fair, plans) = (fair_mbps(&scenario), plans(&scenario));
            let mut lab = Lab::new(&plans, fair.len());
            let mut rng = Streams::new(seed, 0).component("disturbances");
            (0..30).for_each(|_| disturb(&mut lab, plans.len(), &mut rng));
            lab.offers.fill(None);
            let took = unfair_for(&mut lab, &fair);
            assert!(took <= Span::from_millis(500), "{law}, network {seed}: {took}");
        }
    }
}

/// Minimums come first, and the rest goes by weight, once for each micro-flow.
#[test]
fn minimums_and_weights_are_kept() {
    let terms = "name = \"last\"\nweight = 2\nmicro-flows = 2\nmin-rate = \"5 Mb/s\"";
    let text = NETWORK.replace("{ name = \"wmfqc-plus\" }", WMFQC).replace("name = \"last\"", terms);
    let scenario = scenario(&text);
    let (fair, plans) = (fair_mbps(&scenario), plans(&scenario));
    assert!(off(&fair, &[2.5, 17.5, 2.5, 15.0]).abs() < 1e-6, "{fair:?}");
    let mut lab = governed(&plans, 3);
    assert!(off(&lab.rates(s(1)), &fair).abs() < 0.01);
}

#[test]
fn queues_on_the_way_stay_short() {
    let plans = plans(&example(PLUS));
    let lab = governed(&plans, 3);
    assert!(lab.longest_queue() < 10.0, "{}", lab.longest_queue());
}

/// The process at router a is killed while its flows had nearly all, or nearly nothing. What they send then is their safe rate.
#[test]
fn others_share_what_flows_leave_whose_router_is_dead() {
    for law in [WMFQC, PLUS] {
        let scenario = scenario(&NETWORK.replace("{ name = \"wmfqc-plus\" }", law));
        let plans = plans(&scenario);
        let (third, half) = (20.0 / 3.0, 10.0);
        // Whether the flows of the router send, and the others, before and after.
        for (before, after, fair) in [
            ([true, false], [true, true], third),
            ([false, true], [true, true], third),
            ([true; 2], [false, true], half),
        ] {
            let offers = |[dead, others]: [bool; 2]| {
                [dead, dead, others, others].map(|sends: bool| (!sends).then_some(0.0)).to_vec()
            };
            let mut lab = Lab::new(&plans, 4);
            lab.offers = offers(before);
            lab.run(s(3));
            lab.kill(0);
            lab.offers = offers(after);
            lab.run(s(3));
            let rates = lab.rates(s(2));
            let off = off(&rates[2..], &[fair; 2]);
            assert!(off.abs() < 0.05, "{law}, {before:?}, then {after:?}: {rates:.2?}");
        }
    }
}
