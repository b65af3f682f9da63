//! VRR: virtual round robin.
//!
//! One first-in-first-out queue, and beside it for each flow the length that its own queue
//! would have if flows were served round robin: it grows as a packet is accepted and
//! shrinks as the flow's turn comes, whoever's packet leaves. Short virtual queues
//! are safe from drops; the longest is struck when the gateway is congested, and held short from then on.
//!
//! Source: [vrr-gateway] §II. Left open there and chosen here (`docs/laws/vrr.md`): a full
//! queue drops whatever the rule says; a strike ends when the virtual queue is empty;
//! among equally long ones the one that got there first is struck; RED's count advances
//! where the draw decides only; counting bytes, and marks.

use super::parts::longest::Longest;
use super::parts::red_average::{Average, EarlyDrop, EarlyDropSettings, Fate, mean_bytes};
use super::parts::red_params::red_params;
use super::{Count, DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict};
use crate::LawAbout;
use crate::slots::Slots;
use fairwire_core::{BitRate, Cx, FlowId, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

red_params! {
    /// What VRR may be set to.
    min_th: "min_th: average queue below which nothing is dropped at random; over the number of active flows, what each may have. In packets.",
    max_th: "max_th: average queue from which on the longest virtual queue is struck, in packets; above min-th.",
    max_p: "max_p: probability of a random drop just below max-th.",
    /// min_q: a flow with a virtual queue up to this is never dropped, in packets.
    #[schemars(range(min = 0))]
    min_q: f64 = 4.0,
    /// When a struck flow is forgiven.
    strike_ends: StrikeEnds = StrikeEnds::Empty,
    /// Whether the round robin and the queue are counted in packets, or in bytes with one
    /// packet of the mean size a turn.
    count: Count = Count::Packets,
    /// Whether the probability climbs on to 1 at twice max-th instead of jumping there.
    gentle: bool = false,
    /// Whether two random drops lie at least 1/probability arrivals apart.
    wait: bool = true,
    /// Whether capable packets are marked where the draw would drop them.
    ecn: bool = false,
}

/// When a struck flow is forgiven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StrikeEnds {
    /// As its virtual queue becomes empty.
    #[default]
    Empty,
    /// Never.
    Never,
}

/// VRR in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    average: Average,
    early: EarlyDrop,
    params: Params,
    mean_bytes: f64,
    /// What a flow gets in one turn: a packet, or bytes.
    turn: u64,
    /// What is left of the turn of the first active flow.
    turn_left: u64,
    /// Flows with a virtual queue or a strike.
    slots: Slots,
    /// By slot.
    flows: Vec<Flow>,
    /// Slots of flows with a virtual queue; the first has its turn.
    active: VecDeque<u32>,
    /// By slot.
    longest: Longest,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    number: u32,
    /// Packets or bytes.
    length: u64,
    is_struck: bool,
    /// Whether the flow is gone, and only its virtual queue is left.
    is_gone: bool,
}

/// Byte-counting flows are compared in steps of this many bytes: the longest is found in
/// constant time, to within a step.
const STEP_BYTES: u64 = 64;

impl Law {
    /// Length of a flow's virtual queue, in packets or bytes as the law counts.
    pub fn virtual_length(&self, flow: FlowId) -> u64 {
        self.state(flow).length
    }

    /// Whether a flow is struck.
    pub fn is_struck(&self, flow: FlowId) -> bool {
        self.state(flow).is_struck
    }

    /// Flows with a virtual queue, in the order of their turns.
    pub fn active_flows(&self) -> impl ExactSizeIterator<Item = FlowId> {
        self.active.iter().map(|&slot| FlowId(self.flows[slot as usize].number))
    }

    /// The flow with the longest virtual queue (maxFlow).
    pub fn longest(&self) -> Option<FlowId> {
        self.longest.longest().map(|slot| FlowId(self.flows[slot as usize].number))
    }

    /// A flow without virtual queue and strike is one that was never seen.
    #[inline]
    fn state(&self, flow: FlowId) -> Flow {
        self.slots.find(flow.0).map_or(Flow::default(), |slot| self.flows[slot as usize])
    }

    /// What is always let in, in packets: max(min_q, min_th/Nact).
    fn safe_packets(&self) -> f64 {
        let active = self.active.len().max(1) as f64;
        self.params.min_q.max(self.params.min_th / active)
    }

    fn in_packets(&self, length: u64) -> f64 {
        match self.params.count {
            Count::Packets => length as f64,
            Count::Bytes => length as f64 / self.mean_bytes,
        }
    }

    fn amount(&self, packet: &QueuedPacket) -> u64 {
        match self.params.count {
            Count::Packets => 1,
            Count::Bytes => packet.size_bytes.into(),
        }
    }

    fn set_length(&mut self, slot: u32, length: u64) {
        self.flows[slot as usize].length = length;
        let rank = match self.params.count {
            Count::Packets => length,
            Count::Bytes => length.div_ceil(STEP_BYTES),
        };
        self.longest.set(slot, u32::try_from(rank).unwrap_or(u32::MAX));
    }

