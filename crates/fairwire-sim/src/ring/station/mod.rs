//! A station: its two ringlets' MACs and laws, and what happens to them in
//! order of time.
//!
//! Stations touch each other only through wires. What happens at one instant at
//! one station has a fixed order: arrivals and the ends of TCP connections, control frames
//! (ringlet 0 first), timeouts, the end of a row, and then the links' next packets.

mod decide;
mod ends;
mod foresight;
mod governor;
mod hosts;
mod rest;

pub use ends::{EndEvent, Ends};
pub use governor::{Govern, MakeLaw, maker, outside_maker};
pub use hosts::{Address, Bringer, Door, Effort, Hosts};

use self::rest::Resting;
use crate::recorder::Recorder;
use crate::ring::adds::QueueState;
use crate::ring::books::Ledger;
use crate::ring::lateness::Lateness;
use crate::ring::mac::{Mac, TransitQueue};
use crate::ring::protection::{Guard, Wrap};
use crate::ring::wire::{Addressee, Frame, Wire};
use fairwire_core::{RandomStream, Ringlet, StationId};
use fairwire_laws::protection;
use fairwire_laws::ring::{AddQueueView, LinkCounters, RingNeeds, SiteChange};

/// One station.
pub struct Station {
    /// By ringlet.
    pub sides: [Side; 2],
    /// Protection, if there is any.
    pub guard: Option<Box<Guard>>,
    /// Ends of TCP connections, if there are any.
    pub ends: Option<Box<Ends>>,
    /// What the law needs of the ring, and whether it ever sends advice.
    pub(super) needs: RingNeeds,
    pub(super) sends_advice: bool,
    /// Whether laws here send each other nothing but advice.
    advice_alone: bool,
    /// When the current row of the time series ends; never without detail.
    pub(super) row_end: u64,
    window: u64,
    /// When the warm-up ends, or something of the site changes, whichever is first; never once nothing more comes.
    pub(super) milestone_at: u64,
    /// When the warm-up ends; never once it has.
    warmup_end: u64,
    /// What of the site becomes another, the next change at the end.
    changes: Vec<SiteEvent>,
    /// Scratch for looks at add queues.
    pub(super) states: Vec<QueueState>,
    /// What went wrong here while the run was audited.
    pub violations: Vec<String>,
    pub(super) audited: bool,
    /// The latest event.
    now: u64,
}

/// Something of where laws stand becomes another.
#[derive(Clone, Copy, Debug)]
pub struct SiteEvent {
    /// When.
    pub at: u64,
    /// The ringlet that it is about; none if about both.
    pub ringlet: Option<Ringlet>,
    /// What.
    pub change: SiteChange,
}

/// A station's part in one ringlet.
pub struct Side {
    pub mac: Mac,
    /// The law, but while it acts on its station.
    pub law: Option<Box<dyn Govern>>,
    /// The add queues as the law last read them, and how often each had become empty by then.
    adds: Vec<AddQueueView>,
    emptied: Vec<u64>,
    pub probe: Recorder,
    pub series: Series,
    /// Whether a law is needed here: the ringlet carries flows.
    pub(super) governed: bool,
    pub(super) rng: RandomStream,
    /// When the law is called: what it told when it was last asked, or later.
    pub(super) timeout: u64,
    /// How often it has been called at one time since it last wanted to be called later.
    pub(super) wakes_at_once: u32,
    /// How much later, if it is called late.
    lateness: Option<Box<Lateness>>,
    resting: Resting,
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
pub(super) enum Event {
    /// Something for the ends of TCP connections here.
    Ends(EndEvent),
    /// A control frame arrives on this ringlet.
    Frame(Ringlet),
    /// The law of this ringlet wakes.
    Timeout(Ringlet),
    /// Protection wakes.
    Protection,
    /// The warm-up ends, or something of the site becomes another.
    Milestone,
    /// A row of the time series ends.
    RowEnd,
}

impl Side {
    pub fn new(
        mac: Mac,
        law: Box<dyn Govern>,
        probe: Recorder,
        rng: RandomStream,
        governed: bool,
        lateness: Option<Box<Lateness>>,
    ) -> Self {
        Self {
            mac,
            law: Some(law),
            adds: Vec::new(),
            emptied: Vec::new(),
            probe,
            series: Series::default(),
            governed,
            rng,
            timeout: u64::MAX,
            wakes_at_once: 0,
            lateness,
            resting: Resting::Never,
            turned: false,
        }
    }

