//! When which of many connections is to be woken.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Timers of connections by place, found without a look at all connections.
///
/// A timer that is put off keeps its earlier time here until that comes; only then is it asked for its true one. So an
/// acknowledgement that puts a timer off costs a comparison.
#[derive(Clone, Debug)]
pub struct Timers {
    /// Not later than any timer, in nanoseconds; `u64::MAX` for none.
    first_at: u64,
    heap: BinaryHeap<Reverse<(u64, u16)>>,
    /// By place: the earliest time under which it stands in the heap; `u64::MAX` for none.
    queued: Vec<u64>,
}

impl Timers {
    /// No timer runs.
    pub const fn new() -> Self {
        Self { first_at: u64::MAX, heap: BinaryHeap::new(), queued: Vec::new() }
    }

    /// When to ask who is due, `u64::MAX` if never. Where timers were put off nobody may be.
    #[inline]
    pub const fn first_at(&self) -> u64 {
        self.first_at
    }

    /// The timer of `place` ends at `at`. One that is stopped need not be told.
    #[inline]
    pub fn set(&mut self, place: u16, at: u64) {
        if self.queued.get(usize::from(place)).is_none_or(|queued| at < *queued) {
            self.queue(place, at);
        }
    }

    #[cold]
    fn queue(&mut self, place: u16, at: u64) {
        let place_index = usize::from(place);
        if self.queued.len() <= place_index {
            self.queued.resize(place_index + 1, u64::MAX);
        }
        self.queued[place_index] = at;
        self.heap.push(Reverse((at, place)));
        self.first_at = self.first_at.min(at);
    }

    /// The places whose timers end by `now`, in their order; their timers are stopped. `timer` tells when the timer of a place
    /// truly ends, none for never.
    pub fn take_due(&mut self, now: u64, timer: impl Fn(u16) -> Option<u64>) -> Vec<u16> {
        let mut due = Vec::new();
        while let Some(&Reverse((at, place))) = self.heap.peek() {
            let is_known = self.queued[usize::from(place)] == at;
            let ends_at = if is_known { timer(place) } else { None };
            if is_known && ends_at == Some(at) && at > now {
                break;
            }
            self.heap.pop();
            if !is_known {
                continue;
            }
            self.queued[usize::from(place)] = u64::MAX;
            match ends_at {
                Some(ends_at) if ends_at <= now => due.push(place),
                Some(ends_at) => self.queue(place, ends_at),
                None => {}
            }
        }
        self.first_at = self.heap.peek().map_or(u64::MAX, |Reverse((at, _))| *at);
        due.sort_unstable();
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Streams;
    use rand::Rng;

    /// Timers are set, put off, brought forward and stopped at random: who is due and when to ask next is as a look at all says.
    #[test]
    fn they_tell_what_a_look_at_all_tells() {
        let mut rng = Streams::new(7, 0).component("timers");
        let mut below = |most: u64| rng.next_u64() % most;
        let (mut timers, mut true_ends) = (Timers::new(), [None::<u64>; 20]);
        let (mut now, mut woken) = (0, 0);
        for _ in 0..20_000 {
            let place = below(20) as u16;
            let ends_at = (below(4) > 0).then(|| now + 1 + below(500));
            true_ends[usize::from(place)] = ends_at;
            if let Some(ends_at) = ends_at {
                timers.set(place, ends_at);
            }
            let first = true_ends.iter().flatten().min().copied().unwrap_or(u64::MAX);
            assert!(timers.first_at() <= first);
            if below(3) > 0 {
                continue;
            }
            now += below(40);
            let all = (0..20).filter(|&place: &u16| true_ends[usize::from(place)].is_some_and(|at| at <= now));
            let expected: Vec<u16> = all.collect();
            let due = timers.take_due(now, |place| true_ends[usize::from(place)]);
            assert_eq!(due, expected);
            due.iter().for_each(|&place| true_ends[usize::from(place)] = None);
            woken += due.len();
            assert_eq!(timers.first_at(), true_ends.iter().flatten().min().copied().unwrap_or(u64::MAX));
        }
        assert!(woken > 1_000, "{woken}");
    }
}
