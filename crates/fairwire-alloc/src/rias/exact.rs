//! From nearly fair rates to exact ones.
//!
//! Once it is known which slot holds each flow, the rates solve a small
//! linear system: on every link that holds somebody the load equals the
//! capacity, and the aggregates held there are equal, beyond what is promised,
//! per unit of weight. The
//! unknowns are the levels: one rate per unit of flow weight for each slot
//! that holds flows.

use super::layout::Layout;
use crate::interrupt::look;

/// Larger systems are left to the iteration, which is then cheaper.
const MAX_UNKNOWNS: usize = 600;

/// Solves for the rates under fixed holders, starting from `rates`. Flows held
/// by a part of the network whose system is too large keep their rates, and
/// so does what a singular system leaves free.
pub(crate) fn exact(layout: &Layout, holders: &[Option<usize>], rates: &[f64]) -> Vec<f64> {
    let mut rates = rates.to_vec();
    for (flow, slot) in holders.iter().enumerate() {
        if slot.is_none() {
            rates[flow] = layout.problem.flows[flow].demand_bps;
        }
    }
    let groups = Groups::new(layout, holders);
    for group in &groups.groups {
        if group.len() > MAX_UNKNOWNS {
            continue;
        }
        // The second pass removes what rounding left of the first.
        for _ in 0..2 {
            correct(layout, holders, &groups.unknown_of_slot, group, &mut rates);
        }
    }
    rates
}

/// The slots that hold flows, in sets whose equations do not interact.
struct Groups {
    groups: Vec<Vec<usize>>,
    /// Position of a holding slot inside its group.
    unknown_of_slot: Vec<usize>,
}

