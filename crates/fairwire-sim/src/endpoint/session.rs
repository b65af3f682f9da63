//! A micro-flow of TCP connections: both ends of all of them.
//!
//! Its driver brings segments and acknowledgements, takes what is to be sent, and wakes
//! it when it says so. Senders and receivers may be woken apart, each in an order of time of
//! its own, as long as nothing arrives before it was sent. A segment that comes after its connection's place has been
//! taken by another is answered as its own receiver would: with an acknowledgement,
//! which its sender, being done, would not look at.

use super::connection::{Connection, Load};
use super::schedule::Schedule;
use super::timers::Timers;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{
    Ack, ControlChoice, Receiver, Recovery, SackBlocks, Segment, Sender, SenderCounts, TcpSettings, Waited,
};
use fairwire_plan::{TcpPlan, Transfer, WindowSample};

/// A micro-flow has so many connections open at most.
const MOST_CONNECTIONS: usize = 1 << 16;

/// All connections of one micro-flow.
#[derive(Clone, Debug)]
pub struct Session {
    connections: Vec<Connection>,
    control: ControlChoice,
    settings: TcpSettings,
    sack: bool,
    schedule: Schedule,
    /// The senders' timers, and those of what receivers do by themselves.
    sender_timers: Timers,
    receiver_timers: Timers,
    /// Places that are free, the one that became free last at the end.
    free: Vec<u16>,
    /// The unlimited connection that offers new data.
    unlimited: Option<u16>,
    /// Connections whose senders may have something to send.
    due: Vec<u16>,
    acks: Vec<(u16, Ack)>,
    transfers: Vec<Transfer>,
    /// What senders did whose places others have taken.
    earlier: SenderCounts,
    /// What connections waited for that are over, and what the micro-flow waited for without any.
    waited: Waited,
    /// What is waited for from here on counts.
    measured_from: u64,
    /// Since when no connection is open, if another one is to come.
    idle_since: Option<u64>,
    open: usize,
}

/// Something to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// From the source to the destination.
    Segment(u16, Segment),
    /// The other way.
    Ack(u16, Ack),
}

impl Session {
    /// What its connections wait for counts from `measured_from` on.
    pub fn new(tcp: &TcpPlan, schedule: Schedule, measured_from: u64) -> Self {
        Self {
            connections: Vec::new(),
            control: tcp.control,
            settings: tcp.settings,
            sack: tcp.control.recovery() == Recovery::Scoreboard,
            sender_timers: Timers::new(),
            receiver_timers: Timers::new(),
            schedule,
            free: Vec::new(),
            unlimited: None,
            due: Vec::new(),
            acks: Vec::new(),
            transfers: Vec::new(),
            earlier: SenderCounts::default(),
            waited: Waited::default(),
            measured_from,
            idle_since: None,
            open: 0,
        }
    }

    /// When to call [`Session::wake`], `u64::MAX` if never; calls before that time do no harm.
    #[inline]
    pub fn wake_at(&self) -> u64 {
        self.senders_wake_at().min(self.receivers_wake_at())
    }

    /// The same for [`Session::wake_senders`].
    #[inline]
    pub fn senders_wake_at(&self) -> u64 {
        self.sender_timers.first_at().min(self.schedule.next_begin()).min(self.schedule.next_end())
    }

    /// The same for [`Session::wake_receivers`].
    #[inline]
    pub fn receivers_wake_at(&self) -> u64 {
        self.receiver_timers.first_at()
    }

    /// Whether no connection is open and none will be.
    pub fn is_over(&self) -> bool {
        self.open == 0 && self.schedule.next_begin() == u64::MAX
    }

    /// Which connection in its place the current one is.
    #[inline]
    pub fn generation(&self, place: u16) -> u16 {
        self.connections[place as usize].generation
    }

    /// Timers that are due, connections that begin or end. Then take what
    /// [`Session::poll`] has.
    pub fn wake(&mut self, now: u64) {
        self.wake_senders(now);
        self.wake_receivers(now);
    }

