//! What a packet costs under each queue law, by the number of flows that have packets
//! waiting: `cargo run --release -p fairwire-laws --example queue_cost`.
//!
//! A queue is held at one packet a flow; again and again the next one leaves and one of
//! another flow arrives. The first line is the cost of keeping packets, with hardly a law.
//! Flows come in turn; the last column draws them at random, so that nearly every access
//! misses the caches. Each figure is the least of many short measurements.

use fairwire_core::{BitRate, Bytes, Cx, FlowId, Instant, Span, Streams};
use fairwire_laws::queue::{
    AnyQueueLaw, Lanes, Limit, Order, QueueLawChoice, QueueSite, QueueView, QueuedPacket, Selection, Verdict, Waiting,
};
use std::time::Instant as Clock;

const FLOWS: [u32; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
/// Packets in one measurement.
const CHUNK: u32 = 20_000;
const CHUNKS: u32 = 60;
/// How long a packet waits: CoDel drops now and then, PIE hardly.
const WAIT: Span = Span::from_millis(14);

fn main() {
    print!("{:<12}", "ns a packet");
    FLOWS.iter().for_each(|flows| print!("{flows:>10}"));
    println!("{:>12}", "at random");
    for about in QueueLawChoice::ALL {
        print!("{:<12}", about.name);
        for flows in FLOWS {
            print!("{:>10.0}", cost_ns(about.name, flows, false));
        }
        println!("{:>12.0}", cost_ns(about.name, FLOWS[FLOWS.len() - 1], true));
    }
}

/// The law with thresholds at which it neither sleeps nor drops much.
fn law(name: &str, flows: u32) -> QueueLawChoice {
    let (low, high) = (f64::from(flows) * 0.5, f64::from(flows) * 4.0);
    let mut choice = QueueLawChoice::by_name(name).expect("the law is listed");
    match &mut choice {
        QueueLawChoice::red(red) => (red.min_th, red.max_th) = (low, high),
        QueueLawChoice::choke(choke) => (choke.min_th, choke.max_th) = (low, high),
        QueueLawChoice::fred(fred) => (fred.min_th, fred.max_th, fred.min_q) = (low, high, 1),
        // No virtual queue is safe: every arrival goes through all of the rule.
        QueueLawChoice::vrr(vrr) => (vrr.min_th, vrr.max_th, vrr.min_q) = (low, high, 0.0),
        _ => {}
    }
    choice
}

fn cost_ns(name: &str, flows: u32, at_random: bool) -> f64 {
    let site = QueueSite {
        start: Instant::ZERO,
        capacity: BitRate::from_mbps(10_000),
        delay: Span::ZERO,
        limit: Limit::Packets(flows.saturating_mul(2)),
        mean_packet: Bytes::new(1000),
    };
    let mut gateway = Gateway {
        law: law(name, flows).build(&site),
        lanes: Lanes::default(),
        now: Instant::ZERO,
        gap: Span::from_nanos(WAIT.as_nanos() / u64::from(flows)),
        rng: Streams::new(1, 0).component("queue"),
    };
    let mut next = 0u32;
    let mut flow = || {
        next = next.wrapping_add(1);
        let draw = next.wrapping_mul(0x9e37_79b9) ^ next.rotate_left(16);
        if at_random { ((u64::from(draw) * u64::from(flows)) >> 32) as u32 } else { next % flows }
    };
    for _ in 0..2 * flows.max(CHUNK) {
        gateway.step(flow(), flows);
    }
    let times = (0..CHUNKS).map(|_| {
        let start = Clock::now();
        let arrivals: u32 = (0..CHUNK).map(|_| gateway.step(flow(), flows)).sum();
        start.elapsed().as_nanos() as f64 / f64::from(arrivals)
    });
    times.fold(f64::INFINITY, f64::min)
}

struct Gateway {
    law: AnyQueueLaw,
    lanes: Lanes,
    now: Instant,
    gap: Span,
    rng: fairwire_core::RandomStream,
}

impl Gateway {
    /// A packet of `flow` arrives, and another one leaves if more than `held` wait; one arrival.
    fn step(&mut self, flow: u32, held: u32) -> u32 {
        self.now += self.gap;
        while self.law.poll_timeout().is_some_and(|at| at <= self.now) {
            self.call(|law, cx, queue| law.handle_timeout(cx, queue));
        }
        while self.lanes.packets() >= held {
            self.depart();
        }
        self.arrive(QueuedPacket {
            flow: FlowId(flow),
            source: flow,
            destination: flow,
            size_bytes: 1000,
            ecn_capable: false,
        });
        1
    }

    fn arrive(&mut self, packet: QueuedPacket) {
        if let Verdict::Accept { lane, mark } = self.call(|law, cx, queue| law.on_arrival(cx, &packet, queue)) {
            self.lanes.push(lane, Waiting { packet, since: self.now, marked: mark, handle: 0 });
        }
        while self.law.order() == Order::Chosen
            && let Some(eviction) = self.call(|law, cx, queue| law.poll_eviction(cx, queue))
        {
            self.lanes.take(eviction.lane, eviction.place);
        }
    }

    fn depart(&mut self) {
        while self.lanes.packets() > 0 {
            let selection = match self.law.order() {
                Order::Fifo => Some(Selection::Send { lane: 0, mark: false }),
                Order::Chosen => self.call(|law, cx, queue| law.select(cx, queue)),
            };
            match selection {
                Some(Selection::Drop { lane, .. }) => {
                    self.lanes.take(lane, 0);
                }
                Some(Selection::Send { lane, .. }) => {
                    let sent = self.lanes.take(lane, 0).expect("a lane with packets is selected");
                    self.call(|law, cx, queue| law.on_departure(cx, &sent.packet, queue));
                    return;
                }
                None => return,
            }
        }
    }

    fn call<T>(&mut self, ask: impl FnOnce(&mut AnyQueueLaw, &mut Cx<'_>, &QueueView<'_>) -> T) -> T {
        let view = QueueView { packets: self.lanes.packets(), bytes: self.lanes.bytes(), lanes: &self.lanes };
        ask(&mut self.law, &mut Cx { now: self.now, rng: &mut self.rng, probe: None }, &view)
    }
}
