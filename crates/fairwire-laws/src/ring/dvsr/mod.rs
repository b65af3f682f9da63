//! DVSR, the Distributed Virtual-time Scheduling in Rings algorithm.
//!
//! Each station counts what every ingress brings to its link and computes the
//! rate that the largest of them may have; one control frame carries all these
//! rates around the ring against the traffic, and each station holds its own
//! flows to the rates of the links they cross.
//!
//! Source: [dvsr] §V (Table I, eqs. (8) and (9)). Left open there and chosen here:
//! the sharing of an ingress's rate among its flows follows their demand, since
//! the equal split of eq. (9) cannot give the paper's own Fig. 19; how a demand
//! is told; weights; and what counts as a busy link (`docs/departures.md`).

mod fair_rate;
#[cfg(test)]
mod fluid_tests;
mod frame;
mod suballocation;

use self::fair_rate::{FairRate, Window};
use self::frame::Kind;
pub use self::frame::{Encoding, Frame};
use self::suballocation::Shares;
use super::lap::{Circulates, Lap};
use super::{AddQueueView, Counters, LawAbout, RingAction, RingHints, RingLaw, RingSite, SiteChange, StationView};
use crate::WireMessage;
use crate::ranged::ranged_number;
use fairwire_core::{BitRate, Bytes, Cx, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Stations' own frames together take a tenth of the slowest link at most.
const NOTES_TAKE_A: u64 = 10;

/// Of a link, what its flows may share at least, however much classes with a promise take.
const LEAST_FRACTION: f64 = 1e-6;

/// What a scenario may set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// How an ingress shares its rate on a link among its flows.
    pub suballocation: Suballocation,
    /// How the control frame writes a rate.
    pub encoding: Encoding,
    /// By how much the count of an ingress may fall short of its share before the ingress is taken for one that wants
    /// less, in packets of the largest size: counts come in whole packets. 0 counts as printed.
    pub count_margin: Packets,
    /// The part of what a link has to share that is granted to nobody, so that its queue drains. 0 as printed.
    pub headroom: Headroom,
    /// In what steps limits are set.
    pub quota: Quota,
    /// How stations tell each other their links' rates.
    pub signalling: Signalling,
    /// The shortest time between two departures of the control frame from
    /// station 0, or of a station's own frames; "0 s" sends one lap after another,
    /// or a frame each ring time.
    pub min_interval: Span,
}

ranged_number! {
    /// So many packets of the largest size.
    Packets(f64 = "f64") "a count of packets" 0.0..=16.0
}

ranged_number! {
    /// A part of a link.
    Headroom(f64 = "f64") "a headroom" 0.0..=0.5
}

/// In what steps limits are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quota {
    /// To the bit.
    Exact,
    /// As many packets of the largest size as fit into what a flow is granted in a ring time; one at least.
    WholePackets,
}

/// How stations tell each other their links' rates ([dvsr] §V-B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Signalling {
    /// One frame circulates with all of them.
    Circulating,
    /// Every station sends a frame with its own around the ring, again and again.
    PerNode,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            suballocation: Suballocation::Demand,
            encoding: Encoding::Exact,
            count_margin: Packets::clamped(1.0),
            headroom: Headroom::clamped(0.0),
            quota: Quota::Exact,
            signalling: Signalling::Circulating,
            min_interval: Span::ZERO,
        }
    }
}

impl Params {
    /// A frame as stations of a ring of `stations` send it, that grants every link whole.
    fn first_frame(&self, stations: usize) -> Frame {
        match self.signalling {
            Signalling::Circulating => Frame::new(self.encoding, stations),
            Signalling::PerNode => Frame::of_node(self.encoding, stations, 0, 0, 1.0),
        }
    }
}

/// How an ingress shares its rate on a link among its flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Suballocation {
    /// Max-min by what each flow demands ([dvsr] footnote 7).
    Demand,
    /// In equal parts, whatever they use ([dvsr] eq. (9) as printed).
    Equal,
}

