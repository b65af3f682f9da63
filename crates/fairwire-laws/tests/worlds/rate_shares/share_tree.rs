//! The order-statistics tree: Theorems 1 and 2, changes, ties, what it keeps and what it visits.

use super::linear::{Flow, find_nfs, water_level};
use fairwire_laws::rate::share_tree::{Share, ShareTree};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Weights over six decades, and limits that often tie.
fn a_flow() -> impl Strategy<Value = Flow> {
    let weight = prop_oneof![2 => Just(1.0), 1 => (1u32..4).prop_map(f64::from), 3 => (-3.0..3.0f64).prop_map(|e| 10f64.powf(e))];
    let limit = prop_oneof![Just(0.0), (0u32..5).prop_map(|n| f64::from(n) * 25e6), 0.0..100e6f64];
    (limit, weight)
}

fn numbered(flows: &[Flow]) -> Vec<(u32, Flow)> {
    (0..).zip(flows.iter().copied()).collect()
}

fn tree_of(flows: &[Flow]) -> ShareTree {
    let mut tree = ShareTree::new();
    for (flow, (limit, weight)) in numbered(flows) {
        assert!(tree.set(flow, limit, weight));
    }
    tree
}

proptest! {
    #[test]
    fn theorem_2_the_tree_finds_what_the_printed_list_finds(
        flows in prop::collection::vec(a_flow(), 0..400), part in 0.0..1.1f64,
    ) {
        let excess = part * flows.iter().map(|(limit, _)| limit).sum::<f64>();
        let (tree, list) = (tree_of(&flows).fair_share(excess), find_nfs(&numbered(&flows), excess));
        match (tree, list) {
            (Some(tree), Some((nfs, critical, _))) => {
                // Where a limit is at the level itself, rounding says on which side.
                let level = |flow: u32| flows[flow as usize].0 / flows[flow as usize].1;
                let same = tree.critical == critical || (level(tree.critical) - level(critical)).abs() <= 1e-9 * nfs;
                prop_assert!(same, "{tree:?} {critical} {nfs}");
                let around = excess / flows[critical as usize].1.min(1e3);
                prop_assert!((tree.nfs - nfs).abs() <= 1e-12 * nfs.max(around), "{tree:?} {nfs}");
            }
            (None, None) => {}
            // All limits together are the excess.
            _ => prop_assert!((part - 1.0).abs() < 1e-9 || excess == 0.0, "{tree:?} {list:?}"),
        }
    }

    #[test]
    fn theorem_1_the_share_parts_the_constrained_from_the_others(
        flows in prop::collection::vec(a_flow(), 1..400), part in 0.01..0.99f64,
    ) {
        let excess = part * flows.iter().map(|(limit, _)| limit).sum::<f64>();
        prop_assume!(excess > 0.0);
        let Share { nfs, critical } = tree_of(&flows).fair_share(excess).expect("not all limits fit");
        let key = |flow: u32| (flows[flow as usize].0 / flows[flow as usize].1, flow);
        let slack = 1e-12 * nfs;
        for flow in 0..flows.len() as u32 {
            if key(flow) < key(critical) {
                prop_assert!(key(flow).0 < nfs + slack, "{flow} before {critical} has more than {nfs}");
            } else {
                prop_assert!(key(flow).0 >= nfs - slack, "{flow} from {critical} on has less than {nfs}");
            }
        }
    }

    #[test]
    fn the_share_is_the_level_of_the_water(flows in prop::collection::vec(a_flow(), 1..200), part in 0.01..0.99f64) {
        let excess = part * flows.iter().map(|(limit, _)| limit).sum::<f64>();
        prop_assume!(excess > 0.0);
        let (share, level) = (tree_of(&flows).fair_share(excess).unwrap(), water_level(&flows, excess).unwrap());
        let taken = |level: f64| flows.iter().map(|(limit, weight)| limit.min(level * weight)).sum::<f64>();
        // By what is handed out: a level above which only small weights are left is ill-conditioned.
        prop_assert!((taken(share.nfs) - taken(level)).abs() <= 1e-11 * excess, "{share:?} {level}");
    }

    #[test]
    fn changes_leave_what_a_new_tree_would_have(
        changes in prop::collection::vec((0u32..120, prop::option::weighted(0.7, a_flow())), 1..1500), part in 0.0..1.0f64,
    ) {
        let mut tree = ShareTree::new();
        let mut flows = BTreeMap::new();
        for (step, (flow, change)) in changes.into_iter().enumerate() {
            let was = flows.get(&flow).copied();
            match change {
                Some((limit, weight)) => {
                    prop_assert_eq!(tree.set(flow, limit, weight), was != change);
                    flows.insert(flow, (limit, weight));
                }
                None => prop_assert_eq!(tree.remove(flow), flows.remove(&flow).is_some()),
            }
            prop_assert_eq!(tree.len(), flows.len());
            if step % 16 == 0 {
                let recount = tree.recount();
                prop_assert!(recount.largest_difference < 1e-13, "{recount:?}");
                prop_assert_eq!(recount.flows, flows.len());
            }
        }
        let mut anew = ShareTree::new();
        flows.iter().for_each(|(flow, (limit, weight))| assert!(anew.set(*flow, *limit, *weight)));
        let excess = part * tree.sum_of_limits();
        let level = |share: Option<Share>| share.map_or(f64::INFINITY, |share| share.nfs);
        let (share, other) = (level(tree.fair_share(excess)), level(anew.fair_share(excess)));
        let taken = |level: f64| flows.values().map(|(limit, weight)| limit.min(level * weight)).sum::<f64>();
        prop_assert!((taken(share) - taken(other)).abs() <= 1e-11 * excess, "{share} {other}");
        // To the last flow nothing is left behind.
        for flow in 0..120 {
            tree.remove(flow);
        }
        prop_assert_eq!((tree.len(), tree.sum_of_limits(), tree.sum_of_weights()), (0, 0.0, 0.0));
        prop_assert_eq!(tree.fair_share(1.0), None);
    }
}

