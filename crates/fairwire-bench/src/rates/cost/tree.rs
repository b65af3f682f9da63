//! The tree of shares by itself: visited nodes, and sums after many changes.

use fairwire_core::Streams;
use fairwire_laws::rate::share_tree::ShareTree;
use fairwire_terminal::Interrupt;
use rand::RngExt;
use serde::Serialize;

/// Changes whose visits are counted.
const COUNTED: u32 = 100_000;
/// Flows among which changes happen, at most, and how many to each of them until sums are counted anew.
const FLOWS: u32 = 100_000;
const CHANGES_A_FLOW: u32 = 100;

/// What the tree does.
#[derive(Debug, Serialize)]
pub struct Tree {
    /// Most nodes that one change with a search visits, by the number of flows.
    pub visits: Vec<Visits>,
    /// Changes before the recount; 0 if it was interrupted.
    pub changes: u32,
    /// The flows among which they happened.
    pub changed_flows: u32,
    /// The largest relative difference of a sum to the recount.
    pub difference: f64,
}

/// One number of flows.
#[derive(Debug, Serialize)]
pub struct Visits {
    /// Flows in the tree.
    pub flows: u32,
    /// Most nodes visited by one change and the search after it.
    pub most: u64,
    /// On average.
    pub mean: f64,
    /// 4·log₂N + 8.
    pub bound: f64,
}

/// Measures it with these numbers of flows.
pub fn measure(flows: &[u32], interrupt: &Interrupt) -> Tree {
    let visits = flows.iter().take_while(|_| !interrupt.is_raised()).map(|flows| count(*flows)).collect();
    let changed_flows = flows.last().map_or(FLOWS, |most| FLOWS.min(*most));
    let changes = if interrupt.is_raised() { 0 } else { changed_flows * CHANGES_A_FLOW };
    Tree { visits, changes, changed_flows, difference: recount(changed_flows, changes) }
}

fn count(flows: u32) -> Visits {
    let mut draw = Streams::new(24, flows.into()).component("visits");
    let mut tree = ShareTree::<u64>::default();
    for flow in 0..flows {
        tree.set(flow, draw.random_range(0.0..1e6), draw.random_range(0.5..4.0));
    }
    let (before, mut most) = (*tree.visits(), 0);
    for _ in 0..COUNTED {
        let visited = *tree.visits();
        tree.set(draw.random_range(0..flows), draw.random_range(0.0..1e6), draw.random_range(0.5..4.0));
        tree.fair_share(0.3e6 * f64::from(flows));
        most = most.max(*tree.visits() - visited);
    }
    let mean = (*tree.visits() - before) as f64 / f64::from(COUNTED);
    Visits { flows, most, mean, bound: 4.0 * f64::from(flows).log2() + 8.0 }
}

/// How far sums are off after `changes`. Limits are over nine decades and weights over six, so that rounding has something to
/// spoil; a tenth of the flows go.
fn recount(flows: u32, changes: u32) -> f64 {
    let mut draw = Streams::new(25, 0).component("sums");
    let mut tree = ShareTree::new();
    let decades =
        |draw: &mut fairwire_core::RandomStream, low: f64, high: f64| 10f64.powf(draw.random_range(low..high));
    for _ in 0..changes {
        let flow = draw.random_range(0..flows);
        if draw.random_range(0..10) == 0 {
            tree.remove(flow);
        } else {
            tree.set(flow, decades(&mut draw, 0.0, 9.0), decades(&mut draw, -3.0, 3.0));
        }
    }
    tree.recount().largest_difference
}
