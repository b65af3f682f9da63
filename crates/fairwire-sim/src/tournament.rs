//! Who is next in a network or in a crowded queue: a tournament among few components or very many.
//!
//! Components stand in groups of eight, whose keys are a line of the processor's cache. The least of a group is found by
//! looking at all eight; only the groups' winners play against each other, pair by pair. So the matches of ten thousand
//! components are some twenty kilobytes, and of each move only the group is far away. The few stations of a ring play as in
//! `winner_tree.rs`.

use crate::ties::{Node, Ties, earlier};
use std::hint::select_unpredictable;

/// Keeps the smallest key of `n` components.
#[derive(Debug)]
pub struct Tournament<T> {
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

impl<T: Ties> Tournament<T> {
    /// A tree over these keys. If there are none, nobody is first and waits for nothing.
    pub fn new(keys: Vec<u64>, ties: T) -> Self {
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

    /// Who wins the heat of component `index` that is `left` rounds before the last one, of [`Tournament::rounds`] at most:
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The lower number goes first, of even keys; of odd ones the higher.
    struct OddBackwards;

    impl Ties for OddBackwards {
        fn right_is_first(&self, key: u64, _: u32, _: u32) -> bool {
            key % 2 == 1
        }
    }

    #[test]
    fn the_smallest_key_wins_through_any_updates_and_ties() {
        for (size, keys_below) in [1, 2, 7, 8, 9, 65, 257].into_iter().flat_map(|size| [(size, 4), (size, 1_009)]) {
            let mut keys = vec![u64::MAX; size];
            let mut tournament = Tournament::new(keys.clone(), OddBackwards);
            for step in 0..3_000u64 {
                let index = (step * 7919 % size as u64) as usize;
                keys[index] = step * 104_729 % keys_below;
                tournament.update(index, keys[index]);
                let least = keys.iter().min().copied();
                let mut places = (0..size).filter(|place| Some(keys[*place]) == least);
                let first = if least.is_some_and(|key| key % 2 == 1) { places.next_back() } else { places.next() };
                assert_eq!((Some(tournament.first().0), Some(tournament.first().1)), (first, least));
            }
        }
    }

    #[test]
    fn a_heat_is_won_by_the_first_of_its_groups() {
        let keys: Vec<u64> = (0..512).map(|index| index * 37 % 512).collect();
        let tournament = Tournament::new(keys.clone(), OddBackwards);
        for index in 0..512 {
            let heat = index / 128 * 128..(index / 128 + 1) * 128;
            assert_eq!(Some(tournament.heat(index, 2)), heat.min_by_key(|place| keys[*place]));
        }
        assert_eq!(tournament.heat(300, 0), tournament.first().0);
    }
}
