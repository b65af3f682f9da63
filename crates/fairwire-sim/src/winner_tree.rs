//! Who is next: a tournament among a fixed number of components.

/// Who goes first of two components whose keys are equal.
pub trait Ties {
    /// Whether it is `right`, the one with the higher number.
    fn right_is_first(&self, key: u64, left: u32, right: u32) -> bool;
}

/// The lower number goes first.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;

impl Ties for InOrder {
    #[inline(always)]
    fn right_is_first(&self, _: u64, _: u32, _: u32) -> bool {
        false
    }
}

/// Keeps the smallest key of `n` components.
#[derive(Debug)]
pub struct WinnerTree<T = InOrder> {
    ties: T,
    /// Winners of all matches: that at 1 is the overall winner; nodes `2i` and `2i + 1` play
    /// for node `i`, and the last half are the components.
    nodes: Vec<Node>,
    leaves: usize,
}

/// A component and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub key: u64,
    pub index: u32,
}

impl WinnerTree {
    /// A tree over these keys in which the lower number goes first of equal keys; there is at least one.
    pub fn new(keys: Vec<u64>) -> Self {
        Self::with_ties(keys, InOrder)
    }
}

impl<T: Ties> WinnerTree<T> {
    /// A tree over these keys; there is at least one.
    pub fn with_ties(keys: Vec<u64>, ties: T) -> Self {
        let leaves = keys.len().next_power_of_two();
        // Nobody stands at the places that are left over, and never wins: it stands behind all.
        let leaf = |index: usize| Node { key: keys.get(index).copied().unwrap_or(u64::MAX), index: index as u32 };
        let mut nodes = vec![leaf(0); leaves];
        nodes.extend((0..leaves).map(leaf));
        for node in (1..leaves).rev() {
            nodes[node] = earlier(&ties, nodes[2 * node], nodes[2 * node + 1]);
        }
        Self { ties, nodes, leaves }
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
            winner = earlier(&self.ties, left, right);
            place /= 2;
        }
    }
}

/// The winner of two. Those that wait for nothing need no turns.
#[inline(always)]
pub fn earlier<T: Ties>(ties: &T, left: Node, right: Node) -> Node {
    let tied = right.key == left.key && right.key != u64::MAX;
    let right_is_first = right.key < left.key || tied && ties.right_is_first(right.key, left.index, right.index);
    if right_is_first { right } else { left }
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

    /// The higher number goes first, of odd keys.
    struct OddBackwards;

    impl Ties for OddBackwards {
        fn right_is_first(&self, key: u64, _: u32, _: u32) -> bool {
            key % 2 == 1
        }
    }

    #[test]
    fn ties_are_resolved_as_is_asked() {
        let mut keys = vec![u64::MAX; 7];
        let mut tree = WinnerTree::with_ties(keys.clone(), OddBackwards);
        for step in 0..500u64 {
            let index = (step * 3 % 7) as usize;
            keys[index] = step * 31 % 4;
            tree.update(index, keys[index]);
            let least = keys.iter().min().copied();
            let mut places = (0..7).filter(|place| Some(keys[*place]) == least);
            let first = if least.is_some_and(|key| key % 2 == 1) { places.next_back() } else { places.next() };
            assert_eq!((Some(tree.first().0), Some(tree.first().1)), (first, least));
        }
    }
}
