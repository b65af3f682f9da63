//! Numbers of connections that come from outside.
//!
//! Laws of queues know micro-flows by numbers, and keep state by them. Connections of real traffic appear, fall silent and
//! come by the million: each gets a number when its first packet is sent, and gives it back when nothing of it has been
//! on its way for [`SILENT_AFTER`]. So there are no more numbers than connections at work.

use fairwire_plan::SILENT_AFTER;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Connections that have numbers.
#[derive(Debug, Default)]
pub struct Visitors {
    /// By flow and by the bringer's own number.
    known: BTreeMap<(u32, u32), u32>,
    visitors: Vec<Visitor>,
    free: Vec<u32>,
    /// When to look whether a connection is silent: one entry for each that has a number.
    looks: BinaryHeap<Reverse<(u64, u32)>>,
}

#[derive(Clone, Copy, Debug)]
struct Visitor {
    flow: u32,
    connection: u32,
    /// Packets that were sent and whose fate is open.
    under_way: u32,
    /// When it was last seen; may lie ahead.
    last: u64,
}

impl Visitors {
    /// A packet of this connection is sent at `now`: the connection's number.
    pub fn send(&mut self, flow: u32, connection: u32, now: u64) -> u32 {
        let number = match self.known.get(&(flow, connection)) {
            Some(number) => *number,
            None => self.enter(flow, connection, now),
        };
        let visitor = &mut self.visitors[number as usize];
        visitor.under_way += 1;
        visitor.last = visitor.last.max(now);
        number
    }

    #[cold]
    fn enter(&mut self, flow: u32, connection: u32, now: u64) -> u32 {
        let visitor = Visitor { flow, connection, under_way: 0, last: now };
        let number = match self.free.pop() {
            Some(number) => {
                self.visitors[number as usize] = visitor;
                number
            }
            None => {
                self.visitors.push(visitor);
                (self.visitors.len() - 1) as u32
            }
        };
        self.known.insert((flow, connection), number);
        self.look(number, now);
        number
    }

    /// The fate of one of its packets is decided; it holds from `at` on.
    pub fn decide(&mut self, number: u32, at: u64) {
        let visitor = &mut self.visitors[number as usize];
        visitor.under_way -= 1;
        visitor.last = visitor.last.max(at);
    }

    /// When the next connection may have been silent for long enough, `u64::MAX` if there is none.
    pub fn next_at(&self) -> u64 {
        self.looks.peek().map_or(u64::MAX, |Reverse((at, _))| *at)
    }

    /// The time that [`Visitors::next_at`] tells has come: the flow and the number of a connection that gives it back, if
    /// one does.
    pub fn take_silent(&mut self, now: u64) -> Option<(u32, u32)> {
        let Reverse((_, number)) = self.looks.pop()?;
        let Visitor { flow, connection, under_way, last } = self.visitors[number as usize];
        if under_way > 0 || last.saturating_add(SILENT_AFTER.as_nanos()) > now {
            self.look(number, if under_way > 0 { last.max(now) } else { last });
            return None;
        }
        self.known.remove(&(flow, connection));
        self.free.push(number);
        Some((flow, number))
    }

    fn look(&mut self, number: u32, silent_since: u64) {
        self.looks.push(Reverse((silent_since.saturating_add(SILENT_AFTER.as_nanos()), number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENCE: u64 = SILENT_AFTER.as_nanos();

    #[test]
    fn a_number_is_given_back_after_silence_and_not_before() {
        let mut visitors = Visitors::default();
        assert_eq!([(0, 7), (1, 7), (0, 7)].map(|(flow, name)| visitors.send(flow, name, 10)), [0, 1, 0]);
        visitors.decide(0, 20);
        assert_eq!(visitors.next_at(), 10 + SILENCE);
        // One packet of the first is under way, and one of the second.
        assert_eq!([0, 1].map(|_| visitors.take_silent(10 + SILENCE)), [None, None]);
        visitors.decide(0, 30 + SILENCE);
        assert_eq!(visitors.take_silent(10 + 2 * SILENCE), None, "silent since 30 ns later");
        visitors.decide(1, 10 + SILENCE);
        let mut gone = Vec::new();
        while visitors.next_at() <= 30 + 2 * SILENCE {
            gone.extend(visitors.take_silent(visitors.next_at()));
        }
        gone.sort_unstable();
        assert_eq!((gone, visitors.known.len()), (vec![(0, 0), (1, 1)], 0));
        assert!(visitors.send(3, 9, 4 * SILENCE) < 2, "numbers are given again");
    }

    #[test]
    fn millions_that_come_and_go_need_few_numbers() {
        let mut visitors = Visitors::default();
        for connection in 0..2_000_000 {
            let now = u64::from(connection) * SILENCE / 100;
            while visitors.next_at() <= now {
                visitors.take_silent(visitors.next_at());
            }
            let number = visitors.send(0, connection, now);
            visitors.decide(number, now + 5);
        }
        assert!(visitors.visitors.len() < 210 && visitors.known.len() < 210, "{}", visitors.visitors.len());
    }
}
