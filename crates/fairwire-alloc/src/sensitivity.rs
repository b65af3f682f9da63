//! What a little more (or less) capacity on a link would be worth.
//!
//! Fair rates are piecewise smooth in the capacities; where pieces meet, more
//! and less capacity are worth different amounts, so both are given. Max-min
//! between flows is filled with numbers a + b·δ, δ infinitely small, which
//! gives the exact derivative even where several links fill up at once. For
//! the other criteria a small step is solved.

mod dual_filling;

use dual_filling::DualFilling;

use crate::interrupt::look;
use crate::solve::flow_weights;
use crate::{AllocError, Criterion, Problem, Terms, general_weighted, solve_rates_with_terms};

/// The step for criteria that are solved again, relative to the capacity.
const STEP: f64 = 1e-6;

/// What one link is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Index of the link.
    pub link: usize,
    /// Rate that all flows together gain per bit/s added to its capacity.
    pub total_up: f64,
    /// Rate that all flows together lose per bit/s taken from its capacity.
    pub total_down: f64,
    /// Rate gained per bit/s added, of each flow whose rate changes.
    pub up: Vec<(usize, f64)>,
    /// Rate lost per bit/s taken away, of each flow whose rate changes.
    pub down: Vec<(usize, f64)>,
}

/// The sensitivity of all rates to the capacity of every link that is full
/// (to the others there is none).
///
/// # Errors
/// As [`crate::solve_with_terms`].
pub fn sensitivities(problem: &Problem, terms: &Terms, criterion: Criterion) -> Result<Vec<Sensitivity>, AllocError> {
    let rates = solve_rates_with_terms(problem, terms, criterion)?;
    let mut loads = vec![0.0; problem.links.len()];
    for (flow, rate) in problem.flows.iter().zip(&rates.rates_bps) {
        flow.route.iter().for_each(|&link| loads[link] += rate);
    }
    let full = |link: &usize| loads[*link] >= problem.links[*link].capacity_bps * (1.0 - 1e-6);
    (0..problem.links.len()).filter(full).map(|link| sensitivity(problem, terms, criterion, link)).collect()
}

/// The sensitivity of all rates to the capacity of one link.
///
/// # Errors
/// As [`crate::solve_with_terms`]; [`AllocError::UnknownChange`] for a link
/// that does not exist.
pub fn sensitivity(
    problem: &Problem,
    terms: &Terms,
    criterion: Criterion,
    link: usize,
) -> Result<Sensitivity, AllocError> {
    if link >= problem.links.len() {
        return Err(AllocError::UnknownChange { what: "link", index: link, count: problem.links.len() });
    }
    let slopes = |side: f64| -> Result<Vec<f64>, AllocError> {
        look();
        match criterion {
            Criterion::MaxMin | Criterion::WeightedMaxMin | Criterion::InverseHop | Criterion::GeneralWeighted => {
                exact(problem, terms, criterion, link, side)
            }
            _ => by_step(problem, terms, criterion, link, side),
        }
    };
    let noise = 1e-9;
    let listed = |slopes: Vec<f64>| -> Vec<(usize, f64)> {
        slopes.into_iter().enumerate().filter(|(_, slope)| slope.abs() > noise).collect()
    };
    let (up, down) = (listed(slopes(1.0)?), listed(slopes(-1.0)?));
    let total = |slopes: &[(usize, f64)]| slopes.iter().fold(0.0, |sum, (_, slope)| sum + slope);
    Ok(Sensitivity { link, total_up: total(&up), total_down: total(&down), up, down })
}

/// Derivatives in the direction `side` (±1), as gains per unit of capacity.
fn exact(
    problem: &Problem,
    terms: &Terms,
    criterion: Criterion,
    link: usize,
    side: f64,
) -> Result<Vec<f64>, AllocError> {
    problem.validate()?;
    terms.validate(problem)?;
    let capped = terms.capped(problem);
    let granted = match criterion {
        // Refuses minimums that do not fit.
        Criterion::GeneralWeighted => {
            general_weighted::solve(&capped, terms)?;
            general_weighted::granted(&capped, terms)
        }
        _ => vec![0.0; problem.flows.len()],
    };
    let mut capacities: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps).collect();
    for (flow, granted) in problem.flows.iter().zip(&granted) {
        flow.route.iter().for_each(|&link| capacities[link] = (capacities[link] - granted).max(0.0));
    }
    let wanted: Vec<f64> = capped.flows.iter().zip(&granted).map(|(flow, granted)| flow.demand_bps - granted).collect();
    let weights = flow_weights(problem, criterion);
    let filling = DualFilling::new(&capped, &capacities, &wanted, &weights, link, side);
    Ok(filling.run().into_iter().map(|slope| slope * side).collect())
}

/// Difference quotients of a small step.
fn by_step(
    problem: &Problem,
    terms: &Terms,
    criterion: Criterion,
    link: usize,
    side: f64,
) -> Result<Vec<f64>, AllocError> {
    let mut stepped = problem.clone();
    let step = STEP * problem.links[link].capacity_bps;
    stepped.links[link].capacity_bps += side * step;
    let here = solve_rates_with_terms(problem, terms, criterion)?.rates_bps;
    let there = solve_rates_with_terms(&stepped, terms, criterion)?.rates_bps;
    // What the step resolves: rates are good to about 1e-12 of a capacity.
    let slope = |(there, here): (&f64, &f64)| {
        let slope = side * (there - here) / step;
        if slope.abs() < 1e-5 { 0.0 } else { slope }
    };
    Ok(there.iter().zip(&here).map(slope).collect())
}
