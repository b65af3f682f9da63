//! Who is next: a tournament among a fixed number of components.

use crate::ties::{InOrder, Node, earlier};

/// Keeps the smallest key of `n` components; of equal keys that of the lower number.
#[derive(Debug)]
pub struct WinnerTree {
    /// Winners of all matches: that at 1 is the overall winner; nodes `2i` and `2i + 1` play
    /// for node `i`, and the last half are the components.
    nodes: Vec<Node>,
    leaves: usize,
}

impl WinnerTree {
    /// A tree over these keys; there is at least one.
    pub fn new(keys: Vec<u64>) -> Self {
        let leaves = keys.len().next_power_of_two();
        // Nobody stands at the places that are left over, and never wins: it stands behind all.
        let leaf = |index: usize| Node { key: keys.get(index).copied().unwrap_or(u64::MAX), index: index as u32 };
        let mut nodes = vec![leaf(0); leaves];
        nodes.extend((0..leaves).map(leaf));
        for node in (1..leaves).rev() {
            nodes[node] = earlier(&InOrder, nodes[2 * node], nodes[2 * node + 1]);
        }
        Self { nodes, leaves }
    }

    /// The component with the smallest key, and the key.
    #[inline(always)]
    pub fn first(&self) -> (usize, u64) {
        let Node { key, index } = self.nodes[1];
        (index as usize, key)
    }

    /// Component `index` now has key `key`.
    #[inline]
    pub fn update(&mut self, index: usize, key: u64) {
        let mut place = self.leaves + index;
        let mut winner = Node { key, index: index as u32 };
        // Up to the first match whose winner stays the same: what lies above does, too.
        while self.nodes[place] != winner {
            self.nodes[place] = winner;
            if place == 1 {
                return;
            }
            let opponent = self.nodes[place ^ 1];
            let (left, right) = if place & 1 == 0 { (winner, opponent) } else { (opponent, winner) };
            winner = earlier(&InOrder, left, right);
            place /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_key_wins_through_any_updates() {
        for size in [1, 2, 3, 7, 8, 65] {
            let mut tree = WinnerTree::new(vec![u64::MAX; size]);
            let mut keys = vec![u64::MAX; size];
            for step in 0..2_000u64 {
                let index = (step * 7919 % size as u64) as usize;
                keys[index] = step * 104_729 % 1_009;
                tree.update(index, keys[index]);
                let least = keys.iter().min().copied();
                let first = keys.iter().position(|key| Some(*key) == least);
                assert_eq!((Some(tree.first().0), Some(tree.first().1)), (first, least));
            }
        }
    }
}
