//! Protection at one station: what happens, and what follows.

use super::database::{Database, News};
use super::pace::Pace;
use super::side_watch::SideWatch;
use super::topology_report::SEQUENCES;
use super::{
    Action, Attributes, Event, Params, ProtectionMode, Request, Side, Topology, TopologyChecksum, TopologyReport,
};
use crate::WireMessage;
use crate::frame::{Address, ControlFrame, ControlType, FrameType, IdleFrame, peek_type};
use fairwire_core::{Instant, Ringlet};
use std::collections::{BTreeMap, VecDeque};

/// Topology discovery and protection at one station.
#[derive(Clone, Debug)]
pub struct Protection {
    params: Params,
    own: Address,
    own_attributes: Attributes,
    watches: [SideWatch; 2],
    report: TopologyReport,
    database: Database,
    attributes: BTreeMap<Address, Attributes>,
    topology: Topology,
    checksum: TopologyChecksum,
    /// Something has been heard that the topology does not reflect yet.
    stale: bool,
    mixed: bool,
    checksums_heard: [Option<TopologyChecksum>; 2],
    /// While strict order is not kept: since when the topology stands, or from when on all are known on it.
    unsettled_since: Option<Instant>,
    topology_pace: Pace,
    attributes_at: Instant,
    keepalive_at: Instant,
    /// The first of all timers. Drivers ask for it far more often than it changes.
    timeout: Instant,
    actions: VecDeque<Action>,
}

impl Protection {
    /// A station that has heard nothing yet, with its weight on each ringlet.
    pub fn new(params: &Params, own: Address, weights: [u8; 2]) -> Self {
        let database = Database::new(own, params);
        let topology = Topology::of(own, &database);
        let mut protection = Self {
            own,
            own_attributes: Attributes { weights: weights.map(|weight| weight.max(1)), mode: params.mode },
            watches: [(); 2].map(|()| SideWatch::new(params, Instant::ZERO)),
            report: TopologyReport::default(),
            checksum: topology.checksum(),
            topology,
            database,
            attributes: BTreeMap::new(),
            stale: false,
            mixed: false,
            checksums_heard: [None; 2],
            unsettled_since: None,
            topology_pace: Pace::new(params.fast_timer, params.slow_timer),
            attributes_at: Instant::NEVER,
            keepalive_at: Instant::NEVER,
            timeout: Instant::NEVER,
            actions: VecDeque::new(),
            params: params.clone(),
        };
        protection.timeout = protection.first_timeout();
        protection
    }

    /// Begins to discover the ring.
    pub fn start(&mut self, now: Instant) {
        self.begin(now);
        self.topology_pace.news(now);
        self.unsettled_since = Some(now);
        self.actions.push_back(Action::StrictOrder { on: false });
        self.settle(now);
    }

    /// Begins on a ring that has been discovered before: these stations, in the
    /// direction of ringlet 0, our own among them, and nothing wrong.
    pub fn start_settled(&mut self, now: Instant, ring: &[Address]) {
        self.begin(now);
        self.topology_pace.rest(now);
        let stations = ring.len();
        let here = ring.iter().position(|station| *station == self.own).unwrap_or(0);
        for hops in 1..stations {
            let idle = TopologyReport::default();
            self.database.record(now, Side::East, hops, ring[(here + hops) % stations], idle);
            self.database.record(now, Side::West, hops, ring[(here + stations - hops) % stations], idle);
        }
        self.topology = Topology::of(self.own, &self.database);
        self.checksum = self.topology.checksum();
        self.checksums_heard = [Some(self.checksum); 2];
        self.settle(now);
    }

    fn begin(&mut self, now: Instant) {
        self.watches = [(); 2].map(|()| SideWatch::new(&self.params, now));
        (self.attributes_at, self.keepalive_at) = (now, now);
    }

    /// Whether a frame is ours to handle; of all others only that they came ([`Event::Heard`]).
    pub fn takes(bytes: &[u8]) -> bool {
        const OURS: [u8; 3] =
            [ControlType::Attributes as u8, ControlType::Topology as u8, ControlType::TopologyChecksum as u8];
        match peek_type(bytes) {
            Some(FrameType::Idle) => true,
            Some(FrameType::Control) => bytes.get(crate::frame::HEADER_BYTES).is_some_and(|kind| OURS.contains(kind)),
            _ => false,
        }
    }

    /// Takes in what happens. Frames that cannot be read are as if they had not come.
    pub fn handle(&mut self, now: Instant, event: Event) {
        match event {
            Event::Frame { ringlet, bytes } => self.take(now, ringlet, bytes),
            Event::Heard { ringlet } => self.watch(Side::reached_by(ringlet)).hear(now),
            Event::Signal { side, quality } => self.watch(side).report(now, quality),
            Event::Command { side, command } => self.watch(side).command(command),
        }
        self.settle(now);
    }

