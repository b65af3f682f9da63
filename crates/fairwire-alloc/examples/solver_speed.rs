//! How long the solvers take on standard instances: `random FxL` is F flows
//! on 4 to 8 distinct links of L with capacities 1 to 10; `ring N` has all
//! ordered pairs, the shorter way, on two ringlets. One thread; milliseconds of
//! processor time, the mean of several runs, with the index that a solve needs
//! built anew each time. Live rows: the mean of many changes.
//!
//! Run with `cargo run --release -p fairwire-alloc --example solver_speed`;
//! words after `--` choose the rows whose names contain one of them.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use fairwire_alloc::{
    Arrays, Criterion, Flow, Link, LiveFlow, LiveProblem, MaxMin, Precision, Problem, RingArrays, RingMaxMin, check,
    solve_rates,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let table = Table { chosen };
    for (flows, links, runs) in
        [(1_000, 100, 2000), (10_000, 1_000, 200), (100_000, 10_000, 20), (1_000_000, 100_000, 3)]
    {
        random_rows(&table, flows, links, runs);
    }
    for (stations, runs) in [(64, 500), (256, 100), (1024, 10)] {
        ring_row(&table, stations, runs);
    }
    for stations in [16, 32, 64] {
        rias_row(&table, stations, false);
        rias_row(&table, stations, true);
    }
    proportional_rows(&table);
    for (flows, links) in [(10_000, 1_000), (100_000, 10_000), (1_000_000, 100_000)] {
        live_rows(&table, flows, links);
    }
    ten_flows(&table);
}

/// The rows that were asked for.
struct Table {
    chosen: Vec<String>,
}

impl Table {
    fn wants(&self, name: &str) -> bool {
        self.chosen.is_empty() || self.chosen.iter().any(|word| name.contains(word.as_str()))
    }

    fn row(&self, name: &str, seconds: f64, note: &str) {
        println!("{name:58} {:10.4} ms  {note}", 1e3 * seconds);
    }
}

/// Processor seconds of this thread so far; where the system does not tell,
/// seconds by the clock.
fn processor_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    static START: OnceLock<Instant> = OnceLock::new();
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// Mean processor time of `runs` runs after one that does not count.
fn time(runs: usize, mut work: impl FnMut()) -> f64 {
    work();
    let start = processor_seconds();
    (0..runs).for_each(|_| work());
    (processor_seconds() - start) / runs as f64
}

/// A random instance as flat arrays.
struct Instance {
    capacities: Vec<f64>,
    starts: Vec<u32>,
    links: Vec<u32>,
    demands: Vec<f64>,
    weights: Vec<f64>,
    minimums: Vec<f64>,
}

impl Instance {
    fn random(flows: usize, links: usize) -> Self {
        let mut dice = Pcg64Mcg::seed_from_u64(1);
        let mut instance = Self {
            capacities: (0..links).map(|_| dice.random_range(1.0..10.0)).collect(),
            starts: vec![0],
            links: Vec::new(),
            demands: Vec::new(),
            weights: Vec::new(),
            minimums: Vec::new(),
        };
        for flow in 0..flows {
            let route = random_route(&mut dice, links);
            instance.links.extend(route);
            instance.starts.push(instance.links.len() as u32);
            let wants = if flow % 2 == 0 { dice.random_range(0.0..0.3) } else { f64::INFINITY };
            instance.demands.push(wants);
            instance.weights.push(f64::from(1 << dice.random_range(0..4)));
            instance.minimums.push(if flow % 4 < 2 { 0.0 } else { dice.random_range(0.0..0.01) });
        }
        instance
    }

    fn plain(&self) -> Arrays<'_> {
        Arrays {
            capacities_bps: &self.capacities,
            route_starts: &self.starts,
            route_links: &self.links,
            ..Arrays::default()
        }
    }

    fn problem(&self, mixed: bool) -> Problem {
        let route = |flow: usize| self.links[self.starts[flow] as usize..self.starts[flow + 1] as usize].iter();
        Problem {
            nodes: vec!["any".into()],
            ingress_weights: vec![1.0],
            links: (self.capacities.iter().enumerate())
                .map(|(link, &capacity_bps)| Link { id: format!("l{link}"), capacity_bps })
                .collect(),
            flows: (0..self.demands.len())
                .map(|flow| Flow {
                    id: format!("f{flow}"),
                    ingress: 0,
                    egress: 0,
                    route: route(flow).map(|&link| link as usize).collect(),
                    demand_bps: if mixed { self.demands[flow] } else { f64::INFINITY },
                    weight: if mixed { self.weights[flow] } else { 1.0 },
                })
                .collect(),
        }
    }
}

fn random_route(dice: &mut Pcg64Mcg, links: usize) -> Vec<u32> {
    let hops = dice.random_range(4..=8);
    let mut route = Vec::with_capacity(hops);
    while route.len() < hops {
        let link = dice.random_range(0..links as u32);
        if !route.contains(&link) {
            route.push(link);
        }
    }
    route
}