/// DVSR for one ringlet at one station.
pub struct Law {
    params: Params,
    site: RingSite,
    /// Of all frames of this ring.
    kind: Kind,
    /// The outgoing link's, and what class A0 leaves of it.
    capacity_bps: f64,
    unreserved_bps: f64,
    fair_rate: FairRate,
    /// What the counter told at the last visit of bytes that their class was promised, but for class A0, whose rate
    /// nobody else may use.
    last_committed_bytes: u64,
    /// The rates per unit weight that the control frame last told, by link, as
    /// fractions of the link's capacity.
    fractions: Vec<f64>,
    last_visit: Instant,
    /// Whether the control frame has come by.
    visited: bool,
    last_adds: Vec<AddQueueView>,
    shares: Shares,
    /// Scratch for the demands and limits of the station's own flows, in bit/s.
    demands: Vec<f64>,
    limits: Vec<f64>,
    /// What has been set; a flow that nothing was set for is not limited at all.
    set: Vec<Option<BitRate>>,
    /// When the station's own frame is due, where each sends its own.
    node_frame_at: Option<Instant>,
    /// The frame that circulates.
    lap: Lap<Frame>,
    /// What is to be done before the frame that circulates goes out.
    actions: VecDeque<RingAction<Frame>>,
}

impl RingLaw for Law {
    type Params = Params;
    type Msg = Frame;

    /// All frames are of one size, and only a station with flows of its own reads its queues.
    const HINTS: RingHints<Self> = RingHints {
        least_message: |params, stations| Bytes::new(params.first_frame(stations).wire_bytes() as u64),
        reads_adds: |law, _| !law.site.flows.is_empty(),
        ..RingHints::NONE
    };

    const ABOUT: LawAbout = LawAbout {
        name: "dvsr",
        summary: "Per-ingress byte counts give each link's fair rate; one circulating frame tells all of them",
        source: "[dvsr] §V",
    };

    fn new(params: &Params, site: RingSite) -> Self {
        let weights = site.weights_in_units_of_the_least();
        let (stations, flows) = (site.stations(), site.flows.len());
        Self {
            params: params.clone(),
            kind: params.first_frame(stations).kind(),
            capacity_bps: site.capacity().as_bps_f64(),
            unreserved_bps: site.unreserved().as_bps_f64(),
            fair_rate: FairRate::new(&weights),
            last_committed_bytes: 0,
            fractions: vec![1.0; stations],
            last_visit: Instant::ZERO,
            visited: false,
            last_adds: vec![AddQueueView::default(); flows],
            shares: Shares::new(&site, weights[site.station.index()]),
            demands: vec![0.0; flows],
            limits: vec![0.0; flows],
            set: vec![None; flows],
            node_frame_at: None,
            lap: Lap::new(&site, params.min_interval, Bytes::new(params.first_frame(stations).wire_bytes() as u64)),
            actions: VecDeque::new(),
            site,
        }
    }

    /// l_i: bytes from each ingress on their way into the link ([dvsr] §V-B2), of what is to be shared; and what goes
    /// before that.
    fn counters(_params: &Params) -> Counters {
        Counters { arrived_by_ingress: true, arrived_reclaimable: true, sent: true, ..Counters::NONE }
    }

    /// The first station puts the one control frame on the ring ([dvsr] §V-B3), or every
    /// station waits for its first period to end.
    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.last_visit = cx.now;
        let Traffic { arrived, sent, committed } = Traffic::read(view);
        self.fair_rate.begin(arrived, sent);
        self.last_committed_bytes = committed;
        if self.params.signalling == Signalling::PerNode {
            self.node_frame_at = Some(cx.now + self.period());
        } else if self.site.first {
            self.put_frame_on_the_ring(cx.now);
        }
    }

    /// The control frame passes: compute, write, read, limit, pass on.
    fn on_message(&mut self, cx: &mut Cx<'_>, mut frame: Frame, view: &StationView<'_>) {
        if frame.kind() != self.kind {
            return; // Not this ring's frame; dropping it stops a lap that nobody could read.
        }
        if let Some((origin, fraction)) = frame.as_node_frame() {
            self.fractions[origin] = fraction;
            self.actions.extend(frame.one_hop_on().map(RingAction::SendUpstream));
            return;
        }
        if !self.lap.admits(cx.now, frame.number()) {
            return;
        }
        let (here, window) = (self.site.station.index(), cx.now.since(self.last_visit));
        if self.comes_too_soon(window) {
            frame.set_fraction(here, self.fractions[here]);
            self.lap.pass_on(cx.now, frame);
            return;
        }
        if window > Span::ZERO {
            self.close_window(cx, window, view);
            frame.set_fraction(here, self.fractions[here]);
        }
        self.read(&frame);
        self.end_visit(cx, window, view);
        self.lap.pass_on(cx.now, frame);
    }

    #[inline]
    fn poll_timeout(&self) -> Option<Instant> {
        self.node_frame_at.or(self.lap.due_at())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        if self.node_frame_at.take_if(|due| *due <= cx.now).is_some() {
            self.send_node_frame(cx, view);
        }
        if self.lap.frame_is_lost(cx.now) {
            self.put_frame_on_the_ring(cx.now);
        }
    }

    /// What was worked out from the site is worked out anew; what was counted and told stays.
    fn on_change(&mut self, _cx: &mut Cx<'_>, change: SiteChange, _view: &StationView<'_>) {
        self.site.apply(change);
        let weights = self.site.weights_in_units_of_the_least();
        self.capacity_bps = self.site.capacity().as_bps_f64();
        self.unreserved_bps = self.site.unreserved().as_bps_f64();
        self.fair_rate.set_weights(&weights);
        self.shares = Shares::new(&self.site, weights[self.site.station.index()]);
        if change.is_of_link(self.site.station) {
            self.set.fill(None);
        }
    }

    #[inline]
    fn poll_action(&mut self) -> Option<RingAction<Frame>> {
        self.actions.pop_front().or_else(|| self.lap.poll().map(RingAction::SendUpstream))
    }
}

