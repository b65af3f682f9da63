//! Flows hashed over lanes in sets of eight: a flow takes any lane of its set that nobody
//! uses, so that two flows share one only when their set is full.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, Piece of CAKE, LANMAN 2018, §III.

use super::hashing::place;
use std::ops::Range;

const WAYS: u32 = 8;
const NONE: u32 = u32::MAX;

/// Which flow used each lane last.
#[derive(Clone, Debug)]
pub struct FlowWays {
    owners: Vec<u32>,
}

impl FlowWays {
    /// For so many lanes.
    pub fn new(lanes: u32) -> Self {
        Self { owners: vec![NONE; lanes as usize] }
    }

    /// The lane of `flow`; `is_idle` tells whether nobody uses a lane.
    #[inline]
    pub fn lane(&mut self, flow: u32, salt: u32, is_idle: impl Fn(u32) -> bool) -> u32 {
        let (home, set) = self.set(flow, salt);
        let owned = set.clone().find(|&lane| self.owners[lane as usize] == flow);
        let lane = owned.or_else(|| set.clone().find(|&lane| is_idle(lane))).unwrap_or(home);
        self.owners[lane as usize] = flow;
        lane
    }

    /// The flow uses no lane any more: the one that it used last, unless another flow used it since.
    pub fn forget(&mut self, flow: u32, salt: u32) -> Option<u32> {
        let (_, mut set) = self.set(flow, salt);
        let lane = set.find(|&lane| self.owners[lane as usize] == flow)?;
        self.owners[lane as usize] = NONE;
        Some(lane)
    }

    /// The lane that the flow is hashed to, and the set around it.
    #[inline]
    fn set(&self, flow: u32, salt: u32) -> (u32, Range<u32>) {
        let lanes = self.owners.len() as u32;
        let home = place(flow, salt, lanes);
        let first = home / WAYS * WAYS;
        (home, first..(first + WAYS).min(lanes))
    }
}
