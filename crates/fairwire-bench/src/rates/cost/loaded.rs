//! A port with many flows, and the control packets that come to it.

use super::Direction;
use crate::processor::processor_seconds;
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{AnyRateLaw, AnyRateSource, FirstRate, PortSite, PortView, RateLawChoice, Terms};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Capacity of the port.
const CAPACITY: BitRate = BitRate::from_mbps(100_000);
/// A round has so many control packets at most, and takes no longer than this, in s.
const MOST_PACKETS: usize = 16_384;
const ROUND_S: f64 = 0.1;
/// So many at most are on their way together, each of another flow, as a flow's next packet need not be like the one before it.
/// Their bytes stay in the processor's cache, however many flows there are.
const MOST_TOGETHER: usize = 1_000;
/// Between two control packets of a link that is full: 30 packets of 1500 bytes.
const APART: Span = Span::from_nanos(3_600);

/// A port under a law, with a source for each of its flows.
pub struct Loaded {
    law: RateLawChoice,
    port: AnyRateLaw,
    sources: Vec<AnyRateSource>,
    terms: Vec<Terms>,
    /// All flows in random order; who comes next.
    order: Vec<u32>,
    next: usize,
    /// The control packets of a round.
    packets: usize,
    /// Those that are on their way together.
    together: Vec<Packet>,
    view: PortView,
    draw: RandomStream,
    law_draw: RandomStream,
    now: Instant,
}

/// A control packet, and what its destination knows of its flow.
struct Packet {
    flow: FlowId,
    terms: Terms,
    bytes: Vec<u8>,
}

/// Processor time that control packets took, in s.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    forward_s: f64,
    turned_s: f64,
    backward_s: f64,
}

impl Loaded {
    /// A port on which so many flows have come and each had a control packet go there and back.
    pub fn new(law: &RateLawChoice, flows: u32) -> Self {
        let streams = Streams::new(23, flows.into());
        let mut draw = streams.component("cost");
        let terms: Vec<Terms> = (0..flows).map(|_| terms(&mut draw, flows)).collect();
        let mut order: Vec<u32> = (0..flows).collect();
        order.shuffle(&mut draw);
        let mut loaded = Self {
            law: law.clone(),
            port: law.port(&PortSite { start: Instant::ZERO, capacity: CAPACITY }),
            sources: terms.iter().map(|terms| law.source(terms, FirstRate::Minimum)).collect(),
            terms,
            order,
            next: 0,
            packets: 0,
            together: Vec::new(),
            view: PortView { capacity: CAPACITY, packets: 3, ..PortView::default() },
            draw,
            law_draw: streams.component("law"),
            now: Instant::ZERO,
        };
        for flow in loaded.order.clone() {
            let terms = loaded.terms[flow as usize];
            let mut cx = Cx { now: loaded.now, rng: &mut loaded.law_draw, probe: None };
            loaded.port.on_open(&mut cx, FlowId(flow), &terms);
        }
        loaded.fill();
        loaded
    }

    /// A first control packet of each flow; from then on it is known how many a round can have.
    fn fill(&mut self) {
        let flows = self.order.len();
        let started = processor_seconds();
        self.send(flows, false);
        let each_s = (processor_seconds() - started) / flows as f64;
        self.packets = ((ROUND_S / each_s) as usize).clamp(16, MOST_PACKETS);
    }

    /// Processor time of a control packet on this way, in ns.
    pub fn round(&mut self, way: Direction) -> f64 {
        let times = self.send(self.packets, way == Direction::ForwardChanged);
        let seconds = match way {
            Direction::ForwardChanged | Direction::ForwardSame => times.forward_s,
            Direction::Turned => times.turned_s,
            Direction::Backward => times.backward_s,
        };
        seconds * 1e9 / self.packets as f64
    }

    /// The next control packets, so many, there and back.
    fn send(&mut self, mut packets: usize, changed: bool) -> Times {
        let mut times = Times::default();
        let mut together = std::mem::take(&mut self.together);
        while packets > 0 {
            let some = packets.min(MOST_TOGETHER).min(self.order.len());
            packets -= some;
            together.truncate(some);
            self.write(&mut together, some, changed);
            times.forward_s += self.timed(&mut together, |it, packet| {
                let mut cx = Cx { now: it.now, rng: &mut it.law_draw, probe: None };
                it.port.on_forward(&mut cx, packet.flow, &mut packet.bytes, &it.view).is_ok()
            });
            times.turned_s +=
                self.timed(&mut together, |it, packet| it.law.turn(&packet.terms, &mut packet.bytes).is_ok());
            times.backward_s += self.timed(&mut together, |it, packet| {
                let mut cx = Cx { now: it.now, rng: &mut it.law_draw, probe: None };
                it.port.on_backward(&mut cx, packet.flow, &mut packet.bytes, &it.view).is_ok()
            });
            for packet in &together {
                let heard = self.sources[packet.flow.0 as usize].on_return(self.now, &packet.bytes);
                assert_eq!(heard, Ok(()), "sources take what their law's ports tell");
            }
        }
        self.together = together;
        times
    }

    /// The next `some` control packets, each of another flow.
    fn write(&mut self, together: &mut Vec<Packet>, some: usize, changed: bool) {
        together.resize_with(some, || Packet { flow: FlowId(0), terms: self.terms[0], bytes: Vec::new() });
        for packet in together {
            let flow = self.order[self.next];
            self.next = (self.next + 1) % self.order.len();
            let (source, terms) = (&mut self.sources[flow as usize], self.terms[flow as usize]);
            if changed {
                let peak_bps = peak_bps(&mut self.draw, self.order.len() as u32);
                source.on_terms(&Terms { peak_bps, ..terms });
            }
            (packet.flow, packet.terms) = (FlowId(flow), terms);
            source.write(self.now, false, &mut packet.bytes);
        }
    }

    /// Does this with each of the packets, one after the other: the time of all, in s. Nothing is refused, as that takes less.
    fn timed(&mut self, together: &mut [Packet], step: impl Fn(&mut Self, &mut Packet) -> bool) -> f64 {
        let mut refused = 0;
        let started = processor_seconds();
        for packet in together {
            self.now += APART;
            refused += u32::from(!step(self, packet));
        }
        let seconds = processor_seconds() - started;
        assert_eq!(refused, 0, "ports and destinations take what their law's sources write");
        seconds
    }
}

/// Terms of a flow among so many.
fn terms(draw: &mut RandomStream, flows: u32) -> Terms {
    let part_bps = CAPACITY.as_bps_f64() / f64::from(flows);
    Terms {
        minimum_bps: part_bps * draw.random_range(0.0..0.1),
        peak_bps: peak_bps(draw, flows),
        supported_bps: CAPACITY.as_bps_f64(),
        weight: draw.random_range(0.5..4.0),
    }
}

/// From a part of an equal share to some: about half of the flows are held by it.
fn peak_bps(draw: &mut RandomStream, flows: u32) -> f64 {
    CAPACITY.as_bps_f64() / f64::from(flows) * draw.random_range(0.2..3.0)
}
