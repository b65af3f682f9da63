//! A sender that is told word by word what arrives.

use crate::transport::path::ns2_settings;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{Ack, ControlChoice, SackBlocks, Segment, Sender, TcpSettings};

pub struct Script {
    pub sender: Sender,
    pub now: Instant,
    /// What was sent and not looked at yet.
    segments: Vec<Segment>,
}

impl Script {
    /// A sender of data without end, `window` segments sent.
    pub fn with_window(control: &str, window: u32) -> Self {
        Self::new(control, TcpSettings { initial_window: window, ..ns2_settings() })
    }

    /// The same whose window is at its threshold: it grows slowly from there.
    pub fn at_threshold(control: &str, window: u32) -> Self {
        let settings = TcpSettings { initial_window: window, initial_threshold: Some(window), ..ns2_settings() };
        Self::new(control, settings)
    }

    pub fn new(control: &str, settings: TcpSettings) -> Self {
        Self::of(ControlChoice::by_name(control).unwrap(), settings, None)
    }

    pub fn of(control: ControlChoice, settings: TcpSettings, segments: Option<u32>) -> Self {
        let sender = Sender::new(control, settings, segments, 1_000);
        let mut script = Self { sender, now: Instant::ZERO, segments: Vec::new() };
        script.sender.start();
        script.pull();
        script
    }

    /// Time passes, and the timer with it.
    pub fn wait(&mut self, span: Span) -> &mut Self {
        let end = self.now + span;
        while let Some(at) = self.sender.poll_timeout().filter(|at| *at <= end) {
            self.now = at;
            self.sender.handle_timeout(at);
            self.pull();
        }
        self.now = end;
        self
    }

    /// Waits until the timer expires.
    pub fn time_out(&mut self) -> &mut Self {
        let at = self.sender.poll_timeout().expect("a running timer");
        self.wait(at.since(self.now))
    }

    /// An acknowledgement of all before `next`, sent off `rtt` after its segment.
    pub fn ack(&mut self, next: u32) -> &mut Self {
        self.answer(next, &[], false)
    }

    pub fn acks(&mut self, next: impl IntoIterator<Item = u32>) -> &mut Self {
        for next in next {
            self.ack(next);
        }
        self
    }

    pub fn duplicates(&mut self, next: u32, count: u32) -> &mut Self {
        self.acks((0..count).map(|_| next))
    }

    /// The same with what arrived beyond.
    pub fn ack_with(&mut self, next: u32, blocks: &[(u32, u32)]) -> &mut Self {
        self.answer(next, blocks, false)
    }

    /// The same with a mark echoed.
    pub fn ack_marked(&mut self, next: u32) -> &mut Self {
        self.answer(next, &[], true)
    }

    fn answer(&mut self, next: u32, blocks: &[(u32, u32)], congestion_experienced: bool) -> &mut Self {
        let ack = Ack {
            next,
            sack: SackBlocks::new(blocks.iter().copied()),
            sent_at: self.now,
            of_retransmitted: true, // These scripts measure no round trips.
            congestion_experienced,
        };
        self.tell(&ack)
    }

    pub fn tell(&mut self, ack: &Ack) -> &mut Self {
        self.sender.on_ack(self.now, ack);
        self.pull();
        self
    }

    fn pull(&mut self) {
        while let Some(segment) = self.sender.poll_segment(self.now) {
            self.segments.push(segment);
        }
    }

    /// What was sent since this was last asked.
    pub fn segments(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.segments)
    }

    /// The numbers of these.
    pub fn sent(&mut self) -> Vec<u32> {
        self.segments().iter().map(|segment| segment.number).collect()
    }

    pub fn window(&self) -> f64 {
        self.sender.inflated_window()
    }

    pub fn ssthresh(&self) -> f64 {
        self.sender.ssthresh()
    }

    pub fn state(&self) -> &'static str {
        self.sender.state()
    }
}