impl Law {
    /// A frame begins its way here, with the rates that were told last: whole links at the beginning.
    fn put_frame_on_the_ring(&mut self, now: Instant) {
        let mut frame = self.params.first_frame(self.site.stations());
        (0..self.site.stations()).for_each(|link| frame.set_fraction(link, self.fractions[link]));
        self.lap.begin(now, frame);
    }

    /// Whether hardly anything can have come by since the last visit: another frame went ahead of this one, which has
    /// replaced it, and both were kept at some station. What is counted so far counts when the frame comes the next time.
    fn comes_too_soon(&mut self, window: Span) -> bool {
        std::mem::replace(&mut self.visited, true) && !self.site.open && window * 2 < self.site.ring_time
    }

    /// Takes over the rates of the links that own flows cross; whoever may have to make a new frame, of all links.
    fn read(&mut self, frame: &Frame) {
        if self.lap.is_first() {
            (0..self.site.stations()).for_each(|link| self.fractions[link] = frame.fraction(link));
        } else {
            self.shares.links().for_each(|link| self.fractions[link] = frame.fraction(link));
        }
    }

    /// Computes, limits, and tells the others, all at once.
    fn send_node_frame(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let window = cx.now.since(self.last_visit);
        self.close_window(cx, window, view);
        self.end_visit(cx, window, view);
        let (here, stations) = (self.site.station.index(), self.site.stations());
        let frame = Frame::of_node(self.params.encoding, stations, here, stations - 1, self.fractions[here]);
        self.actions.push_back(RingAction::SendUpstream(frame));
        self.node_frame_at = Some(cx.now + self.period());
    }

    /// From one of the station's own frames to the next: a lap, or where laps are so short that the frames of all
    /// stations would fill the links, which carry them before all else, longer.
    fn period(&self) -> Span {
        let stations = self.site.stations();
        let all = Bytes::new(self.params.first_frame(stations).wire_bytes() as u64 * stations as u64);
        let slowest = self.site.capacities.iter().min().copied().unwrap_or(self.site.capacity());
        let shortest = ((all / slowest) * NOTES_TAKE_A).max(Span::from_micros(1));
        self.params.min_interval.max(self.site.ring_time).max(shortest)
    }

    /// Limits own flows by what is known, and begins a new window.
    fn end_visit(&mut self, cx: &mut Cx<'_>, window: Span, view: &StationView<'_>) {
        if !self.site.flows.is_empty() {
            self.limit_own_flows(cx, window, view);
            self.last_adds.copy_from_slice(view.adds);
        }
        self.last_visit = cx.now;
    }

    /// l_i counts what limiters let pass, not what the link then takes: where the
    /// station's packets wait for their turn, a backlogged flow has brought what it was allowed.
    fn count_what_waits(&mut self, window: Span, view: &StationView<'_>) {
        let capacity = self.site.capacity();
        let allowed = |flow: usize| self.set[flow].unwrap_or(capacity).as_bps_f64() * window.as_secs_f64() / 8.0;
        let held = |flow: &usize| view.adds[*flow].waits_since(self.last_visit);
        let brought: f64 = (0..view.adds.len()).filter(held).map(allowed).sum();
        self.fair_rate.count_at_least(self.site.station.index(), brought as u64);
    }

