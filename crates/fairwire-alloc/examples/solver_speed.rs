//! How long the solvers take on standard instances: `random FxL` is F flows
//! on 4 to 8 distinct links of L with capacities 1 to 10; `ring N` has all
//! ordered pairs, the shorter way, on two ringlets. Best of several runs.
//!
//! Run with `cargo run --release -p fairwire-alloc --example solver_speed`.

use std::time::Instant;

use fairwire_alloc::{Criterion, Flow, Link, Problem, check, solve, solve_rates};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn main() {
    for (flows, links) in [(1_000, 100), (10_000, 1_000), (100_000, 10_000)] {
        let plain = random(flows, links, false);
        measure(&format!("random {flows}x{links}"), &plain, Criterion::MaxMin);
        let mixed = random(flows, links, true);
        let name = format!("random {flows}x{links}, weights and demands");
        measure(&name, &mixed, Criterion::WeightedMaxMin);
    }
    for stations in [8, 16, 32, 64] {
        let plain = ring(stations, false);
        measure(&format!("ring {stations}"), &plain, Criterion::Rias);
        measure(&format!("ring {stations}"), &plain, Criterion::MaxMin);
        let uneven = ring(stations, true);
        measure(&format!("ring {stations}, demands"), &uneven, Criterion::Rias);
    }
}

fn measure(name: &str, problem: &Problem, criterion: Criterion) {
    let best = |work: &dyn Fn()| {
        (0..5)
            .map(|_| {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    };
    let bare = best(&|| drop(solve_rates(problem, criterion).expect("solvable")));
    let told = best(&|| drop(solve(problem, criterion).expect("solvable")));
    let rates = solve_rates(problem, criterion).expect("solvable");
    let checked = best(&|| {
        check(problem, criterion, &rates.rates_bps, 1e-9).expect("fair");
    });
    println!(
        "{name:44} {criterion:17} rates {:9.3} ms, explained {:9.3} ms, check {:8.3} ms, unique {}",
        1e3 * bare,
        1e3 * told,
        1e3 * checked,
        rates.unique
    );
}

fn random(flows: usize, links: usize, mixed: bool) -> Problem {
    let mut dice = Pcg64Mcg::seed_from_u64(1);
    Problem {
        nodes: vec!["any".into()],
        ingress_weights: vec![1.0],
        links: (0..links)
            .map(|link| Link { id: format!("l{link}"), capacity_bps: dice.random_range(1.0..10.0) })
            .collect(),
        flows: (0..flows)
            .map(|flow| {
                let hops = dice.random_range(4..=8);
                let mut route = Vec::with_capacity(hops);
                while route.len() < hops {
                    let link = dice.random_range(0..links);
                    if !route.contains(&link) {
                        route.push(link);
                    }
                }
                let finite = mixed && flow % 2 == 0;
                Flow {
                    id: format!("f{flow}"),
                    ingress: 0,
                    egress: 0,
                    route,
                    demand_bps: if finite { dice.random_range(0.0..0.3) } else { f64::INFINITY },
                    weight: if mixed { f64::from(1 << dice.random_range(0..4)) } else { 1.0 },
                }
            })
            .collect(),
    }
}

fn ring(stations: usize, uneven: bool) -> Problem {
    let mut dice = Pcg64Mcg::seed_from_u64(2);
    let mut flows = Vec::new();
    for from in 0..stations {
        for to in (0..stations).filter(|&to| to != from) {
            let hops = (to + stations - from) % stations;
            let route = if 2 * hops <= stations {
                (0..hops).map(|hop| (from + hop) % stations).collect()
            } else {
                let back = stations - hops;
                (0..back).map(|hop| stations + (from + stations - hop) % stations).collect()
            };
            let demand_bps = if uneven && dice.random_bool(0.7) { dice.random_range(0.0..20e6) } else { f64::INFINITY };
            let id = format!("{from}-{to}");
            flows.push(Flow { id, ingress: from, egress: to, route, demand_bps, weight: 1.0 });
        }
    }
    Problem {
        nodes: (0..stations).map(|station| station.to_string()).collect(),
        ingress_weights: vec![1.0; stations],
        links: (0..2 * stations)
            .map(|link| Link { id: format!("r{}:{}", link / stations, link % stations), capacity_bps: 622e6 })
            .collect(),
        flows,
    }
}