    /// The same at the senders' end only. Then take what [`Session::poll_due`] has.
    pub fn wake_senders(&mut self, now: u64) {
        if now >= self.schedule.next_end() {
            self.end_unlimited(now);
        }
        while now >= self.schedule.next_begin() {
            let room = !self.free.is_empty() || self.connections.len() < MOST_CONNECTIONS;
            if let Some(load) = self.schedule.begin(now, room) {
                self.open(now, load);
            }
        }
        if now >= self.sender_timers.first_at() {
            self.handle_timers(now);
        }
    }

    fn handle_timers(&mut self, now: u64) {
        let instant = Instant::from_nanos(now);
        let connections = &self.connections;
        let timer = |place: u16| {
            let connection = &connections[usize::from(place)];
            connection.open.then(|| connection.sender.poll_timeout()).flatten().map(Instant::as_nanos)
        };
        // Whoever is due tells its next timeout once it has been polled.
        for place in self.sender_timers.take_due(now, timer) {
            self.connections[usize::from(place)].sender.handle_timeout(instant);
            self.due.push(place);
        }
    }

    /// Acknowledgements that were held back long enough. Then take what
    /// [`Session::poll_ack`] has.
    pub fn wake_receivers(&mut self, now: u64) {
        if now < self.receiver_timers.first_at() {
            return;
        }
        let instant = Instant::from_nanos(now);
        let connections = &self.connections;
        let timer = |place: u16| connections[usize::from(place)].receiver.poll_timeout().map(Instant::as_nanos);
        for place in self.receiver_timers.take_due(now, timer) {
            let receiver = &mut self.connections[usize::from(place)].receiver;
            let ack = receiver.handle_timeout(instant);
            self.acks.extend(ack.map(|ack| (place, ack)));
        }
    }

    /// The next thing to send after [`Session::wake`]; to be asked until there is nothing.
    pub fn poll(&mut self, now: u64) -> Option<Output> {
        let ack = self.poll_ack().map(|(place, ack)| Output::Ack(place, ack));
        ack.or_else(|| self.poll_due(now).map(|(place, segment)| Output::Segment(place, segment)))
    }

    /// The next acknowledgement to send after [`Session::wake_receivers`].
    pub fn poll_ack(&mut self) -> Option<(u16, Ack)> {
        self.acks.pop()
    }

    /// The next segment to send after [`Session::wake_senders`].
    pub fn poll_due(&mut self, now: u64) -> Option<(u16, Segment)> {
        while let Some(place) = self.due.last().copied() {
            if let Some(segment) = self.poll_segment(now, place) {
                return Some((place, segment));
            }
            self.due.pop();
        }
        None
    }

    /// A segment reached the receiver: the bytes that are in order now and were not
    /// before, and the acknowledgement to send now, if any.
    #[inline]
    pub fn on_segment(
        &mut self,
        now: u64,
        place: u16,
        generation: u16,
        segment: &Segment,
        marked: bool,
    ) -> (u64, Option<Ack>) {
        let connection = &mut self.connections[place as usize];
        if connection.generation != generation {
            return (0, Some(late_ack(segment)));
        }
        let answer = connection.on_segment(Instant::from_nanos(now), segment, marked);
        if let Some(timeout) = connection.receiver.poll_timeout() {
            self.receiver_timers.set(place, timeout.as_nanos());
        }
        answer
    }

    /// An acknowledgement reached the sender. Then take what [`Session::poll_segment`] has.
    #[inline]
    pub fn on_ack(&mut self, now: u64, place: u16, generation: u16, ack: &Ack) {
        let connection = &mut self.connections[place as usize];
        if connection.open && connection.generation == generation {
            connection.sender.on_ack(Instant::from_nanos(now), ack);
        }
    }

    /// The next segment that a connection sends now; to be asked until there is none.
    #[inline]
    pub fn poll_segment(&mut self, now: u64, place: u16) -> Option<Segment> {
        let connection = &mut self.connections[place as usize];
        if !connection.open {
            return None;
        }
        let segment = connection.sender.poll_segment(Instant::from_nanos(now));
        if segment.is_none() {
            if connection.sender.is_finished() {
                self.close(now, place);
            } else if let Some(timeout) = connection.sender.poll_timeout() {
                self.sender_timers.set(place, timeout.as_nanos());
            }
        }
        segment
    }

    /// Finished transfers in order of their ends.
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Transfers begun and not finished.
    pub fn unfinished(&self) -> u64 {
        if self.schedule.has_transfers() { self.open as u64 } else { 0 }
    }

