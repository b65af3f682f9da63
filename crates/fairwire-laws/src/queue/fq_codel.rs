//! FQ-CoDel: flow queues with controlled delay.
//!
//! Flows are hashed over lanes that take turns of a quantum, lanes that were just empty
//! first; each lane is held to CoDel's delay; a full queue drops a batch from the head of
//! the lane that holds most.
//!
//! Source: RFC 8290; CoDel as in RFC 8289. The limit is that of the queue. Chosen here: who holds
//! most is known to within 256 B, in constant time in place of a search through all lanes.

use super::parts::codel_control::{Codel, CodelSettings, Deed};
use super::parts::fattest::Fattest;
use super::parts::hashing::{MOST_HASHED_LANES, Salt, place};
use super::parts::sparse_turns::{Move, SparseTurns};
use super::{DropReason, Eviction, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Selection, Verdict};
use crate::LawAbout;
use fairwire_core::{Bytes, Cx, FlowId, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What FQ-CoDel may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// TARGET: waiting time that a standing queue of a lane may cause (RFC 8290 §5.2).
    pub target: Span,
    /// INTERVAL: for how long it must be exceeded (RFC 8290 §5.2).
    pub interval: Span,
    /// What a lane may send in a turn (RFC 8290 §5.2).
    pub quantum: Bytes,
    /// Lanes that flows are hashed over (RFC 8290 §5.2).
    #[schemars(range(min = 1, max = 65_536))]
    pub lanes: u32,
    /// The most packets dropped at once when the queue is full, and no more than half of
    /// the lane's bytes (RFC 8290 §4.1).
    #[schemars(range(min = 1))]
    pub drop_batch: u32,
    /// Whether capable packets are marked instead of dropped, on as in RFC 8290 §5.2.
    pub ecn: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            target: Span::from_millis(5),
            interval: Span::from_millis(100),
            quantum: Bytes::new(1514),
            lanes: 1024,
            drop_batch: 64,
            ecn: true,
        }
    }
}

/// FQ-CoDel in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    params: Params,
    settings: CodelSettings,
    salt: Salt,
    largest: u32,
    lanes: Vec<LaneState>,
    turns: SparseTurns,
    fattest: Fattest,
    batch: Batch,
}

#[derive(Clone, Debug, Default)]
struct LaneState {
    codel: Codel,
    /// Whether a flow that used the lane is gone: if nothing waits in it, the lane begins anew.
    is_left: bool,
}

/// What is left to be dropped at once, and from which lane.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    lane: u32,
    packets: u32,
    bytes: u64,
}

impl Law {
    fn quantum(&self) -> i64 {
        i64::try_from(self.params.quantum.get()).unwrap_or(i64::MAX)
    }

    /// A packet comes to a lane that a flow has left.
    #[cold]
    fn begin_anew(&mut self, lane: u32, queue: &QueueView<'_>) {
        let state = &mut self.lanes[lane as usize];
        state.is_left = false;
        if queue.lanes.lane(lane).packets() == 0 {
            *state = LaneState::default();
            self.turns.leave(lane);
        }
    }

    /// The head of a lane leaves it.
    fn forget_head(&mut self, number: u32, queue: &QueueView<'_>) -> u32 {
        let lane = queue.lanes.lane(number);
        let size = lane.head().map_or(0, |head| head.packet.size_bytes);
        self.fattest.set(number, lane.bytes() - u64::from(size));
        size
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "fq-codel",
        summary: "Flows hashed over lanes that take turns, those just empty first, each under CoDel",
        source: "RFC 8290",
    };
    const ORDER: Order = Order::Chosen;

    fn problem(params: &Params) -> Option<String> {
        if !(1..=MOST_HASHED_LANES).contains(&params.lanes) {
            Some(format!("`lanes` is {}; write a number from 1 to {MOST_HASHED_LANES}", params.lanes))
        } else if params.quantum == Bytes::new(0) {
            Some("`quantum` is 0 B; write a size above 0, such as \"1514 B\"".to_owned())
        } else if params.drop_batch == 0 {
            Some("`drop-batch` is 0; write a number of packets of at least 1".to_owned())
        } else {
            CodelSettings::problem(params.target, params.interval)
        }
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        let Params { target, interval, ecn, .. } = *params;
        Self {
            limit: site.limit,
            params: params.clone(),
            settings: CodelSettings { target, interval, ecn },
            salt: Salt::default(),
            largest: 0,
            lanes: vec![LaneState::default(); params.lanes as usize],
            turns: SparseTurns::new(params.lanes),
            fattest: Fattest::default(),
            batch: Batch::default(),
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if !self.limit.admits(0, 0, packet.size_bytes) {
            return Verdict::Drop(DropReason::Full);
        }
        self.largest = self.largest.max(packet.size_bytes);
        let lane = place(packet.flow.0, self.salt.get(cx.rng), self.params.lanes);
        if self.lanes[lane as usize].is_left {
            self.begin_anew(lane, queue);
        }
        self.turns.join(lane, self.quantum());
        self.fattest.set(lane, queue.lanes.lane(lane).bytes() + u64::from(packet.size_bytes));
        cx.show("active_lanes", 0, self.turns.waiting() as f64);
        Verdict::Accept { lane, mark: false }
    }

    #[inline]
    fn poll_eviction(&mut self, _cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Eviction> {
        if self.batch.packets == 0 || self.batch.bytes == 0 {
            self.batch = Batch::default();
            if self.limit.holds(queue.packets, queue.bytes) {
                return None;
            }
            let lane = self.fattest.lane()?;
            let bytes = queue.lanes.lane(lane).bytes() / 2;
            self.batch = Batch { lane, packets: self.params.drop_batch, bytes: bytes.max(1) };
        }
        let lane = self.batch.lane;
        let size = self.forget_head(lane, queue);
        self.batch.packets -= 1;
        self.batch.bytes = self.batch.bytes.saturating_sub(size.into());
        Some(Eviction { lane, place: 0, reason: DropReason::Full })
    }

    #[inline]
    fn select(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
        loop {
            match self.turns.next(queue.lanes)? {
                Move::Spent { lane } => self.turns.credit(lane, self.quantum()),
                Move::Left { .. } => {}
                Move::Turn { lane } => {
                    let judged = queue.lanes.lane(lane);
                    let deed = self.lanes[lane as usize].codel.judge(&self.settings, cx.now, judged, self.largest);
                    let size = self.forget_head(lane, queue);
                    if deed == Deed::Drop {
                        return Some(Selection::Drop { lane, reason: DropReason::Early });
                    }
                    self.turns.sent(lane, size);
                    return Some(Selection::Send { lane, mark: deed == Deed::Mark });
                }
            }
        }
    }
    /// Whoever shares the lane and has no packet in it begins anew, too.
    fn on_flow_gone(&mut self, flow: FlowId) {
        if let Some(salt) = self.salt.known() {
            self.lanes[place(flow.0, salt, self.params.lanes) as usize].is_left = true;
        }
    }
}
