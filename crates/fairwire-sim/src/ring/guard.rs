//! Protection at one station: what the state machine of `fairwire-laws` says is
//! done here.
//!
//! Sources steer: a station queue moves to the ringlet that reaches its
//! destination, and is held back if neither does. While the topology is
//! unsettled laws are silent, messages for them are dropped, and the limits they
//! set stand, also for queues that move; when it has settled each law begins anew a
//! lap later, when all others listen. Laws that limit whole stations begin without
//! limits, others with the old ones, which they replace when they prepare or first
//! hear. That forgets the dead side and every message that an open ring would carry
//! for ever or never.
//!
//! Where the ring is open, what a law tells its upstream neighbour goes to the
//! other end the long way, so that a message meant to circulate still does; laws
//! whose messages may turn round are told on that way, too. What circulates begins
//! at the downstream end.

use super::add_queue::AddQueue;
use super::frame::Frame;
use super::ledger::Ledger;
use super::mac::{Limit, Mac};
use super::packet::{Packet, Wire};
use super::station::Station;
use crate::record::TopologyChange;
use fairwire_core::{BitRate, Cx, Instant, Ringlet, StationId};
use fairwire_laws::frame::Address;
use fairwire_laws::protection::{Action, Event, Params, Protection, Side};
use fairwire_laws::ring::RingLaw;

/// Protection at one station.
pub struct Guard<L> {
    machine: Protection,
    routes: Vec<Route>,
    laws: [MakeLaw<L>; 2],
    ring: Surroundings,
    /// The topology is unsettled: laws rest, and what must stay in order is discarded.
    resting: bool,
    /// When laws that were made anew begin.
    begin_at: u64,
    station: StationId,
    pub changes: Vec<TopologyChange>,
}

/// Makes the law of a ringlet as it was before anything had happened: the first on its
/// ringlet or not, where class A0 has reserved so much.
pub type MakeLaw<L> = Box<dyn Fn(bool, BitRate) -> L>;

/// What a station has to know of the ring.
#[derive(Debug)]
pub struct Surroundings {
    /// What class A0 has reserved on the whole ring.
    pub reservations: Vec<Reservation>,
    /// Pairs that may enter each ringlet here.
    pub pairs: [usize; 2],
    /// The longer lap of the two ringlets, in ns.
    pub lap_ns: u64,
    /// Whether any flow of the ring must stay in order.
    pub has_strict_flows: bool,
}

/// What a flow of class A0 has reserved, on the ringlet that it takes.
#[derive(Clone, Copy, Debug)]
pub struct Reservation {
    pub from: StationId,
    pub to: StationId,
    pub preferred: Ringlet,
    pub rate: BitRate,
}

/// A station queue, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    pub egress: StationId,
    pub preferred: Ringlet,
    /// Its number among the station queues of each ringlet.
    pub slots: [usize; 2],
    /// Where it stands.
    pub on: Ringlet,
    /// Whether its packets must stay in order: it is held while the topology is unsettled.
    pub strict: bool,
}

impl<L: RingLaw> Guard<L> {
    pub fn new(
        params: &Params,
        station: StationId,
        routes: Vec<Route>,
        laws: [MakeLaw<L>; 2],
        ring: Surroundings,
    ) -> Self {
        let machine = Protection::new(params, Address::of(station), [1, 1]);
        let (resting, begin_at, changes) = (false, u64::MAX, Vec::new());
        Self { machine, routes, laws, ring, resting, begin_at, station, changes }
    }

