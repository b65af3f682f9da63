//! A growing first-in-first-out buffer for small plain values.
//!
//! The standard deque does the same; this one keeps its capacity a power of
//! two, so that the place of an element costs one mask. Wires and queues push
//! and pop once each for every packet-hop, where it is worth a few per cent.

/// A first-in-first-out buffer.
#[derive(Debug)]
pub struct Circle<T> {
    slots: Vec<T>,
    /// Elements ever taken and ever put; their difference is the length.
    taken: usize,
    put: usize,
}

impl<T: Copy + Default> Circle<T> {
    /// An empty buffer that owns no memory worth speaking of.
    pub fn new() -> Self {
        Self { slots: vec![T::default(); 4], taken: 0, put: 0 }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.taken == self.put
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.put.wrapping_sub(self.taken)
    }

    #[inline(always)]
    pub fn front(&self) -> Option<&T> {
        let mask = self.slots.len() - 1;
        (!self.is_empty()).then(|| &self.slots[self.taken & mask])
    }

    #[inline(always)]
    pub fn push(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        self.slots[self.put & mask] = value;
        self.put = self.put.wrapping_add(1);
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let front = self.front().copied();
        self.taken = self.taken.wrapping_add(usize::from(front.is_some()));
        front
    }

    /// The elements, first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mask = self.slots.len() - 1;
        (0..self.len()).map(move |at| &self.slots[self.taken.wrapping_add(at) & mask])
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots: Vec<T> = self.iter().copied().collect();
        self.taken = 0;
        self.put = slots.len();
        slots.resize(2 * slots.len(), T::default());
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_does_what_a_deque_does() {
        let (mut circle, mut deque) = (Circle::new(), VecDeque::new());
        for step in 0..10_000u64 {
            if step * 7919 % 5 < 3 - (step / 5_000) {
                circle.push(step);
                deque.push_back(step);
            } else {
                assert_eq!(circle.pop(), deque.pop_front());
            }
            assert_eq!((circle.front(), circle.len()), (deque.front(), deque.len()));
        }
        assert!(circle.iter().eq(deque.iter()));
    }
}