    /// Another law takes the place of the one that was here, and finds nothing counted.
    pub fn renew_law(&mut self, law: Box<dyn Govern>, counters: LinkCounters) {
        (self.law, self.mac.counters) = (Some(law), counters);
        self.adds.clear();
        self.emptied.clear();
    }

    /// Whether the law has not begun yet: others began before it.
    #[inline(always)]
    pub(super) fn is_to_begin(&self) -> bool {
        self.lateness.as_ref().is_some_and(|lateness| lateness.begins_at().is_some())
    }

    /// The law begins; what follows is left to [`Station::act`].
    pub fn start_law(&mut self, now: u64, ledger: &Ledger) {
        if let Some(lateness) = &mut self.lateness {
            lateness.begin();
        }
        if let Some(mut law) = self.law.take() {
            law.start(self, now, ledger);
            self.law = Some(law);
        }
    }

    /// New on a ring that is at work, the law limits what it knows enough of; what follows is left to [`Station::act`].
    pub fn prepare_law(&mut self, now: u64, ledger: &Ledger) {
        if let Some(mut law) = self.law.take() {
            law.prepare(self, now, ledger);
            self.law = Some(law);
        }
    }
}

impl Station {
    /// A station whose rows, if it keeps any, are `window` ns long; `audited`, it
    /// looks for broken invariants at every event.
    pub fn new(
        sides: [Side; 2],
        (needs, sends_advice): (RingNeeds, bool),
        window: Option<u64>,
        warmup_end: u64,
        audited: bool,
    ) -> Self {
        let advice_alone = sides
            .iter()
            .filter(|side| side.governed)
            .all(|side| side.law.as_ref().is_some_and(|law| law.sends_only_advice()));
        let (row_end, window) = (window.unwrap_or(u64::MAX), window.unwrap_or(0));
        Self {
            sides,
            guard: None,
            ends: None,
            needs,
            sends_advice,
            advice_alone,
            row_end,
            window,
            milestone_at: warmup_end,
            warmup_end,
            changes: Vec::new(),
            states: Vec::new(),
            violations: Vec::new(),
            audited,
            now: 0,
        }
    }

    /// The laws begin, now or each at its time.
    pub fn start(&mut self, ledger: &Ledger) {
        for ringlet in Ringlet::BOTH {
            let side = &mut self.sides[ringlet.index()];
            match side.lateness.as_ref().and_then(|lateness| lateness.begins_at()) {
                _ if !side.governed => {}
                Some(begins_at) => side.timeout = begins_at,
                None => self.begin_law(ringlet, 0, ledger),
            }
        }
    }

    /// The law of `ringlet` begins.
    pub(super) fn begin_law(&mut self, ringlet: Ringlet, now: u64, ledger: &Ledger) {
        self.sides[ringlet.index()].start_law(now, ledger);
        self.act(ringlet, now, ledger);
    }

    /// Whether the station wraps when a span is dead. What that takes is built apart, so that other
    /// rings do not pay for it.
    #[inline(always)]
    pub(super) fn wraps(&self) -> bool {
        self.guard.as_ref().is_some_and(|guard| guard.wrap.is_some())
    }

    /// Everything that happens here before `stop`, up to which this takes the station. But if the link of ringlet `leave`
    /// has nothing to send, what comes after the last event, which is packets of the other link, if any pass, is left for
    /// another time; and so is what is left to do once ends of connections have done enough ([`Effort`]). Returns how far it got.
    pub fn advance(
        &mut self,
        stop: u64,
        leave: Option<Ringlet>,
        wires: &mut Wires<'_>,
        ledger: &mut Ledger,
        hosts: &mut Hosts,
    ) -> u64 {
        match self.wraps() {
            _ if stop == 0 => 0,
            false if self.is_undisturbed(stop) => self.go_from_timeout_to_timeout(stop, wires, ledger),
            true => self.advance_wrapping(stop, wires, ledger, hosts),
            false => self.advance_as::<false>(stop, leave, wires, ledger, hosts),
        }
    }

