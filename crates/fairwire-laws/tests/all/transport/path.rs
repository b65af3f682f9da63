//! One connection over one path: a link with a queue, and whatever else may happen to packets.
//! Small on purpose, and it shares nothing with the simulator.

use fairwire_core::{BitRate, Bytes, Instant, Serialiser, Span};
use fairwire_laws::transport::{Ack, ControlChoice, Receiver, Recovery, Segment, Sender, TcpSettings};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What happens to packets.
#[derive(Clone, Debug)]
pub struct Path {
    /// The link's rate.
    pub rate_bps: u64,
    /// So many segments wait in front of it, the one in transmission not counted.
    pub queue: usize,
    /// From the sender to the link.
    pub to_link: Span,
    /// From the link's end to the receiver.
    pub from_link: Span,
    /// From the receiver back.
    pub back: Span,
    /// Each segment is lost with this probability.
    pub loss: f64,
    /// Each acknowledgement is lost with this probability.
    pub ack_loss: f64,
    /// Each packet is late by a uniform time up to this.
    pub jitter: Span,
    /// Each packet arrives twice with this probability.
    pub twice: f64,
    /// Each capable segment is marked with this probability.
    pub mark: f64,
    /// A capable segment is marked that finds so many waiting.
    pub mark_from: usize,
    /// What chance does.
    pub seed: u64,
    /// These segments are lost when they are sent first.
    pub lose: Vec<u32>,
    /// When the sender starts.
    pub start: Instant,
    /// Each timer of both ends is late by a uniform time up to this.
    pub late_timers: Span,
}

/// 10 Mb/s, 50 ms, room for ns-2's 62 packets: it counts the one in transmission.
pub fn ns2_path() -> Path {
    Path {
        rate_bps: 10_000_000,
        queue: 61,
        // 1 ms and 80 µs at 100 Mb/s before and behind; 40 bytes back over three links.
        to_link: Span::from_micros(1_080),
        from_link: Span::from_micros(23_000 + 1_080),
        back: Span::from_nanos(25_000_000 + 3_200 + 32_000 + 3_200),
        loss: 0.0,
        ack_loss: 0.0,
        jitter: Span::ZERO,
        twice: 0.0,
        mark: 0.0,
        mark_from: usize::MAX,
        seed: 1,
        lose: Vec::new(),
        start: Instant::ZERO,
        late_timers: Span::ZERO,
    }
}

/// Segments of 1000 bytes, ns-2's tick and shortest timeout. ns-2 sends a SYN first and
/// then two segments: windows of one and two, so it starts as a window of one does.
pub fn ns2_settings() -> TcpSettings {
    TcpSettings {
        segment: Bytes::new(1_000),
        ack: Bytes::new(40),
        receive_window: 2_000,
        initial_window: 1,
        initial_threshold: None,
        min_timeout: Span::from_millis(200),
        granularity: Span::from_millis(10),
        delayed_ack: None,
        ecn: false,
    }
}

