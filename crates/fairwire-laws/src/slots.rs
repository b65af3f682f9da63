//! Small numbers for those that are there, so that a law's memory follows how many flows
//! there are at once and not the largest number that ever came.
//!
//! A key (a flow's number, a host's) has a slot from when it needs one until it gives the slot back.
//! Slots are used again, the one given back last first. Keys are found in constant
//! time: open addressing, at most half full.

const NONE: u32 = u32::MAX;

/// So many keys that follow each other lie side by side.
const ABREAST: u32 = 8;

/// Which key has which slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// By slot: its key; none if the slot is free, or its key was taken from it.
    keys: Vec<Option<u32>>,
    free: Vec<u32>,
    /// Keys and their slots, each at its home or behind it; [`NONE`] for no slot. A power of two.
    index: Vec<(u32, u32)>,
}

impl Slots {
    /// The key's slot, if it has one.
    #[inline]
    pub(crate) fn find(&self, key: u32) -> Option<u32> {
        let mut at = self.home(key)?;
        loop {
            match self.index[at] {
                (_, NONE) => return None,
                (other, slot) if other == key => return Some(slot),
                _ => at = self.after(at),
            }
        }
    }

    /// The key's slot, which it gets now if it has none.
    #[inline]
    pub(crate) fn find_or_take(&mut self, key: u32) -> u32 {
        match self.find(key) {
            Some(slot) => slot,
            None => self.take(key),
        }
    }

    /// A slot for a key that has none.
    fn take(&mut self, key: u32) -> u32 {
        let slot = self.free.pop().unwrap_or(self.keys.len() as u32);
        match self.keys.get_mut(slot as usize) {
            Some(owner) => *owner = Some(key),
            None => self.keys.push(Some(key)),
        }
        if self.index.len() < 2 * self.keys.len() {
            self.grow();
        } else {
            self.insert(key, slot);
        }
        slot
    }

    /// The slot stays taken, but its key has none any more.
    pub(crate) fn take_key(&mut self, slot: u32) {
        if let Some(key) = self.keys[slot as usize].take() {
            self.remove(key);
        }
    }

    /// A slot that is taken becomes free.
    #[inline]
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.take_key(slot);
        self.free.push(slot);
    }

    /// Slots that are taken.
    #[inline]
    pub(crate) fn taken(&self) -> u32 {
        (self.keys.len() - self.free.len()) as u32
    }

    /// Slots there have ever been: all numbers of slots are below.
    #[cfg(test)]
    fn most(&self) -> usize {
        self.keys.len()
    }

    #[cold]
    fn grow(&mut self) {
        self.index = vec![(0, NONE); (2 * self.keys.len()).next_power_of_two().max(16)];
        for slot in 0..self.keys.len() {
            if let Some(key) = self.keys[slot] {
                self.insert(key, slot as u32);
            }
        }
    }

    fn insert(&mut self, key: u32, slot: u32) {
        let Some(mut at) = self.home(key) else { return };
        while self.index[at].1 != NONE {
            at = self.after(at);
        }
        self.index[at] = (key, slot);
    }

    /// Those behind the key move up where that brings them nearer to their homes.
    fn remove(&mut self, key: u32) {
        let Some(mut hole) = self.home(key) else { return };
        while self.index[hole].1 != NONE && self.index[hole].0 != key {
            hole = self.after(hole);
        }
        let mut at = hole;
        loop {
            self.index[hole].1 = NONE;
            loop {
                at = self.after(at);
                let (other, slot) = self.index[at];
                if slot == NONE {
                    return;
                }
                let way = |from: usize| at.wrapping_sub(from) & (self.index.len() - 1);
                if self.home(other).is_some_and(|home| way(home) >= way(hole)) {
                    break;
                }
            }
            self.index[hole] = self.index[at];
            hole = at;
        }
    }

    /// Where a search for the key begins; none while nothing was ever there. Eight keys that follow each other share a line of
    /// the processor's cache, each in a place of its own. Which line it is tells Fibonacci hashing.
    #[inline]
    fn home(&self, key: u32) -> Option<usize> {
        let bits = self.index.len().checked_ilog2()?;
        let line = (key / ABREAST).wrapping_mul(0x9e37_79b9) >> (32 + ABREAST.ilog2() - bits);
        Some((line * ABREAST + key % ABREAST) as usize)
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.index.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Copy, Debug)]
    enum Deed {
        Take(u32),
        GiveBack(u32),
        TakeKey(u32),
    }

    fn deed() -> impl Strategy<Value = Deed> {
        // Few keys that often share a home, and a few far away.
        let key = prop_oneof![0u32..40, (0u32..40).prop_map(|key| key << 24), Just(u32::MAX)];
        (key, 0u32..6).prop_map(|(key, kind)| match kind {
            0..3 => Deed::Take(key),
            3..5 => Deed::GiveBack(key),
            _ => Deed::TakeKey(key),
        })
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_map(deeds in prop::collection::vec(deed(), 1..400)) {
            let mut slots = Slots::default();
            let mut map: BTreeMap<u32, u32> = BTreeMap::new();
            let (mut without_key, mut most) = (0u32, 0usize);
            for deed in deeds {
                match deed {
                    Deed::Take(key) => {
                        let slot = slots.find_or_take(key);
                        prop_assert!(map.get(&key).is_none_or(|known| *known == slot));
                        prop_assert!(map.iter().all(|(other, taken)| *other == key || *taken != slot));
                        map.insert(key, slot);
                    }
                    Deed::GiveBack(key) => {
                        if let Some(slot) = map.remove(&key) {
                            slots.give_back(slot);
                        }
                    }
                    Deed::TakeKey(key) => {
                        if let Some(slot) = map.remove(&key) {
                            slots.take_key(slot);
                            without_key += 1;
                        }
                    }
                }
                most = most.max(map.len() + without_key as usize);
                prop_assert_eq!(slots.taken(), map.len() as u32 + without_key);
                prop_assert_eq!(slots.most(), most, "as many as there were at once");
                for key in (0..40).flat_map(|key| [key, key << 24]).chain([u32::MAX]) {
                    prop_assert_eq!(slots.find(key), map.get(&key).copied(), "{}", key);
                }
            }
        }
    }
}
