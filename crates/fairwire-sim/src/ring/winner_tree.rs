//! Who is next: a tournament among a fixed number of components.

/// Keeps the smallest key of `n` components; equal keys go to the lower number.
#[derive(Debug)]
pub struct WinnerTree {
    keys: Vec<u64>,
    /// `winners[1]` is the overall winner; the children of node `i` are `2i` and `2i + 1`.
    winners: Vec<usize>,
    leaves: usize,
}

impl WinnerTree {
    /// A tree over these keys; there is at least one.
    pub fn new(keys: Vec<u64>) -> Self {
        let leaves = keys.len().next_power_of_two();
        let mut tree = Self { winners: vec![0; 2 * leaves], keys, leaves };
        for leaf in 0..leaves {
            tree.winners[leaves + leaf] = leaf.min(tree.keys.len() - 1);
        }
        (1..leaves).rev().for_each(|node| tree.play(node));
        tree
    }

    /// The component with the smallest key, and the key.
    pub fn first(&self) -> (usize, u64) {
        (self.winners[1], self.keys[self.winners[1]])
    }

    /// Component `index` now has key `key`.
    pub fn update(&mut self, index: usize, key: u64) {
        if self.keys[index] == key {
            return;
        }
        self.keys[index] = key;
        let mut node = (self.leaves + index) / 2;
        while node >= 1 {
            self.play(node);
            node /= 2;
        }
    }

    fn play(&mut self, node: usize) {
        let (left, right) = (self.winners[2 * node], self.winners[2 * node + 1]);
        self.winners[node] = if self.keys[right] < self.keys[left] { right } else { left };
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