    #[inline(never)]
    fn advance_wrapping(&mut self, stop: u64, wires: &mut Wires<'_>, ledger: &mut Ledger, hosts: &mut Hosts) -> u64 {
        self.advance_as::<true>(stop, None, wires, ledger, hosts)
    }

    /// Whether nothing happens before `stop` but packets and laws' timeouts.
    #[inline(always)]
    fn is_undisturbed(&self, stop: u64) -> bool {
        let at_work = self.sides[0].resting == Resting::Never;
        let advised = self.only_advice() && self.ends.is_none() && !self.audited;
        advised && at_work && self.milestone_at.min(self.row_end) >= stop
    }

    /// As [`Station::advance`] where there is nothing else to wait for.
    #[inline(always)]
    fn go_from_timeout_to_timeout(&mut self, stop: u64, wires: &mut Wires<'_>, ledger: &mut Ledger) -> u64 {
        loop {
            let [zero, one] = [self.sides[0].timeout, self.sides[1].timeout];
            let (at, ringlet) = if zero <= one { (zero, Ringlet::Zero) } else { (one, Ringlet::One) };
            let (links_stop, until) = if at < stop { (at, at) } else { (stop, stop - 1) };
            self.run_links(links_stop, until, wires, ledger);
            if at >= stop {
                return stop;
            }
            self.time_out(ringlet, at, wires, ledger);
        }
    }

    #[inline(always)]
    fn advance_as<const WRAPS: bool>(
        &mut self,
        stop: u64,
        leave: Option<Ringlet>,
        wires: &mut Wires<'_>,
        ledger: &mut Ledger,
        hosts: &mut Hosts,
    ) -> u64 {
        let mut reached = 0;
        loop {
            let inbound = [&*wires.inbound[0], &*wires.inbound[1]];
            let (at, event) = self.next_event::<WRAPS>(inbound);
            if WRAPS {
                // What turns here may be an event in its turn.
                let known = self.known_until(inbound);
                if known < at && known + 1 < stop {
                    self.run_links_as::<WRAPS>(known + 1, known, wires, ledger);
                    continue;
                }
            }
            let is_over = at >= stop;
            if is_over && leave.is_some_and(|ringlet| !self.sides[ringlet.index()].mac.has_to_send()) {
                let none_left = self.sides.iter().all(|side| !side.mac.packets_pass && !side.mac.has_to_send());
                return if none_left { stop } else { reached };
            }
            if self.sends_advice
                && let Event::Timeout(ringlet) = event
                && self.sides[ringlet.index()].resting != Resting::Never
                && !is_over
            {
                let others = self.next_event_but_timeout(ringlet, inbound);
                if let Some(last) = self.rest(ringlet, at, stop.min(others), wires) {
                    reached = last;
                    continue;
                }
            }
            let (links_stop, until) = if is_over { (stop, stop - 1) } else { (at, at) };
            self.run_links_as::<WRAPS>(links_stop, until, wires, ledger);
            if is_over {
                return stop;
            }
            reached = at;
            if self.audited {
                self.audit(at);
            }
            match event {
                Event::Ends(event) => {
                    self.handle_ends(at, event, wires, ledger, hosts);
                    if hosts.effort.add() {
                        return at;
                    }
                }
                Event::Frame(ringlet) => self.take_frame(ringlet, wires, ledger),
                Event::Timeout(ringlet) => self.time_out(ringlet, at, wires, ledger),
                Event::Protection => self.wake_protection(at, ledger),
                Event::Milestone => self.reach_milestone(at, ledger),
                Event::RowEnd => self.end_row(hosts),
            }
        }
    }

