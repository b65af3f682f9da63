//! Walks the stations through time.
//!
//! Two ways, same bytes. *Windows*: as long as nothing unknown can reach a
//! station, it is taken through time by itself, in one go (`windows.rs`;
//! `horizons.rs` tells for how long). *Events*: always the station whose next
//! event is earliest, for rings too short to hold a packet (`events.rs`;
//! `calls.rs` tells what on a wire is an event). Both leave what happens at a
//! station to it: [`Station::advance`] orders its own events.

mod calls;
mod events;
mod horizons;
mod outcome;
mod passing;
mod windows;

pub use passing::Passing;

use self::horizons::{Horizons, Tour, lookahead};
use crate::brought::{BroughtPacket, Due};
use crate::recorder::Recorder;
use crate::report::{Ending, Report};
use crate::ring::books::Ledger;
use crate::ring::build;
use crate::ring::lateness::Lateness;
use crate::ring::law::Law;
use crate::ring::station::{Bringer, Effort, Ends, Hosts, Side, Station, Wires};
use crate::ring::whole::Whole;
use crate::ring::wire::{Losses, Wire, outages};
use fairwire_core::{Ringlet, Span, StationId, Streams};
use fairwire_laws::ring::Sends;
use fairwire_plan::{Detail, EnginePath};
use std::rc::Rc;

/// A ring in the middle of a run.
pub struct Ring {
    pub stations: Vec<Station>,
    /// By ringlet and by the station that the wire leads to.
    pub wires: Vec<Wire>,
    pub ledger: Ledger,
    pub hosts: Hosts,
    /// Whether laws ever send advice.
    sends_advice: bool,
    way: TimePath,
}

/// How a ring goes through time.
enum TimePath {
    Events,
    Windows { horizons: Box<Horizons>, tours: Vec<Tour> },
}

/// Windows need a link that holds time at all; they pay from a packet a window on.
pub fn path(plan: &Whole<'_>) -> EnginePath {
    let slowest = plan.links.iter().flatten().map(|link| build::max_packet(plan) / link.capacity).max();
    match plan.engine {
        _ if lookahead(plan) == 0 => EnginePath::Events,
        EnginePath::Auto if lookahead(plan) < slowest.unwrap_or(Span::ZERO).as_nanos() => EnginePath::Events,
        EnginePath::Auto => EnginePath::Windows,
        chosen => chosen,
    }
}

impl Ring {
    /// A ring at time zero, whose laws have begun.
    pub fn begin(plan: &Whole<'_>, law: Rc<Law>) -> Self {
        let sends = law.needs.sends;
        let passing = Passing::of(plan, sends == Sends::BothWays);
        let least_message = (sends != Sends::Nothing).then(|| law.least_message(plan.stations.len()));
        let mut ring = Self::new(plan, law, &passing);
        for station in &mut ring.stations {
            station.start(&ring.ledger);
            station.start_protection(plan.stations.len(), &ring.ledger);
        }
        ring.expect_frames();
        if path(plan) != EnginePath::Events {
            let horizons = Box::new(Horizons::new(plan, &passing, least_message));
            let tours = horizons.tours(ring.stations.iter().all(Station::only_advice));
            ring.way = TimePath::Windows { horizons, tours };
        }
        ring
    }

