//! The end that receives: what has arrived, and when it says so.

use super::runs::Runs;
use super::{Ack, SackBlocks, Segment, TcpSettings};
use crate::transport::MarkEcho;
use fairwire_core::{Instant, Span};

/// How many runs an acknowledgement can tell (RFC 2018 §3, beside timestamps).
const MOST_BLOCKS: usize = 3;

/// The receiving end of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    delayed_ack: Option<Span>,
    ecn: bool,
    tells_blocks: bool,
    /// The first segment that is missing.
    next: u32,
    /// What has arrived beyond it.
    beyond: Runs,
    /// A segment of each run that arrived last, the latest first.
    latest: [u32; MOST_BLOCKS],
    latest_count: usize,
    /// A segment in order whose acknowledgement is held back, and until when.
    held: Option<(Cause, Instant)>,
    /// Whether acknowledgements echo a mark: until the sender says that it has answered (RFC 3168 §6.1.3),
    /// or DCTCP.CE (RFC 8257 §3.2).
    echoes_mark: bool,
    /// Whether each acknowledgement tells of just the segments that it acknowledges whether they were marked.
    echoes_each: bool,
}

/// What an acknowledgement tells of the segment that caused it.
#[derive(Clone, Copy, Debug)]
struct Cause {
    sent_at: Instant,
    retransmitted: bool,
}

impl Receiver {
    /// A receiver before anything has arrived; `sack` says whether it tells what
    /// arrived beyond the first missing segment (RFC 2018).
    pub fn new(settings: TcpSettings, sack: bool) -> Self {
        Self {
            delayed_ack: settings.delayed_ack,
            ecn: settings.ecn,
            tells_blocks: sack,
            next: 0,
            beyond: Runs::default(),
            latest: [0; MOST_BLOCKS],
            latest_count: 0,
            held: None,
            echoes_mark: false,
            echoes_each: false,
        }
    }

    /// The same receiver, which tells of marks as `echo` says.
    #[must_use]
    pub fn telling_marks(self, echo: MarkEcho) -> Self {
        Self { echoes_each: echo == MarkEcho::EachSegment, ..self }
    }

    /// Segments that have arrived without a gap from the first on.
    pub fn in_order(&self) -> u32 {
        self.next
    }

    /// A segment arrived, `marked` if a queue on the way says so. Answers the
    /// acknowledgement to send now, if any.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment, marked: bool) -> Option<Ack> {
        let cause = Cause { sent_at: segment.sent_at, retransmitted: segment.retransmitted };
        let is_in_order = segment.number == self.next && self.beyond.is_empty();
        if self.ecn && self.echoes_each {
            // RFC 8257 §3.2: what is held back was of the other kind, and is acknowledged as such.
            let held = if is_in_order && marked != self.echoes_mark { self.held.take() } else { None };
            let of_before = held.map(|(held, _)| self.acknowledge(held));
            self.echoes_mark = marked;
            if of_before.is_some() {
                self.next += 1;
                self.held = self.delayed_ack.map(|longest| (cause, now + longest));
                return of_before;
            }
        } else if self.ecn {
            self.echoes_mark = marked || (self.echoes_mark && !segment.window_reduced);
        }
        if is_in_order {
            self.next += 1;
            return self.acknowledge_in_order(now, cause);
        }
        // Out of order, again, or a gap is filled: at once (RFC 5681 §4.2).
        self.store(segment.number);
        let cause = self.held.take().map_or(cause, |(held, _)| held.and(cause));
        Some(self.acknowledge(cause))
    }

    /// When [`Receiver::handle_timeout`] is to be called, if at all.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.held.map(|(_, until)| until)
    }

    /// The time told by [`Receiver::poll_timeout`] has come: an acknowledgement was held back long enough.
    pub fn handle_timeout(&mut self, now: Instant) -> Option<Ack> {
        let (cause, _) = self.held.take_if(|(_, until)| *until <= now)?;
        Some(self.acknowledge(cause))
    }

    /// At once, or every second segment (RFC 5681 §4.2).
    fn acknowledge_in_order(&mut self, now: Instant, cause: Cause) -> Option<Ack> {
        match (self.delayed_ack, self.held.take()) {
            (Some(longest), None) => {
                self.held = Some((cause, now + longest));
                None
            }
            (_, Some((held, _))) => Some(self.acknowledge(held.and(cause))),
            (None, None) => Some(self.acknowledge(cause)),
        }
    }

    fn store(&mut self, number: u32) {
        if number < self.next || self.beyond.insert(number, number + 1) == 0 {
            return;
        }
        if let Some((first, beyond)) = self.beyond.first().filter(|run| run.0 == self.next) {
            debug_assert!(first <= number && number < beyond);
            self.beyond.remove_below(beyond);
            self.next = beyond;
        } else if self.tells_blocks {
            self.note_latest(number);
        }
    }

    /// `number`'s run becomes the latest.
    fn note_latest(&mut self, number: u32) {
        let Some(run) = self.beyond.run_of(number) else { return };
        let mut latest = [number; MOST_BLOCKS];
        let mut count = 1;
        for &other in &self.latest[..self.latest_count] {
            if count < MOST_BLOCKS && !(run.0..run.1).contains(&other) {
                latest[count] = other;
                count += 1;
            }
        }
        (self.latest, self.latest_count) = (latest, count);
    }

    fn blocks(&self) -> SackBlocks {
        if self.beyond.is_empty() || !self.tells_blocks {
            return SackBlocks::default();
        }
        SackBlocks::new(self.latest[..self.latest_count].iter().filter_map(|number| self.beyond.run_of(*number)))
    }

    fn acknowledge(&self, cause: Cause) -> Ack {
        Ack {
            next: self.next,
            sack: self.blocks(),
            sent_at: cause.sent_at,
            of_retransmitted: cause.retransmitted,
            congestion_experienced: self.echoes_mark,
        }
    }
}

impl Cause {
    /// The first of two segments that one acknowledgement answers (RFC 7323 §4.3): the time
    /// that the acknowledgement was held back is part of the round trip.
    fn and(self, later: Self) -> Self {
        Self { sent_at: self.sent_at, retransmitted: self.retransmitted || later.retransmitted }
    }
}
