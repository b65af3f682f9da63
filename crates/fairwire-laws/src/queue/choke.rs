//! CHOKe: choose and keep for responsive flows, choose and kill for unresponsive ones.
//!
//! While RED's average is above its lower threshold, each arrival is compared with a
//! packet drawn from the queue: if both are of one flow, both are dropped; else RED
//! decides. No state a flow.
//!
//! Source: R. Pan, B. Prabhakar and K. Psounis, CHOKe, INFOCOM 2000, also on
//! more than one candidate. The average and the early drop are RED's, with its parameters here.

use super::parts::chance::below;
use super::parts::red_average::{Average, EarlyDrop, EarlyDropSettings, Fate};
use super::parts::red_params::red_params;
use super::{DropReason, Eviction, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, Instant};

red_params! {
    /// What CHOKe may be set to.
    min_th: "min_th: average queue below which every packet is let in, in packets.",
    max_th: "max_th: average queue from which on everything is dropped, in packets; above min-th.",
    max_p: "max_p: probability of an early drop just below max-th.",
    /// m: how many packets each arrival is compared with.
    #[schemars(range(min = 1, max = 16))]
    candidates: u32 = 1,
    /// Whether two early drops lie at least 1/probability arrivals apart.
    wait: bool = true,
    /// Whether capable packets are marked where RED's draw would drop them.
    ecn: bool = false,
}

const MOST_CANDIDATES: u32 = 16;

/// CHOKe in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    average: Average,
    early: EarlyDrop,
    params: Params,
    /// Places of packets to be thrown away with the arrival, rising.
    victims: Vec<usize>,
}

impl Law {
    /// Draws the candidates and remembers those of the arrival's flow. Whether there are any.
    fn compare(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> bool {
        for _ in 0..self.params.candidates {
            let place = below(cx.rng, queue.packets) as usize;
            let candidate = queue.lanes.lane(0).get(place);
            if candidate.is_some_and(|drawn| drawn.packet.flow == packet.flow) && !self.victims.contains(&place) {
                self.victims.push(place);
            }
        }
        self.victims.sort_unstable();
        !self.victims.is_empty()
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "choke",
        summary: "RED that first compares each arrival with a random waiting packet and drops both if of one flow",
        source: "Pan, Prabhakar and Psounis 2000",
    };
    const ORDER: Order = Order::Chosen;

    fn problem(params: &Params) -> Option<String> {
        if !(1..=MOST_CANDIDATES).contains(&params.candidates) {
            return Some(format!("`candidates` is {}; write a number from 1 to {MOST_CANDIDATES}", params.candidates));
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
            victims: Vec::new(),
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        self.average.update(cx.now, f64::from(queue.packets));
        let average = self.average.get();
        cx.show("avg_packets", 0, average);
        if average >= self.params.min_th && queue.packets > 0 && self.compare(cx, packet, queue) {
            return Verdict::Drop(DropReason::Unfair);
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
        let mark = self.params.ecn && packet.ecn_capable && fate == Fate::Chosen;
        if fate != Fate::Spared && !mark {
            return Verdict::Drop(DropReason::Early);
        }
        self.average.busy();
        Verdict::Accept { lane: 0, mark }
    }

    #[inline]
    fn poll_eviction(&mut self, _cx: &mut Cx<'_>, _queue: &QueueView<'_>) -> Option<Eviction> {
        // From the back, so that the places in front stay what they were.
        self.victims.pop().map(|place| Eviction { lane: 0, place, reason: DropReason::Unfair })
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.idle(now);
    }

    fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
        self.average.set_capacity(now, capacity);
    }
}
