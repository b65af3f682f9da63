//! Deficit round robin in which lanes that were just empty go first: shared by fq_codel and cake.
//!
//! Source: RFC 8290 §4.1 and §4.2. A lane that was idle joins the *new* lanes and may
//! send a quantum before all *old* ones; then, or when it runs empty while others wait,
//! it goes to the end of the old lanes, so that it cannot be new again at once.

use crate::queue::Lanes;
use std::collections::VecDeque;

/// Lanes that take turns, new ones first.
#[derive(Clone, Debug)]
pub struct SparseTurns {
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    lanes: Vec<LaneTurn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LaneTurn {
    credit: i64,
    list: List,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum List {
    #[default]
    None,
    New,
    Old,
}

/// What a lane does in its place in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// It has used up its quantum and gets another, at the end of the old lanes.
    Spent { lane: u32 },
    /// It is empty and in no list any more.
    Left { lane: u32 },
    /// Its head is next.
    Turn { lane: u32 },
}

impl SparseTurns {
    /// For lanes numbered below `lanes`.
    pub fn new(lanes: u32) -> Self {
        Self { new: VecDeque::new(), old: VecDeque::new(), lanes: vec![LaneTurn::default(); lanes as usize] }
    }

    /// A packet joins the lane; an idle one becomes new with this credit.
    #[inline]
    pub fn join(&mut self, lane: u32, credit: i64) {
        let place = &mut self.lanes[lane as usize];
        if place.list == List::None {
            *place = LaneTurn { credit, list: List::New };
            self.new.push_back(lane);
        }
    }

    /// The next move; to be asked until it is a turn. After [`Move::Spent`] the lane has to
    /// be given credit with [`Self::credit`].
    #[inline]
    pub fn next(&mut self, lanes: &Lanes) -> Option<Move> {
        let (lane, was_new) = match self.new.front() {
            Some(&lane) => (lane, true),
            None => (*self.old.front()?, false),
        };
        let place = &mut self.lanes[lane as usize];
        if place.credit <= 0 {
            self.go_to_end(lane, was_new);
            return Some(Move::Spent { lane });
        }
        if lanes.lane(lane).packets() > 0 {
            return Some(Move::Turn { lane });
        }
        if was_new && !self.old.is_empty() {
            self.go_to_end(lane, was_new);
            return self.next(lanes);
        }
        *place = LaneTurn::default();
        if was_new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        };
        Some(Move::Left { lane })
    }

    /// The lane is in no list any more, whatever it had left over.
    pub fn leave(&mut self, lane: u32) {
        let list = match std::mem::take(&mut self.lanes[lane as usize]).list {
            List::None => return,
            List::New => &mut self.new,
            List::Old => &mut self.old,
        };
        list.retain(|waiting| *waiting != lane);
    }

    fn go_to_end(&mut self, lane: u32, was_new: bool) {
        if was_new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        };
        self.old.push_back(lane);
        self.lanes[lane as usize].list = List::Old;
    }

    /// Gives a lane so many bytes more.
    #[inline]
    pub fn credit(&mut self, lane: u32, bytes: i64) {
        self.lanes[lane as usize].credit += bytes;
    }

    /// A packet of the lane is sent.
    #[inline]
    pub fn sent(&mut self, lane: u32, size_bytes: u32) {
        self.lanes[lane as usize].credit -= i64::from(size_bytes);
    }

    /// Whether the lane is in no list.
    pub fn is_idle(&self, lane: u32) -> bool {
        self.lanes[lane as usize].list == List::None
    }

    /// Lanes in the lists.
    pub fn waiting(&self) -> usize {
        self.new.len() + self.old.len()
    }
}