#[test]
fn the_answer_that_is_kept_follows_every_change() {
    let mut tree = ShareTree::new();
    tree.set(0, 60.0, 1.0);
    tree.set(1, 120.0, 1.0);
    let share = |nfs, critical| Some(Share { nfs, critical });
    assert_eq!(tree.fair_share(100.0), share(50.0, 0));
    assert_eq!(tree.fair_share(140.0), share(80.0, 1), "another excess");
    assert!(tree.set(0, 30.0, 1.0));
    assert_eq!(tree.fair_share(140.0), share(110.0, 1), "another limit");
    assert!(tree.set(0, 30.0, 2.0));
    assert_eq!(tree.fair_share(30.0), share(10.0, 0), "another weight");
    assert!(!tree.set(0, 30.0, 2.0), "nothing new");
    tree.remove(1);
    assert_eq!(tree.fair_share(30.0), share(15.0, 0), "a flow gone");
    assert_eq!(tree.fair_share(31.0), None, "everybody is constrained");
    tree.set(1, 120.0, 1.0);
    assert_eq!(tree.fair_share(31.0), share(31.0 / 3.0, 0), "a flow come");
    assert_eq!(tree.fair_share(0.0), share(0.0, 0), "nothing to share");
}

#[test]
fn of_equal_flows_the_first_number_is_critical() {
    for flows in [1u32, 15, 16, 17, 1000] {
        let mut tree = ShareTree::new();
        (0..flows).rev().for_each(|flow| assert!(tree.set(flow, 8.0, 2.0)));
        assert_eq!(tree.fair_share(f64::from(flows) * 4.0), Some(Share { nfs: 2.0, critical: 0 }));
        assert_eq!(
            tree.fair_share(f64::from(flows) * 8.0),
            Some(Share { nfs: 4.0, critical: 0 }),
            "exactly the limits"
        );
        assert_eq!(tree.fair_share(f64::from(flows) * 8.5), None);
    }
}

#[test]
fn where_one_light_flow_is_left_no_digit_is_lost() {
    let mut tree = ShareTree::new();
    (0..1000).for_each(|flow| assert!(tree.set(flow, 1.0, 1e6)));
    tree.set(1000, 1e3, 1e-3);
    let nfs = tree.fair_share(1000.5).expect("the light flow is not constrained").nfs;
    assert!((nfs - 500.0).abs() < 1e-9, "{nfs}");
}
