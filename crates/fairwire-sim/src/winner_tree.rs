//! Who is next: a tournament among a fixed number of components.
//!
//! Components stand in groups of eight, whose keys are a line of the processor's cache. The least of a group is found by
//! looking at all eight; only the groups' winners play against each other, pair by pair. So the matches of ten thousand
//! components are some twenty kilobytes, and of each move only the group is far away.

use std::hint::select_unpredictable;

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
    /// By component. Nobody stands at the places that are left over, and never wins: it stands behind all.
    groups: Vec<Group>,
    /// Winners of all matches: that at 1 is the overall winner; nodes `2i` and `2i + 1` play
    /// for node `i`, and the last half are the groups.
    nodes: Vec<Node>,
}

/// Components in a group.
const GROUP: usize = 8;

/// The keys of some components that follow each other.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Group([u64; GROUP]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    key: u64,
    index: u32,
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
        let count = keys.len().div_ceil(GROUP).next_power_of_two();
        let mut groups = vec![Group([u64::MAX; GROUP]); count];
        for (index, key) in keys.into_iter().enumerate() {
            groups[index / GROUP].0[index % GROUP] = key;
        }
        let mut nodes = vec![Node { key: u64::MAX, index: 0 }; count];
        nodes.extend(groups.iter().enumerate().map(|(number, group)| group.winner(number, &ties)));
        for node in (1..count).rev() {
            nodes[node] = earlier(&ties, nodes[2 * node], nodes[2 * node + 1]);
        }
        Self { ties, groups, nodes }
    }

    /// The component with the smallest key, and the key.
    #[inline(always)]
    pub fn first(&self) -> (usize, u64) {
        let Node { key, index } = self.nodes[1];
        (index as usize, key)
    }

    /// How many rounds are played between the groups.
    pub fn rounds(&self) -> u32 {
        self.groups.len().ilog2()
    }

    /// Who wins the heat of component `index` that is `left` rounds before the last one, of [`WinnerTree::rounds`] at most:
    /// on average the component that is next after 2^`left` others.
    #[inline]
    pub fn heat(&self, index: usize, left: u32) -> usize {
        let place = (self.groups.len() + index / GROUP) >> (self.rounds() - left);
        self.nodes[place].index as usize
    }

    /// Component `index` now has key `key`.
    #[inline]
    pub fn update(&mut self, index: usize, key: u64) {
        let number = index / GROUP;
        let group = &mut self.groups[number];
        if group.0[index % GROUP] == key {
            return;
        }
        group.0[index % GROUP] = key;
        let mut winner = group.winner(number, &self.ties);
        let mut place = self.groups.len() + number;
        // Up to the first match whose winner stays the same: what lies above does, too.
        while self.nodes[place] != winner {
            self.nodes[place] = winner;
            if place == 1 {
                return;
            }
            let opponent = self.nodes[place ^ 1];
            winner = if opponent.key == winner.key {
                let (left, right) = if place & 1 == 0 { (winner, opponent) } else { (opponent, winner) };
                earlier(&self.ties, left, right)
            } else {
                // Who wins is anybody's guess, which a processor had better not take.
                select_unpredictable(opponent.key < winner.key, opponent, winner)
            };
            place /= 2;
        }
    }
}

impl Group {
    /// The winner of the group with this `number`: without a branch, unless several have the smallest key.
    #[inline(always)]
    fn winner(&self, number: usize, ties: &impl Ties) -> Node {
        let [a, b, c, d, e, f, g, h] = self.0;
        let key = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
        let equal =
            self.0.iter().enumerate().fold(0u32, |equal, (place, other)| equal | u32::from(*other == key) << place);
        let at = |place: u32| number as u32 * GROUP as u32 + place;
        let mut index = at(equal.trailing_zeros());
        let mut others = equal & (equal - 1);
        while others != 0 && key != u64::MAX {
            let right = at(others.trailing_zeros());
            index = if ties.right_is_first(key, index, right) { right } else { index };
            others &= others - 1;
        }
        Node { key, index }
    }
}

/// The winner of two. Those that wait for nothing need no turns.
#[inline(always)]
fn earlier<T: Ties>(ties: &T, left: Node, right: Node) -> Node {
    let tied = right.key == left.key && right.key != u64::MAX;
    let right_is_first = right.key < left.key || tied && ties.right_is_first(right.key, left.index, right.index);
    if right_is_first { right } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_key_wins_through_any_updates() {
        for size in [1, 2, 3, 7, 8, 9, 65, 200] {
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
        let mut keys = vec![u64::MAX; 29];
        let mut tree = WinnerTree::with_ties(keys.clone(), OddBackwards);
        for step in 0..2_000u64 {
            let index = (step * 3 % 29) as usize;
            keys[index] = step * 31 % 4;
            tree.update(index, keys[index]);
            let least = keys.iter().min().copied();
            let mut places = (0..29).filter(|place| Some(keys[*place]) == least);
            let first = if least.is_some_and(|key| key % 2 == 1) { places.next_back() } else { places.next() };
            assert_eq!((Some(tree.first().0), Some(tree.first().1)), (first, least));
        }
    }
}