    /// When [`Protection::handle_timeout`] is to be called.
    #[inline]
    pub const fn poll_timeout(&self) -> Instant {
        self.timeout
    }

    fn first_timeout(&self) -> Instant {
        let watches = self.watches.iter().filter_map(SideWatch::poll_timeout);
        let timers = [self.topology_pace.next(), self.attributes_at, self.keepalive_at];
        let order_at = self.unsettled_since.filter(|_| self.neighbours_agree()).map(|at| at + self.params.stability);
        watches.chain(timers).chain(order_at).min().unwrap_or(Instant::NEVER)
    }

    /// The time told by [`Protection::poll_timeout`] has come.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.watches.iter_mut().for_each(|watch| watch.handle_timeout(now));
        if now >= self.topology_pace.next() {
            self.stale |= self.database.expire(now);
        }
        self.settle(now);
    }

    /// The next thing to do.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Who can be reached, and which way.
    pub const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The ringlet that takes data to `destination`: the preferred one if it
    /// does, by itself or wrapped, else the other one; none if neither does.
    pub fn ringlet_for(&self, destination: Address, preferred: Ringlet) -> Option<Ringlet> {
        let reaches = |ringlet| self.topology.hops(destination, ringlet).is_some();
        let other = preferred.opposite();
        if reaches(preferred) || (reaches(other) && self.mode() == ProtectionMode::Wrap) {
            return Some(preferred);
        }
        reaches(other).then_some(other)
    }

    /// How traffic avoids a span here: wraps only if everybody does.
    pub const fn mode(&self) -> ProtectionMode {
        if self.mixed { ProtectionMode::Steer } else { self.params.mode }
    }

    /// What a station that can be reached has said of itself, if it has.
    pub fn attributes(&self, station: Address) -> Option<&Attributes> {
        if station == self.own { Some(&self.own_attributes) } else { self.attributes.get(&station) }
    }

    /// What the station says of its own spans.
    pub const fn report(&self) -> &TopologyReport {
        &self.report
    }

    fn watch(&mut self, side: Side) -> &mut SideWatch {
        &mut self.watches[side.index()]
    }

    fn take(&mut self, now: Instant, ringlet: Ringlet, bytes: Vec<u8>) {
        let side = Side::reached_by(ringlet);
        if peek_type(&bytes) == Some(FrameType::Idle) {
            if IdleFrame::parse(bytes).is_ok() {
                self.watch(side).hear(now);
            }
            return;
        }
        let Ok(frame) = ControlFrame::parse(bytes) else { return };
        if frame.header().base.ringlet != ringlet {
            return;
        }
        self.watch(side).hear(now);
        // A change of our own goes out before what passes on, so that nobody hears
        // of stations beyond a span that is still dead to him.
        self.settle(now);
        let (source, hops) = (frame.header().source, usize::from(frame.header().hops()));
        match frame.kind() {
            _ if source == self.own => return,
            ControlType::Topology => {
                if let Ok(report) = TopologyReport::parse(frame.payload()) {
                    let news = self.database.record(now, side, hops, source, report);
                    self.stale |= news != News::None;
                    if news == News::Revived {
                        self.topology_pace.greet(now);
                    }
                }
            }
            ControlType::TopologyChecksum if hops == 1 => {
                if let Ok(checksum) = TopologyChecksum::parse(frame.payload()) {
                    self.checksums_heard[side.index()] = Some(checksum);
                }
            }
            ControlType::Attributes if self.topology.stations().contains(&source) => {
                if let Ok(attributes) = Attributes::parse(frame.payload())
                    && self.attributes.insert(source, attributes) != Some(attributes)
                {
                    self.stale = true;
                    self.actions.push_back(Action::AttributesChanged { station: source });
                }
            }
            _ => {}
        }
        if let Some(frame) = frame.forwarded() {
            self.actions.push_back(Action::SendFrame { ringlet, bytes: frame.into_bytes() });
        }
    }

    /// Brings everything that follows up to date. All that happens ends with this.
    fn settle(&mut self, now: Instant) {
        let before = self.report;
        while self.stale || self.requests() != self.report.requests {
            self.stale = false;
            self.report.requests = self.requests();
            self.database.say(now, self.report);
            let topology = Topology::of(self.own, &self.database);
            self.watches.iter_mut().for_each(|watch| watch.give_way_to(topology.highest_request()));
            let known = std::mem::replace(&mut self.topology, topology);
            self.forget_what_is_dead();
            self.notice_mixed_protection();
            self.wrap();
            if known.stations() != self.topology.stations() || known.is_closed() != self.topology.is_closed() {
                self.announce(now, &known);
            }
        }
        if (before.requests, before.wrapped) != (self.report.requests, self.report.wrapped) {
            self.report.sequence = (self.report.sequence + 1) % SEQUENCES;
            self.topology_pace.news(now);
        }
        self.send_what_is_due(now);
        self.restore_order(now);
        self.timeout = self.first_timeout();
    }

    fn requests(&self) -> [Request; 2] {
        [self.watches[0].request(), self.watches[1].request()]
    }

    /// What lies beyond a dead span will be heard anew when it comes back.
    fn forget_what_is_dead(&mut self) {
        for side in Side::BOTH {
            if let Some((last, hops)) = self.topology.end(side)
                && self.database.request(last, side) == Request::SignalFail
            {
                self.database.forget_beyond(side, hops);
            }
        }
    }

    fn notice_mixed_protection(&mut self) {
        let topology = &self.topology;
        self.attributes.retain(|station, _| topology.stations().contains(station));
        let mixed = self.params.mode == ProtectionMode::Wrap
            && self.attributes.values().any(|attributes| attributes.mode == ProtectionMode::Steer);
        if std::mem::replace(&mut self.mixed, mixed) != mixed {
            self.actions.push_back(Action::MixedProtection { on: mixed });
        }
    }

    fn wrap(&mut self) {
        for side in Side::BOTH {
            let on = self.mode() == ProtectionMode::Wrap && self.topology.is_edge(side);
            if std::mem::replace(&mut self.report.wrapped[side.index()], on) != on {
                self.actions.push_back(Action::Wrap { side, on });
            }
        }
    }

    /// The topology is another than `known`.
    fn announce(&mut self, now: Instant, known: &Topology) {
        self.checksum = self.topology.checksum();
        self.actions.push_back(Action::TopologyChanged);
        for side in Side::BOTH {
            if self.topology.is_edge(side) && !known.is_edge(side) {
                self.checksums_heard[side.index()] = None;
                self.actions.push_back(Action::Forget { ringlet: side.leaving() });
            }
        }
        let grows = self.topology.stations().len() > known.stations().len();
        // Who is new makes all others known when it greets, which it does no faster than the fast timer.
        let since = if grows { now + self.params.fast_timer } else { now };
        if self.unsettled_since.replace(since).is_none() {
            self.actions.push_back(Action::StrictOrder { on: false });
        }
        self.send_checksum();
        if grows {
            self.topology_pace.greet(now);
            self.attributes_at = self.attributes_at.min(now + self.params.fast_timer);
        }
    }

    fn restore_order(&mut self, now: Instant) {
        let stands = self.unsettled_since.is_some_and(|since| now >= since + self.params.stability);
        if stands && self.neighbours_agree() {
            self.unsettled_since = None;
            self.actions.push_back(Action::StrictOrder { on: true });
        }
    }

    fn neighbours_agree(&self) -> bool {
        let agrees =
            |side: Side| self.topology.ends_at(side) || self.checksums_heard[side.index()] == Some(self.checksum);
        Side::BOTH.into_iter().all(agrees)
    }

    fn send_what_is_due(&mut self, now: Instant) {
        if now >= self.keepalive_at {
            self.keepalive_at = now + self.params.keepalive_interval;
            let source = self.own;
            self.send(|ringlet| IdleFrame { ringlet, source }.into_bytes());
        }
        if now >= self.topology_pace.next() {
            self.topology_pace.sent(now);
            self.broadcast(ControlType::Topology, &self.report.payload());
            self.send_checksum();
        }
        if now >= self.attributes_at {
            self.attributes_at = now + self.params.attribute_timer;
            self.broadcast(ControlType::Attributes, &self.own_attributes.payload());
        }
    }

    fn broadcast(&mut self, kind: ControlType, payload: &[u8]) {
        let source = self.own;
        self.send(|ringlet| ControlFrame::broadcast(kind, ringlet, source, payload).into_bytes());
    }

    /// To the two neighbours only.
    fn send_checksum(&mut self) {
        let (own, payload) = (self.own, self.checksum.payload());
        let frame = |ringlet| {
            ControlFrame::new(ControlType::TopologyChecksum, ringlet, own, Address::BROADCAST, 1, &payload).into_bytes()
        };
        self.send(frame);
    }

    fn send(&mut self, frame: impl Fn(Ringlet) -> Vec<u8>) {
        self.actions.extend(Ringlet::BOTH.map(|ringlet| Action::SendFrame { ringlet, bytes: frame(ringlet) }));
    }
}
