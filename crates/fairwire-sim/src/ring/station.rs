//! A station: its two ringlets' MACs and laws, and what happens to them in
//! order of time.
//!
//! Stations touch each other only through wires. What happens at one instant at
//! one station has a fixed order: arrivals and the ends of TCP connections, control frames
//! (ringlet 0 first), timeouts, the end of a row, and then the links' next packets.

use super::ends::{EndEvent, Ends};
use super::guard::Guard;
use super::hosts::Hosts;
use super::ledger::Ledger;
use super::mac::{Limit, Mac};
use super::packet::{Addressee, Frame, Wire};
use super::transit_queue::TransitQueue;
use crate::recorder::Recorder;
use fairwire_core::{BitRate, Cx, Instant, RandomStream, Ringlet, StationId};
use fairwire_laws::ring::{AddQueueView, Decision, MessageQueue, RingAction, RingLaw, StationView};
use fairwire_laws::{WireMessage, protection};

/// One station.
pub struct Station<L> {
    /// By ringlet.
    pub sides: [Side<L>; 2],
    /// Protection, if there is any.
    pub guard: Option<Box<Guard<L>>>,
    /// Ends of TCP connections, if there are any.
    pub ends: Option<Box<Ends>>,
    /// When the current row of the time series ends; never without detail.
    row_end: u64,
    window: u64,
    /// When the warm-up ends; never once it has.
    warmup_end: u64,
    views: Vec<AddQueueView>,
    /// What went wrong here while the run was audited.
    pub violations: Vec<String>,
    audited: bool,
    /// The latest event.
    now: u64,
}

/// A station's part in one ringlet.
pub struct Side<L> {
    pub mac: Mac<L>,
    pub probe: Recorder,
    pub series: Series,
    /// Whether a law is needed here: the ringlet carries flows.
    pub(super) governed: bool,
    pub(super) rng: RandomStream,
    /// What the law told when it was last asked.
    pub(super) timeout: u64,
    /// What circulates is on its way back from an open end of the ring.
    pub(super) turned: bool,
}

/// Rows of one link.
#[derive(Debug, Default)]
pub struct Series {
    pub sent_bytes: Vec<u32>,
    pub waiting_bytes: Vec<u32>,
    pub deepest_bytes: Vec<u32>,
}

