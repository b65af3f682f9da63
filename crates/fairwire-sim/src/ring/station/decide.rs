//! What a law is told of its station, and how what it wants is done.

use super::{Side, Station, Wires};
use crate::ring::books::Ledger;
use crate::ring::mac::Limit;
use crate::ring::wire::{Addressee, Frame, Wire};
use fairwire_core::{BitRate, Cx, Instant, Ringlet};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::{Decision, MessageQueue, RingAction, RingLaw, StationView};

impl<L: RingLaw> Station<L> {
    /// A message for the law of `ringlet` comes from that of the other one, here.
    #[cold]
    #[inline(never)]
    pub(super) fn take_turned(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        message: L::Msg,
        wires: Option<&mut Wires<'_, L::Msg>>,
        ledger: &Ledger,
    ) {
        if self.guard.as_ref().is_some_and(|guard| !guard.is_resting()) {
            self.tell_law(ringlet, now, message, wires, ledger);
        }
    }

    #[inline(always)]
    pub(super) fn tell_law(
        &mut self,
        governed: Ringlet,
        now: u64,
        message: L::Msg,
        wires: Option<&mut Wires<'_, L::Msg>>,
        ledger: &Ledger,
    ) {
        let Some(message) = self.read(message) else { return };
        let decide = |law: &mut L, cx: &mut Cx<'_>, view: &StationView<'_>| law.on_message(cx, message, view);
        self.decide(governed, Decision::Message, now, wires, ledger, decide);
    }

    /// A message, which an audited station reads from its bytes. One that cannot be read is
    /// dropped, as a station would.
    #[inline(always)]
    fn read(&mut self, message: L::Msg) -> Option<L::Msg> {
        if self.audited { self.parse(message) } else { Some(message) }
    }

    #[cold]
    fn parse(&mut self, message: L::Msg) -> Option<L::Msg> {
        let read = L::Msg::parse(message.into_bytes());
        if let Err(error) = &read {
            self.violations.push(format!("station {}: a control frame nobody can read: {error}", self.id()));
        }
        read.ok()
    }

    pub(super) fn time_out(&mut self, ringlet: Ringlet, now: u64, wires: &mut Wires<'_, L::Msg>, ledger: &Ledger) {
        self.decide(ringlet, Decision::Timeout, now, Some(wires), ledger, |law, cx, view| law.handle_timeout(cx, view));
    }

    /// Tells the law of `ringlet` what it had only to note until `now`.
    #[inline(always)]
    fn tell_notes(&mut self, ringlet: Ringlet, now: u64, wires: &mut Wires<'_, L::Msg>) {
        let wire = &mut *wires.inbound[ringlet.opposite().index()];
        if self.audited {
            return self.tell_notes_read(ringlet, now, wire);
        }
        while let Some((came_at, message)) = wire.pop_note(now) {
            self.sides[ringlet.index()].note(came_at, message);
        }
    }

    /// The same where each message is read from its bytes.
    #[cold]
    fn tell_notes_read(&mut self, ringlet: Ringlet, now: u64, wire: &mut Wire<L::Msg>) {
        while let Some((came_at, message)) = wire.pop_note(now) {
            if let Some(message) = self.parse(message) {
                self.sides[ringlet.index()].note(came_at, message);
            }
        }
    }

