//! One flow comes or goes: what following it costs.

use super::instance::{Instance, Terms, route};
use super::ours::Measured;
use crate::child::median;
use crate::processor::processor_seconds;
use fairwire_alloc::{LiveFlow, LiveProblem, Precision};
use fairwire_core::{RandomStream, Streams};
use rand::RngExt;

/// So much time goes into changes…
const ENOUGH_S: f64 = 1.0;
/// …but no more changes than this…
const MOST: usize = 4_000;
/// …and no fewer than this.
const LEAST: usize = 10;

/// Adds and removes flows at random, one at a time.
pub fn measure(instance: &Instance, within: Option<f64>) -> Measured {
    let precision = within.map_or(Precision::Exact, Precision::Within);
    let arrays = instance.arrays(Terms::Plain);
    let mut live = LiveProblem::from_arrays(&arrays).expect("instances are good");
    let mut dice = Streams::new(1, 0).component("changes");
    let mut added = 0;
    let (mut times, mut looked_at) = (Vec::new(), 0);
    while times.len() < LEAST || (times.iter().sum::<f64>() < ENOUGH_S && times.len() < MOST) {
        let change = Change::drawn(&mut dice, instance, &live, &mut added);
        let start = processor_seconds();
        match change {
            Change::Arrives(flow) => drop(live.add_flow(&flow).expect("routes are good")),
            Change::Leaves(flow) => live.remove_flow(flow).expect("it is there"),
        }
        looked_at += live.update(precision).looked_at;
        times.push(processor_seconds() - start);
    }
    let runs = times.len();
    let mut note = format!("looks at {} flows a change", looked_at / runs);
    if within.is_some() {
        let near: Vec<f64> = (0..live.indices()).map(|flow| live.rate_bps(flow)).collect();
        live.update(Precision::Exact);
        let off = (0..live.indices()).map(|flow| (near[flow] - live.rate_bps(flow)).abs()).fold(0.0, f64::max);
        let widest = instance.capacities.iter().copied().fold(0.0, f64::max);
        note += &format!("; off by {:.1e} of the widest link in the end", off / widest);
    }
    let problem_bytes =
        size_of_val(arrays.capacities_bps) + size_of_val(arrays.route_starts) + size_of_val(arrays.route_links);
    Measured { ms: 1e3 * median(times.into_iter()), runs, problem_bytes, note: Some(note), ..Measured::default() }
}

enum Change {
    Arrives(LiveFlow),
    Leaves(usize),
}

impl Change {
    /// One or the other, with equal chances.
    fn drawn(dice: &mut RandomStream, instance: &Instance, live: &LiveProblem, added: &mut usize) -> Self {
        if *added < 2 || dice.random_bool(0.5) {
            *added += 1;
            let route = route(dice, instance.capacities.len()).into_iter().map(|link| link as usize).collect();
            return Self::Arrives(LiveFlow { route, demand_bps: f64::INFINITY, weight: 1.0, min_rate_bps: 0.0 });
        }
        loop {
            let flow = dice.random_range(0..instance.flows() as u32) as usize;
            if live.has(flow) {
                return Self::Leaves(flow);
            }
        }
    }
}
