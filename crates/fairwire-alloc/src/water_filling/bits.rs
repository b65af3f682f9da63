//! One bit a flow: small enough to stay in the innermost cache.

/// A set of small integers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Empties the set and makes room for numbers below `count`.
    pub fn reset(&mut self, count: usize) {
        self.words.clear();
        self.words.resize(count.div_ceil(64), 0);
    }

    /// Whether `at` is in the set.
    #[inline]
    pub fn has(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 != 0
    }

    /// Takes `at` out of the set.
    #[inline]
    pub fn remove(&mut self, at: usize) {
        self.words[at / 64] &= !(1 << (at % 64));
    }

    /// Makes room for numbers below `count`, none of the new ones in the set.
    pub fn grow(&mut self, count: usize) {
        self.words.resize(count.div_ceil(64).max(self.words.len()), 0);
    }

    /// Puts `at` into the set.
    #[inline]
    pub fn insert(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }
}