    /// The first of what happens to ends of connections, and of all else; at one instant in this order.
    #[inline(always)]
    pub(super) fn next_event<const WRAPS: bool>(&self, inbound: [&Wire; 2]) -> (u64, Event) {
        let frames = [inbound[0].next_frame_at(), inbound[1].next_frame_at()];
        let frames = if WRAPS { self.or_turning(frames, Wrap::next_frame_at) } else { frames };
        let next = self.next_event_but_ends(frames);
        match &self.ends {
            None => next,
            Some(ends) => {
                let (at, event) = ends.next(self.ending_at::<WRAPS>(inbound));
                if at <= next.0 { (at, Event::Ends(event)) } else { next }
            }
        }
    }

    /// When something else than the law of `ringlet` next happens here beside links' packets.
    fn next_event_but_timeout(&mut self, ringlet: Ringlet, inbound: [&Wire; 2]) -> u64 {
        let timeout = std::mem::replace(&mut self.sides[ringlet.index()].timeout, u64::MAX);
        let next = self.next_event::<false>(inbound).0;
        self.sides[ringlet.index()].timeout = timeout;
        next
    }

    /// When the next packet arrives on each ringlet that somebody here answers to.
    #[inline]
    pub(super) fn ending_at<const WRAPS: bool>(&self, inbound: [&Wire; 2]) -> [u64; 2] {
        let on_wires = inbound.map(|wire| wire.ending.next_at());
        if WRAPS { self.or_turning(on_wires, Wrap::next_ending_at) } else { on_wires }
    }

    /// The first of what arrives on each ringlet over the wire, and of what turns here.
    pub(super) fn or_turning(&self, on_wires: [u64; 2], turning: impl Fn(&Wrap, Ringlet) -> u64) -> [u64; 2] {
        match self.guard.as_ref().and_then(|guard| guard.wrap.as_ref()) {
            None => on_wires,
            Some(wrap) => Ringlet::BOTH.map(|ringlet| on_wires[ringlet.index()].min(turning(wrap, ringlet))),
        }
    }

    /// The first of frames, timeouts, the warm-up's end and row ends; at one instant in this order.
    #[inline(always)]
    fn next_event_but_ends(&self, frames: [u64; 2]) -> (u64, Event) {
        let timeouts = [self.sides[0].timeout, self.sides[1].timeout];
        let (frame, timeout) = (frames[0].min(frames[1]), timeouts[0].min(timeouts[1]));
        let first = |of: [u64; 2]| if of[0] <= of[1] { Ringlet::Zero } else { Ringlet::One };
        let bookkeeping = self.milestone_at.min(self.row_end);
        let protection = self.protection_at();
        if protection < frame.min(timeout) && protection <= bookkeeping {
            (protection, Event::Protection)
        } else if frame <= timeout && frame <= bookkeeping {
            (frame, Event::Frame(first(frames)))
        } else if timeout <= bookkeeping {
            (timeout, Event::Timeout(first(timeouts)))
        } else if self.milestone_at <= self.row_end {
            (self.milestone_at, Event::Milestone)
        } else {
            (self.row_end, Event::RowEnd)
        }
    }

    #[inline]
    pub(super) fn protection_at(&self) -> u64 {
        self.guard.as_ref().map_or(u64::MAX, |guard| guard.next_at())
    }

    #[inline(always)]
    fn run_links_as<const WRAPS: bool>(&mut self, stop: u64, until: u64, wires: &mut Wires<'_>, ledger: &mut Ledger) {
        match WRAPS {
            true => self.run_wrapping_links(stop, until, wires, ledger),
            false => self.run_links(stop, until, wires, ledger),
        }
    }

    /// The links' packets before `stop`, and arrivals up to and including `until`.
    #[inline(always)]
    fn run_links(&mut self, stop: u64, until: u64, wires: &mut Wires<'_>, ledger: &mut Ledger) {
        if let Some(guard) = &self.guard {
            guard.contain(until, &mut wires.inbound, ledger);
        }
        let ([zero, one], Wires { inbound: [in_zero, in_one], outbound: [out_zero, out_one] }) =
            (&mut self.sides, wires);
        zero.mac.run(stop, until, in_zero, out_zero, ledger);
        one.mac.run(stop, until, in_one, out_one, ledger);
        ledger.judge_order();
    }

