//! A law at work at its station: it is shown the station, called, and what it wants is done.
//!
//! This is the one part of the engine that is built anew for each law of the list, so that a call of the law, its actions
//! and what the station does about them are one piece of code. A law from outside runs through the same code behind an
//! object.

use super::{Side, Station, Wires};
use crate::ring::books::Ledger;
use crate::ring::mac::Limit;
use crate::ring::wire::Wire;
use fairwire_core::{Cx, Instant, Ringlet};
use fairwire_laws::PackedMessage;
use fairwire_laws::ring::{
    Call, Outgoing, OutsideLaw, Packed, Rest, RingAction, RingLaw, RingLawChoice, RingLawFactory, RingLawObject,
    RingLawVisitor, RingSite, SiteChange, StationView,
};
use std::rc::Rc;

/// A law of whatever make, with what makes it work at a station.
pub trait Govern {
    /// The law is new on a ring that is at work.
    fn prepare(&mut self, side: &mut Side, now: u64, ledger: &Ledger);
    /// The law begins; what follows is left to [`Govern::act`].
    fn start(&mut self, side: &mut Side, now: u64, ledger: &Ledger);
    /// A message has come.
    fn on_message(
        &mut self,
        station: &mut Station,
        ringlet: Ringlet,
        now: u64,
        message: PackedMessage,
        wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    );
    /// The law wakes.
    fn time_out(&mut self, station: &mut Station, ringlet: Ringlet, now: u64, wires: &mut Wires<'_>, ledger: &Ledger);
    /// Something of its site has changed.
    fn on_change(&mut self, station: &mut Station, ringlet: Ringlet, now: u64, change: SiteChange, ledger: &Ledger);
    /// Does what the law wants done, and asks when it wakes; where links have come as far as `now` and the wires are
    /// given, frames go out at once.
    fn act(
        &mut self,
        station: &mut Station,
        ringlet: Ringlet,
        now: u64,
        wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    );
    /// As [`RingLawObject::sends_only_advice`].
    fn sends_only_advice(&self) -> bool;
    /// As [`RingLawObject::rests`].
    fn rests(&self) -> Option<Rest<PackedMessage>>;
    /// As [`RingLawObject::has_rested`].
    fn has_rested(&mut self, timeouts: u64);
    /// As [`RingLawObject::bytes_of`]; none of what the law cannot tell.
    fn bytes_of(&self, message: PackedMessage) -> Vec<u8>;
}

/// Makes the law that stands at a site.
pub type MakeLaw = Box<dyn Fn(RingSite) -> Box<dyn Govern>>;

/// What makes the chosen law.
pub fn maker(law: &RingLawChoice) -> MakeLaw {
    law.visit(Maker)
}

/// What makes a law that is not in the list.
pub fn outside_maker(law: Rc<dyn RingLawFactory>) -> MakeLaw {
    Box::new(move |site| Box::new(Governor(law.make(site))))
}

struct Maker;

impl RingLawVisitor for Maker {
    type Output = MakeLaw;

    fn visit<L: RingLaw>(self, params: &L::Params) -> MakeLaw {
        let params = params.clone();
        Box::new(move |site| Box::new(Governor(Packed(L::new(&params, site)))))
    }

    fn visit_outside(self, law: &OutsideLaw) -> MakeLaw {
        outside_maker(Rc::new(law.clone()))
    }
}

struct Governor<O>(O);

impl<O: RingLawObject> Governor<O> {
    /// Calls the law with the station as it is at `now`.
    #[inline(always)]
    fn tell(
        &mut self,
        side: &mut Side,
        now: u64,
        reads_adds: bool,
        ledger: &Ledger,
        tell: impl FnOnce(&mut O, &mut Cx<'_>, &StationView<'_>),
    ) {
        let (link, transit) = side.mac.views(now, ledger);
        let adds = if reads_adds { side.adds.as_slice() } else { &[] };
        let view = StationView { link, transit, traffic: side.mac.counters.traffic(), adds };
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut side.rng, probe: side.probe.as_probe() };
        tell(&mut self.0, &mut cx, &view);
    }

    /// Looks at the add queues if the law reads them, and calls it.
    #[inline(always)]
    fn call(
        &mut self,
        station: &mut Station,
        ringlet: Ringlet,
        call: Call,
        now: u64,
        ledger: &Ledger,
        tell: impl FnOnce(&mut O, &mut Cx<'_>, &StationView<'_>),
    ) {
        let Station { sides, states, .. } = station;
        let side = &mut sides[ringlet.index()];
        let reads_adds = self.0.reads_adds(call);
        if reads_adds {
            side.look_at_adds(now, ledger, states);
        }
        self.tell(side, now, reads_adds, ledger, tell);
    }

    /// Tells the law of advice that has come by `now`.
    #[inline(always)]
    fn hear_advice(&mut self, station: &mut Station, ringlet: Ringlet, now: u64, wires: &mut Wires<'_>) {
        let wire = &mut *wires.inbound[ringlet.opposite().index()];
        if station.audited {
            return self.reread_advice(station, ringlet, now, wire);
        }
        while let Some((came_at, message)) = wire.pop_advice(now) {
            self.advise(&mut station.sides[ringlet.index()], came_at, message);
        }
    }

