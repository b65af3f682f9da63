//! Flows hashed over lanes in sets of eight: a flow takes any lane of its set that nobody
//! uses, so that two flows share one only when their set is full.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, Piece of CAKE, LANMAN 2018, §III.

use super::hashing::place;

const WAYS: u32 = 8;
const NONE: u32 = u32::MAX;

/// Which flow used each lane last.
#[derive(Clone, Debug)]
pub(super) struct FlowWays {
    owners: Vec<u32>,
}

impl FlowWays {
    /// For so many lanes.
    pub(super) fn new(lanes: u32) -> Self {
        Self { owners: vec![NONE; lanes as usize] }
    }

    /// The lane of `flow`; `is_idle` tells whether nobody uses a lane.
    #[inline]
    pub(super) fn lane(&mut self, flow: u32, salt: u32, is_idle: impl Fn(u32) -> bool) -> u32 {
        let lanes = self.owners.len() as u32;
        let home = place(flow, salt, lanes);
        let first = home / WAYS * WAYS;
        let set = first..(first + WAYS).min(lanes);
        let owned = set.clone().find(|&lane| self.owners[lane as usize] == flow);
        let lane = owned.or_else(|| set.clone().find(|&lane| is_idle(lane))).unwrap_or(home);
        self.owners[lane as usize] = flow;
        lane
    }
}
