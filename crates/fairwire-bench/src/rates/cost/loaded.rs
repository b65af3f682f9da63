//! A port with many flows, and the control packets that come to it.

use super::Way;
use crate::processor::processor_seconds;
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Streams};
use fairwire_laws::rate::{AnyRateLaw, AnyRateSource, FirstRate, PortSite, PortView, RateLawChoice, Terms};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Capacity of the port.
const CAPACITY: BitRate = BitRate::from_mbps(100_000);
/// A round is timed as a whole: so many control packets at most, and no longer than this, in s.
const MOST_PACKETS: usize = 16_384;
const ROUND_S: f64 = 0.1;

/// A port under a law, with a source for each of its flows.
pub struct Loaded {
    law: RateLawChoice,
    port: AnyRateLaw,
    sources: Vec<AnyRateSource>,
    terms: Vec<Terms>,
    /// All flows in random order; who comes next.
    order: Vec<u32>,
    next: usize,
    /// What the lines of a round hold at most.
    packets: usize,
    view: PortView,
    draw: RandomStream,
    law_draw: RandomStream,
    now: u64,
}

/// Flows and their control packets.
type Batch = Vec<(u32, Vec<u8>)>;

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
            packets: flows as usize,
            view: PortView { capacity: CAPACITY, packets: 3, ..PortView::default() },
            draw,
            law_draw: streams.component("law"),
            now: 0,
        };
        for flow in loaded.order.clone() {
            let terms = loaded.terms[flow as usize];
            loaded.call(|port, cx, _| port.on_open(cx, FlowId(flow), &terms));
        }
        loaded.fill();
        loaded
    }

    /// A first control packet of each flow; from then on it is known how many a round can have.
    fn fill(&mut self) {
        let flows = self.order.len();
        self.packets = flows.min(256);
        let started = processor_seconds();
        let mut came = 0;
        while came < flows {
            self.packets = self.packets.min(flows - came);
            let mut batch = self.written(false);
            self.pass(&mut batch, true);
            self.come_back(batch);
            came += self.packets;
        }
        let each_s = (processor_seconds() - started) / flows as f64;
        self.packets = ((ROUND_S / each_s) as usize).clamp(16, MOST_PACKETS);
    }

    /// Processor time of a control packet that goes this way, in ns.
    pub fn round(&mut self, way: Way) -> f64 {
        let mut batch = self.written(way == Way::ForwardChanged);
        let forward = self.pass(&mut batch, true);
        let backward = self.come_back(batch);
        if way == Way::Backward { backward } else { forward }
    }

    /// The next control packets, each of another flow as long as there are others.
    fn written(&mut self, changed: bool) -> Batch {
        let mut batch = Vec::with_capacity(self.packets);
        for _ in 0..self.packets {
            let flow = self.order[self.next];
            self.next = (self.next + 1) % self.order.len();
            let source = &mut self.sources[flow as usize];
            if changed {
                let peak_bps = peak_bps(&mut self.draw, self.order.len() as u32);
                source.on_terms(&Terms { peak_bps, ..self.terms[flow as usize] });
            }
            let mut bytes = Vec::new();
            source.write(Instant::from_nanos(self.now), false, &mut bytes);
            batch.push((flow, bytes));
        }
        batch
    }

    /// Destinations turn them around, they pass the port, and sources hear of them: the time of a packet in the port, in ns.
    fn come_back(&mut self, mut batch: Batch) -> f64 {
        for (flow, bytes) in &mut batch {
            let turned = self.law.turn(&self.terms[*flow as usize], bytes);
            debug_assert_eq!(turned, Ok(()));
        }
        let ns = self.pass(&mut batch, false);
        for (flow, bytes) in &batch {
            let heard = self.sources[*flow as usize].on_return(Instant::from_nanos(self.now), bytes);
            debug_assert_eq!(heard, Ok(()));
        }
        ns
    }

    /// All of them pass the port: the time of one, in ns.
    fn pass(&mut self, batch: &mut Batch, forward: bool) -> f64 {
        let started = processor_seconds();
        self.call(|port, cx, view| {
            for (flow, bytes) in batch.iter_mut() {
                cx.now += fairwire_core::Span::from_nanos(1);
                let result = match forward {
                    true => port.on_forward(cx, FlowId(*flow), bytes, view),
                    false => port.on_backward(cx, FlowId(*flow), bytes, view),
                };
                debug_assert_eq!(result, Ok(()));
            }
        });
        self.now += batch.len() as u64;
        (processor_seconds() - started) * 1e9 / batch.len() as f64
    }

    fn call(&mut self, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView)) {
        let mut cx = Cx { now: Instant::from_nanos(self.now), rng: &mut self.law_draw, probe: None };
        call(&mut self.port, &mut cx, &self.view);
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
