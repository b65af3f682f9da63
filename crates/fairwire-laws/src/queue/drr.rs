//! DRR: deficit round robin.
//!
//! Each flow has its own lane, and lanes take turns of a quantum of bytes; a full queue
//! takes a packet from the end of the lane that holds most.
//!
//! Source: M. Shreedhar and G. Varghese, Efficient Fair Queueing Using Deficit Round
//! Robin, IEEE/ACM ToN 4(3), 1996. Chosen here: flows are told apart exactly, not by a
//! hash; the quantum is a usual largest packet; who holds most is known to within 256 B.

use super::parts::fattest::Fattest;
use super::parts::lane_turns::LaneTurns;
use super::{
    DropReason, Eviction, Limit, MOST_LANES, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Selection, Verdict,
};
use crate::LawAbout;
use crate::slots::Slots;
use fairwire_core::{Bytes, Cx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What DRR may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// What a flow may send in a turn; constant time a packet needs at least the largest packet.
    pub quantum: Bytes,
}

impl Default for Params {
    fn default() -> Self {
        Self { quantum: Bytes::new(1514) }
    }
}

/// DRR in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    /// Each flow's lane, for as long as it has packets waiting.
    flows: Slots,
    turns: LaneTurns,
    fattest: Fattest,
}

impl Law {
    /// The flow's lane. When all lanes are taken, further flows share them.
    #[inline]
    fn lane(&mut self, flow: u32) -> u32 {
        if self.flows.taken() == MOST_LANES {
            return self.flows.find(flow).unwrap_or(flow % MOST_LANES);
        }
        self.flows.find_or_take(flow)
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "drr",
        summary: "One lane a flow, served in turns of a quantum of bytes",
        source: "Shreedhar and Varghese 1996",
    };
    const ORDER: Order = Order::Chosen;

    fn problem(params: &Params) -> Option<String> {
        (params.quantum == Bytes::new(0))
            .then(|| "`quantum` is 0 B; write a size above 0, such as \"1514 B\"".to_owned())
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        Self {
            limit: site.limit,
            flows: Slots::default(),
            turns: LaneTurns::new(params.quantum.get()),
            fattest: Fattest::default(),
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if !self.limit.admits(0, 0, packet.size_bytes) {
            return Verdict::Drop(DropReason::Full);
        }
        let lane = self.lane(packet.flow.0);
        self.turns.join(lane);
        self.fattest.set(lane, queue.lanes.lane(lane).bytes() + u64::from(packet.size_bytes));
        cx.show("active_lanes", 0, self.turns.waiting() as f64);
        Verdict::Accept { lane, mark: false }
    }

    #[inline]
    fn poll_eviction(&mut self, _cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Eviction> {
        if self.limit.holds(queue.packets, queue.bytes) {
            return None;
        }
        let number = self.fattest.lane()?;
        let lane = queue.lanes.lane(number);
        let place = lane.packets().checked_sub(1)?;
        let size = lane.get(place)?.packet.size_bytes;
        self.fattest.set(number, lane.bytes() - u64::from(size));
        if place == 0 {
            self.turns.run_empty(number);
            self.flows.give_back(number);
        }
        Some(Eviction { lane: number, place, reason: DropReason::Full })
    }

    #[inline]
    fn select(&mut self, _cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
        let (number, is_last) = self.turns.next(queue.lanes)?;
        let lane = queue.lanes.lane(number);
        let size = lane.head().map_or(0, |head| head.packet.size_bytes);
        self.fattest.set(number, lane.bytes() - u64::from(size));
        if is_last {
            self.flows.give_back(number);
        }
        Some(Selection::Send { lane: number, mark: false })
    }
}
