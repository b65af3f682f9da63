//! Marking settles at the max-min shares of one port.

use super::linear::water_level;
use fairwire_laws::rate::marking::Marking;
use proptest::prelude::*;

fn settled(limits: &[f64], abw: f64) -> Marking {
    let mut marking = Marking::new();
    (0..).zip(limits).for_each(|(flow, limit)| assert!(marking.set(flow, *limit)));
    assert!(marking.settle(abw) <= limits.len() + 3);
    marking
}

/// What each flow has, against water filling. Within the slack of marks, of which each flow may use one.
fn check(marking: &Marking, limits: &[(u32, f64)], abw: f64) -> Result<(), TestCaseError> {
    let level = water_level(&limits.iter().map(|(_, limit)| (*limit, 1.0)).collect::<Vec<_>>(), abw);
    for &(flow, limit) in limits {
        let (share, fair) = (marking.share(flow).unwrap(), limit.min(level.unwrap_or(f64::INFINITY)));
        prop_assert!((share - fair).abs() <= 2e-9 * abw * limits.len() as f64, "{flow}: {share}, fair is {fair}");
    }
    Ok(())
}

#[test]
fn eq_1_gives_each_half_where_both_could_have_more() {
    let marking = settled(&[60.0, 120.0], 117.92);
    for flow in [0, 1] {
        assert!((marking.share(flow).unwrap() - 58.96).abs() < 1e-9);
    }
}

#[test]
fn a_flow_limited_elsewhere_leaves_the_rest_to_the_others() {
    let marking = settled(&[20.0, 120.0, 120.0], 100.0);
    assert_eq!([0, 1, 2].map(|flow| marking.share(flow).unwrap()), [20.0, 40.0, 40.0]);
    assert_eq!(marking.share(3), None);
}

#[test]
fn where_all_are_constrained_the_largest_may_take_what_is_left() {
    let mut marking = settled(&[20.0, 30.0], 100.0);
    assert_eq!([0, 1].map(|flow| marking.share(flow)), [Some(20.0), Some(30.0)]);
    // A = 100 − 50 + 30 = 80: a limit below leaves the flow constrained, one above does not.
    assert!(marking.set(1, 79.0) && !marking.set(1, 79.0), "only another limit changes anything");
    marking.settle(100.0);
    assert_eq!(marking.share(1), Some(79.0));
    marking.set(1, 81.0);
    marking.settle(100.0);
    assert_eq!(marking.share(1), Some(80.0));
}

#[test]
fn the_published_failure_is_kept() {
    // Two ports, three flows through both; each port writes its share, the other takes it as the limit.
    let mut ports = [Marking::new(), Marking::new()];
    ports.iter_mut().for_each(|port| (0..3).for_each(|flow| assert!(port.set(flow, 90.0))));
    let exchange = |flows: std::ops::Range<u32>, ports: &mut [Marking; 2]| {
        for _ in 0..20 {
            for flow in flows.clone() {
                for port in [0, 1] {
                    ports[port].settle(90.0);
                    let share = ports[port].share(flow).unwrap();
                    ports[1 - port].set(flow, share);
                }
            }
        }
    };
    exchange(0..3, &mut ports);
    ports.iter_mut().for_each(|port| assert!(port.remove(2)));
    exchange(0..2, &mut ports);
    for port in &mut ports {
        port.settle(90.0);
        for flow in [0, 1] {
            let share = port.share(flow).unwrap();
            assert!((share - 30.0).abs() < 1e-6, "fair were 45, it stays at 30: {share}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_changed_marks_settle_at_max_min_shares(
        changes in prop::collection::vec(
            (0u32..40, prop::option::weighted(0.8, prop_oneof![0.0..100.0f64, (0u32..5).prop_map(|n| f64::from(n) * 10.0)]), 1.0..500.0f64),
            1..300,
        ),
    ) {
        let mut marking = Marking::new();
        let mut limits = std::collections::BTreeMap::new();
        for (flow, limit, abw) in changes {
            match limit {
                Some(limit) => {
                    marking.set(flow, limit);
                    limits.insert(flow, limit);
                }
                None => prop_assert_eq!(marking.remove(flow), limits.remove(&flow).is_some()),
            }
            prop_assert_eq!(marking.len(), limits.len());
            let passes = marking.settle(abw);
            // One pass less than the bound: the last pass has found nothing to change.
            prop_assert!(passes < limits.len() + 3 || limits.is_empty(), "{} passes of {}", passes, limits.len());
            check(&marking, &limits.iter().map(|(flow, limit)| (*flow, *limit)).collect::<Vec<_>>(), abw)?;
        }
    }

    #[test]
    fn rounding_never_lets_marks_swing(flows in 1u32..200, abw in 1.0..1e9f64) {
        // Every limit is the share itself, to a rounding.
        let limits = (0..flows).map(|flow| abw / f64::from(flows) * (1.0 + f64::from(flow % 3) * f64::EPSILON)).collect::<Vec<_>>();
        let mut marking = settled(&limits, abw);
        for _ in 0..3 {
            prop_assert!(marking.settle(abw) <= 2, "nothing is left to settle");
        }
    }
}