    /// A frame on one ringlet speaks of the other if it came up from downstream there.
    fn take_frame(&mut self, ringlet: Ringlet, wires: &mut Wires<'_>, ledger: &Ledger) {
        let wire = &mut wires.inbound[ringlet.index()];
        if let Some(wrap) = self.guard.as_mut().and_then(|guard| guard.wrap.as_mut())
            && let Some((now, message)) = wrap.pop_message(ringlet, wire.next_frame_at())
        {
            return self.take_turned(ringlet, now, message, Some(wires), ledger);
        }
        let (now, message, to) = if let Some((now, message)) = wire.pop_message() {
            (now, message, Addressee::Law(ringlet.opposite()))
        } else {
            match wire.pop_frame() {
                None => return,
                Some((now, Frame::Protection(bytes))) => {
                    return self.tell_protection(now, protection::Event::Frame { ringlet, bytes }, ledger);
                }
                Some((now, Frame::Addressed { message, to })) => (now, message, to),
                // A wire keeps advice apart.
                Some((now, Frame::Law(message) | Frame::Advice(message))) => {
                    (now, message, Addressee::Law(ringlet.opposite()))
                }
            }
        };
        let (Addressee::Law(governed) | Addressee::LawAtOtherEnd(governed)) = to;
        self.tell_protection(now, protection::Event::Heard { ringlet }, ledger);
        if let Some(guard) = &self.guard {
            if guard.is_resting() {
                return;
            }
            let back = matches!(to, Addressee::LawAtOtherEnd(_)) && !guard.is_cut_off(ringlet);
            if back && !self.needs.turns {
                return self.sides[ringlet.index()].mac.send_frame(now, Frame::Addressed { message, to });
            }
            self.sides[governed.index()].turned = back;
        }
        self.tell_law(governed, now, message, Some(wires), ledger);
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

    fn begin_measuring(&mut self) {
        self.sides.iter_mut().for_each(|side| side.mac.link.begin_measuring());
        self.warmup_end = u64::MAX;
    }

    /// Of its site this becomes another, each change at its time.
    pub fn expect_changes(&mut self, mut changes: Vec<SiteEvent>) {
        changes.sort_by_key(|change| change.at);
        changes.reverse();
        self.changes = changes;
        self.find_milestone();
    }

    /// When something of the site next becomes another.
    #[inline]
    pub(super) fn next_change_at(&self) -> u64 {
        self.changes.last().map_or(u64::MAX, |change| change.at)
    }

    fn find_milestone(&mut self) {
        self.milestone_at = self.warmup_end.min(self.next_change_at());
    }

    #[cold]
    fn reach_milestone(&mut self, now: u64, ledger: &Ledger) {
        if self.warmup_end <= now {
            self.begin_measuring();
        }
        while let Some(event) = self.changes.pop_if(|change| change.at <= now) {
            self.change_link(now, event, ledger);
            self.tell_change(now, event, ledger);
        }
        self.find_milestone();
    }

    /// A link that leaves here carries more or less than before.
    fn change_link(&mut self, now: u64, SiteEvent { ringlet, change, .. }: SiteEvent, ledger: &Ledger) {
        if let (Some(ringlet), SiteChange::Capacity { link, capacity }) = (ringlet, change)
            && link == self.id()
        {
            self.sides[ringlet.index()].mac.set_capacity(now, capacity, ledger);
        }
    }

    /// Laws hear of a change by the numbers that they go by; those that rest until the topology has settled begin with it.
    fn tell_change(&mut self, now: u64, SiteEvent { ringlet, change, .. }: SiteEvent, ledger: &Ledger) {
        let told = match &mut self.guard {
            None => vec![(ringlet, change)],
            Some(guard) => guard.change(ringlet, change),
        };
        for ringlet in Ringlet::BOTH {
            if !self.sides[ringlet.index()].governed {
                continue;
            }
            for (_, change) in told.iter().filter(|(of, _)| of.is_none_or(|of| of == ringlet)) {
                self.with_law(ringlet, |law, station| law.on_change(station, ringlet, now, *change, ledger));
            }
        }
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