pub fn every_control() -> Vec<ControlChoice> {
    ControlChoice::ALL.iter().map(|about| ControlChoice::by_name(about.name).unwrap()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Link(Segment),
    Arrival(Segment, bool),
    Ack(Ack),
    SenderTimer,
    ReceiverTimer,
}

/// What was seen at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    Sent(Segment),
    Dropped(u32),
    Acked { next: u32, window: f64, threshold: f64, state: &'static str },
}

/// A run under way.
pub struct Run {
    pub now: Instant,
    pub sender: Sender,
    pub receiver: Receiver,
    pub seen: Vec<(Instant, Seen)>,
    /// How many each accepted segment found waiting.
    pub waiting: Vec<(Instant, usize)>,
    pub arrived: u64,
    pub duplicates_at_receiver: u64,
    path: Path,
    receive_window: u32,
    by_blocks: bool,
    serialiser: Serialiser,
    /// When what is in the queue or on the link begins to be sent.
    begins: VecDeque<Instant>,
    free_at: Instant,
    events: BinaryHeap<Reverse<(Instant, u64)>>,
    payload: Vec<Option<Event>>,
    random: u64,
    /// The deadline for which the sender is woken, and when it is.
    timer: Option<(Instant, Instant)>,
}

impl Run {
    pub fn new(control: ControlChoice, settings: TcpSettings, segments: Option<u32>, path: Path) -> Self {
        Self::with_receiver(control, settings, segments, path, control.recovery() == Recovery::Scoreboard)
    }

    pub fn with_receiver(
        control: ControlChoice,
        settings: TcpSettings,
        segments: Option<u32>,
        path: Path,
        sack: bool,
    ) -> Self {
        let mut run = Self {
            now: path.start,
            sender: Sender::new(control, settings, segments, 700),
            receiver: Receiver::new(settings, sack).telling_marks(control.mark_echo()),
            receive_window: settings.receive_window,
            by_blocks: control.recovery() == Recovery::Scoreboard,
            seen: Vec::new(),
            waiting: Vec::new(),
            arrived: 0,
            duplicates_at_receiver: 0,
            serialiser: Serialiser::new(BitRate::from_bps(path.rate_bps)),
            begins: VecDeque::new(),
            free_at: Instant::ZERO,
            events: BinaryHeap::new(),
            payload: Vec::new(),
            timer: None,
            random: path.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            path,
        };
        run.sender.start();
        run.send();
        run
    }

    /// Runs to `end`, or until nothing happens any more, or the transfer is done.
    pub fn until(&mut self, end: Instant) -> &mut Self {
        while let Some(&Reverse((at, number))) = self.events.peek() {
            if at > end || self.sender.is_finished() {
                break;
            }
            self.events.pop();
            assert!(at >= self.now, "time goes on");
            self.now = at;
            let event = self.payload[number as usize].take().unwrap();
            self.handle(event);
        }
        self
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Link(segment) => self.at_link(segment),
            Event::Arrival(segment, marked) => {
                self.arrived += 1;
                self.duplicates_at_receiver += u64::from(segment.number < self.receiver.in_order());
                let before = self.receiver.poll_timeout();
                if let Some(ack) = self.receiver.on_segment(self.now, &segment, marked) {
                    self.acknowledge(ack);
                }
                if let Some(until) = self.receiver.poll_timeout().filter(|until| Some(*until) != before) {
                    let until = until + self.uniform_up_to(self.path.late_timers);
                    self.schedule(until, Event::ReceiverTimer);
                }
            }
            Event::Ack(ack) => {
                self.sender.on_ack(self.now, &ack);
                self.send();
                let sender = &self.sender;
                let seen = Seen::Acked {
                    next: ack.next,
                    window: sender.cwnd(),
                    threshold: sender.ssthresh(),
                    state: sender.state(),
                };
                self.seen.push((self.now, seen));
            }
            Event::SenderTimer => {
                if self.timer.is_some_and(|(_, woken_at)| woken_at == self.now) {
                    self.timer = None;
                }
                self.sender.handle_timeout(self.now);
                self.send();
            }
            Event::ReceiverTimer => {
                if let Some(ack) = self.receiver.handle_timeout(self.now) {
                    self.acknowledge(ack);
                }
            }
        }
    }

    /// Sends what may be sent.
    fn send(&mut self) {
        while let Some(segment) = self.sender.poll_segment(self.now) {
            assert_eq!(segment.sent_at, self.now);
            self.check_window(&segment);
            self.seen.push((self.now, Seen::Sent(segment)));
            let at = self.now + self.path.to_link;
            let at = at + self.late();
            self.schedule(at, Event::Link(segment));
        }
        if let Some(at) = self.sender.poll_timeout() {
            let is_late = self.path.late_timers > Span::ZERO;
            assert!(at > self.now || is_late, "a timer that has expired");
            // One event at a time: an early one finds nothing to do and comes back here.
            if self.timer.is_none_or(|(deadline, _)| at < deadline) {
                let woken_at = at.max(self.now) + self.uniform_up_to(self.path.late_timers);
                self.timer = Some((at, woken_at));
                self.schedule(woken_at, Event::SenderTimer);
            }
        }
    }

    /// What is new is inside both windows. Beyond the congestion window go two segments of
    /// limited transmit; a sender that counts what is in the network by the
    /// receiver's blocks keeps to the receiver's window, and to its own in its own way.
    fn check_window(&self, segment: &Segment) {
        let beyond_first = segment.number + 1 - self.sender.acknowledged();
        assert!(beyond_first <= self.receive_window, "{segment:?} beyond the receiver's window");
        let by_blocks = self.sender.state() == "fast-recovery" && self.by_blocks;
        if !segment.retransmitted && !by_blocks {
            let most = self.sender.inflated_window() as u32 + 2;
            assert!(beyond_first <= most, "{segment:?} of {most} allowed, {}", self.sender.state());
        }
    }

    fn at_link(&mut self, segment: Segment) {
        while self.begins.front().is_some_and(|begins| *begins <= self.now) {
            self.begins.pop_front();
        }
        let unlucky = !segment.retransmitted && self.path.lose.contains(&segment.number);
        if unlucky || self.begins.len() >= self.path.queue || self.chance(self.path.loss) {
            self.seen.push((self.now, Seen::Dropped(segment.number)));
            return;
        }
        self.waiting.push((self.now, self.begins.len()));
        let begins = self.now.max(self.free_at);
        self.free_at = begins + self.serialiser.transmit(segment.size_bytes);
        self.begins.push_back(begins);
        let is_long = self.begins.len() >= self.path.mark_from;
        let marked = segment.ecn_capable && (self.chance(self.path.mark) || is_long);
        for _ in 0..1 + usize::from(self.chance(self.path.twice)) {
            let at = self.free_at + self.path.from_link;
            let at = at + self.late();
            self.schedule(at, Event::Arrival(segment, marked));
        }
    }

    fn acknowledge(&mut self, ack: Ack) {
        for _ in 0..1 + usize::from(self.chance(self.path.twice)) {
            if !self.chance(self.path.ack_loss) {
                let at = self.now + self.path.back;
                let at = at + self.late();
                self.schedule(at, Event::Ack(ack));
            }
        }
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.events.push(Reverse((at, self.payload.len() as u64)));
        self.payload.push(Some(event));
    }

    fn late(&mut self) -> Span {
        self.uniform_up_to(self.path.jitter)
    }

    fn uniform_up_to(&mut self, most: Span) -> Span {
        if most == Span::ZERO {
            return Span::ZERO;
        }
        Span::from_secs_f64(self.uniform() * most.as_secs_f64())
    }

    fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.uniform() < probability
    }

    /// xorshift64*.
    fn uniform(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
