//! Our own solvers on one row, in this process.

use super::instance::{Instance, Sum, Terms};
use super::live;
use super::rows::{Row, Work};
use crate::child::median;
use crate::processor::processor_seconds;
use fairwire_alloc::{Criterion, Flow, Link, MaxMin, Problem, RingArrays, RingMaxMin, check, solve_rates};
use fairwire_core::Streams;
use fairwire_terminal::CliError;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::mem::size_of_val;

/// What one process found out about a row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Median of the processor time of one solve, or of one change; milliseconds.
    pub ms: f64,
    /// How many there were.
    pub runs: usize,
    /// Largest resident set of this process until the last solve was done, where the system tells.
    pub peak_bytes: Option<u64>,
    /// What the problem itself takes in memory.
    pub problem_bytes: usize,
    /// By how much the fullest link is over its capacity, as a part of it.
    pub overload: Option<f64>,
    /// What else there is to say.
    pub note: Option<String>,
    /// The rates, where somebody else computes them, too.
    #[serde(skip)]
    pub rates: Vec<f64>,
}

/// Solves a row many times.
///
/// # Errors
/// If an answer does not pass its checker.
pub fn measure(row: &Row) -> Result<Measured, CliError> {
    let measured = match row.work {
        Work::Random { flows, links, terms } => random(&Instance::random(flows, links), terms),
        Work::Ring { stations } => ring(stations),
        Work::Rias { stations, uneven } => as_structs(&full_ring(stations, uneven), Criterion::Rias)?,
        Work::Proportional { flows, links, terms } => {
            let instance = Instance::random(flows, links);
            let measured = as_structs(&instance.problem(terms), Criterion::Proportional)?;
            let overload = overload(&instance.capacities, &instance.loads(&measured.rates));
            Measured { overload: Some(overload), ..measured }
        }
        Work::Live { flows, links, within } => live::measure(&Instance::random(flows, links), within),
        Work::FromPython => Measured::default(),
    };
    Ok(Measured { peak_bytes: peak_bytes(), ..measured })
}

/// The problem of a row that others can solve, too, and what of it counts.
pub fn problem(row: &Row) -> Option<(Instance, Terms)> {
    match row.work {
        Work::Random { flows, links, terms } | Work::Proportional { flows, links, terms } => {
            Some((Instance::random(flows, links), terms))
        }
        Work::Ring { stations } => Some((Instance::ring(stations), Terms::Plain)),
        Work::Rias { .. } | Work::Live { .. } | Work::FromPython => None,
    }
}

/// The largest resident set of this process so far: what `wait` tells its parent would not be
/// less than the parent's own.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<u64>().ok()?)
}

/// By how much the fullest link is over its capacity, as a part of it; zero or less if
/// everything fits.
fn overload(capacities: &[f64], loads: &[f64]) -> f64 {
    let over = loads.iter().zip(capacities).map(|(load, capacity)| load / capacity - 1.0);
    over.fold(f64::NEG_INFINITY, f64::max)
}

/// A solve is repeated until this much time has gone by…
const ENOUGH_S: f64 = 0.5;
/// …but at least so often…
const LEAST: usize = 5;
/// …and short ones are timed in batches, as reading the clock takes time, too.
const BATCH_S: f64 = 50e-6;

/// Median processor time of a solve in milliseconds, and how often it was taken. The first
/// solve does not count: it fetches the storage that the others use again.
fn time(mut solve: impl FnMut()) -> (f64, usize) {
    solve();
    let timed = |solve: &mut dyn FnMut(), batch: usize| {
        let start = processor_seconds();
        (0..batch).for_each(|_| solve());
        (processor_seconds() - start) / batch as f64
    };
    let once = timed(&mut solve, 1).max(1e-9);
    let batch = (BATCH_S / once).ceil().max(1.0) as usize;
    let mut times = Vec::new();
    while times.len() < LEAST || times.iter().sum::<f64>() * (batch as f64) < ENOUGH_S {
        times.push(timed(&mut solve, batch));
    }
    let runs = times.len() * batch;
    (1e3 * median(times.into_iter()), runs)
}

fn random(instance: &Instance, terms: Terms) -> Measured {
    let arrays = instance.arrays(terms);
    let mut solver = MaxMin::default();
    let (ms, runs) = time(|| solver.solve(black_box(&arrays)).expect("instances are good"));
    let rates = solver.rates_bps().to_vec();
    let reals = [arrays.capacities_bps, arrays.demands_bps, arrays.weights, arrays.min_rates_bps];
    let problem_bytes = reals.iter().map(|list| size_of_val(*list)).sum::<usize>()
        + size_of_val(arrays.route_starts)
        + size_of_val(arrays.route_links);
    let overload = Some(overload(&instance.capacities, &instance.loads(&rates)));
    Measured { ms, runs, problem_bytes, overload, rates, ..Measured::default() }
}

