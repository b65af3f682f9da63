//! The point of a polyhedron whose sorted vector is the largest.
//!
//! Raise the smallest coordinate as far as it goes, fix those that can go no
//! further, and repeat with the rest.

use super::linear::{Constraint, Linear};
use super::polyhedron::Polyhedron;

/// Coordinates closer than this are equal.
const EQUAL: f64 = 1e-9;

/// The leximin point of the expressions `values` over the constraints, as
/// the value of each expression; `None` when the set is empty.
pub(crate) fn leximin(variables: usize, constraints: &[Constraint], values: &[Linear]) -> Option<Vec<f64>> {
    // One more variable: the smallest value among those not fixed.
    let widen = |linear: &Linear, floor: f64| {
        let mut wide = linear.clone();
        wide.factors.push(floor);
        wide
    };
    let mut rows: Vec<Constraint> = constraints
        .iter()
        .map(|constraint| match constraint {
            Constraint::NotNegative(linear) => Constraint::NotNegative(widen(linear, 0.0)),
            Constraint::Zero(linear) => Constraint::Zero(widen(linear, 0.0)),
        })
        .collect();
    let mut smallest = Linear::zero(variables + 1);
    smallest.factors[variables] = 1.0;

    let mut fixed: Vec<Option<f64>> = vec![None; values.len()];
    while fixed.iter().any(Option::is_none) {
        let unfixed: Vec<usize> = (0..values.len()).filter(|&at| fixed[at].is_none()).collect();
        let mut raised = rows.clone();
        raised.extend(unfixed.iter().map(|&at| Constraint::NotNegative(widen(&values[at], -1.0))));
        let floor = Polyhedron::new(variables + 1, &raised)?.maximise(&smallest);

        let mut held = rows.clone();
        held.extend(unfixed.iter().map(|&at| {
            let mut above = widen(&values[at], 0.0);
            above.constant -= floor;
            Constraint::NotNegative(above)
        }));
        let mut at_floor = Polyhedron::new(variables + 1, &held)?;
        let reach: Vec<f64> = unfixed.iter().map(|&at| at_floor.maximise(&widen(&values[at], 0.0))).collect();
        let least = reach.iter().copied().fold(f64::INFINITY, f64::min);
        for (&at, &most) in unfixed.iter().zip(&reach) {
            if most <= least.max(floor) + EQUAL {
                fixed[at] = Some(floor);
                let mut exactly = widen(&values[at], 0.0);
                exactly.constant -= floor;
                rows.push(Constraint::Zero(exactly));
            }
        }
    }
    fixed.into_iter().collect()
}

/// Whether the sorted vector of `a` is larger than that of `b`, in the order
/// that compares the smallest entries first.
pub(crate) fn is_larger(a: &[f64], b: &[f64]) -> bool {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (a, b) = (sorted(a), sorted(b));
    a.iter().zip(&b).find(|(a, b)| (*a - *b).abs() > EQUAL).is_some_and(|(a, b)| a > b)
}