    /// [vrr-gateway] §II-B, whenever a packet is accepted.
    fn enqueue(&mut self, cx: &mut Cx<'_>, flow: FlowId, amount: u64) {
        if amount == 0 {
            return;
        }
        let slot = self.slots.find_or_take(flow.0);
        if self.flows.len() <= slot as usize {
            self.flows.push(Flow::default());
        }
        let state = &mut self.flows[slot as usize];
        state.number = flow.0;
        let length = state.length;
        if length == 0 {
            if self.active.is_empty() {
                self.turn_left = self.turn;
            }
            self.active.push_back(slot);
        }
        self.set_length(slot, length + amount);
        self.show_length(cx, slot);
    }

    /// A flow whose virtual queue is empty is forgotten, unless it is there and struck for ever.
    fn run_empty(&mut self, slot: u32) {
        let state = &mut self.flows[slot as usize];
        if self.params.strike_ends == StrikeEnds::Empty || !state.is_struck || state.is_gone {
            *state = Flow::default();
            self.slots.give_back(slot);
        }
    }

    /// [vrr-gateway] §II-B, whenever a packet leaves: so much is served in turns. Counting
    /// packets this is one turn of the first active flow.
    fn serve(&mut self, cx: &mut Cx<'_>, mut amount: u64) {
        while amount > 0 {
            let Some(&slot) = self.active.front() else { return };
            let length = self.flows[slot as usize].length;
            let served = amount.min(length).min(self.turn_left);
            amount -= served;
            self.turn_left -= served;
            self.set_length(slot, length - served);
            self.show_length(cx, slot);
            if served == length {
                self.active.pop_front();
                self.turn_left = self.turn;
                self.run_empty(slot);
            } else if self.turn_left == 0 {
                self.active.rotate_left(1);
                self.turn_left = self.turn;
            }
        }
    }

    fn show_length(&self, cx: &mut Cx<'_>, slot: u32) {
        if cx.is_watched() {
            let name = match self.params.count {
                Count::Packets => "virtual_queue_packets",
                Count::Bytes => "virtual_queue_bytes",
            };
            let Flow { number, length, .. } = self.flows[slot as usize];
            cx.show(name, number, length as f64);
        }
    }

    fn show(&self, cx: &mut Cx<'_>) {
        if cx.is_watched() {
            cx.show("avg_packets", 0, self.average.get());
            cx.show("drop_probability", 0, self.early.p_b(self.average.get()));
            cx.show("active_flows", 0, self.active.len() as f64);
        }
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "vrr",
        summary: "Drops by the queue each flow would have if one queue were served round robin",
        source: "[vrr-gateway] §II",
    };
    const ORDER: Order = Order::Fifo;

    fn problem(params: &Params) -> Option<String> {
        if !(params.min_q >= 0.0 && params.min_q.is_finite()) {
            return Some(format!("`min-q` is {}; write a number of packets of at least 0", params.min_q));
        }
        params.red().problem()
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        let mean_bytes = mean_bytes(site);
        let turn = match params.count {
            Count::Packets => 1,
            Count::Bytes => site.mean_packet.get().max(1),
        };
        Self {
            limit: site.limit,
            average: Average::new(params.w_q, site),
            early: EarlyDrop::new(EarlyDropSettings {
                red: params.red(),
                gentle: params.gentle,
                wait: params.wait,
                per_bytes: (params.count == Count::Bytes).then_some(mean_bytes),
            }),
            params: params.clone(),
            mean_bytes,
            turn,
            turn_left: turn,
            slots: Slots::default(),
            flows: Vec::new(),
            active: VecDeque::new(),
            longest: Longest::default(),
        }
    }

    /// [vrr-gateway] §II-A, for each arriving packet.
    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        self.average.update(cx.now, self.params.count.length(queue, self.mean_bytes));
        self.show(cx);
        let is_full = !self.limit.admits(queue.packets, queue.bytes, packet.size_bytes);
        if (is_full || self.early.is_over(self.average.get()))
            && let Some(longest) = self.longest.longest()
        {
            self.flows[longest as usize].is_struck = true;
        }
        if is_full {
            return Verdict::Drop(DropReason::Full);
        }
        let mut mark = false;
        let flow = self.state(packet.flow);
        if self.in_packets(flow.length) > self.safe_packets() {
            if flow.is_struck {
                return Verdict::Drop(DropReason::Unfair);
            }
            let fate = self.early.decide(self.average.get(), packet.size_bytes, cx.rng);
            mark = self.params.ecn && packet.ecn_capable && fate == Fate::Chosen;
            if fate != Fate::Spared && !mark {
                return Verdict::Drop(DropReason::Early);
            }
        }
        self.average.busy();
        self.enqueue(cx, packet.flow, self.amount(packet));
        Verdict::Accept { lane: 0, mark }
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, _queue: &QueueView<'_>) {
        self.serve(cx, self.amount(packet));
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.idle(now);
    }

    fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
        self.average.set_capacity(now, capacity);
    }

    /// A virtual queue that outlives its flow is served to its end, as it takes its part of the
    /// turns in which all packets leave, but it is no one's any more.
    fn on_flow_gone(&mut self, flow: FlowId) {
        if let Some(slot) = self.slots.find(flow.0) {
            self.slots.take_key(slot);
            self.flows[slot as usize].is_gone = true;
            if self.flows[slot as usize].length == 0 {
                self.run_empty(slot);
            }
        }
    }
}