    /// When something is to be done here.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.machine.poll_timeout().as_nanos().min(self.begin_at)
    }

    pub fn is_resting(&self) -> bool {
        self.resting
    }

    /// Whether the link of `ringlet` that leaves here is out of use.
    pub fn is_cut_off(&self, ringlet: Ringlet) -> bool {
        self.machine.topology().is_edge(Side::left_by(ringlet))
    }

    /// Discards what must stay in order and comes by up to and including `until` while
    /// the topology is unsettled: nobody knows whether what follows comes the same way.
    pub fn contain(&self, until: u64, inbound: &mut [&mut Wire<L::Msg>; 2], ledger: &mut Ledger) {
        if !self.resting || !self.ring.has_strict_flows {
            return;
        }
        for wire in inbound {
            let mut keeps = |packet: &Packet| {
                let strict = ledger.is_strict(packet);
                if strict {
                    ledger.discard(packet);
                }
                !strict
            };
            wire.data.sift(until, &mut keeps);
            wire.ending.sift(until, &mut keeps);
        }
    }

    /// Where the station queue stands that began at `slot` of `ringlet`.
    pub fn slot_now(&self, ringlet: Ringlet, slot: usize) -> (Ringlet, usize) {
        let its = |route: &&Route| route.preferred == ringlet && route.slots[ringlet.index()] == slot;
        self.routes.iter().find(its).map_or((ringlet, slot), |route| (route.on, route.slots[route.on.index()]))
    }

    fn note(&mut self, now: u64, settled: bool) {
        self.changes.push(TopologyChange { t: Instant::from_nanos(now), station: self.station, settled });
    }

    /// Moves station queues to where they reach their destinations.
    fn steer(&mut self, now: u64, macs: [&mut Mac<L>; 2], ledger: &Ledger) {
        for ringlet in Ringlet::BOTH {
            macs[ringlet.index()].reserve(now, self.reserved(ringlet));
        }
        for route in &mut self.routes {
            let ringlet = self.machine.ringlet_for(Address::of(route.egress), route.preferred);
            let (from, to) = (route.on, ringlet.unwrap_or(route.on));
            let mut queue = macs[from.index()].exchange_queue(route.slots[from.index()], AddQueue::none());
            queue.hold(ringlet.is_none() || (route.strict && self.resting), now);
            if from != to
                && let Some(rate) = macs[from.index()].queue_limit(route.slots[from.index()])
            {
                // Nobody knows yet what it may have there: no more than it had here.
                let _ = macs[to.index()].limit(now, Limit::Pair(route.slots[to.index()]), rate, ledger);
            }
            macs[to.index()].exchange_queue(route.slots[to.index()], queue);
            route.on = to;
            for ringlet in Ringlet::BOTH {
                macs[ringlet.index()].look_at_queue(route.slots[ringlet.index()], now, ledger);
            }
        }
    }

    /// What class A0 has reserved on `ringlet` now that flows take the ways that are left.
    fn reserved(&self, ringlet: Ringlet) -> BitRate {
        let topology = self.machine.topology();
        let place = |id: StationId| topology.stations().iter().position(|station| *station == Address::of(id));
        let takes = |reservation: &&Reservation| match place(reservation.from).zip(place(reservation.to)) {
            None => false,
            Some(_) if topology.is_closed() => reservation.preferred == ringlet,
            Some((from, to)) => (from < to) == (ringlet == Ringlet::Zero),
        };
        BitRate::from_bps(
            self.ring.reservations.iter().filter(takes).map(|reservation| reservation.rate.as_bps()).sum(),
        )
    }

    /// Whether a frame that circulates against `ringlet` begins here: at the lowest
    /// address, or at the downstream end.
    fn is_first(&self, ringlet: Ringlet) -> bool {
        let topology = self.machine.topology();
        let lowest = topology.stations().first() == Some(&Address::of(self.station));
        if topology.is_closed() { lowest } else { self.is_cut_off(ringlet) }
    }

    /// Laws as they were before anything had happened.
    fn renew(&self, now: u64, macs: [&mut Mac<L>; 2], ledger: &Ledger) {
        for (ringlet, mac) in Ringlet::BOTH.into_iter().zip(macs) {
            mac.law = (self.laws[ringlet.index()])(self.is_first(ringlet), self.reserved(ringlet));
            mac.lift_limits(now, self.ring.pairs[ringlet.index()], ledger);
        }
    }
}

impl<L: RingLaw> Station<L> {
    /// Protection begins on a ring where nothing is wrong.
    pub(super) fn start_protection(&mut self, stations: usize, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        let ring: Vec<Address> = (0..stations).map(|station| Address::of(StationId(station as u16))).collect();
        guard.machine.start_settled(Instant::ZERO, &ring);
        self.follow(0, ledger);
    }

    /// Something that concerns protection happens.
    pub(super) fn tell_protection(&mut self, now: u64, event: Event, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        guard.machine.handle(Instant::from_nanos(now), event);
        self.follow(now, ledger);
    }

    /// The time has come that [`Guard::next_at`] told.
    pub(super) fn wake_protection(&mut self, now: u64, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        let begins = guard.begin_at <= now;
        if begins {
            guard.begin_at = u64::MAX;
        }
        if guard.machine.poll_timeout().as_nanos() <= now {
            guard.machine.handle_timeout(Instant::from_nanos(now));
        }
        self.follow(now, ledger);
        for ringlet in Ringlet::BOTH.into_iter().filter(|_| begins) {
            let side = &mut self.sides[ringlet.index()];
            if side.governed {
                let now = Instant::from_nanos(now);
                side.mac.law.start(&mut Cx { now, rng: &mut side.rng, probe: &mut side.probe });
                self.act(ringlet, now.as_nanos(), ledger);
            }
        }
    }

    fn follow(&mut self, now: u64, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        let [zero, one] = &mut self.sides;
        let mut renewed = false;
        while let Some(action) = guard.machine.poll_action() {
            let macs = [&mut zero.mac, &mut one.mac];
            match action {
                Action::SendFrame { ringlet, bytes } => {
                    macs[ringlet.index()].send_frame(now, Frame::Protection(bytes));
                }
                Action::TopologyChanged => {
                    guard.note(now, false);
                    guard.steer(now, macs, ledger);
                }
                Action::StrictOrder { on: false } => {
                    (guard.resting, guard.begin_at) = (true, u64::MAX);
                    guard.steer(now, macs, ledger);
                    (zero.timeout, one.timeout) = (u64::MAX, u64::MAX);
                }
                Action::StrictOrder { on: true } => {
                    (guard.resting, guard.begin_at) = (false, now + guard.ring.lap_ns);
                    guard.note(now, true);
                    let [zero, one] = macs;
                    guard.steer(now, [zero, one], ledger);
                    guard.renew(now, [zero, one], ledger);
                    renewed = true;
                }
                // Stations do not wrap here, and laws forget when they begin anew.
                Action::Wrap { .. }
                | Action::Forget { .. }
                | Action::AttributesChanged { .. }
                | Action::MixedProtection { .. } => {}
            }
        }
        if renewed {
            self.prepare_laws(now, ledger);
        }
    }

    /// New laws limit what they know enough of.
    fn prepare_laws(&mut self, now: u64, ledger: &Ledger) {
        for ringlet in Ringlet::BOTH {
            let side = &mut self.sides[ringlet.index()];
            side.turned = false;
            let now = Instant::from_nanos(now);
            side.mac.law.prepare(&mut Cx { now, rng: &mut side.rng, probe: &mut side.probe });
            self.act(ringlet, now.as_nanos(), ledger);
        }
    }
}
