//! FRED: flow random early drop.
//!
//! RED's average and thresholds, and beside them each flow's own packets in the queue: a
//! flow with few is safe from early drops, one with too many is dropped, and one that was so
//! more than once is held to the mean of the active flows.
//!
//! Source: D. Lin and R. Morris, Dynamics of Random Early Detection, SIGCOMM 1997 (the
//! algorithm and its two-packet-buffer mode for many flows); parameters of [vrr-gateway] §III.
//! Chosen here: idle time is taken in as RED does, and once only; with `many-flows` a flow
//! may have two packets while the average is at max-th; `wait` and `ecn` are RED's, which the
//! paper has not. `wait` is on as in RED, VRR and CHOKe: laws that draw alike have one default.

use super::parts::red_average::{Average, EarlyDrop, EarlyDropSettings, Fate};
use super::parts::red_params::red_params;
use super::{DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict};
use crate::LawAbout;
use crate::slots::Slots;
use fairwire_core::{BitRate, Cx, FlowId, Instant};

red_params! {
    /// What FRED may be set to.
    min_th: "min_th: average queue below which nothing is dropped at random, and the most packets that a flow may have, in packets.",
    max_th: "max_th: average queue from which on everything is dropped, in packets; above min-th.",
    max_p: "max_p: probability of a random drop just below max-th.",
    /// min_q: a flow with fewer packets is never dropped at random.
    #[schemars(range(min = 1))]
    min_q: u32 = 4,
    /// Whether at max-th each flow may still have two packets: the paper's support of many flows.
    many_flows: bool = false,
    /// Whether two random drops lie at least 1/probability arrivals apart.
    wait: bool = true,
    /// Whether capable packets are marked where the draw would drop them.
    ecn: bool = false,
}

/// What a flow may have in the queue at max-th.
const FEW: u32 = 2;

/// FRED in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    average: Average,
    early: EarlyDrop,
    params: Params,
    /// Flows with packets in the queue.
    slots: Slots,
    /// By slot.
    flows: Vec<Flow>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Packets in the queue.
    qlen: u32,
    /// Refusals since it had none.
    strike: u32,
}

impl Law {
    /// avgcq: the mean of the active flows' packets, at least 1.
    fn avgcq(&self) -> f64 {
        (self.average.get() / f64::from(self.active_flows().max(1))).max(1.0)
    }

    /// What a flow has in the queue, and how often it asked for more than it may have.
    pub fn flow(&self, flow: FlowId) -> (u32, u32) {
        let Flow { qlen, strike } = self.state(flow);
        (qlen, strike)
    }

    /// Flows with packets in the queue.
    pub fn active_flows(&self) -> u32 {
        self.slots.taken()
    }

    /// A flow without packets is one that was never seen.
    #[inline]
    fn state(&self, flow: FlowId) -> Flow {
        self.slots.find(flow.0).map_or(Flow::default(), |slot| self.flows[slot as usize])
    }

    fn change(&mut self, flow: FlowId, change: impl FnOnce(&mut Flow)) {
        let slot = self.slots.find_or_take(flow.0);
        if self.flows.len() <= slot as usize {
            self.flows.push(Flow::default());
        }
        let state = &mut self.flows[slot as usize];
        change(state);
        if state.qlen == 0 {
            *state = Flow::default();
            self.slots.give_back(slot);
        }
    }

    /// Whether the flow is one that does not adapt, or has more than it may.
    fn is_greedy(&self, flow: Flow, is_over: bool, avgcq: f64) -> bool {
        let qlen = f64::from(flow.qlen);
        let most = if is_over { f64::from(FEW) } else { self.params.min_th };
        qlen >= most || (is_over && qlen > 2.0 * avgcq) || (qlen >= avgcq && flow.strike > 1)
    }

    fn show(&self, cx: &mut Cx<'_>, flow: FlowId) {
        if cx.is_watched() {
            cx.show("avg_packets", 0, self.average.get());
            cx.show("drop_probability", 0, self.early.p_b(self.average.get()));
            cx.show("active_flows", 0, f64::from(self.active_flows()));
        }
        self.show_queue(cx, flow);
    }

    /// Shown whenever it changes, so that its mean over time can be taken.
    fn show_queue(&self, cx: &mut Cx<'_>, flow: FlowId) {
        if cx.is_watched() {
            cx.show("queued_packets", flow.0, f64::from(self.state(flow).qlen));
        }
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "fred",
        summary: "RED that counts each flow's packets: few are safe, many are dropped",
        source: "Lin and Morris 1997; [vrr-gateway] §III",
    };
    const ORDER: Order = Order::Fifo;

    fn problem(params: &Params) -> Option<String> {
        if params.min_q == 0 {
            return Some("`min-q` is 0; write a number of packets of at least 1".to_owned());
        }
        params.red().problem()
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        Self {
            limit: site.limit,
            average: Average::new(params.w_q, site),
            early: EarlyDrop::new(EarlyDropSettings {
                red: params.red(),
                gentle: false,
                wait: params.wait,
                per_bytes: None,
            }),
            params: params.clone(),
            slots: Slots::default(),
            flows: Vec::new(),
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if queue.packets == 0 {
            self.average.update(cx.now, 0.0);
        }
        self.show(cx, packet.flow);
        let (average, avgcq, flow) = (self.average.get(), self.avgcq(), self.state(packet.flow));
        let is_over = self.early.is_over(average);
        if self.is_greedy(flow, is_over, avgcq) {
            self.change(packet.flow, |flow| flow.strike += 1);
            return Verdict::Drop(DropReason::Unfair);
        }
        let mut mark = false;
        if is_over {
            self.early.dropped();
            if !self.params.many_flows {
                return Verdict::Drop(DropReason::Early);
            }
        } else if average < self.params.min_th {
            self.early.calm();
        } else {
            self.early.passed(packet.size_bytes);
            let is_robust = f64::from(flow.qlen) >= f64::from(self.params.min_q).max(avgcq);
            if is_robust && self.early.draw(average, packet.size_bytes, cx.rng) != Fate::Spared {
                mark = self.params.ecn && packet.ecn_capable;
                if !mark {
                    return Verdict::Drop(DropReason::Early);
                }
            }
        }
        self.average.update(cx.now, f64::from(queue.packets));
        if !self.limit.admits(queue.packets, queue.bytes, packet.size_bytes) {
            return Verdict::Drop(DropReason::Full);
        }
        self.average.busy();
        self.change(packet.flow, |flow| flow.qlen += 1);
        self.show_queue(cx, packet.flow);
        Verdict::Accept { lane: 0, mark }
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) {
        self.average.update(cx.now, f64::from(queue.packets));
        self.change(packet.flow, |flow| flow.qlen -= 1);
        self.show_queue(cx, packet.flow);
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.idle(now);
    }

    fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
        self.average.set_capacity(now, capacity);
    }
}
