//! Protection at one station: what the state machine of `fairwire-laws` says is
//! done here.
//!
//! Sources steer: a station queue moves to the ringlet that reaches its
//! destination, and is held back if neither does. Or stations wrap (`wrap.rs`): then
//! it stays where it is, and is held back if nothing reaches its destination. While the topology is
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
//! at the downstream end. Where stations wrap, an open ring is closed again for
//! laws (`fold.rs`), and none of this is needed.

use super::fold::Fold;
use super::wrap::Wrap;
use crate::ring::adds::AddQueue;
use crate::ring::books::Ledger;
use crate::ring::law::Law;
use crate::ring::mac::{Limit, Mac};
use crate::ring::station::{Side as StationSide, Station};
use crate::ring::wire::{Arrival, Frame, Wire};
use fairwire_core::{BitRate, Instant, Ringlet, StationId};
use fairwire_laws::frame::Address;
use fairwire_laws::protection::{Action, Event, Params, Protection, ProtectionMode, Side};
use fairwire_laws::ring::{LinkCounters, RingSite, SiteChange};
use fairwire_plan::TopologyChange;
use std::rc::Rc;

/// Protection at one station.
pub struct Guard {
    machine: Protection,
    routes: Vec<Route>,
    law: Rc<Law>,
    ring: Surroundings,
    /// Wrapping, where stations wrap.
    pub wrap: Option<Box<Wrap>>,
    /// The ring as laws know it since they were made anew, if it was open then and stations wrap.
    pub fold: Option<Rc<Fold>>,
    /// The topology is unsettled: laws rest, and what must stay in order is discarded.
    resting: bool,
    /// When laws that were made anew begin.
    begin_at: u64,
    station: StationId,
    pub changes: Vec<TopologyChange>,
}

/// What a station has to know of the ring.
#[derive(Debug)]
pub struct Surroundings {
    /// Where its laws stand as long as nothing is wrong, by ringlet.
    pub sites: [RingSite; 2],
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
    /// Its number among the station queues of each ringlet; where stations wrap, of the one it stands on.
    pub slots: [usize; 2],
    /// Where it stands.
    pub on: Ringlet,
    /// Whether its packets must stay in order: it is held while the topology is unsettled.
    pub strict: bool,
    /// Whether an edge may put its packets on the other ringlet.
    pub wrap_eligible: bool,
}

