//! A law at one station of an 802.17 ring, led from aging interval to aging
//! interval: packets and a queue's depth go in, what it finds, says and sets comes out.

use crate::runs::Trouble;
use fairwire_core::{
    BitRate, Bytes, Cx, FlowId, Instant, PacketMeta, Probe, RandomStream, Ringlet, Sample, ServiceClass, Span,
    StationId, Streams, Weight,
};
use fairwire_laws::ring::rpr::params::Encoding;
use fairwire_laws::ring::rpr::{FairnessFrame, Message, RateCode};
use fairwire_laws::ring::{
    AddQueueView, LinkCounters, RingAction, RingLaw, RingSite, SiteFlow, StationView, TransitView,
};

/// Length of an aging interval.
pub const AGING: Span = Span::from_micros(100);
/// Of the ring: the papers' links, of which class A0 has reserved 22 Mb/s.
pub const LINK: BitRate = BitRate::from_mbps(622);
const RESERVED: BitRate = BitRate::from_mbps(22);
/// R in bit/s.
pub const UNRESERVED_BPS: f64 = 600e6;
/// Room of the secondary transit queue.
pub const STQ: Bytes = Bytes::new(256_000);
/// Stations of the ring, numbered downstream.
pub const STATIONS: u16 = 8;
/// Where all packets leave the ring unless told.
pub const FAR: u16 = STATIONS - 1;

/// A law at one station.
pub struct LoneStation<L> {
    law: L,
    counters: LinkCounters,
    station: u16,
    now: Instant,
    rng: RandomStream,
    /// What was last set for the whole station and beyond the head, in bit/s.
    station_bps: u64,
    beyond_bps: u64,
}

/// What happens in one aging interval.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// Bytes that the station adds.
    pub add: u32,
    /// Bytes that it forwards: from where, to where.
    pub forward: Vec<(u16, u16, u32)>,
    /// Depth of the secondary transit queue at the end.
    pub stq: u64,
    /// A frame that came from downstream.
    pub heard: Option<FairnessFrame>,
}

/// What the law made of it.
#[derive(Clone, Copy, Debug)]
pub struct LawAnswer {
    /// L in bit/s, and whether the link is congested.
    pub fair_bps: f64,
    pub congested: bool,
    /// AllowedRate and AllowedRateCongested as they are set.
    pub station_bps: u64,
    pub beyond_bps: u64,
    /// What the station tells upstream.
    pub said: FairnessFrame,
}

#[derive(Default)]
struct Shown(Vec<Sample>);

impl Probe for Shown {
    fn show(&mut self, _now: Instant, sample: Sample) {
        self.0.push(sample);
    }
}

impl Shown {
    fn value(&self, name: &str) -> Result<f64, Trouble> {
        let found = self.0.iter().find(|sample| sample.name == name);
        found.map(|sample| sample.value).ok_or_else(|| format!("the law does not show {name}"))
    }
}

impl<L: RingLaw<Msg = Message>> LoneStation<L> {
    /// `station` with traffic for the far end; stations have these weights.
    pub fn new(params: &L::Params, station: u16, weights: &[f64]) -> Result<Self, Trouble> {
        let weights = weights.iter().map(|&weight| Weight::new(weight).map_err(|error| error.to_string()));
        let hops = usize::from(FAR - station);
        let site = RingSite {
            weights: weights.collect::<Result<_, _>>()?,
            flows: vec![SiteFlow { egress: StationId(FAR), hops, weight: Weight::ONE }],
            reserved: RESERVED,
            secondary_buffer: Some(STQ),
            max_packet: Bytes::new(978),
            ..RingSite::bare(StationId(station), Ringlet::Zero, vec![LINK; STATIONS.into()])
        };
        let mut new = Self {
            counters: LinkCounters::new(L::counters(params), &site),
            law: L::new(params, site),
            station,
            now: Instant::ZERO,
            rng: Streams::new(0, 0).component("law"),
            station_bps: LINK.as_bps(),
            beyond_bps: LINK.as_bps(),
        };
        new.law.start(
            &mut Cx { now: Instant::ZERO, rng: &mut new.rng, probe: Some(&mut Shown::default()) },
            &StationView::default(),
        );
        Ok(new)
    }

    /// When the law next wants to be called.
    pub fn due(&self) -> Option<Instant> {
        self.law.poll_timeout()
    }

    /// Lets one aging interval pass.
    pub fn pass(&mut self, interval: &Interval) -> Result<LawAnswer, Trouble> {
        let own = [(self.station, FAR, interval.add)];
        for &(from, to, bytes) in own.iter().chain(&interval.forward).filter(|(_, _, bytes)| *bytes > 0) {
            self.counters.send_in_full(&packet(from, to, bytes));
        }
        self.now += AGING;
        let transit = TransitView { secondary: Bytes::new(interval.stq), ..TransitView::default() };
        let adds = [AddQueueView { packets: u32::MAX, ..Default::default() }];
        let view = StationView { transit, traffic: self.counters.traffic(), adds: &adds, ..Default::default() };
        let mut shown = Shown::default();
        let mut cx = Cx { now: self.now, rng: &mut self.rng, probe: Some(&mut shown) };
        if let Some(frame) = interval.heard {
            self.law.on_message(&mut cx, Message::Fairness(frame), &view);
        }
        self.law.handle_timeout(&mut cx, &view);
        let mut said = None;
        while let Some(action) = self.law.poll_action() {
            match action {
                RingAction::SendUpstream(Message::Fairness(frame)) => said = Some(frame),
                RingAction::SetStationRate { rate } => self.station_bps = rate.as_bps(),
                RingAction::SetBeyondRate { rate, .. } => self.beyond_bps = rate.as_bps(),
                _ => return Err("the law did what the paper's does not".into()),
            }
        }
        Ok(LawAnswer {
            fair_bps: shown.value("fair_rate_bps")?,
            congested: shown.value("congested")? == 1.0,
            station_bps: self.station_bps,
            beyond_bps: self.beyond_bps,
            said: said.ok_or("the law said nothing in an aging interval")?,
        })
    }
}

fn packet(from: u16, to: u16, size_bytes: u32) -> PacketMeta {
    PacketMeta {
        flow: FlowId(0),
        ingress: StationId(from),
        egress: StationId(to),
        size_bytes,
        class: ServiceClass::C,
        fairness_eligible: true,
    }
}

/// So many bytes in an aging interval, in bit/s.
pub fn rate_bps(bytes: u32) -> f64 {
    f64::from(bytes) * 8.0 / AGING.as_secs_f64()
}

/// How the ring tells rates.
pub fn rate_code() -> RateCode {
    RateCode::new(Encoding::Standard, &[LINK], AGING)
}