    /// What all its senders have done.
    pub fn counts(&self) -> SenderCounts {
        self.connections.iter().fold(self.earlier, |sum, connection| together(sum, *connection.sender.counts()))
    }

    /// How long all its connections waited for what, until `now`, and the micro-flow for the next connection.
    pub fn waited(&self, now: u64) -> Waited {
        let open = self.connections.iter().filter(|connection| connection.open);
        let mut waited = self.waited;
        open.for_each(|connection| waited += connection.sender.waited(Instant::from_nanos(now)));
        waited.application = waited.application + self.idle(now);
        waited
    }

    /// How long it has waited for the next connection.
    fn idle(&self, now: u64) -> Span {
        let since = self.idle_since.map_or(now, |since| since.max(self.measured_from));
        Span::from_nanos(now.saturating_sub(since))
    }

    /// The state at `now` of the sender of its first open connection; it is the
    /// `micro_flow`th of its flow.
    pub fn sample(&self, now: u64, micro_flow: u32) -> Option<WindowSample> {
        let sender = self.connections.iter().find(|connection| connection.open).map(|connection| &connection.sender)?;
        Some(WindowSample {
            t: Instant::from_nanos(now),
            micro_flow,
            cwnd: sender.cwnd(),
            ssthresh: sender.ssthresh(),
            srtt: sender.srtt(),
            state: sender.state(),
        })
    }

    /// What is wrong with it, if anything is.
    pub fn violation(&self) -> Option<String> {
        self.connections.iter().find_map(|connection| {
            let (arrived, acknowledged) = (connection.receiver.in_order(), connection.sender.acknowledged());
            (acknowledged > arrived)
                .then(|| format!("{acknowledged} segments were acknowledged, but {arrived} arrived in order"))
        })
    }

    fn open(&mut self, now: u64, load: Load) {
        let mut sender = Sender::new(self.control, self.settings, load.segments, load.last_segment_bytes);
        sender.count_waits_from(Instant::from_nanos(self.measured_from));
        sender.start();
        self.waited.application = self.waited.application + self.idle(now);
        self.idle_since = None;
        self.open += 1;
        let receiver = Receiver::new(self.settings, self.sack).telling_marks(self.control.mark_echo());
        let connection = |generation| Connection::new(sender, receiver, self.settings, load, generation, now);
        let place = match self.free.pop() {
            Some(place) => {
                let former = &mut self.connections[place as usize];
                self.earlier = together(self.earlier, *former.sender.counts());
                *former = connection(former.generation.wrapping_add(1));
                place
            }
            None => {
                self.connections.push(connection(0));
                (self.connections.len() - 1) as u16
            }
        };
        if load.segments.is_none() {
            self.unlimited = Some(place);
        }
        self.due.push(place);
    }

    /// The unlimited connection sends nothing new any more.
    fn end_unlimited(&mut self, now: u64) {
        self.schedule.end(now);
        if let Some(place) = self.unlimited.take() {
            self.connections[place as usize].sender.end();
            self.due.push(place);
        }
    }

    #[cold]
    fn close(&mut self, now: u64, place: u16) {
        let connection = &mut self.connections[place as usize];
        connection.open = false;
        self.waited += connection.sender.waited(Instant::from_nanos(now));
        self.open -= 1;
        if let Some(bytes) = connection.bytes {
            let counts = connection.sender.counts();
            self.transfers.push(Transfer {
                start: Instant::from_nanos(connection.start),
                end: Instant::from_nanos(now),
                bytes,
                sent: counts.sent as u32,
                retransmitted: counts.retransmitted as u32,
            });
        }
        self.free.push(place);
        self.schedule.on_closed(now);
        if self.open == 0 && self.schedule.next_begin() != u64::MAX {
            self.idle_since = Some(now);
        }
    }
}

/// What the receiver of a connection that is done answers.
#[cold]
fn late_ack(segment: &Segment) -> Ack {
    Ack {
        next: segment.number + 1,
        sack: SackBlocks::default(),
        sent_at: segment.sent_at,
        of_retransmitted: segment.retransmitted,
        congestion_experienced: false,
    }
}

