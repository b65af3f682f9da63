//! A waiting line of small plain values: first in, first out.
//!
//! The standard deque does the same. Here the elements lie in one piece, so
//! that looking at the front is one comparison and taking it one addition; the
//! gap at the front is closed where the deque would wrap around. Wires and
//! queues push and pop once each for every packet-hop, where it is worth it.

/// It does not pay to close a smaller gap, or to grow by less.
const FEW: usize = 16;

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
            self.make_room(1);
        }
        self.items.push(value);
    }

    /// Pushes what `make` makes of each of `from` until it makes nothing, and tells how many that were. Room for all is made at
    /// once, and holds `blank` meanwhile.
    #[inline(always)]
    pub fn push_while<S>(
        &mut self,
        blank: T,
        from: impl ExactSizeIterator<Item = S>,
        mut make: impl FnMut(S) -> Option<T>,
    ) -> usize {
        if self.items.capacity() - self.items.len() < from.len() {
            self.make_room(from.len());
        }
        let before = self.items.len();
        self.items.resize(before + from.len(), blank);
        let mut made = 0;
        for (place, from) in self.items[before..].iter_mut().zip(from) {
            let Some(item) = make(from) else { break };
            *place = item;
            made += 1;
        }
        self.items.truncate(before + made);
        made
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

    /// Closes the gap at the front if it is as large as what is behind it, and not small: no element is moved more than once on
    /// the average. Lets the vector grow by half if that leaves no room for so many `more`.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, more: usize) {
        if self.head >= FEW && self.head >= self.len() {
            self.items.drain(..self.head);
            self.close_gap();
        }
        let room = self.items.capacity() - self.items.len();
        if room < more {
            self.items.reserve_exact((self.items.len() / 2).max(FEW).max(more));
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
    fn many_are_pushed_as_one_by_one() {
        let (mut many, mut single) = (Line::new(), Line::new());
        for step in 0..1_000u64 {
            let (count, most) = (step * 7919 % 23, step * 104_729 % 19);
            let made = many.push_while(0, 0..count as usize, |at| (at < most as usize).then_some(step + at as u64));
            assert_eq!(made as u64, count.min(most));
            (0..made as u64).for_each(|at| single.push(step + at));
            for _ in 0..step * 31 % 20 {
                assert_eq!(many.pop(), single.pop());
            }
            many.tidy();
            assert_eq!((many.as_slice(), many.taken()), (single.as_slice(), single.taken()));
        }
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