impl Guard {
    pub fn new(params: &Params, routes: Vec<Route>, law: Rc<Law>, ring: Surroundings) -> Self {
        let station = ring.sites[0].station;
        let machine = Protection::new(params, Address::of(station), [1, 1]);
        let wraps = params.mode == ProtectionMode::Wrap;
        let wrap = wraps.then(|| Box::new(Wrap::new(station, ring.sites[0].stations())));
        let (resting, begin_at, changes) = (false, u64::MAX, Vec::new());
        Self { machine, routes, law, ring, wrap, fold: None, resting, begin_at, station, changes }
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
    pub fn contain(&self, until: u64, inbound: &mut [&mut Wire; 2], ledger: &mut Ledger) {
        if !self.resting || !self.ring.has_strict_flows {
            return;
        }
        for wire in inbound {
            let mut keeps = |Arrival { at, packet }: &Arrival| {
                let strict = ledger.is_strict(packet);
                if strict {
                    ledger.discard(*at, packet);
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

    /// Whether what leaves here on `ringlet` is looped to the other one.
    pub fn loops(&self, ringlet: Ringlet) -> bool {
        self.wrap.as_ref().is_some_and(|wrap| wrap.loops(ringlet))
    }

    /// Whether the law of the ringlet that leaves here is what comes next upstream of the other one here.
    pub fn folds(&self, leaving: Ringlet) -> bool {
        self.fold.is_some() && self.loops(leaving)
    }

    /// Brings everything that follows from the topology up to date.
    fn follow_topology(&mut self, now: u64, macs: [&mut Mac; 2], ledger: &Ledger) {
        match &mut self.wrap {
            Some(wrap) => {
                wrap.follow(now, &self.machine);
                self.hold_what_goes_nowhere(now, macs, ledger);
            }
            None => self.steer(now, macs, ledger),
        }
    }

    /// Where stations wrap: holds the queues whose destinations nothing reaches, and lets the others go.
    fn hold_what_goes_nowhere(&mut self, now: u64, macs: [&mut Mac; 2], ledger: &Ledger) {
        for ringlet in Ringlet::BOTH {
            macs[ringlet.index()].reserve(now, self.reserved(ringlet));
        }
        for route in &self.routes {
            let egress = Address::of(route.egress);
            let by_itself = self.machine.topology().hops(egress, route.on).is_some();
            let goes = by_itself || (route.wrap_eligible && self.machine.ringlet_for(egress, route.on).is_some());
            let (mac, slot) = (&mut *macs[route.on.index()], route.slots[route.on.index()]);
            let mut queue = mac.exchange_queue(slot, AddQueue::none());
            queue.hold(!goes || (route.strict && self.resting), now);
            mac.exchange_queue(slot, queue);
            mac.look_at_queue(slot, now, ledger);
        }
    }

    /// Moves station queues to where they reach their destinations.
    fn steer(&mut self, now: u64, macs: [&mut Mac; 2], ledger: &Ledger) {
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
            // A folded ring is one ringlet.
            Some(_) if self.wrap.is_some() => true,
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
    fn renew(&mut self, now: u64, sides: [&mut StationSide; 2], ledger: &Ledger) {
        self.fold = self.folded().map(Rc::new);
        for (ringlet, side) in Ringlet::BOTH.into_iter().zip(sides) {
            let site = self.site(ringlet);
            side.mac.set_hops(site.flows.iter().map(|flow| flow.hops));
            let counters = LinkCounters::new(self.law.counters, &site);
            side.renew_law((self.law.make)(site), counters);
            side.mac.lift_limits(now, self.ring.pairs[ringlet.index()], ledger);
        }
    }

    /// Of where laws stand something becomes another, on one ringlet or both: what laws at work are to be told, on which,
    /// by the numbers that they go by. On a folded ring all laws stand on the same ringlet.
    pub fn change(&mut self, ringlet: Option<Ringlet>, change: SiteChange) -> Vec<(Option<Ringlet>, SiteChange)> {
        let sites = Ringlet::BOTH.into_iter().zip(&mut self.ring.sites);
        sites.filter(|(on, _)| ringlet.is_none_or(|of| of == *on)).for_each(|(_, site)| site.apply(change));
        match (change, &self.fold) {
            _ if self.resting => Vec::new(),
            (SiteChange::Weight { station, weight }, Some(fold)) => {
                let numbers = Ringlet::BOTH.map(|ringlet| StationId(fold.number(ringlet, station)));
                numbers.map(|station| (None, SiteChange::Weight { station, weight })).to_vec()
            }
            (SiteChange::Capacity { link, capacity }, Some(fold)) => {
                let place = ringlet.and_then(|ringlet| fold.place(ringlet, link));
                let told = |place: usize| SiteChange::Capacity { link: StationId(place as u16), capacity };
                place.map(|place| (None, told(place))).into_iter().collect()
            }
            _ => vec![(ringlet, change)],
        }
    }

    /// Where a law stands now.
    fn site(&self, ringlet: Ringlet) -> RingSite {
        let reserved = self.reserved(ringlet);
        match &self.fold {
            Some(fold) => fold.site(ringlet, &self.ring.sites, reserved),
            None => {
                let (first, open) = (self.is_first(ringlet), !self.machine.topology().is_closed());
                RingSite { first, open, reserved, ..self.ring.sites[ringlet.index()].clone() }
            }
        }
    }

    /// The ring as laws are to know it where stations wrap and it is open.
    fn folded(&self) -> Option<Fold> {
        let topology = self.machine.topology();
        let open = self.wrap.is_some() && !topology.is_closed() && topology.stations().len() > 1;
        let stations: Option<Vec<_>> = topology.stations().iter().map(|address| address.station()).collect();
        stations.filter(|_| open).map(Fold::new)
    }
}

impl Station {
    /// Protection begins on a ring where nothing is wrong.
    pub fn start_protection(&mut self, stations: usize, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        let ring: Vec<Address> = (0..stations).map(|station| Address::of(StationId(station as u16))).collect();
        guard.machine.start_settled(Instant::ZERO, &ring);
        self.follow(0, ledger);
    }

    /// Something that concerns protection happens.
    pub fn tell_protection(&mut self, now: u64, event: Event, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        guard.machine.handle(Instant::from_nanos(now), event);
        self.follow(now, ledger);
    }

    /// The time has come that [`Guard::next_at`] told.
    pub fn wake_protection(&mut self, now: u64, ledger: &Ledger) {
        let Some(guard) = &mut self.guard else { return };
        let begins = guard.begin_at <= now;
        if begins {
            guard.begin_at = u64::MAX;
        }
        if guard.machine.poll_timeout().as_nanos() <= now {
            guard.machine.handle_timeout(Instant::from_nanos(now));
        }
        self.follow(now, ledger);
        // Both begin before either speaks, which may be to the other.
        for side in self.sides.iter_mut().filter(|side| begins && side.governed) {
            side.start_law(now, ledger);
        }
        for ringlet in Ringlet::BOTH.into_iter().filter(|_| begins) {
            if self.sides[ringlet.index()].governed {
                self.act(ringlet, now, ledger);
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
                    guard.follow_topology(now, macs, ledger);
                }
                Action::StrictOrder { on: false } => {
                    (guard.resting, guard.begin_at) = (true, u64::MAX);
                    guard.follow_topology(now, macs, ledger);
                    (zero.timeout, one.timeout) = (u64::MAX, u64::MAX);
                }
                Action::StrictOrder { on: true } => {
                    (guard.resting, guard.begin_at) = (false, now + guard.ring.lap_ns);
                    guard.note(now, true);
                    guard.follow_topology(now, macs, ledger);
                    guard.renew(now, [zero, one], ledger);
                    renewed = true;
                }
                Action::Wrap { .. } | Action::MixedProtection { .. } => guard.follow_topology(now, macs, ledger),
                // Laws forget when they begin anew.
                Action::Forget { .. } | Action::AttributesChanged { .. } => {}
            }
        }
        if renewed {
            let names = guard.fold.as_ref().map(|fold| fold.names());
            self.sides.iter_mut().for_each(|side| side.probe.call(names.clone()));
            self.prepare_laws(now, ledger);
        }
    }

    /// New laws limit what they know enough of.
    fn prepare_laws(&mut self, now: u64, ledger: &Ledger) {
        for ringlet in Ringlet::BOTH {
            let side = &mut self.sides[ringlet.index()];
            side.turned = false;
            side.prepare_law(now, ledger);
            self.act(ringlet, now, ledger);
        }
    }
}
