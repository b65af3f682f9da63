//! RED: random early detection.
//!
//! The queue length is averaged over arrivals. Between two thresholds arrivals are
//! dropped, or marked, with a probability that grows with the average, spread evenly; above,
//! all are dropped.
//!
//! Source: S. Floyd and V. Jacobson, Random Early Detection Gateways for Congestion
//! Avoidance, IEEE/ACM ToN 1(4), 1993; parameters of [vrr-gateway] §III. As in ns-2:
//! idle time counts in whole packet times, *wait*, nothing is dropped early while at
//! most one packet waits, and a full queue drops the packet that arrives.

use super::parts::red_average::{Average, EarlyDrop, EarlyDropSettings, Fate, mean_bytes};
use super::parts::red_params::red_params;
use super::{Count, DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, Instant};

red_params! {
    /// What RED may be set to.
    min_th: "min_th: average queue below which nothing is dropped early, in packets.",
    max_th: "max_th: average queue from which on everything is dropped, in packets; above min-th.",
    max_p: "max_p: probability of an early drop just below max-th.",
    /// Whether the probability climbs on to 1 at twice max-th instead of jumping there.
    gentle: bool = false,
    /// Whether two early drops lie at least 1/probability arrivals apart.
    wait: bool = true,
    /// Whether capable packets are marked where the draw would drop them.
    ecn: bool = false,
    /// Whether the queue is counted in packets, or in bytes over the mean packet size
    /// (then larger packets are dropped more often).
    count: Count = Count::Packets,
}

/// RED in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    average: Average,
    early: EarlyDrop,
    ecn: bool,
    count: Count,
    mean_bytes: f64,
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "red",
        summary: "Drops or marks at random, the more likely the longer the average queue",
        source: "Floyd and Jacobson 1993; [vrr-gateway] §III",
    };
    const ORDER: Order = Order::Fifo;

    fn problem(params: &Params) -> Option<String> {
        params.red().problem()
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        let mean_bytes = mean_bytes(site);
        Self {
            limit: site.limit,
            average: Average::new(params.w_q, site),
            early: EarlyDrop::new(EarlyDropSettings {
                red: params.red(),
                gentle: params.gentle,
                wait: params.wait,
                per_bytes: (params.count == Count::Bytes).then_some(mean_bytes),
            }),
            ecn: params.ecn,
            count: params.count,
            mean_bytes,
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        self.average.update(cx.now, self.count.length(queue, self.mean_bytes));
        let average = self.average.get();
        if cx.is_watched() {
            cx.show("avg_packets", 0, average);
            cx.show("drop_probability", 0, self.early.p_b(average));
        }
        if !self.limit.admits(queue.packets, queue.bytes, packet.size_bytes) {
            self.early.dropped();
            return Verdict::Drop(DropReason::Full);
        }
        let fate = if queue.packets > 1 {
            self.early.decide(average, packet.size_bytes, cx.rng)
        } else {
            self.early.calm();
            Fate::Spared
        };
        let mark = self.ecn && packet.ecn_capable && fate == Fate::Chosen;
        if fate != Fate::Spared && !mark {
            return Verdict::Drop(DropReason::Early);
        }
        self.average.busy();
        Verdict::Accept { lane: 0, mark }
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.idle(now);
    }

    fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
        self.average.set_capacity(now, capacity);
    }
}