    /// Takes the ring from `now` to `limit`, or to where `watch` stops it; returns how far it got, where all stations stand
    /// then. What `watch` is told is a part of `end`. With [`Ending::AtOnce`] it is none as soon as `watch` has had enough.
    pub fn walk(
        &mut self,
        now: u64,
        limit: u64,
        end: u64,
        ending: Ending,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Option<u64> {
        self.hosts.effort = Effort::new(ending == Ending::AtOnce);
        match std::mem::replace(&mut self.way, TimePath::Events) {
            TimePath::Events => self.walk_events(limit, Report::new(end, events::EVENTS_A_REPORT), ending, watch),
            TimePath::Windows { mut horizons, tours } => {
                horizons.begin_again(now);
                let tours_a_report = if horizons.are_crowded() { 1 } else { windows::TOURS_A_REPORT };
                let report = Report::new(end, tours_a_report);
                let reached = self.walk_windows(limit, &mut horizons, &tours, (report, ending), watch);
                self.way = TimePath::Windows { horizons, tours };
                reached
            }
        }
    }

    /// A packet was brought, which `bringer` is to send.
    pub fn bring(&mut self, bringer: usize, flow: usize, packet: BroughtPacket) {
        let handle = self.ledger.returns.bring(flow, packet);
        let Bringer { door, line } = &mut self.hosts.bringers[bringer];
        line.bring(packet.at.as_nanos(), Due { size_bytes: packet.size_bytes, handle });
        self.stations[door.station.index()].expect_brought(door.end, &self.hosts);
    }

    fn new(plan: &Whole<'_>, law: Rc<Law>, passing: &Passing) -> Self {
        let sends_advice = law.sends_advice;
        let sends = law.needs.sends;
        let ledger = build::ledger(plan);
        let hosts = build::hosts(plan);
        let max_packet = build::max_packet(plan);
        let streams = Streams::new(plan.seed, plan.run);
        let governed = Ringlet::BOTH
            .map(|ringlet| plan.flows.iter().any(|flow| flow.ringlet == ringlet || plan.protection.is_some()));
        let side = |ringlet: Ringlet, station: usize| {
            let site = build::site(plan, ringlet, station, max_packet);
            let mut mac = build::mac(plan, &law, &site, &ledger);
            mac.packets_pass = passing.at(ringlet, station);
            if sends == Sends::BothWays {
                mac.carry_letters();
            }
            if plan.protection.is_some() {
                mac.carry_returning();
            }
            let probe = Recorder::new(plan.window, plan.detail == Detail::Full);
            let rng = streams.component(&format!("law/{ringlet}/{station}"));
            let lateness = Lateness::of_timeouts(plan, ringlet, station);
            Side::new(mac, (law.make)(site), probe, rng, governed[ringlet.index()], lateness)
        };
        let rows = (plan.detail == Detail::Full || plan.check).then_some(plan.window.as_nanos());
        let station = |station| {
            let sides = Ringlet::BOTH.map(|ringlet| side(ringlet, station));
            let mut built = Station::new(sides, (law.needs, sends_advice), rows, plan.warmup.as_nanos(), plan.check);
            built.guard = build::guard(plan, Rc::clone(&law), station, max_packet).map(Box::new);
            let leaves = Ringlet::BOTH.iter().any(|ringlet| passing.from(*ringlet, station));
            built.expect_changes(build::site_changes(plan));
            // A law at rest is not asked, and its wires make up its messages: none of them is lost or late.
            let unseen = plan.detail != Detail::Full && !plan.check;
            let untroubled =
                plan.control.is_untroubled() && plan.weight_changes.is_empty() && plan.capacity_changes.is_empty();
            if sends_advice && !leaves && unseen && untroubled {
                built.let_rest();
            }
            built.ends = Ends::new(hosts.ends_at(StationId(station as u16)), &hosts, plan.is_fed()).map(Box::new);
            built
        };
        let stations: Vec<_> = (0..plan.stations.len()).map(station).collect();
        let wire = |ringlet: Ringlet, to: usize| {
            let from = ringlet.opposite().downstream(to, stations.len());
            let lateness = Lateness::of_messages(plan, ringlet, to);
            Wire::new(to as u16, outages(plan, ringlet, from)).troubled(Losses::of(plan, ringlet, from), lateness)
        };
        let wires = Ringlet::BOTH.iter().flat_map(|ringlet| (0..stations.len()).map(|to| wire(*ringlet, to))).collect();
        Self { stations, wires, ledger, hosts, sends_advice, way: TimePath::Events }
    }

    /// Frames that one station starts with will pass the others, too.
    fn expect_frames(&mut self) {
        let sides = || self.stations.iter().flat_map(|station| &station.sides);
        let largest = sides().map(|side| side.mac.largest_frame()).max().unwrap_or(0);
        let sides = self.stations.iter_mut().flat_map(|station| &mut station.sides);
        sides.for_each(|side| side.mac.expect_frames_of(largest));
    }

    fn inbound(&self, station: usize) -> [&Wire; 2] {
        [&self.wires[station], &self.wires[self.stations.len() + station]]
    }

    /// As [`Station::advance`].
    #[inline]
    fn advance(&mut self, station: usize, stop: u64, leave: Option<Ringlet>) -> u64 {
        let stations = self.stations.len();
        let (zero, one) = self.wires.split_at_mut(stations);
        let zero = zero.get_disjoint_mut([station, Ringlet::Zero.downstream(station, stations)]);
        let one = one.get_disjoint_mut([station, Ringlet::One.downstream(station, stations)]);
        let (Ok([in_zero, out_zero]), Ok([in_one, out_one])) = (zero, one) else {
            unreachable!("a ring of two or more stations never sends to itself");
        };
        let mut wires = Wires { inbound: [in_zero, in_one], outbound: [out_zero, out_one] };
        self.stations[station].advance(stop, leave, &mut wires, &mut self.ledger, &mut self.hosts)
    }
}
