//! Deficit round robin over lanes: each turn is worth a quantum of bytes, and what a
//! turn leaves over counts in the next, as long as the lane is not empty.
//!
//! Source: M. Shreedhar and G. Varghese, Efficient Fair Queueing Using Deficit Round
//! Robin, IEEE/ACM ToN 4(3), 1996. Constant time a packet if the quantum is at
//! least the largest packet.

use crate::queue::Lanes;
use std::collections::VecDeque;

/// Lanes that take turns.
#[derive(Clone, Debug)]
pub struct LaneTurns {
    quantum: u64,
    /// Lanes with packets, and some that lost theirs; the first has its turn.
    waiting: VecDeque<u32>,
    /// Whether the first was given the quantum of its turn.
    is_paid: bool,
    lanes: Vec<LaneTurn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LaneTurn {
    deficit: u64,
    is_waiting: bool,
    /// Whether it waits though it lost its last packet.
    is_empty: bool,
}

impl LaneTurns {
    /// With so many bytes a turn, at least one.
    pub fn new(quantum: u64) -> Self {
        Self { quantum: quantum.max(1), waiting: VecDeque::new(), is_paid: false, lanes: Vec::new() }
    }

    /// A packet joins the lane.
    #[inline]
    pub fn join(&mut self, lane: u32) {
        let at = lane as usize;
        if self.lanes.len() <= at {
            self.lanes.resize(at + 1, LaneTurn::default());
        }
        self.lanes[at].is_empty = false;
        if !self.lanes[at].is_waiting {
            self.lanes[at] = LaneTurn { is_waiting: true, ..LaneTurn::default() };
            self.waiting.push_back(lane);
        }
    }

    /// The lane whose head goes next, and whether that was its last packet.
    #[inline]
    pub fn next(&mut self, lanes: &Lanes) -> Option<(u32, bool)> {
        loop {
            let &lane = self.waiting.front()?;
            let place = &mut self.lanes[lane as usize];
            let Some(head) = lanes.lane(lane).head() else {
                *place = LaneTurn::default();
                self.waiting.pop_front();
                self.is_paid = false;
                continue;
            };
            if !self.is_paid {
                place.deficit += self.quantum;
                self.is_paid = true;
            }
            let size = u64::from(head.packet.size_bytes);
            if size > place.deficit {
                self.waiting.rotate_left(1);
                self.is_paid = false;
                continue;
            }
            place.deficit -= size;
            let is_last = lanes.lane(lane).packets() == 1;
            if is_last {
                *place = LaneTurn::default();
                self.waiting.pop_front();
                self.is_paid = false;
            }
            return Some((lane, is_last));
        }
    }

    /// The lane lost its last packet otherwise than by its turn: what it had left over counts no longer.
    pub fn run_empty(&mut self, lane: u32) {
        let place = &mut self.lanes[lane as usize];
        place.deficit = 0;
        place.is_empty = place.is_waiting;
    }

    /// Nobody uses the lane any more: it gives up its place in the turns if it is empty.
    pub fn leave(&mut self, lane: u32) {
        if self.lanes.get(lane as usize).is_some_and(|place| place.is_empty) {
            self.lanes[lane as usize] = LaneTurn::default();
            self.is_paid &= self.waiting.front() != Some(&lane);
            self.waiting.retain(|waiting| *waiting != lane);
        }
    }

    /// Lanes that wait for a turn.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{QueuedPacket, Waiting};
    use fairwire_core::{FlowId, Instant};

    /// Lane 0 makes room in the middle of its turn and is given up: lane 1 is next, with a quantum of its own.
    #[test]
    fn a_lane_that_is_given_up_takes_what_is_left_of_its_turn_along() {
        let (mut turns, mut lanes) = (LaneTurns::new(1_000), Lanes::default());
        for (lane, size_bytes) in [(0, 450), (0, 450), (1, 1_000), (2, 1_000)] {
            let flow = FlowId(lane);
            let packet = QueuedPacket { flow, source: lane, destination: 9, size_bytes, ecn_capable: false };
            lanes.push(lane, Waiting { packet, since: Instant::ZERO, marked: false, handle: 0 });
            turns.join(lane);
        }
        assert_eq!(turns.next(&lanes), Some((0, false)));
        for _ in 0..2 {
            lanes.take(0, 0).unwrap();
        }
        turns.run_empty(0);
        turns.leave(0);
        assert_eq!(turns.next(&lanes), Some((1, true)));
    }
}
