//! Where the nodes of a network stand in the picture.

mod line;
mod spread;
mod tree;

use crate::plan::Outline;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A point, y downwards.
pub(super) type Point = (f64, f64);

/// Who is joined to whom, whatever the direction.
type Neighbours = BTreeMap<usize, BTreeSet<usize>>;

/// Networks of more nodes than this are laid out in columns: anything finer would not be seen.
const MOST_SPREAD: usize = 400;

/// Places of nodes.
pub(super) struct Layout {
    pub places: BTreeMap<usize, Point>,
    /// Nodes at which more than one other hangs.
    pub gateways: BTreeSet<usize>,
    /// Between two hosts in the tightest row or column.
    pub apart: f64,
}

impl Layout {
    /// Gateways in a line with hosts beside them; other trees from their root on; meshes spread out.
    pub fn of(plan: &Outline) -> Self {
        let neighbours = neighbours(plan);
        let mut gateways: BTreeSet<usize> =
            neighbours.iter().filter(|(_, around)| around.len() > 1).map(|(node, _)| *node).collect();
        if gateways.is_empty() {
            gateways.extend(neighbours.keys().next());
        }
        if is_line(&neighbours, &gateways) || neighbours.len() > MOST_SPREAD {
            line::lay_out(plan, &neighbours, gateways)
        } else if is_tree(&neighbours) {
            tree::lay_out(plan, &neighbours, gateways)
        } else {
            spread::lay_out(plan, &neighbours, gateways)
        }
    }
}

fn neighbours(plan: &Outline) -> Neighbours {
    let mut neighbours = Neighbours::new();
    for link in &plan.links {
        neighbours.entry(link.from).or_default().insert(link.to);
        neighbours.entry(link.to).or_default().insert(link.from);
    }
    neighbours
}

/// Whether the gateways hang together one after the other, without a branch or a loop.
fn is_line(neighbours: &Neighbours, gateways: &BTreeSet<usize>) -> bool {
    let among = |node: &usize| neighbours[node].intersection(gateways).count();
    let joints: usize = gateways.iter().map(among).sum::<usize>() / 2;
    let connected = gateways.first().is_none_or(|&first| {
        let reached = distances(neighbours, first);
        gateways.iter().all(|gateway| reached.contains_key(gateway))
    });
    connected && joints + 1 == gateways.len() && gateways.iter().all(|gateway| among(gateway) <= 2)
}

fn is_tree(neighbours: &Neighbours) -> bool {
    let joints = neighbours.values().map(BTreeSet::len).sum::<usize>() / 2;
    let reached = neighbours.keys().next().map_or(0, |&first| distances(neighbours, first).len());
    reached == neighbours.len() && joints + 1 == neighbours.len()
}

/// Steps from one node to all that can be reached from it.
fn distances(neighbours: &Neighbours, from: usize) -> BTreeMap<usize, usize> {
    let mut distances = BTreeMap::from([(from, 0)]);
    let mut waiting = VecDeque::from([from]);
    while let Some(here) = waiting.pop_front() {
        for &there in &neighbours[&here] {
            if !distances.contains_key(&there) {
                distances.insert(there, distances[&here] + 1);
                waiting.push_back(there);
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pairs: &[(usize, usize)]) -> Neighbours {
        let mut neighbours = Neighbours::new();
        for &(a, b) in pairs {
            neighbours.entry(a).or_default().insert(b);
            neighbours.entry(b).or_default().insert(a);
        }
        neighbours
    }

    #[test]
    fn lines_trees_and_meshes_are_told_apart() {
        let kind = |pairs: &[(usize, usize)]| {
            let neighbours = joined(pairs);
            let gateways: BTreeSet<usize> =
                neighbours.iter().filter(|(_, around)| around.len() > 1).map(|(node, _)| *node).collect();
            (is_line(&neighbours, &gateways), is_tree(&neighbours))
        };
        assert_eq!(kind(&[(0, 1), (1, 2), (2, 3), (1, 4)]), (true, true));
        assert_eq!(kind(&[(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6)]), (false, true));
        assert_eq!(kind(&[(0, 1), (1, 2), (2, 0)]), (false, false));
        assert_eq!(kind(&[(0, 1), (1, 2), (3, 4), (4, 5)]), (false, false));
    }
}
