//! A waiting line of small plain values: first in, first out.
//!
//! The standard deque does the same. Here the elements lie in one piece, so
//! that looking at the front is one comparison and taking it one addition; the
//! gap at the front is closed where the deque would wrap around. Wires and
//! queues push and pop once each for every packet-hop, where it is worth it.

/// A first-in-first-out buffer.
#[derive(Debug)]
pub struct Line<T> {
    items: Vec<T>,
    /// Items before this one have been taken.
    head: usize,
    /// Items taken before, which `items` no longer holds.
    gone: usize,
}

impl<T: Copy> Line<T> {
    pub fn new() -> Self {
        Self { items: Vec::new(), head: 0, gone: 0 }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.head == self.items.len()
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.items.len() - self.head
    }

    #[inline(always)]
    pub fn front(&self) -> Option<&T> {
        self.items.get(self.head)
    }

    #[inline(always)]
    pub fn push(&mut self, value: T) {
        if self.items.len() == self.items.capacity() {
            self.make_room();
        }
        self.items.push(value);
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let front = self.items.get(self.head).copied();
        self.head += usize::from(front.is_some());
        front
    }

    /// Takes the one at the front, in whose place `left` is kept for [`Line::last_left`].
    #[inline(always)]
    pub fn leave(&mut self, left: T) {
        if let Some(front) = self.items.get_mut(self.head) {
            *front = left;
            self.head += 1;
        }
    }

    /// What the last `count` have left, after which none has been pushed and all have been taken in this way.
    pub fn last_left(&self, count: usize) -> &[T] {
        &self.items[self.head - count..self.head]
    }

    /// How many have ever been taken, which is the number of the one at the front, counted from 0.
    #[inline(always)]
    pub fn taken(&self) -> usize {
        self.gone + self.head
    }

    /// Takes all elements.
    pub fn clear(&mut self) {
        self.gone += self.items.len();
        self.items.clear();
        self.head = 0;
    }

    /// Takes the first `count` elements, or all if there are fewer.
    #[inline]
    pub fn drop_first(&mut self, count: usize) {
        self.head = self.head.saturating_add(count).min(self.items.len());
    }

    /// Closes the gap at the front where that is cheap, so that a line which is
    /// filled and emptied in turn keeps to the same memory.
    #[inline]
    pub fn tidy(&mut self) {
        if self.is_empty() {
            self.clear();
        } else if self.head > 4 * self.len() {
            self.items.copy_within(self.head.., 0);
            self.items.truncate(self.len());
            self.close_gap();
        }
    }

    /// There are no more before the front.
    fn close_gap(&mut self) {
        self.gone += self.head;
        self.head = 0;
    }

    /// The elements, first one first.
    #[inline(always)]
    pub fn as_slice(&self) -> &[T] {
        &self.items[self.head..]
    }

    /// The elements, first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items[self.head..].iter()
    }

    /// Closes the gap at the front if it is half as large as what is behind it;
    /// otherwise lets the vector grow by half.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.head > 0 && self.head >= self.len() {
            self.items.drain(..self.head);
            self.close_gap();
        } else {
            self.items.reserve_exact((self.items.len() / 2).max(4));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_does_what_a_deque_does() {
        let (mut line, mut deque, mut taken) = (Line::new(), VecDeque::new(), 0);
        for step in 0..10_000u64 {
            if step * 7919 % 5 < 3 - (step / 5_000) {
                line.push(step);
                deque.push_back(step);
            } else {
                taken += usize::from(!deque.is_empty());
                assert_eq!(line.pop(), deque.pop_front());
            }
            if step % 7 == 0 {
                line.tidy();
            }
            assert_eq!((line.front(), line.len()), (deque.front(), deque.len()));
            assert_eq!(line.taken(), taken);
        }
        assert!(line.iter().eq(deque.iter()));
    }

    #[test]
    fn a_short_line_stays_small_for_ever() {
        let mut line = Line::new();
        for step in 0..100_000 {
            line.push(step);
            if step >= 10 {
                line.pop();
            }
        }
        assert!(line.items.capacity() <= 64);
    }
}