    /// The same where each message is read from its bytes.
    #[cold]
    fn reread_advice(&mut self, station: &mut Station, ringlet: Ringlet, now: u64, wire: &mut Wire) {
        while let Some((came_at, message)) = wire.pop_advice(now) {
            if let Some(message) = self.reread(station, message) {
                self.advise(&mut station.sides[ringlet.index()], came_at, message);
            }
        }
    }

    #[inline(always)]
    fn advise(&mut self, side: &mut Side, came_at: u64, message: PackedMessage) {
        let mut cx = Cx { now: Instant::from_nanos(came_at), rng: &mut side.rng, probe: side.probe.as_probe() };
        self.0.on_message(&mut cx, message, &StationView::default());
    }

    /// A message as an audited station reads it from its bytes. One that cannot be read is dropped, as a station would.
    #[cold]
    fn reread(&self, station: &mut Station, message: PackedMessage) -> Option<PackedMessage> {
        let read = self.0.reread(message);
        if let Err(error) = &read {
            let id = station.id();
            station.violations.push(format!("station {id}: a control frame nobody can read: {error}"));
        }
        read.ok()
    }

    #[inline(always)]
    fn do_all(
        &mut self,
        station: &mut Station,
        ringlet: Ringlet,
        now: u64,
        mut wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    ) {
        while let Some(action) = self.0.poll_action() {
            match action {
                RingAction::SendUpstream(Outgoing { message, is_advice: true }) if station.guard.is_none() => {
                    station.send_message::<true>(ringlet.opposite(), now, message, wires.as_deref_mut());
                }
                RingAction::SendUpstream(Outgoing { message, .. }) if station.guard.is_none() => {
                    station.send_message::<false>(ringlet.opposite(), now, message, wires.as_deref_mut());
                }
                RingAction::SendUpstream(Outgoing { message, .. }) => {
                    station.send_guarded(ringlet, now, message, wires.as_deref_mut(), ledger);
                }
                RingAction::SendDownstream { message, queue } => {
                    station.send_downstream(ringlet, now, message.message, queue, wires.as_deref_mut());
                }
                RingAction::SetAddRate { flow, rate } => station.limit(ringlet, now, Limit::Pair(flow), rate, ledger),
                RingAction::SetStationRate { rate } => station.limit(ringlet, now, Limit::Station, rate, ledger),
                RingAction::SetBeyondRate { hops, rate } => {
                    station.limit(ringlet, now, Limit::Beyond(hops), rate, ledger);
                }
            }
        }
        // A time gone by means now.
        let asked = self.0.poll_timeout().map_or(u64::MAX, |at| at.as_nanos());
        let side = &mut station.sides[ringlet.index()];
        side.timeout = side.wake_at(asked).max(now);
    }
}

impl<O: RingLawObject> Govern for Governor<O> {
    fn prepare(&mut self, side: &mut Side, now: u64, ledger: &Ledger) {
        self.tell(side, now, false, ledger, |law, cx, _| law.prepare(cx));
    }

    fn start(&mut self, side: &mut Side, now: u64, ledger: &Ledger) {
        self.tell(side, now, false, ledger, |law, cx, view| law.start(cx, view));
    }

    fn on_message(
        &mut self,
        station: &mut Station,
        ringlet: Ringlet,
        now: u64,
        message: PackedMessage,
        mut wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    ) {
        let message = if station.audited { self.reread(station, message) } else { Some(message) };
        let Some(message) = message else { return };
        if station.sends_advice
            && let Some(wires) = wires.as_deref_mut()
        {
            self.hear_advice(station, ringlet, now, wires);
        }
        self.call(station, ringlet, Call::Message, now, ledger, |law, cx, view| law.on_message(cx, message, view));
        self.do_all(station, ringlet, now, wires, ledger);
    }

    fn time_out(&mut self, station: &mut Station, ringlet: Ringlet, now: u64, wires: &mut Wires<'_>, ledger: &Ledger) {
        if station.sends_advice {
            self.hear_advice(station, ringlet, now, wires);
        }
        self.call(station, ringlet, Call::Timeout, now, ledger, |law, cx, view| law.handle_timeout(cx, view));
        self.do_all(station, ringlet, now, Some(wires), ledger);
    }

    fn on_change(&mut self, station: &mut Station, ringlet: Ringlet, now: u64, change: SiteChange, ledger: &Ledger) {
        let side = &mut station.sides[ringlet.index()];
        self.tell(side, now, false, ledger, |law, cx, view| law.on_change(cx, change, view));
        self.do_all(station, ringlet, now, None, ledger);
    }

    fn act(
        &mut self,
        station: &mut Station,
        ringlet: Ringlet,
        now: u64,
        wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    ) {
        self.do_all(station, ringlet, now, wires, ledger);
    }

    fn sends_only_advice(&self) -> bool {
        self.0.sends_only_advice()
    }

    fn rests(&self) -> Option<Rest<PackedMessage>> {
        self.0.rests()
    }

    fn has_rested(&mut self, timeouts: u64) {
        self.0.has_rested(timeouts);
    }

    fn bytes_of(&self, message: PackedMessage) -> Vec<u8> {
        self.0.bytes_of(message).unwrap_or_default()
    }
}
