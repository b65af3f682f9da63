//! SFQ: stochastic fair queueing.
//!
//! Flows are spread over lanes by a hash whose salt changes now and then; lanes take turns;
//! a full queue drops from the end of the lane with most packets.
//!
//! Source: P. McKenney, Stochastic Fairness Queueing, INFOCOM 1990; 1024 lanes, turns of
//! bytes and the ten seconds as in Linux and its manual. When the salt changes, packets
//! that wait stay where they are, so a flow's packets may overtake each other once.

use super::parts::hashing::{self, MOST_HASHED_LANES};
use super::parts::lane_turns::LaneTurns;
use super::parts::longest::Longest;
use super::{DropReason, Eviction, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Selection, Verdict};
use crate::LawAbout;
use fairwire_core::{Bytes, Cx, FlowId, Instant, Span};
use rand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What SFQ may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Lanes that flows are spread over.
    #[schemars(range(min = 1, max = 65_536))]
    pub lanes: u32,
    /// What a lane may send in a turn.
    pub quantum: Bytes,
    /// How often flows are spread anew; "0 s" for never.
    pub perturb: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self { lanes: 1024, quantum: Bytes::new(1514), perturb: Span::from_nanos(10_000_000_000) }
    }
}

/// SFQ in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    lanes: u32,
    perturb: Span,
    salt: u32,
    /// When the salt is drawn next; at the first arrival at latest.
    next_salt: Instant,
    turns: LaneTurns,
    longest: Longest,
}

impl Law {
    fn packets(lane: usize) -> u32 {
        u32::try_from(lane).unwrap_or(u32::MAX)
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "sfq",
        summary: "Flows hashed over lanes that take turns; the longest lane makes room",
        source: "McKenney 1990",
    };
    const ORDER: Order = Order::Chosen;

    fn problem(params: &Params) -> Option<String> {
        if !(1..=MOST_HASHED_LANES).contains(&params.lanes) {
            Some(format!("`lanes` is {}; write a number from 1 to {MOST_HASHED_LANES}", params.lanes))
        } else if params.quantum == Bytes::new(0) {
            Some("`quantum` is 0 B; write a size above 0, such as \"1514 B\"".to_owned())
        } else {
            None
        }
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        Self {
            limit: site.limit,
            lanes: params.lanes,
            perturb: params.perturb,
            salt: 0,
            next_salt: Instant::ZERO,
            turns: LaneTurns::new(params.quantum.get()),
            longest: Longest::default(),
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if !self.limit.admits(0, 0, packet.size_bytes) {
            return Verdict::Drop(DropReason::Full);
        }
        if cx.now >= self.next_salt {
            self.salt = cx.rng.next_u32();
            self.next_salt = if self.perturb == Span::ZERO { Instant::NEVER } else { cx.now + self.perturb };
        }
        let lane = hashing::place(packet.flow.0, self.salt, self.lanes);
        self.turns.join(lane);
        self.longest.set(lane, Self::packets(queue.lanes.lane(lane).packets() + 1));
        cx.show("active_lanes", 0, self.turns.waiting() as f64);
        Verdict::Accept { lane, mark: false }
    }

    #[inline]
    fn poll_eviction(&mut self, _cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Eviction> {
        if self.limit.holds(queue.packets, queue.bytes) {
            return None;
        }
        let lane = self.longest.longest()?;
        let place = queue.lanes.lane(lane).packets().checked_sub(1)?;
        self.longest.set(lane, Self::packets(place));
        if place == 0 {
            self.turns.run_empty(lane);
        }
        Some(Eviction { lane, place, reason: DropReason::Full })
    }

    #[inline]
    fn select(&mut self, _cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
        let (lane, _) = self.turns.next(queue.lanes)?;
        self.longest.set(lane, Self::packets(queue.lanes.lane(lane).packets() - 1));
        Some(Selection::Send { lane, mark: false })
    }

    /// Whoever shares the lane and has no packet in it begins anew, too.
    fn on_flow_gone(&mut self, flow: FlowId) {
        self.turns.leave(hashing::place(flow.0, self.salt, self.lanes));
    }
}