    /// Table I over the window since the last visit, of the room that classes leave.
    fn close_window(&mut self, cx: &mut Cx<'_>, window: Span, view: &StationView<'_>) {
        let Traffic { arrived, sent, committed } = Traffic::read(view);
        self.fair_rate.read(arrived, sent);
        let committed_bytes = committed.saturating_sub(self.last_committed_bytes);
        self.last_committed_bytes = committed;
        if self.site.waits {
            self.count_what_waits(window, view);
        }
        let fraction = if self.fair_rate.has_counted() || committed_bytes > 0 {
            self.shared_fraction(window, view, committed_bytes)
        } else {
            // Nobody was there: all that class A0 leaves is free.
            (self.unreserved_bps / self.capacity_bps).max(LEAST_FRACTION)
        };
        self.fractions[self.site.station.index()] = fraction;
        cx.show("fair_rate_bps", self.site.station.0.into(), fraction * self.capacity_bps);
    }

    /// The fair rate of those who were there, as a fraction of the link's capacity.
    fn shared_fraction(&mut self, window: Span, view: &StationView<'_>, committed_bytes: u64) -> f64 {
        let bytes_at = |rate_bps: f64| rate_bps * window.as_secs_f64() / 8.0;
        let (whole_bytes, unreserved_bytes) = (bytes_at(self.capacity_bps), bytes_at(self.unreserved_bps));
        let room_bytes = (unreserved_bytes - committed_bytes as f64).max(LEAST_FRACTION * whole_bytes);
        let never_dry = view.link.is_busy_since(self.last_visit);
        let packet_bytes = self.site.max_packet.get() as f64;
        let margin_bytes = f64::from(self.params.count_margin) * packet_bytes;
        let of_room = self.fair_rate.close(&Window { room_bytes, packet_bytes, margin_bytes, never_dry });
        of_room * (room_bytes / whole_bytes) * (1.0 - f64::from(self.params.headroom))
    }

    /// Eq. (9) or its demand-aware form, then the limiters of the station's queues.
    fn limit_own_flows(&mut self, cx: &mut Cx<'_>, window: Span, view: &StationView<'_>) {
        for (flow, now) in view.adds.iter().enumerate() {
            self.demands[flow] = demand_bps(now, &self.last_adds[flow], self.last_visit, window);
        }
        let (flows, fractions) = (&self.site.flows, &self.fractions);
        match self.params.suballocation {
            Suballocation::Equal => self.shares.equal(flows, fractions, &mut self.limits),
            Suballocation::Demand => self.shares.by_demand(flows, fractions, &self.demands, &mut self.limits),
        }
        for (flow, &limit) in self.limits.iter().enumerate() {
            let limit = match self.params.quota {
                Quota::Exact => limit,
                Quota::WholePackets => in_whole_packets(limit, &self.site),
            };
            let rate = BitRate::from_bps(limit as u64).min(self.site.capacity());
            if self.set[flow] != Some(rate) {
                self.set[flow] = Some(rate);
                self.actions.push_back(RingAction::SetAddRate { flow, rate });
            }
            cx.show("allowed_rate_bps", self.site.flows[flow].egress.0.into(), rate.as_bps_f64());
        }
    }
}

/// The largest number of packets a ring time that is not above `limit_bps`, but one at least, in bit/s.
fn in_whole_packets(limit_bps: f64, site: &RingSite) -> f64 {
    let packet_bps = site.max_packet.get() as f64 * 8.0 / site.ring_time.as_secs_f64();
    if packet_bps.is_finite() && packet_bps > 0.0 {
        (limit_bps / packet_bps).floor().max(1.0) * packet_bps
    } else {
        limit_bps
    }
}

/// What the station's counters tell of the link.
struct Traffic<'a> {
    /// Fairness-eligible bytes that arrived, by ingress.
    arrived: &'a [u64],
    /// Of these, all that were sent.
    sent: u64,
    /// Bytes that arrived and that their class was promised, but for class A0.
    committed: u64,
}

impl<'a> Traffic<'a> {
    fn read(view: &StationView<'a>) -> Self {
        let traffic = view.traffic;
        Self {
            arrived: &traffic.arrived_by_ingress,
            sent: traffic.sent.eligible,
            committed: traffic.arrived_reclaimable,
        }
    }
}

/// What a flow asks for: everything if its queue was never empty during the
/// window or holds more than two packets, else what it offered. One waiting
/// packet does not make a small constant-rate flow insatiable.
fn demand_bps(now: &AddQueueView, last: &AddQueueView, last_visit: Instant, window: Span) -> f64 {
    if now.waits_since(last_visit) || now.packets > 2 || window == Span::ZERO {
        f64::INFINITY
    } else {
        (now.offered_bytes - last.offered_bytes) as f64 * 8.0 / window.as_secs_f64()
    }
}