/// A station's four wires: two come in, two go out, by ringlet.
pub struct Wires<'a> {
    pub inbound: [&'a mut Wire; 2],
    pub outbound: [&'a mut Wire; 2],
}

/// What happens next at a station beside its links' packets.
enum Event {
    /// Something for the ends of TCP connections here.
    Ends(EndEvent),
    /// A control frame arrives on this ringlet.
    Frame(Ringlet),
    /// The law of this ringlet wakes.
    Timeout(Ringlet),
    /// Protection wakes.
    Protection,
    /// The warm-up ends.
    Warm,
    /// A row of the time series ends.
    RowEnd,
}

impl<L: RingLaw> Side<L> {
    pub fn new(mac: Mac<L>, probe: Recorder, rng: RandomStream, governed: bool) -> Self {
        Self { mac, probe, series: Series::default(), governed, rng, timeout: u64::MAX, turned: false }
    }
}

impl<L: RingLaw> Station<L> {
    /// A station whose rows, if it keeps any, are `window` ns long; `audited`, it
    /// looks for broken invariants at every event.
    pub fn new(sides: [Side<L>; 2], window: Option<u64>, warmup_end: u64, audited: bool) -> Self {
        let (row_end, window) = (window.unwrap_or(u64::MAX), window.unwrap_or(0));
        Self {
            sides,
            guard: None,
            ends: None,
            row_end,
            window,
            warmup_end,
            views: Vec::new(),
            violations: Vec::new(),
            audited,
            now: 0,
        }
    }

    /// The laws begin.
    pub fn start(&mut self, ledger: &Ledger) {
        for ringlet in Ringlet::BOTH {
            let side = &mut self.sides[ringlet.index()];
            if side.governed {
                side.mac.law.start(&mut Cx { now: Instant::ZERO, rng: &mut side.rng, probe: &mut side.probe });
                self.act(ringlet, 0, ledger);
            }
        }
    }

    /// When something next happens here, as far as is known now.
    pub fn next_at(&self, inbound: [&Wire; 2]) -> u64 {
        let [zero, one] = &self.sides;
        let links = zero.mac.next_service(inbound[0]).min(one.mac.next_service(inbound[1]));
        links.min(self.next_event(inbound).0)
    }

    /// Nothing leaves here on `ringlet` sooner than this but what is already on
    /// its wire, if nothing unknown arrives before `arriving` on either ringlet.
    #[inline]
    pub fn earliest_send(&self, ringlet: Ringlet, inbound: [&Wire; 2], arriving: [u64; 2]) -> u64 {
        let (on, opposite) = (ringlet.index(), ringlet.opposite().index());
        let side = &self.sides[on];
        if side.mac.has_to_send() {
            return side.mac.link.free_at();
        }
        // Data and frames that arrive here, and own packets, may go on at once.
        let passing = inbound[on].data.next_at().min(inbound[on].next_frame_at()).min(arriving[on]);
        let own = side.mac.next_own_at();
        // The other ringlet's law sends here, this one's may let own packets go sooner.
        let laws = self.sides[on].timeout.min(self.sides[opposite].timeout).min(self.protection_at());
        let freed = if side.mac.adds_nothing() && !L::SENDS_DOWNSTREAM && self.guard.is_none() {
            u64::MAX
        } else {
            inbound[opposite].next_frame_at().min(arriving[opposite])
        };
        // Whoever answers here, or acts by itself, may have something to send at once.
        let answers = match &self.ends {
            Some(ends) => ends.next(inbound).0.min(arriving[0]).min(arriving[1]),
            None => u64::MAX,
        };
        side.mac.link.free_at().max(passing.min(own).min(laws).min(freed).min(answers))
    }

    /// Everything that happens here before `stop`.
    pub fn advance(&mut self, stop: u64, wires: &mut Wires<'_>, ledger: &mut Ledger, hosts: &mut Hosts) {
        if stop == 0 {
            return;
        }
        loop {
            let (at, event) = self.next_event([wires.inbound[0], wires.inbound[1]]);
            if at >= stop {
                return self.run_links(stop, stop - 1, wires, ledger);
            }
            self.run_links(at, at, wires, ledger);
            if self.audited {
                self.audit(at);
            }
            match event {
                Event::Ends(event) => self.handle_ends(at, event, wires, ledger, hosts),
                Event::Frame(ringlet) => self.take_frame(ringlet, wires, ledger),
                Event::Timeout(ringlet) => self.time_out(ringlet, at, ledger),
                Event::Protection => self.wake_protection(at, ledger),
                Event::Warm => self.begin_measuring(),
                Event::RowEnd => self.end_row(hosts),
            }
        }
    }

    /// The first of what happens to ends of connections, and of all else; at one instant in this order.
    #[inline(always)]
    fn next_event(&self, inbound: [&Wire; 2]) -> (u64, Event) {
        let next = self.next_event_but_ends([inbound[0].next_frame_at(), inbound[1].next_frame_at()]);
        match &self.ends {
            None => next,
            Some(ends) => {
                let (at, event) = ends.next(inbound);
                if at <= next.0 { (at, Event::Ends(event)) } else { next }
            }
        }
    }

    /// The first of frames, timeouts, the warm-up's end and row ends; at one instant in this order.
    #[inline(always)]
    fn next_event_but_ends(&self, frames: [u64; 2]) -> (u64, Event) {
        let timeouts = [self.sides[0].timeout, self.sides[1].timeout];
        let (frame, timeout) = (frames[0].min(frames[1]), timeouts[0].min(timeouts[1]));
        let first = |of: [u64; 2]| if of[0] <= of[1] { Ringlet::Zero } else { Ringlet::One };
        let bookkeeping = self.warmup_end.min(self.row_end);
        let protection = self.protection_at();
        if protection < frame.min(timeout) && protection <= bookkeeping {
            (protection, Event::Protection)
        } else if frame <= timeout && frame <= bookkeeping {
            (frame, Event::Frame(first(frames)))
        } else if timeout <= bookkeeping {
            (timeout, Event::Timeout(first(timeouts)))
        } else if self.warmup_end <= self.row_end {
            (self.warmup_end, Event::Warm)
        } else {
            (self.row_end, Event::RowEnd)
        }
    }

    #[inline]
    fn protection_at(&self) -> u64 {
        self.guard.as_ref().map_or(u64::MAX, |guard| guard.next_at())
    }

    /// The links' packets before `stop`, and arrivals up to and including `until`.
    #[inline]
    fn run_links(&mut self, stop: u64, until: u64, wires: &mut Wires<'_>, ledger: &mut Ledger) {
        if let Some(guard) = &self.guard {
            guard.contain(until, &mut wires.inbound, ledger);
        }
        let lanes = wires.inbound.iter_mut().zip(wires.outbound.iter_mut());
        for (side, (inbound, outbound)) in self.sides.iter_mut().zip(lanes) {
            side.mac.run(stop, until, inbound, outbound, ledger);
        }
        ledger.judge_order();
    }

    /// A frame on one ringlet speaks of the other if it came up from downstream there.
    fn take_frame(&mut self, ringlet: Ringlet, wires: &mut Wires<'_>, ledger: &Ledger) {
        let Some((now, frame)) = wires.inbound[ringlet.index()].pop_frame() else { return };
        let governed = match frame.to {
            Addressee::Protection => {
                let event = protection::Event::Frame { ringlet, bytes: frame.bytes };
                return self.tell_protection(now, event, ledger);
            }
            Addressee::Law(governed) | Addressee::LawAtOtherEnd(governed) => governed,
        };
        self.tell_protection(now, protection::Event::Heard { ringlet }, ledger);
        if let Some(guard) = &self.guard {
            if guard.is_resting() {
                return;
            }
            let back = matches!(frame.to, Addressee::LawAtOtherEnd(_)) && !guard.is_cut_off(ringlet);
            if back && !L::TURNS {
                return self.sides[ringlet.index()].mac.send_frame(now, frame);
            }
            self.sides[governed.index()].turned = back;
        }
        match L::Msg::parse(frame.bytes) {
            Ok(message) => {
                let decide =
                    |law: &mut L, cx: &mut Cx<'_, Recorder>, view: &StationView<'_>| law.on_message(cx, message, view);
                self.decide(governed, Decision::Message, now, ledger, decide);
            }
            // It is dropped, as a station would.
            Err(error) => {
                self.violations.push(format!("station {}: a control frame nobody can read: {error}", self.id()))
            }
        }
    }

    fn time_out(&mut self, ringlet: Ringlet, now: u64, ledger: &Ledger) {
        self.decide(ringlet, Decision::Timeout, now, ledger, |law, cx, view| law.handle_timeout(cx, view));
    }

    /// Shows the station to the law of `ringlet`, lets it decide, and acts.
    fn decide(
        &mut self,
        ringlet: Ringlet,
        decision: Decision,
        now: u64,
        ledger: &Ledger,
        decide: impl FnOnce(&mut L, &mut Cx<'_, Recorder>, &StationView<'_>),
    ) {
        let side = &mut self.sides[ringlet.index()];
        let link = side.mac.link_view(now);
        let transit = side.mac.transit_view();
        if side.mac.law.looks_at_adds(decision) {
            side.mac.add_views(now, ledger, &mut self.views);
        } else {
            self.views.clear();
        }
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut side.rng, probe: &mut side.probe };
        decide(&mut side.mac.law, &mut cx, &StationView { link, transit, adds: &self.views });
        self.act(ringlet, now, ledger);
    }

    /// Time does not go back, and a queue holds what it says and no more than fits.
    fn audit(&mut self, at: u64) {
        if at < self.now {
            self.violations.push(format!("station {}: time goes back from {} to {at} ns", self.id(), self.now));
        }
        self.now = at;
        let id = self.id();
        for side in &self.sides {
            let wrong = side.mac.transit_queues().filter_map(TransitQueue::violation);
            self.violations.extend(wrong.map(|wrong| format!("station {id}: {wrong}")));
        }
    }

    /// Does what the law of `ringlet` wants done and asks when it wakes.
    pub(super) fn act(&mut self, ringlet: Ringlet, now: u64, ledger: &Ledger) {
        while let Some(action) = self.sides[ringlet.index()].mac.law.poll_action() {
            match action {
                RingAction::SendUpstream(message) => {
                    let upstream = ringlet.opposite();
                    let turned = self.sides[ringlet.index()].turned;
                    let open_here = self.guard.as_ref().is_some_and(|guard| guard.is_cut_off(upstream));
                    let (way, to) = if turned || open_here {
                        (ringlet, Addressee::LawAtOtherEnd(ringlet))
                    } else {
                        (upstream, Addressee::Law(ringlet))
                    };
                    self.sides[way.index()].mac.send_frame(now, Frame { bytes: message.into_bytes(), to });
                }
                RingAction::SendDownstream { message, queue } => {
                    if !L::SENDS_DOWNSTREAM {
                        self.violations
                            .push(format!("station {}: its law promised to send nothing downstream", self.id()));
                    }
                    let frame = Frame { bytes: message.into_bytes(), to: Addressee::Law(ringlet) };
                    let mac = &mut self.sides[ringlet.index()].mac;
                    match queue {
                        MessageQueue::Ahead => mac.send_frame(now, frame),
                        MessageQueue::Secondary => mac.queue_letter(now, frame),
                    }
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
        side.timeout = side.mac.law.poll_timeout().map_or(u64::MAX, |at| at.as_nanos().max(now));
    }

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

    fn begin_measuring(&mut self) {
        self.sides.iter_mut().for_each(|side| side.mac.link.begin_measuring());
        self.warmup_end = u64::MAX;
    }

    fn end_row(&mut self, hosts: &mut Hosts) {
        if let Some(ends) = &self.ends {
            hosts.sample(self.row_end, &ends.ends);
        }
        self.close_row();
    }

    fn close_row(&mut self) {
        for side in &mut self.sides {
            let (waiting, deepest) = side.mac.close_queue_row();
            side.series.waiting_bytes.push(waiting);
            side.series.deepest_bytes.push(deepest);
            side.series.sent_bytes.push(side.mac.link.close_row());
        }
        self.row_end += self.window;
    }

    /// Ends the last row, however short, so that there are `rows` of them, and
    /// a warm-up that lasted until now.
    pub fn finish(&mut self, end: u64, rows: usize) {
        self.sides.iter_mut().for_each(|side| side.mac.finish(end));
        if self.warmup_end < u64::MAX {
            self.begin_measuring();
        }
        while self.window > 0 && self.sides[0].series.sent_bytes.len() < rows {
            self.close_row();
        }
    }

    /// The station's number.
    pub fn id(&self) -> StationId {
        StationId(self.sides[0].mac.station)
    }
}