    /// Shows the station to the law of `ringlet`, lets it decide, and acts.
    #[inline]
    fn decide(
        &mut self,
        ringlet: Ringlet,
        decision: Decision,
        now: u64,
        mut wires: Option<&mut Wires<'_, L::Msg>>,
        ledger: &Ledger,
        decide: impl FnOnce(&mut L, &mut Cx<'_>, &StationView<'_>),
    ) {
        if L::NOTES
            && let Some(wires) = wires.as_deref_mut()
        {
            self.tell_notes(ringlet, now, wires);
        }
        let side = &mut self.sides[ringlet.index()];
        let (link, transit) = side.mac.views(now);
        if side.mac.law.looks_at_adds(decision) {
            side.mac.add_views(now, ledger, &mut self.views);
        } else {
            self.views.clear();
        }
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut side.rng, probe: side.probe.as_probe() };
        decide(&mut side.mac.law, &mut cx, &StationView { link, transit, adds: &self.views });
        self.act_with(ringlet, now, wires, ledger);
    }

    /// Does what the law of `ringlet` wants done and asks when it wakes.
    pub fn act(&mut self, ringlet: Ringlet, now: u64, ledger: &Ledger) {
        self.act_with(ringlet, now, None, ledger);
    }

    /// The same; where links have come as far as `now`, frames go out at once.
    #[inline]
    fn act_with(&mut self, ringlet: Ringlet, now: u64, mut wires: Option<&mut Wires<'_, L::Msg>>, ledger: &Ledger) {
        while let Some(action) = self.sides[ringlet.index()].mac.law.poll_action() {
            match action {
                RingAction::SendUpstream(message) if self.guard.is_none() && L::NOTES && L::only_notes(&message) => {
                    self.send_message::<true>(ringlet.opposite(), now, message, wires.as_deref_mut());
                }
                RingAction::SendUpstream(message) if self.guard.is_none() => {
                    self.send_message::<false>(ringlet.opposite(), now, message, wires.as_deref_mut());
                }
                RingAction::SendUpstream(message) => {
                    self.send_guarded(ringlet, now, message, wires.as_deref_mut(), ledger);
                }
                RingAction::SendDownstream { message, queue } => {
                    self.send_downstream(ringlet, now, message, queue, wires.as_deref_mut());
                }
                RingAction::SetAddRate { flow, rate } => self.limit(ringlet, now, Limit::Pair(flow), rate, ledger),
                RingAction::SetStationRate { rate } => self.limit(ringlet, now, Limit::Station, rate, ledger),
                RingAction::SetBeyondRate { hops, rate } => {
                    self.limit(ringlet, now, Limit::Beyond(hops), rate, ledger);
                }
            }
        }
        let side = &mut self.sides[ringlet.index()];
        // A time gone by means now.
        let asked = side.mac.law.poll_timeout().map_or(u64::MAX, |at| at.as_nanos());
        side.timeout = side.wake_at(asked).max(now);
    }

    /// Sends a message to the upstream neighbour of the law of `ringlet` where there is protection.
    #[cold]
    #[inline(never)]
    fn send_guarded(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        message: L::Msg,
        wires: Option<&mut Wires<'_, L::Msg>>,
        ledger: &Ledger,
    ) {
        let upstream = ringlet.opposite();
        let Some(guard) = &self.guard else { return };
        if guard.folds(upstream) {
            // The next one upstream stands here, too. Were what it is told free of charge, the looped link would
            // bring more than the other one can take away beside its messages.
            self.sides[upstream.index()].mac.spend_time(now, message.wire_bytes() as u64);
            return self.take_turned(upstream, now, message, wires, ledger);
        }
        let (way, to) = if self.sides[ringlet.index()].turned || guard.is_cut_off(upstream) {
            (ringlet, Addressee::LawAtOtherEnd(ringlet))
        } else {
            (upstream, Addressee::Law(ringlet))
        };
        // What a looped link sends does not go onto the wire.
        let wires = if guard.loops(way) { None } else { wires };
        self.send_frame(way, now, Frame::Addressed { message, to }, wires);
    }

    /// Sends a message to the downstream neighbour of the law of `ringlet`.
    #[cold]
    #[inline(never)]
    fn send_downstream(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        message: L::Msg,
        queue: MessageQueue,
        wires: Option<&mut Wires<'_, L::Msg>>,
    ) {
        if !L::SENDS_DOWNSTREAM {
            self.violations.push(format!("station {}: its law promised to send nothing downstream", self.id()));
        }
        let frame = Frame::Addressed { message, to: Addressee::Law(ringlet) };
        let looped = self.guard.as_ref().is_some_and(|guard| guard.loops(ringlet));
        match queue {
            MessageQueue::Ahead => self.send_frame(ringlet, now, frame, wires.filter(|_| !looped)),
            MessageQueue::Secondary => self.sides[ringlet.index()].mac.queue_letter(now, frame),
        }
    }

    /// A frame comes up at `now` for the link of ringlet `way`.
    #[inline(always)]
    fn send_frame(&mut self, way: Ringlet, now: u64, frame: Frame<L::Msg>, wires: Option<&mut Wires<'_, L::Msg>>) {
        let wire = self.wire_now(way, now, wires);
        let mac = &mut self.sides[way.index()].mac;
        match wire {
            Some(wire) => mac.send_frame_now(now, frame, wire),
            None => mac.send_frame(now, frame),
        }
    }

    /// As [`Station::send_frame`], of a message for the law of the other ringlet, which may be only to be noted.
    #[inline(always)]
    fn send_message<const NOTE: bool>(
        &mut self,
        way: Ringlet,
        now: u64,
        message: L::Msg,
        wires: Option<&mut Wires<'_, L::Msg>>,
    ) {
        let wire = self.wire_now(way, now, wires);
        let mac = &mut self.sides[way.index()].mac;
        match wire {
            Some(wire) => mac.send_message_now::<NOTE>(now, message, wire),
            None => mac.send_frame(now, Frame::of::<NOTE>(message)),
        }
    }

    /// The wire of ringlet `way` that leaves here, if frames may go onto it as soon as they come up. At the end of a row
    /// or of the warm-up they wait until that is over, since they are no part of it.
    #[inline(always)]
    fn wire_now<'w>(
        &self,
        way: Ringlet,
        now: u64,
        wires: Option<&'w mut Wires<'_, L::Msg>>,
    ) -> Option<&'w mut Wire<L::Msg>> {
        let wires = wires.filter(|_| self.row_end.min(self.warmup_end) > now)?;
        Some(&mut *wires.outbound[way.index()])
    }

    #[inline(always)]
    fn limit(&mut self, ringlet: Ringlet, now: u64, limit: Limit, rate: BitRate, ledger: &Ledger) {
        let mac = &mut self.sides[ringlet.index()].mac;
        let capacity = mac.link.capacity();
        if self.audited && rate > capacity {
            self.violations.push(format!("station {}: a limit of {rate} on a link of {capacity}", mac.station));
        }
        if !mac.limit(now, limit, rate, ledger) {
            self.violations.push(format!("station {}: its packets join the transit queue one by one", mac.station));
        }
    }
}

impl<L: RingLaw> Side<L> {
    /// When the law is called that wants to be at `asked`.
    #[inline(always)]
    fn wake_at(&mut self, asked: u64) -> u64 {
        self.lateness.as_mut().map_or(asked, |lateness| lateness.wake(asked))
    }

    /// Tells the law what came at `came_at` only to be noted.
    #[inline(always)]
    fn note(&mut self, came_at: u64, message: L::Msg) {
        let mut cx = Cx { now: Instant::from_nanos(came_at), rng: &mut self.rng, probe: self.probe.as_probe() };
        self.mac.law.on_message(&mut cx, message, &StationView::default());
    }
}