fn together(one: SenderCounts, other: SenderCounts) -> SenderCounts {
    SenderCounts {
        sent: one.sent + other.sent,
        retransmitted: one.retransmitted + other.retransmitted,
        fast_retransmits: one.fast_retransmits + other.fast_retransmits,
        timeouts: one.timeouts + other.timeouts,
        marks_answered: one.marks_answered + other.marks_answered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::periods::Periods;
    use fairwire_core::{Bytes, Streams};
    use fairwire_plan::{TransferSize, Work};
    use std::sync::Arc;

    /// Two transfers of twelve segments, one after the other in the same place.
    fn two_transfers() -> Session {
        let settings = TcpSettings {
            segment: Bytes::new(1_000),
            ack: Bytes::new(40),
            receive_window: 100,
            initial_window: 2,
            initial_threshold: None,
            min_timeout: Span::from_millis(200),
            granularity: Span::from_millis(1),
            delayed_ack: None,
            ecn: true,
        };
        let size = TransferSize::Fixed(Bytes::new(12_000));
        let work = Work::Transfers { count: Some(2), mean_interval: Span::from_millis(60_000), size };
        let tcp = TcpPlan { control: ControlChoice::by_name("sack").unwrap(), settings, work };
        let rng = Streams::new(1, 0).component("session");
        Session::new(&tcp, Schedule::new(&tcp, 0, u64::MAX, Arc::new(Periods::always()), rng), 0)
    }

    /// Wakes it until it sends: when, and what first.
    fn begin(session: &mut Session) -> (u64, (u16, Segment)) {
        loop {
            let now = session.wake_at();
            assert!(now < u64::MAX, "another transfer is to come");
            session.wake(now);
            if let Some(first) = session.poll_due(now) {
                return (now, first);
            }
        }
    }

    /// Carries what is sent to the other end and back, 10 ms a way, until all is acknowledged; the segment
    /// numbered `marked` is marked. What each acknowledgement tells, its time since the start, and cwnd after it.
    fn carry(session: &mut Session, marked: u32) -> Vec<(u32, u64, f64)> {
        let (start, first) = begin(session);
        let (mut now, mut seen) = (start, Vec::new());
        let mut sent: Vec<_> = vec![first];
        sent.extend(std::iter::from_fn(|| session.poll_due(start)));
        while !sent.is_empty() {
            now += 10_000_000;
            let acks: Vec<_> = sent
                .drain(..)
                .filter_map(|(place, segment)| {
                    let generation = session.generation(place);
                    let mark = segment.number == marked;
                    session.on_segment(now, place, generation, &segment, mark).1.map(|ack| (place, generation, ack))
                })
                .collect();
            now += 10_000_000;
            for (place, generation, ack) in acks {
                session.on_ack(now, place, generation, &ack);
                while let Some(segment) = session.poll_segment(now, place) {
                    sent.push((place, segment));
                }
                let cwnd = session.connections[place as usize].sender.cwnd();
                seen.push((ack.next, now - start, cwnd));
            }
        }
        seen
    }

    #[test]
    fn a_connection_in_a_place_used_before_is_as_new() {
        let mut fresh = two_transfers();
        let first = carry(&mut fresh, u32::MAX);
        assert_eq!(first.last().unwrap().0, 12);
        assert!(!fresh.is_over(), "one more is to come");
        // The first one was marked, and its window reduced.
        let mut used = two_transfers();
        assert_ne!(carry(&mut used, 3), first);
        assert_eq!(carry(&mut used, u32::MAX), first);
        assert_eq!(used.connections.len(), 1, "the place was used again");
        assert!(used.is_over() && used.transfers().len() == 2);
    }

    /// A segment of the connection before is answered and delivered to nobody.
    #[test]
    fn segments_of_an_earlier_connection_reach_nobody() {
        let mut session = two_transfers();
        carry(&mut session, u32::MAX);
        let (now, (place, mut segment)) = begin(&mut session);
        segment.number = 7;
        let before = session.generation(place) - 1;
        let (bytes, ack) = session.on_segment(now, place, before, &segment, false);
        assert_eq!((bytes, ack.unwrap().next), (0, 8));
        assert_eq!(session.connections[place as usize].receiver.in_order(), 0);
        session.on_ack(now, place, before, &ack.unwrap());
        assert_eq!(session.connections[place as usize].sender.acknowledged(), 0);
    }
}