impl Groups {
    fn new(layout: &Layout, holders: &[Option<usize>]) -> Self {
        let slots = layout.slot_link.len();
        let mut holds = vec![false; slots];
        for slot in holders.iter().flatten() {
            holds[*slot] = true;
        }
        let mut parent: Vec<usize> = (0..slots).collect();
        for link in 0..layout.problem.links.len() {
            let mut here = layout.link_slots.indices(link).filter(|&slot| holds[slot]);
            let Some(first) = here.next() else { continue };
            for other in here {
                unite(&mut parent, first, other);
            }
            for slot in layout.link_slots.indices(link) {
                for flow in layout.slot_flows.indices(slot) {
                    if let Some(held) = holders[flow] {
                        unite(&mut parent, first, held);
                    }
                }
            }
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of_root = vec![usize::MAX; slots];
        let mut unknown_of_slot = vec![usize::MAX; slots];
        for slot in (0..slots).filter(|&slot| holds[slot]) {
            let root = root(&mut parent, slot);
            if group_of_root[root] == usize::MAX {
                group_of_root[root] = groups.len();
                groups.push(Vec::new());
            }
            let group = &mut groups[group_of_root[root]];
            unknown_of_slot[slot] = group.len();
            group.push(slot);
        }
        Self { groups, unknown_of_slot }
    }
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

fn unite(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// One Newton step on the levels of a group; the system is linear, so one is
/// enough but for rounding.
fn correct(layout: &Layout, holders: &[Option<usize>], unknown_of_slot: &[usize], group: &[usize], rates: &mut [f64]) {
    let unknowns = group.len();
    let mut levels = vec![0.0_f64; unknowns];
    for &slot in group {
        for flow in layout.slot_flows.indices(slot) {
            if holders[flow] == Some(slot) {
                let level = rates[flow] / layout.problem.flows[flow].weight;
                levels[unknown_of_slot[slot]] = levels[unknown_of_slot[slot]].max(level);
            }
        }
    }
    assign(layout, holders, unknown_of_slot, group, &levels, rates);

    let mut matrix = vec![0.0; unknowns * unknowns];
    let mut residual = vec![0.0; unknowns];
    let add_slot = |row: usize, slot: usize, factor: f64, matrix: &mut [f64]| -> f64 {
        let mut total = 0.0;
        for flow in layout.slot_flows.indices(slot) {
            total += rates[flow];
            if let Some(held) = holders[flow] {
                matrix[row * unknowns + unknown_of_slot[held]] += factor * layout.problem.flows[flow].weight;
            }
        }
        factor * total
    };
    let mut first_on_link: Vec<(usize, usize)> = Vec::new();
    for (row, &slot) in group.iter().enumerate() {
        let link = layout.slot_link[slot];
        let scale = 1.0 / layout.problem.links[link].capacity_bps;
        match first_on_link.iter().find(|(other, _)| *other == link) {
            // The first slot of a link speaks for its load …
            None => {
                first_on_link.push((link, slot));
                residual[row] = 1.0;
                for other in layout.link_slots.indices(link) {
                    residual[row] -= add_slot(row, other, scale, &mut matrix);
                }
            }
            // … and every further one for being level with the first.
            Some(&(_, first)) => {
                let own = scale / layout.slot_weight[slot];
                let others = scale / layout.slot_weight[first];
                residual[row] -= add_slot(row, slot, own, &mut matrix);
                residual[row] -= add_slot(row, first, -others, &mut matrix);
                residual[row] += own * layout.slot_minimum[slot] - others * layout.slot_minimum[first];
            }
        }
    }
    let change = solve_dense(&mut matrix, &mut residual);
    for (level, change) in levels.iter_mut().zip(&change) {
        *level = (*level + change).max(0.0);
    }
    assign(layout, holders, unknown_of_slot, group, &levels, rates);
}

fn assign(
    layout: &Layout,
    holders: &[Option<usize>],
    unknown_of_slot: &[usize],
    group: &[usize],
    levels: &[f64],
    rates: &mut [f64],
) {
    for &slot in group {
        for flow in layout.slot_flows.indices(slot) {
            if holders[flow] == Some(slot) {
                rates[flow] = levels[unknown_of_slot[slot]] * layout.problem.flows[flow].weight;
            }
        }
    }
}

/// Gauss-Jordan elimination with row and column pivoting. Columns left
/// without a pivot stay zero, so a singular system moves as little as it can.
fn solve_dense(matrix: &mut [f64], right: &mut [f64]) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        let largest = matrix[row * size..(row + 1) * size].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if largest > 0.0 {
            matrix[row * size..(row + 1) * size].iter_mut().for_each(|value| *value /= largest);
            right[row] /= largest;
        }
    }
    // Weights and capacities of very different size make columns so; powers of two change no digit.
    let mut scales = vec![1.0; size];
    for (column, scale) in scales.iter_mut().enumerate() {
        let largest = (0..size).fold(0.0_f64, |most, row| most.max(matrix[row * size + column].abs()));
        if largest > 0.0 {
            *scale = largest.log2().floor().exp2().recip();
            (0..size).for_each(|row| matrix[row * size + column] *= *scale);
        }
    }
    let mut row_used = vec![false; size];
    let mut row_of_column = vec![usize::MAX; size];
    for column in 0..size {
        look();
        let pivot = (0..size)
            .filter(|&row| !row_used[row])
            .max_by(|&a, &b| matrix[a * size + column].abs().total_cmp(&matrix[b * size + column].abs()))
            .filter(|&row| matrix[row * size + column].abs() > 1e-9);
        let Some(pivot) = pivot else { continue };
        row_used[pivot] = true;
        row_of_column[column] = pivot;
        let (pivot_row, pivot_right) = (matrix[pivot * size..(pivot + 1) * size].to_vec(), right[pivot]);
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = matrix[row * size + column] / pivot_row[column];
            if factor != 0.0 {
                let target = &mut matrix[row * size..(row + 1) * size];
                for at in column..size {
                    target[at] -= factor * pivot_row[at];
                }
                right[row] -= factor * pivot_right;
            }
        }
    }
    (0..size)
        .map(|column| match row_of_column[column] {
            usize::MAX => 0.0,
            row => right[row] / matrix[row * size + column] * scales[column],
        })
        .collect()
}
