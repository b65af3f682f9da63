//! Many changes: sums stay exact, memory stays flat, visits stay logarithmic.

use fairwire_core::{RandomStream, Streams};
use fairwire_laws::rate::share_tree::ShareTree;
use rand::RngExt;

fn random(seed: u64) -> RandomStream {
    Streams::new(seed, 0).component("flows")
}

/// A limit up to 100 Mb/s and a weight over six decades.
fn draw(rng: &mut RandomStream) -> (f64, f64) {
    (rng.random_range(0.0..100e6), 10f64.powf(rng.random_range(-3.0..3.0)))
}

fn sums_after(changes: u32) {
    const FLOWS: u32 = 20_000;
    let mut rng = random(23);
    let mut tree = ShareTree::new();
    for _ in 0..changes {
        let flow = rng.random_range(0..FLOWS);
        if rng.random_range(0..4) == 0 {
            tree.remove(flow);
        } else {
            let (limit, weight) = draw(&mut rng);
            tree.set(flow, limit, weight);
        }
    }
    let recount = tree.recount();
    assert!(recount.flows > FLOWS as usize / 2 && recount.flows == tree.len());
    assert!(recount.largest_difference < 1e-12, "{recount:?}");
    assert!((tree.sum_of_limits() / recount.sum_of_limits - 1.0).abs() < 1e-12);
    assert!((tree.sum_of_weights() / recount.sum_of_weights - 1.0).abs() < 1e-12);
}

#[test]
fn sums_are_exact_after_many_changes() {
    sums_after(300_000);
}

#[test]
#[ignore = "ten million changes"]
fn sums_are_exact_after_ten_million_changes() {
    sums_after(10_000_000);
}

#[test]
fn a_million_flows_that_came_and_went_leave_nothing() {
    const AT_ONCE: u32 = 1000;
    let mut rng = random(7);
    let mut tree = ShareTree::new();
    let mut memory = 0;
    for opened in 0..1_000_000 {
        // The flow that had this number leaves.
        assert_eq!(tree.remove(opened % AT_ONCE), opened >= AT_ONCE);
        let (limit, weight) = draw(&mut rng);
        tree.set(opened % AT_ONCE, limit, weight);
        if opened == 20 * AT_ONCE {
            memory = tree.memory_bytes();
        }
    }
    assert_eq!(tree.len(), AT_ONCE as usize);
    assert!(tree.memory_bytes() <= 2 * memory, "{} of {memory}", tree.memory_bytes());
    assert!(tree.recount().largest_difference < 1e-12);
}

/// Most visits of a re-key with a search: of random flows, then with limits that only rise, then of flows that all tie.
#[test]
fn visited_nodes_are_logarithmic() {
    for flows in [1u32, 10, 100, 1_000, 10_000, 100_000] {
        let mut rng = random(u64::from(flows));
        let mut tree = ShareTree::<u64>::default();
        for flow in 0..flows {
            let (limit, weight) = draw(&mut rng);
            tree.set(flow, limit, weight);
        }
        let mut most = 0;
        let mut change = |tree: &mut ShareTree<u64>, flow: u32, limit: f64, weight: f64| {
            let before = *tree.visits();
            tree.set(flow, limit, weight);
            tree.fair_share(0.4 * limit * f64::from(flows));
            most = most.max(*tree.visits() - before);
        };
        for _ in 0..50_000 {
            let (limit, weight) = draw(&mut rng);
            change(&mut tree, rng.random_range(0..flows), limit, weight);
        }
        for turn in 0..50_000u32 {
            change(&mut tree, turn % flows, 100e6 + f64::from(turn), 1.0);
        }
        for turn in 0..50_000u32 {
            change(&mut tree, turn % flows, 5e6, 1.0);
        }
        assert!(most as f64 <= 4.0 * f64::from(flows).log2() + 8.0, "{most} visits among {flows} flows");
        assert!(most > 0);
    }
}