fn ring(stations: usize) -> Measured {
    let capacities = Instance::ring_capacities(stations);
    let ringlets = [0, 1].map(|ringlet| Instance::intervals(stations, ringlet));
    let mut solvers = [RingMaxMin::default(), RingMaxMin::default()];
    let (ms, runs) = time(|| {
        for (ringlet, (from, hops)) in ringlets.iter().enumerate() {
            let capacities_bps = &capacities[ringlet * stations..][..stations];
            let ring = RingArrays { capacities_bps, from, hops, ..RingArrays::default() };
            solvers[ringlet].solve(black_box(&ring)).expect("instances are good");
        }
    });
    let loads: Vec<f64> = (ringlets.iter().zip(&solvers))
        .flat_map(|((from, hops), solver)| interval_loads(stations, from, hops, solver.rates_bps()))
        .collect();
    let rates: Vec<f64> = solvers.iter().flat_map(|solver| solver.rates_bps().iter().copied()).collect();
    let problem_bytes = size_of_val(&capacities[..]) + 8 * rates.len();
    let overload = Some(overload(&capacities, &loads));
    Measured { ms, runs, problem_bytes, overload, rates, ..Measured::default() }
}

/// What every link of a ringlet carries, each summed up by itself.
fn interval_loads(stations: usize, from: &[u32], hops: &[u32], rates: &[f64]) -> Vec<f64> {
    let mut loads = vec![Sum::default(); stations];
    for (flow, rate) in rates.iter().enumerate() {
        let (first, after) = (from[flow] as usize, (from[flow] + hops[flow]) as usize);
        loads[first..after.min(stations)].iter_mut().for_each(|load| load.add(*rate));
        loads[..after.saturating_sub(stations)].iter_mut().for_each(|load| load.add(*rate));
    }
    loads.iter().map(Sum::value).collect()
}

/// Criteria that take a [`Problem`]; their answer is checked by code that shares nothing
/// with the solver.
fn as_structs(problem: &Problem, criterion: Criterion) -> Result<Measured, CliError> {
    let rates = solve_rates(problem, criterion)?;
    check(problem, criterion, &rates.rates_bps, 1e-9).map_err(|violation| {
        CliError::bad_input(format!("the checker rejects our rates: {violation}"), "report it: this is a bug")
    })?;
    let (ms, runs) = time(|| drop(solve_rates(black_box(problem), criterion).expect("solved before")));
    let crossings: usize = problem.flows.iter().map(|flow| flow.route.len()).sum();
    let problem_bytes = size_of_val(&problem.flows[..]) + size_of_val(&problem.links[..]) + 8 * crossings;
    let note = (criterion == Criterion::Rias).then(|| format!("unique: {}", rates.unique));
    Ok(Measured { ms, runs, problem_bytes, note, rates: rates.rates_bps, ..Measured::default() })
}

/// All ordered pairs on a ring of equal links; uneven: seven of ten with demands.
fn full_ring(stations: usize, uneven: bool) -> Problem {
    let mut dice = Streams::new(1, 0).component("uneven");
    let mut flows = Vec::new();
    for from in 0..stations {
        for to in (0..stations).filter(|&to| to != from) {
            let hops = (to + stations - from) % stations;
            let route = if 2 * hops <= stations {
                (0..hops).map(|hop| (from + hop) % stations).collect()
            } else {
                (0..stations - hops).map(|hop| stations + (from + stations - hop) % stations).collect()
            };
            let demand_bps = if uneven && dice.random_bool(0.7) { dice.random_range(0.0..20e6) } else { f64::INFINITY };
            flows.push(Flow { id: format!("{from}-{to}"), ingress: from, egress: to, route, demand_bps, weight: 1.0 });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_as_intervals_and_as_networks_have_the_same_rates() {
        let (stations, instance) = (16, Instance::ring(16));
        let mut solver = MaxMin::default();
        solver.solve(&instance.arrays(Terms::Plain)).unwrap();
        let rates = ring(stations).rates;
        let off = rates.iter().zip(solver.rates_bps()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12 && rates.len() == instance.flows(), "{off}");
        let (from, hops) = Instance::intervals(stations, 0);
        let loads = interval_loads(stations, &from, &hops, &rates[..from.len()]);
        let wanted = instance.loads(&rates);
        assert!(loads.iter().zip(&wanted).all(|(load, wanted)| (load - wanted).abs() < 1e-12));
    }

    #[test]
    fn what_does_not_fit_is_seen() {
        let instance =
            Instance { capacities: vec![2.0], starts: vec![0, 1, 2], links: vec![0; 2], ..Default::default() };
        assert_eq!(overload(&instance.capacities, &instance.loads(&[1.0, 1.5])), 0.25);
    }
}
