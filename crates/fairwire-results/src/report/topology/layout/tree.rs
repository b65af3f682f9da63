//! A tree: its root on the left, leaves one below the other.

use super::{Layout, Neighbours, Point};
use crate::plan::Outline;
use std::collections::{BTreeMap, BTreeSet};

/// Between a node and its children, and what the whole may be wide.
const STEP: f64 = 150.0;
const WIDTH: f64 = 900.0;
/// Between two leaves, and what the whole may be high.
const APART: f64 = 36.0;
const HEIGHT: f64 = 1100.0;

pub(super) fn lay_out(plan: &Outline, neighbours: &Neighbours, gateways: BTreeSet<usize>) -> Layout {
    let root = root(plan, neighbours, &gateways);
    let leaves = neighbours.iter().filter(|(node, around)| around.len() < 2 && **node != root).count();
    let depth = super::distances(neighbours, root).into_values().max().unwrap_or(0).max(1);
    let apart = (HEIGHT / leaves.max(1) as f64).min(APART);
    let mut tree = Tree { neighbours, step: (WIDTH / depth as f64).min(STEP), apart, places: BTreeMap::new(), row: 0 };
    tree.place(root, None, 0);
    Layout { places: tree.places, gateways, apart }
}

/// The gateway where most flows begin or end; of several the one that is nearest to all.
fn root(plan: &Outline, neighbours: &Neighbours, gateways: &BTreeSet<usize>) -> usize {
    let ends = |node: usize| plan.flows.iter().filter(|flow| flow.from == node || flow.to == node).count();
    let farness = |node: usize| super::distances(neighbours, node).into_values().max().unwrap_or(0);
    let best = gateways.iter().copied().max_by_key(|&node| {
        (ends(node), std::cmp::Reverse(farness(node)), neighbours[&node].len(), std::cmp::Reverse(node))
    });
    best.or_else(|| neighbours.keys().next().copied()).unwrap_or(0)
}

struct Tree<'a> {
    neighbours: &'a Neighbours,
    step: f64,
    apart: f64,
    places: BTreeMap<usize, Point>,
    /// The next free row for a leaf.
    row: usize,
}

impl Tree<'_> {
    /// Places a node in the middle of its children, and gives back its height. Trees of
    /// networks that are drawn this way are at most some hundred nodes deep.
    fn place(&mut self, node: usize, parent: Option<usize>, depth: usize) -> f64 {
        let children: Vec<usize> = self.neighbours[&node].iter().copied().filter(|&one| Some(one) != parent).collect();
        let heights: Vec<f64> = children.into_iter().map(|child| self.place(child, Some(node), depth + 1)).collect();
        let y = match (heights.first(), heights.last()) {
            (Some(first), Some(last)) => f64::midpoint(*first, *last),
            _ => {
                self.row += 1;
                self.row as f64 * self.apart
            }
        };
        self.places.insert(node, (depth as f64 * self.step, y));
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves stand a row apart, the first one below the top, and everybody else in the middle of its children.
    #[test]
    fn leaves_stand_below_one_another_in_their_order() {
        let mut neighbours = Neighbours::new();
        for (a, b) in [(0, 1), (0, 2), (1, 3), (1, 4), (1, 5)] {
            neighbours.entry(a).or_default().insert(b);
            neighbours.entry(b).or_default().insert(a);
        }
        let mut tree = Tree { neighbours: &neighbours, step: 100.0, apart: 10.0, places: BTreeMap::new(), row: 0 };
        tree.place(0, None, 0);
        let due = [(0, (0.0, 30.0)), (1, (100.0, 20.0)), (2, (100.0, 40.0)), (3, (200.0, 10.0)), (4, (200.0, 20.0))];
        assert_eq!(tree.places.into_iter().take(5).collect::<Vec<_>>(), due);
    }
}
