//! How a law's actions are done, and what a law is shown of its station's queues.

use super::governor::Govern;
use super::{Side, Station, Wires};
use crate::ring::adds::QueueState;
use crate::ring::books::Ledger;
use crate::ring::mac::Limit;
use crate::ring::wire::{Addressee, Frame, Wire};
use fairwire_core::{BitRate, Instant, Ringlet};
use fairwire_laws::PackedMessage;
use fairwire_laws::ring::{AddQueueView, MessageQueue, Sends};

/// So often a law may wake at one time.
const MOST_WAKES_AT_ONCE: u32 = 10_000;

impl Station {
    /// A message for the law of `ringlet` comes from that of the other one, here.
    #[cold]
    #[inline(never)]
    pub(super) fn take_turned(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        message: PackedMessage,
        wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    ) {
        if self.guard.as_ref().is_some_and(|guard| !guard.is_resting()) {
            self.tell_law(ringlet, now, message, wires, ledger);
        }
    }

    /// A message has come for the law of `governed`. Before that law begins nobody hears it.
    #[inline]
    pub(super) fn tell_law(
        &mut self,
        governed: Ringlet,
        now: u64,
        message: PackedMessage,
        wires: Option<&mut Wires<'_>>,
        ledger: &Ledger,
    ) {
        if self.sides[governed.index()].is_to_begin() {
            return;
        }
        self.with_law(governed, |law, station| law.on_message(station, governed, now, message, wires, ledger));
    }

    /// The law of `ringlet` wakes, or begins.
    #[inline(always)]
    pub(super) fn time_out(&mut self, ringlet: Ringlet, now: u64, wires: &mut Wires<'_>, ledger: &Ledger) {
        if self.sides[ringlet.index()].is_to_begin() {
            return self.begin_law(ringlet, now, ledger);
        }
        self.with_law(ringlet, |law, station| law.time_out(station, ringlet, now, wires, ledger));
        let side = &mut self.sides[ringlet.index()];
        if side.timeout == now {
            self.wakes_again(ringlet, now);
        } else {
            side.wakes_at_once = 0;
        }
    }

    /// The law of `ringlet` wants to wake at once again. One that never wants anything else would keep the run for ever.
    #[cold]
    fn wakes_again(&mut self, ringlet: Ringlet, now: u64) {
        let side = &mut self.sides[ringlet.index()];
        side.wakes_at_once += 1;
        if side.wakes_at_once >= MOST_WAKES_AT_ONCE {
            side.timeout = u64::MAX;
        }
        if side.wakes_at_once == MOST_WAKES_AT_ONCE {
            let id = self.id();
            self.violations.push(format!(
                "station {id}: the law wakes {MOST_WAKES_AT_ONCE} times at {now} ns, and wants to once more"
            ));
        }
    }

    /// Does what the law of `ringlet` wants done and asks when it wakes.
    pub fn act(&mut self, ringlet: Ringlet, now: u64, ledger: &Ledger) {
        self.with_law(ringlet, |law, station| law.act(station, ringlet, now, None, ledger));
    }

    /// Calls the law of `ringlet`, which acts on the station that it is taken out of meanwhile.
    #[inline(always)]
    pub fn with_law(&mut self, ringlet: Ringlet, call: impl FnOnce(&mut dyn Govern, &mut Station)) {
        if let Some(mut law) = self.sides[ringlet.index()].law.take() {
            call(&mut *law, self);
            self.sides[ringlet.index()].law = Some(law);
        }
    }

    /// Sends a message to the upstream neighbour of the law of `ringlet` where there is protection.
    #[cold]
    #[inline(never)]
    pub(super) fn send_guarded(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        message: PackedMessage,
        wires: Option<&mut Wires<'_>>,
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
    pub(super) fn send_downstream(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        message: PackedMessage,
        queue: MessageQueue,
        wires: Option<&mut Wires<'_>>,
    ) {
        if self.needs.sends != Sends::BothWays {
            self.violations.push(format!("station {}: its law tells that it sends nothing downstream", self.id()));
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
    fn send_frame(&mut self, way: Ringlet, now: u64, frame: Frame, wires: Option<&mut Wires<'_>>) {
        let wire = self.wire_now(way, now, wires);
        let mac = &mut self.sides[way.index()].mac;
        match wire {
            Some(wire) => mac.send_frame_now(now, frame, wire),
            None => mac.send_frame(now, frame),
        }
    }

    /// As [`Station::send_frame`], of a message for the law of the other ringlet, which may be advice.
    #[inline(always)]
    pub(super) fn send_message<const ADVICE: bool>(
        &mut self,
        way: Ringlet,
        now: u64,
        message: PackedMessage,
        wires: Option<&mut Wires<'_>>,
    ) {
        let wire = self.wire_now(way, now, wires);
        let mac = &mut self.sides[way.index()].mac;
        match wire {
            Some(wire) => mac.send_message_now::<ADVICE>(now, message, wire),
            None => mac.send_frame(now, Frame::of::<ADVICE>(message)),
        }
    }

    /// The wire of ringlet `way` that leaves here, if frames may go onto it as soon as they come up. At the end of a row
    /// or of the warm-up they wait until that is over, since they are no part of it.
    #[inline(always)]
    fn wire_now<'w>(&self, way: Ringlet, now: u64, wires: Option<&'w mut Wires<'_>>) -> Option<&'w mut Wire> {
        let wires = wires.filter(|_| self.row_end.min(self.milestone_at) > now)?;
        Some(&mut *wires.outbound[way.index()])
    }

    #[inline(always)]
    pub(super) fn limit(&mut self, ringlet: Ringlet, now: u64, limit: Limit, rate: BitRate, ledger: &Ledger) {
        let mac = &mut self.sides[ringlet.index()].mac;
        if let Limit::Pair(pair) = limit
            && pair >= mac.pairs()
        {
            let problem = format!("a limit of flow {pair}, where {} begin, numbered from 0", mac.pairs());
            return self.violations.push(format!("station {}: {problem}", mac.station));
        }
        let capacity = mac.link.capacity();
        if self.audited && rate > capacity {
            self.violations.push(format!("station {}: a limit of {rate} on a link of {capacity}", mac.station));
        }
        if !mac.limit(now, limit, rate, ledger) {
            self.violations.push(format!("station {}: its packets join the transit queue one by one", mac.station));
        }
    }
}

impl Side {
    /// When the law is called that wants to be at `asked`.
    #[inline(always)]
    pub(super) fn wake_at(&mut self, asked: u64) -> u64 {
        self.lateness.as_mut().map_or(asked, |lateness| lateness.wake(asked))
    }

    /// Brings what the law is shown of the add queues up to `now`.
    #[inline]
    pub(super) fn look_at_adds(&mut self, now: u64, ledger: &Ledger, states: &mut Vec<QueueState>) {
        self.mac.queue_states(now, ledger, states);
        self.adds.resize(states.len(), AddQueueView::default());
        self.emptied.resize(states.len(), 0);
        for ((view, emptied), state) in self.adds.iter_mut().zip(&mut self.emptied).zip(states) {
            let waited = view.waits_since.filter(|_| state.ran_empty == *emptied);
            *emptied = state.ran_empty;
            *view = AddQueueView {
                packets: state.packets,
                bytes: state.bytes,
                offered_bytes: state.offered_bytes,
                // It waits now; if it was never empty between two looks, it has waited since the first.
                waits_since: (state.packets > 0).then(|| waited.unwrap_or(Instant::from_nanos(now))),
            };
        }
    }
}
