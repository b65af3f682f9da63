//! A rate law at a link of a node, fed from the counters of its classes.
//!
//! What has been sent since the last look has arrived. What waits in classes of flows that come over other links waits for the
//! link; what waits where a flow enters waits for its limit, as a source would keep it. A flow whose control packets have not come
//! for the time of a lease has its safe rate, whatever the law gave it: what it sends then is out of the law's control.

use crate::counts::{ClassCount, ClassCounts};
use crate::plan::{FlowPlan, LinkPlan};
use fairwire_core::{Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_exchange::GovernedQueue;
use fairwire_laws::rate::{AnyRateLaw, PortView, RateLawChoice, Refusal, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// What a flow has sent since the last look is told to the law as so many packets at most.
const MOST_PACKETS: u64 = 32;

/// A rate law at a link.
pub struct Port {
    law: AnyRateLaw,
    rng: RandomStream,
    view: PortView,
    flows: Vec<Crossing>,
    /// The flows that are open.
    open: BTreeSet<u32>,
    lease: Span,
    /// What flows have sent that were not heard of.
    unheard_bytes: u64,
}

/// A flow that crosses the link.
struct Crossing {
    flow: u32,
    class: u16,
    enters: bool,
    seen: ClassCount,
    /// When a control packet came last, or when it began.
    heard: Option<Instant>,
}

impl Port {
    /// Before any flow has come. `flows` are those of the node; what is secret in a law comes from `seed`.
    pub fn new(plan: &LinkPlan, law: &RateLawChoice, flows: &BTreeMap<u32, FlowPlan>, lease: Span, seed: u64) -> Self {
        let crossing = |(place, &flow): (usize, &u32)| Crossing {
            flow,
            class: GovernedQueue::class_of(place),
            enters: flows.get(&flow).is_some_and(|flow| flow.before.is_none()),
            seen: ClassCount::default(),
            heard: None,
        };
        Self {
            law: law.port(&plan.site),
            rng: Streams::new(seed, 0).component(&format!("port/{}", plan.name)),
            view: PortView { capacity: plan.site.capacity, ..PortView::default() },
            flows: plan.flows.iter().enumerate().map(crossing).collect(),
            open: BTreeSet::new(),
            lease,
            unheard_bytes: 0,
        }
    }

    fn call<T>(&mut self, now: Instant, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>) -> T) -> T {
        call(&mut self.law, &mut Cx { now, rng: &mut self.rng, probe: None })
    }

    /// The classes have counted so much.
    pub fn look(&mut self, now: Instant, counts: &ClassCounts) {
        let of = |class: u16| counts.get(&class).copied().unwrap_or_default();
        self.close_unheard(now);
        self.view.uncontrolled_bytes =
            [GovernedQueue::REST, GovernedQueue::CONTROL].map(|class| of(class).sent_bytes).iter().sum();
        let mut arrived = Vec::new();
        (self.view.packets, self.view.controlled_bytes) = (0, 0);
        for crossing in &mut self.flows {
            let count = of(crossing.class);
            self.view.controlled_bytes += count.sent_bytes;
            if !crossing.enters {
                self.view.packets = self.view.packets.saturating_add(count.waiting_packets);
            }
            let bytes = count.sent_bytes.saturating_sub(crossing.seen.sent_bytes);
            let packets = count.sent_packets.wrapping_sub(crossing.seen.sent_packets);
            crossing.seen = count;
            if crossing.heard.is_none_or(|heard| heard + self.lease <= now) {
                self.unheard_bytes += bytes;
            }
            if bytes > 0 && self.open.contains(&crossing.flow) {
                arrived.push((FlowId(crossing.flow), bytes, u64::from(packets).clamp(1, MOST_PACKETS)));
            }
        }
        self.view.uncontrolled_bytes += self.unheard_bytes;
        self.view.controlled_bytes = self.view.controlled_bytes.saturating_sub(self.unheard_bytes);
        let port = self.view;
        for (flow, bytes, packets) in arrived {
            let size_bytes = u32::try_from(bytes / packets).unwrap_or(u32::MAX);
            for _ in 0..packets {
                // The kernel has let it in.
                self.call(now, |law, cx| law.on_data(cx, flow, size_bytes, &port));
            }
        }
    }

    /// A control packet of a flow is on its way to the destination, and is rewritten.
    pub fn on_forward(&mut self, now: Instant, flow: u32, terms: &Terms, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
        let (id, port) = (FlowId(flow), self.view);
        if let Some(crossing) = self.flows.iter_mut().find(|crossing| crossing.flow == flow) {
            crossing.heard = Some(now);
        }
        if self.open.insert(flow) {
            self.call(now, |law, cx| law.on_open(cx, id, terms));
        }
        self.call(now, |law, cx| law.on_forward_of_open(cx, id, terms, bytes, &port))
    }

    /// Flows are closed whose control packets have not come for the time of a lease.
    fn close_unheard(&mut self, now: Instant) {
        let mut unheard = Vec::new();
        for crossing in &mut self.flows {
            let heard = *crossing.heard.get_or_insert(now);
            if heard + self.lease <= now && self.open.contains(&crossing.flow) {
                unheard.push(crossing.flow);
            }
        }
        unheard.into_iter().for_each(|flow| self.close(now, flow));
    }

    /// What is known of a flow belongs to a life of its source that is over.
    pub fn close(&mut self, now: Instant, flow: u32) {
        if self.open.remove(&flow) {
            self.call(now, |law, cx| law.on_close(cx, FlowId(flow)));
        }
    }

    /// A control packet of a flow is on its way back to the source, and is rewritten.
    pub fn on_backward(&mut self, now: Instant, flow: u32, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
        let port = self.view;
        match self.call(now, |law, cx| law.on_backward(cx, FlowId(flow), bytes, &port)) {
            // Whom the law has forgotten while it was under way other ports still tell something.
            Err(Refusal::UnknownFlow) => Ok(()),
            result => result,
        }
    }

    /// When the law wants to be woken.
    pub fn due_at(&self) -> Option<Instant> {
        self.law.poll_timeout()
    }

    /// The law is woken, if it is due: what it sends to the sources of flows by itself.
    pub fn advance(&mut self, now: Instant) -> Vec<(u32, Vec<u8>)> {
        let mut notices = Vec::new();
        if self.due_at().is_none_or(|due| due > now) {
            return notices;
        }
        let port = self.view;
        self.call(now, |law, cx| law.handle_timeout(cx, &port));
        let mut bytes = Vec::new();
        while let Some(FlowId(flow)) = self.law.poll_notice(&mut bytes) {
            notices.push((flow, std::mem::take(&mut bytes)));
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::{NETWORK, scenario};
    use crate::governor::lab::{LEASE, plans};

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// The port of router b to c, which the far flow crosses and the middle one enters, and what its classes have counted.
    fn counted(sent_bytes: [u64; 2], waiting_packets: [u32; 2]) -> ClassCounts {
        let mut counts = ClassCounts::new();
        for (place, (sent_bytes, waiting_packets)) in sent_bytes.into_iter().zip(waiting_packets).enumerate() {
            let sent_packets = (sent_bytes / 1_000) as u32;
            let count = ClassCount { sent_bytes, sent_packets, waiting_packets, ..ClassCount::default() };
            counts.insert(GovernedQueue::class_of(place), count);
        }
        counts.insert(GovernedQueue::REST, ClassCount { sent_bytes: 300, ..ClassCount::default() });
        counts.insert(GovernedQueue::CONTROL, ClassCount { sent_bytes: 20, ..ClassCount::default() });
        counts
    }

    #[test]
    fn what_waits_on_the_way_waits_for_the_link_and_control_packets_are_of_no_flow() {
        let plans = plans(&scenario(NETWORK));
        let link = &plans[1].links[0];
        let mut port = Port::new(link, link.law.as_ref().unwrap(), &plans[1].flows, LEASE, 1);
        port.look(ms(1), &counted([5_000, 7_000], [9, 80]));
        let view =
            PortView { capacity: link.site.capacity, packets: 9, uncontrolled_bytes: 320, ..PortView::default() };
        assert_eq!(port.view, PortView { controlled_bytes: 12_000, ..view });
    }

    #[test]
    fn a_flow_is_known_for_the_time_of_a_lease_and_then_is_out_of_control() {
        let plans = plans(&scenario(NETWORK));
        let (link, flow) = (&plans[1].links[0], &plans[1].flows[&0]);
        let mut port = Port::new(link, link.law.as_ref().unwrap(), &plans[1].flows, LEASE, 1);
        let mut sender = fairwire_laws::rate::Sender::new(&flow.law, &flow.sending, &flow.terms);
        sender.start(ms(0), Instant::NEVER, None);
        let mut bytes = Vec::new();
        assert!(sender.take_control(ms(0), &mut bytes));
        port.on_forward(ms(0), 0, &flow.terms, &mut bytes).expect("the law's");
        for ten in 1..50 {
            port.look(ms(10 * ten), &counted([1_000 * ten, 0], [0, 0]));
            port.advance(ms(10 * ten));
            assert_eq!((port.law.flows(), port.view.uncontrolled_bytes), (1, 320));
        }
        for ten in 50..60 {
            port.look(ms(10 * ten), &counted([1_000 * ten, 0], [0, 0]));
        }
        assert_eq!((port.law.flows(), port.view.uncontrolled_bytes, port.view.controlled_bytes), (0, 10_320, 49_000));
    }
}
