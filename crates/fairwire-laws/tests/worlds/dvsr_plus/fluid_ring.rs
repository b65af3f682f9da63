//! Rings of dvsr-plus stations without packets: the laws themselves, their frames
//! as bytes, flows that send what they may, and queues that never stray.

use fairwire_core::{BitRate, Bytes, Cx, Instant, RandomStream, Ringlet, Span, StationId, Streams, Weight};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::dvsr_plus::{Frame, Law, Params};
use fairwire_laws::ring::{AddQueueView, LinkView, RingAction, RingLaw, RingSite, SiteFlow, StationView};

const LAP: Span = Span::from_millis(1);
const PACKET: u64 = 1_000;
/// What dvsr-plus keeps in a queue.
const CALM_QUEUE: u64 = 12 * PACKET;

/// A flow of a fluid ring.
#[derive(Clone, Debug)]
pub struct FluidFlow {
    pub from: u16,
    pub to: u16,
    /// In bit/s; infinite without end.
    pub demand_bps: f64,
    pub weight: f64,
}

/// What a ring is made of, on ringlet 0.
#[derive(Clone, Debug)]
pub struct FluidPlan {
    pub capacities_bps: Vec<u64>,
    pub weights: Vec<f64>,
    /// By station.
    pub minima_bps: Vec<u64>,
    pub flows: Vec<FluidFlow>,
}

impl FluidPlan {
    /// Equal links of 1 Gb/s, equal weights, endless flows.
    pub fn of_pairs(stations: usize, pairs: &[(u16, u16)]) -> Self {
        let flow = |&(from, to)| FluidFlow { from, to, demand_bps: f64::INFINITY, weight: 1.0 };
        Self {
            capacities_bps: vec![1_000_000_000; stations],
            weights: vec![1.0; stations],
            minima_bps: vec![0; stations],
            flows: pairs.iter().map(flow).collect(),
        }
    }

    /// The links that a flow crosses.
    pub fn links(&self, flow: &FluidFlow) -> impl Iterator<Item = usize> {
        let stations = self.weights.len();
        let hops = Ringlet::Zero.hops(flow.from.into(), flow.to.into(), stations);
        let from = usize::from(flow.from);
        (0..hops).map(move |h| (from + h) % stations)
    }

    fn site(&self, station: u16) -> RingSite {
        let capacities = self.capacities_bps.iter().map(|&bps| BitRate::from_bps(bps)).collect();
        let mut site = RingSite::bare(StationId(station), Ringlet::Zero, capacities);
        site.weights = self.weights.iter().map(|&weight| Weight::new(weight).unwrap()).collect();
        site.minimum = BitRate::from_bps(self.minima_bps[usize::from(station)]);
        site.max_packet = Bytes::new(PACKET);
        site.ring_time = LAP;
        let own = self.flows.iter().filter(|flow| flow.from == station);
        site.flows = own
            .map(|flow| SiteFlow {
                egress: StationId(flow.to),
                hops: self.links(flow).count(),
                weight: Weight::new(flow.weight).unwrap(),
            })
            .collect();
        site.flows.sort_by_key(|flow| flow.hops);
        site
    }
}

/// The ring at work.
pub struct FluidRing {
    pub plan: FluidPlan,
    stations: Vec<FluidStation>,
    /// The frame, and the station that has it.
    frame: Vec<u8>,
    holder: usize,
    rng: RandomStream,
    hops: u64,
}

struct FluidStation {
    law: Law,
    site: RingSite,
    limits_bps: Vec<f64>,
}

impl FluidRing {
    pub fn new(plan: FluidPlan) -> Self {
        let station = |station: usize| {
            let site = plan.site(station as u16);
            let flows = site.flows.len();
            let law = Law::new(&Params::default(), site.clone());
            FluidStation { law, site, limits_bps: vec![f64::INFINITY; flows] }
        };
        let stations = (0..plan.weights.len()).map(station).collect();
        let rng = Streams::new(1, 0).component("fluid");
        let mut ring = Self { plan, stations, frame: Vec::new(), holder: 0, rng, hops: 0 };
        for station in (0..ring.stations.len()).rev() {
            let Self { stations, rng, .. } = &mut ring;
            stations[station].law.start(&mut Cx { now: Instant::ZERO, rng, probe: None }, &StationView::default());
            ring.take_actions(station);
        }
        ring
    }

