//! A lane for each flow, for as long as it has packets waiting.

use super::MOST_LANES;

const NONE: u32 = u32::MAX;

/// Which flow has which lane. Lanes are used again, the last one given back first. When
/// all are taken, further flows share them.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowLanes {
    /// By the flow's number.
    lanes: Vec<u32>,
    /// By the lane's number.
    owners: Vec<u32>,
    free: Vec<u32>,
}

impl FlowLanes {
    /// The flow's lane, which it gets now if it has none.
    #[inline]
    pub(super) fn lane(&mut self, flow: u32) -> u32 {
        let at = flow as usize;
        if self.lanes.len() <= at {
            self.lanes.resize(at + 1, NONE);
        }
        if self.lanes[at] != NONE {
            return self.lanes[at];
        }
        let lane = match self.free.pop() {
            Some(lane) => lane,
            None if (self.owners.len() as u32) < MOST_LANES => {
                self.owners.push(NONE);
                self.owners.len() as u32 - 1
            }
            None => return flow % MOST_LANES,
        };
        self.owners[lane as usize] = flow;
        self.lanes[at] = lane;
        lane
    }

    /// The lane is empty: its flow gives it back.
    #[inline]
    pub(super) fn give_back(&mut self, lane: u32) {
        let owner = std::mem::replace(&mut self.owners[lane as usize], NONE);
        if owner != NONE {
            self.lanes[owner as usize] = NONE;
            self.free.push(lane);
        }
    }
}