fn random_rows(table: &Table, flows: usize, links: usize, runs: usize) {
    let name = format!("random {flows}x{links}");
    if !table.wants(&name) {
        return;
    }
    let instance = Instance::random(flows, links);
    let plain = instance.plain();
    let mixed = Arrays { demands_bps: &instance.demands, weights: &instance.weights, ..plain };
    let promised = Arrays { min_rates_bps: &instance.minimums, ..mixed };
    for (arrays, what) in
        [(plain, "max-min"), (mixed, "weights and demands"), (promised, "weights, demands and minimums")]
    {
        let mut solver = MaxMin::default();
        let mean = time(runs, || solver.solve(black_box(&arrays)).expect("solvable"));
        table.row(&format!("{name}, {what}"), mean, "");
    }
    if flows <= 100_000 {
        let problem = instance.problem(false);
        let mean = time(runs, || drop(solve_rates(black_box(&problem), Criterion::MaxMin).expect("solvable")));
        table.row(&format!("{name}, max-min, as a problem of structs"), mean, "");
    }
}

fn ring_row(table: &Table, stations: usize, runs: usize) {
    let name = format!("ring {stations}, all pairs, max-min as intervals");
    if !table.wants(&name) {
        return;
    }
    let capacities = vec![622e6; stations];
    let (mut from, mut hops) = (Vec::new(), Vec::new());
    // The far station by ringlet 0 only.
    for (ringlet, most) in [stations / 2, (stations - 1) / 2].into_iter().enumerate() {
        from.push(Vec::new());
        hops.push(Vec::new());
        for station in 0..stations as u32 {
            for distance in 1..=most as u32 {
                from[ringlet].push(station);
                hops[ringlet].push(distance);
            }
        }
    }
    let mut solver = RingMaxMin::default();
    let mean = time(runs, || {
        for ringlet in 0..2 {
            let ring = RingArrays {
                capacities_bps: &capacities,
                from: &from[ringlet],
                hops: &hops[ringlet],
                ..RingArrays::default()
            };
            solver.solve(black_box(&ring)).expect("solvable");
        }
    });
    table.row(&name, mean, "");
}

fn rias_row(table: &Table, stations: usize, uneven: bool) {
    let name = format!("ring {stations}, all pairs{}, rias", if uneven { " with demands on most" } else { "" });
    if !table.wants(&name) {
        return;
    }
    let problem = ring(stations, uneven);
    let rates = solve_rates(&problem, Criterion::Rias).expect("solvable");
    check(&problem, Criterion::Rias, &rates.rates_bps, 1e-9).expect("fair");
    let runs = if uneven { 2 } else { 9 };
    let mean = time(runs, || drop(solve_rates(black_box(&problem), Criterion::Rias).expect("solvable")));
    table.row(&name, mean, &format!("unique {}", rates.unique));
}

fn proportional_rows(table: &Table) {
    for (flows, links, mixed) in [(1_000, 100, false), (10_000, 1_000, false), (10_000, 1_000, true)] {
        let name = format!("random {flows}x{links}, proportional{}", if mixed { ", weights and demands" } else { "" });
        if !table.wants(&name) {
            continue;
        }
        let problem = Instance::random(flows, links).problem(mixed);
        let rates = solve_rates(&problem, Criterion::Proportional).expect("solvable");
        check(&problem, Criterion::Proportional, &rates.rates_bps, 1e-9).expect("fair");
        let mean = time(5, || drop(solve_rates(black_box(&problem), Criterion::Proportional).expect("solvable")));
        table.row(&name, mean, "gap below 1e-9 by the checker");
    }
}

fn live_rows(table: &Table, flows: usize, links: usize) {
    let name = format!("live {flows}x{links}");
    if !table.wants(&name) {
        return;
    }
    let instance = Instance::random(flows, links);
    let mut dice = Pcg64Mcg::seed_from_u64(3);
    for (precision, what, changes) in [
        (Precision::Exact, "exact", if flows > 100_000 { 6 } else { 60 }),
        (Precision::Within(1e-3), "error 1e-3 of a capacity", 2000),
    ] {
        let mut live = LiveProblem::from_arrays(&instance.plain()).expect("solvable");
        let mut added = Vec::new();
        let mut looked_at = 0;
        let mut one = || {
            if added.len() < 2 || dice.random_bool(0.5) {
                let route = random_route(&mut dice, links).into_iter().map(|link| link as usize).collect();
                let flow = LiveFlow { route, demand_bps: f64::INFINITY, weight: 1.0, min_rate_bps: 0.0 };
                added.push(live.add_flow(&flow).expect("good"));
            } else {
                let gone = loop {
                    let flow = dice.random_range(0..flows);
                    if live.has(flow) {
                        break flow;
                    }
                };
                live.remove_flow(gone).expect("there");
            }
            looked_at += live.update(precision).looked_at;
        };
        let start = processor_seconds();
        (0..changes).for_each(|_| one());
        let mean = (processor_seconds() - start) / changes as f64;
        let mut note = format!("looked at {} a change", looked_at / changes);
        if what != "exact" {
            let bounded: Vec<f64> = (0..live.indices()).map(|flow| live.rate_bps(flow)).collect();
            live.update(Precision::Exact);
            let off = (0..live.indices()).map(|flow| (bounded[flow] - live.rate_bps(flow)).abs()).fold(0.0, f64::max);
            note += &format!("; rates off by {:.1e} of the widest link after {changes}", off / 10.0);
        }
        table.row(&format!("{name}, arrival or departure, {what}"), mean, &note);
    }
}

fn ten_flows(table: &Table) {
    let name = "10 flows on 10 links, max-min";
    if !table.wants(name) {
        return;
    }
    let instance = Instance::random(10, 10);
    let mut solver = MaxMin::default();
    const BATCH: usize = 1000;
    let arrays = instance.plain();
    let mean = time(50, || (0..BATCH).for_each(|_| solver.solve(black_box(&arrays)).expect("solvable")));
    table.row(name, mean / BATCH as f64, "");
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