    /// The frame goes once around.
    pub fn lap(&mut self) {
        for _ in 0..self.stations.len() {
            self.hop();
        }
    }

    pub fn hop(&mut self) {
        let stations = self.stations.len();
        self.holder = (self.holder + stations - 1) % stations;
        self.hops += 1;
        let now = Instant::from_nanos(self.hops * (LAP.as_nanos() / stations as u64));
        let frame = Frame::parse(std::mem::take(&mut self.frame)).unwrap();
        let adds = self.look(now);
        let Self { stations, rng, holder, .. } = self;
        let link = LinkView { waiting: Bytes::new(CALM_QUEUE), ..LinkView::default() };
        let view = StationView { link, adds: &adds, ..StationView::default() };
        stations[*holder].law.on_message(&mut Cx { now, rng, probe: None }, frame, &view);
        self.take_actions(self.holder);
    }

    /// The frame is on its way as long as it takes until station 0 gives it up, and makes a new one.
    pub fn lose_frame(&mut self) {
        let hop = LAP.as_nanos() / self.stations.len() as u64;
        let due = self.stations[0].law.poll_timeout().expect("station 0 waits for the frame");
        self.hops = self.hops.max(due.as_nanos().div_ceil(hop));
        self.holder = 0;
        let now = Instant::from_nanos(self.hops * hop);
        let adds = self.look(now);
        let Self { stations, rng, .. } = self;
        let view = StationView { adds: &adds, ..StationView::default() };
        self.frame.clear();
        stations[0].law.handle_timeout(&mut Cx { now: due, rng, probe: None }, &view);
        self.take_actions(0);
    }

    /// A station gets this frame beside those that it gets on their way; whether it did anything.
    pub fn hand_over(&mut self, station: usize, frame: &[u8]) -> bool {
        let now = Instant::from_nanos(self.hops * (LAP.as_nanos() / self.stations.len() as u64));
        let frame = Frame::parse(frame.to_vec()).unwrap();
        let Self { stations, rng, .. } = self;
        let law = &mut stations[station].law;
        law.on_message(&mut Cx { now, rng, probe: None }, frame, &StationView::default());
        law.poll_action().is_some()
    }

    /// The frame that is on its way.
    pub fn frame(&self) -> &[u8] {
        &self.frame
    }

    /// The station that sent it.
    pub fn holder(&self) -> usize {
        self.holder
    }

    /// Queues of the holder's flows: endless ones never empty, others offer what they demand.
    fn look(&mut self, now: Instant) -> Vec<AddQueueView> {
        let station = &mut self.stations[self.holder];
        let egresses: Vec<u16> = station.site.flows.iter().map(|flow| flow.egress.0).collect();
        let flow = |egress: u16| {
            self.plan.flows.iter().find(|flow| usize::from(flow.from) == self.holder && flow.to == egress).unwrap()
        };
        egresses
            .into_iter()
            .map(|egress| match flow(egress).demand_bps {
                demand if demand.is_infinite() => AddQueueView {
                    packets: u32::MAX,
                    bytes: u64::MAX,
                    waits_since: Some(Instant::ZERO),
                    ..AddQueueView::default()
                },
                demand => {
                    let offered_bytes = (demand / 8.0 * now.since(Instant::ZERO).as_secs_f64()) as u64;
                    AddQueueView { offered_bytes, ..AddQueueView::default() }
                }
            })
            .collect()
    }

    fn take_actions(&mut self, station: usize) {
        while let Some(action) = self.stations[station].law.poll_action() {
            match action {
                RingAction::SendUpstream(frame) => self.frame = frame.into_bytes(),
                RingAction::SetAddRate { flow, rate } => {
                    self.stations[station].limits_bps[flow] = rate.as_bps_f64();
                }
                other => panic!("dvsr-plus never does this: {other:?}"),
            }
        }
    }

    /// What each flow sends, in the order of the plan.
    pub fn rates_bps(&self) -> Vec<f64> {
        let rate = |flow: &FluidFlow| {
            let station = &self.stations[usize::from(flow.from)];
            let index = station.site.flows.iter().position(|site| site.egress.0 == flow.to).unwrap();
            station.limits_bps[index].min(flow.demand_bps)
        };
        self.plan.flows.iter().map(rate).collect()
    }

    /// Changes what a flow demands.
    pub fn set_demand(&mut self, flow: usize, demand_bps: f64) {
        self.plan.flows[flow].demand_bps = demand_bps;
    }
}
