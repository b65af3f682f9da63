//! The end that sends: what may be sent, and what acknowledgements and the timer do.
//! What follows a loss is in `recovery.rs`.

use super::deliveries::Deliveries;
use super::pacer::Pacer;
use super::recovery::Phase;
use super::scoreboard::Scoreboard;
use super::timer::RetransmissionTimer;
use super::waits::{Wait, WaitClock};
use super::{Ack, Segment, TcpSettings, Waited};
use crate::transport::contract::{Acked, Congestion, Recovery, StartWindow, Timeout};
use crate::transport::{AnyControl, ControlChoice};
use fairwire_core::{Instant, Span};
use std::collections::VecDeque;

/// The sending end of a connection.
///
/// After every call of [`Sender::start`], [`Sender::on_ack`] and [`Sender::handle_timeout`] its
/// driver takes segments with [`Sender::poll_segment`] until there is none, and asks
/// [`Sender::poll_timeout`] when to wake it. It may wake it late, and start at any time. Acknowledgements of an
/// earlier connection with the same number must not reach it: its driver tells connections apart.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) control: AnyControl,
    pub(super) recovery: Recovery,
    limited_transmit: bool,
    segment_bytes: u32,
    last_segment_bytes: u32,
    /// Window that the receiver offers.
    rwnd: u32,
    ecn: bool,
    started: bool,
    /// How many segments there are to send.
    total: u32,
    /// SND.UNA: first segment not acknowledged.
    pub(super) snd_una: u32,
    /// SND.NXT: the next segment in order to send; a timeout takes it back.
    pub(super) snd_nxt: u32,
    /// Just beyond the highest segment ever sent.
    pub(super) snd_max: u32,
    /// Duplicate acknowledgements since the last that was none.
    pub(super) dupacks: u32,
    pub(super) phase: Phase,
    /// The phase ends when all below is acknowledged.
    pub(super) recovery_point: u32,
    /// Duplicates tell nothing until all below is acknowledged.
    pub(super) trusts_duplicates_from: u32,
    /// Segments that may be sent beyond the window since as many have left the network (Reno, NewReno).
    pub(super) inflation: i64,
    /// Whether the first segment not acknowledged is to be sent again.
    pub(super) resend_first: bool,
    /// Whether a part was acknowledged already in this recovery.
    pub(super) had_partial: bool,
    /// A segment sent again at the end of a recovery lest the timer must (RFC 6675 §4 NextSeg (4)).
    pub(super) rescued: bool,
    /// The window was reduced when this was the next new segment: no mark of one before reduces it again.
    pub(super) reduced_at: u32,
    /// Whether the next new segment tells the receiver that the window was reduced.
    pub(super) announces_reduction: bool,
    /// First segment at the last timeout, if it is not acknowledged yet.
    timed_out: Option<u32>,
    pub(super) timer: RetransmissionTimer,
    pub(super) scoreboard: Scoreboard,
    /// What was sent again and is lost again, of a law that follows deliveries.
    pub(super) lost_again: VecDeque<u32>,
    /// Shortest round trip so far of a law that follows deliveries; zero before the first.
    pub(super) least_rtt: Span,
    /// Of laws that follow deliveries.
    pub(super) deliveries: Option<Box<Deliveries>>,
    pub(super) pacer: Pacer,
    waits: WaitClock,
    pub(super) counts: SenderCounts,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Segments sent, again or for the first time.
    pub sent: u64,
    /// Of these, again.
    pub retransmitted: u64,
    /// Times that duplicates or blocks told of a loss.
    pub fast_retransmits: u64,
    /// Times that the retransmission timer expired.
    pub timeouts: u64,
    /// Times that a mark reduced the window.
    pub marks_answered: u64,
}

impl Sender {
    /// A sender of `segments` segments (none for no end), the last of `last_segment_bytes` on the wire.
    pub fn new(control: ControlChoice, settings: TcpSettings, segments: Option<u32>, last_segment_bytes: u32) -> Self {
        let rwnd = settings.receive_window.max(1);
        let start = StartWindow {
            cwnd: f64::from(settings.initial_window.clamp(1, rwnd)),
            ssthresh: f64::from(settings.initial_threshold.unwrap_or(rwnd)),
            rwnd: f64::from(rwnd),
        };
        Self {
            control: control.build(&start),
            recovery: control.recovery(),
            limited_transmit: control.limited_transmit(),
            segment_bytes: u32::try_from(settings.segment.get()).unwrap_or(u32::MAX),
            last_segment_bytes,
            rwnd,
            ecn: settings.ecn,
            started: false,
            total: segments.unwrap_or(u32::MAX),
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            dupacks: 0,
            phase: Phase::Open,
            recovery_point: 0,
            trusts_duplicates_from: 0,
            inflation: 0,
            resend_first: false,
            had_partial: false,
            rescued: false,
            reduced_at: 0,
            announces_reduction: false,
            timed_out: None,
            timer: RetransmissionTimer::new(&settings),
            scoreboard: Scoreboard::default(),
            lost_again: VecDeque::new(),
            least_rtt: Span::ZERO,
            deliveries: control.follows_delivery().then(Box::default),
            pacer: Pacer::default(),
            waits: WaitClock::default(),
            counts: SenderCounts::default(),
        }
    }

    /// What it waits for before `from` is not counted.
    pub fn count_waits_from(&mut self, from: Instant) {
        self.waits = WaitClock::counting_from(from);
    }

    /// Begins to send.
    pub fn start(&mut self) {
        self.started = true;
    }

    /// The next segment to send now, if any.
    #[inline]
    pub fn poll_segment(&mut self, now: Instant) -> Option<Segment> {
        if !self.started || self.is_finished() {
            self.waits.turn(now, Wait::Nothing);
            self.pacer.release();
            return None;
        }
        let number = if self.pacer.holds(now) { None } else { self.select() };
        match number {
            Some(number) => Some(self.send(now, number)),
            None => {
                self.wait(now);
                None
            }
        }
    }

    /// Which segment may be sent now.
    #[inline]
    fn select(&mut self) -> Option<u32> {
        if self.resend_first {
            self.resend_first = false;
            return Some(self.snd_una);
        }
        if self.phase == Phase::FastRecovery && self.recovery == Recovery::Scoreboard {
            return self.select_by_scoreboard();
        }
        if self.phase == Phase::Loss && self.recovery == Recovery::Scoreboard {
            // What arrived beyond a gap needs no second copy (RFC 6675 §5.1).
            self.snd_nxt = self.scoreboard.first_absent(self.snd_nxt);
        }
        self.may_send_next().then_some(self.snd_nxt)
    }

    /// Nothing is sent at `now`: notes why.
    #[inline]
    fn wait(&mut self, now: Instant) {
        let is_receiver_full = self.snd_nxt - self.snd_una >= self.rwnd;
        let wait = match self.phase {
            Phase::FastRecovery | Phase::Loss => Wait::Recovery,
            Phase::Open if self.snd_nxt >= self.total => Wait::Application,
            Phase::Open if is_receiver_full => Wait::Receiver,
            Phase::Open if self.reduced_at == 0 && self.control.is_opening() => Wait::Opening,
            Phase::Open => Wait::Congestion,
        };
        self.waits.turn(now, wait);
        if self.deliveries.is_some() {
            let in_flight = self.in_flight();
            let is_held = self.pacer.released_at().is_some();
            if let Some(deliveries) = &mut self.deliveries {
                match wait {
                    Wait::Application => deliveries.note_nothing_to_send(in_flight),
                    _ if !is_held => deliveries.note_full_window(self.snd_nxt),
                    _ => {}
                }
            }
        }
    }

    /// Nothing new is sent any more: what has been sent is all there is, and is sent
    /// again where it is lost. For senders of no given number of segments.
    pub fn end(&mut self) {
        self.total = self.total.min(self.snd_max);
    }

    /// Takes an acknowledgement in.
    pub fn on_ack(&mut self, now: Instant, ack: &Ack) {
        if ack.next > self.snd_max || ack.next < self.snd_una {
            return; // Overtaken by a later one, or of what was never sent.
        }
        if ack.next > self.snd_una {
            self.on_progress(now, ack);
        } else if ack.next < self.snd_max {
            self.on_no_progress(now, ack);
        }
    }

    /// When [`Sender::handle_timeout`] is to be called, if at all.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Instant> {
        match (self.timer.deadline(), self.pacer.released_at()) {
            (Some(deadline), Some(released_at)) => Some(deadline.min(released_at)),
            (deadline, released_at) => deadline.or(released_at),
        }
    }

    /// The time told by [`Sender::poll_timeout`] has come: what the pace held back may leave; or if the retransmission
    /// timer has expired, all from the first segment not acknowledged on is sent again, slowly at first (RFC 5681 §3.1,
    /// RFC 6298 (5.4)–(5.6)).
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.timer.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        self.counts.timeouts += 1;
        self.tell_losses(now, self.snd_max);
        let again = self.timed_out.replace(self.snd_una) == Some(self.snd_una);
        self.control.on_timeout(&Timeout { flight_size: self.flight_size(), again });
        self.timer.back_off(now);
        self.start_over();
    }

    /// Whether all is acknowledged.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.snd_una >= self.total
    }

    /// Segments acknowledged from the first on.
    #[inline]
    pub fn acknowledged(&self) -> u32 {
        self.snd_una
    }

    /// How long it waited for what, until `now`.
    pub fn waited(&self, now: Instant) -> Waited {
        self.waits.read(now)
    }

    /// What it has done so far.
    pub fn counts(&self) -> &SenderCounts {
        &self.counts
    }

    /// cwnd: the congestion window in segments, without what a fast recovery adds to it for a while.
    pub fn cwnd(&self) -> f64 {
        self.control.cwnd()
    }

    /// The same with it: segments that may be beyond the first one missing, if the receiver has room.
    #[inline]
    pub fn inflated_window(&self) -> f64 {
        (self.control.cwnd() + self.inflation as f64).max(1.0)
    }

    /// ssthresh: the slow-start threshold in segments.
    pub fn ssthresh(&self) -> f64 {
        self.control.ssthresh()
    }

    /// SRTT: the smoothed round-trip time; zero before the first sample.
    pub fn srtt(&self) -> Span {
        self.timer.srtt()
    }

    /// RTO: the retransmission timeout in force, back-off included.
    pub fn rto(&self) -> Span {
        self.timer.rto()
    }

    /// What it is doing: `slow-start`, `congestion-avoidance` or the law's own state, `fast-recovery`, or `loss`
    /// from a timeout (with Tahoe any loss) until all is acknowledged that had been sent.
    pub fn state(&self) -> &'static str {
        match self.phase {
            Phase::FastRecovery => "fast-recovery",
            Phase::Loss => "loss",
            Phase::Open => match self.control.state() {
                Some(state) => state,
                None if self.control.cwnd() < self.control.ssthresh() => "slow-start",
                None => "congestion-avoidance",
            },
        }
    }

    /// Segments that may be sent beyond the first not acknowledged: the smaller of the
    /// two windows, and one more for each of the first two duplicates (RFC 3042).
    #[inline]
    fn usable_window(&self) -> u32 {
        let limited = if self.dupacks > 0 && self.limited_transmit && self.phase == Phase::Open {
            self.dupacks.min(2)
        } else {
            0
        };
        let window = (self.inflated_window() as u32).saturating_add(limited);
        window.min(self.rwnd)
    }

    #[inline]
    pub(super) fn may_send_next(&self) -> bool {
        self.snd_nxt < self.total && self.snd_nxt - self.snd_una < self.usable_window()
    }

    /// Whether there is a new segment and the receiver has room for it.
    pub(super) fn has_new(&self) -> bool {
        self.snd_nxt < self.total && self.snd_nxt - self.snd_una < self.rwnd
    }

    /// FlightSize (RFC 5681), as far as the window allows it: segments of limited transmit
    /// do not count, nor do those that replaced others that had left the network.
    pub(super) fn flight_size(&self) -> f64 {
        f64::from(self.snd_nxt - self.snd_una).min(self.control.cwnd())
    }

    #[inline]
    fn send(&mut self, now: Instant, number: u32) -> Segment {
        let retransmitted = number < self.snd_max;
        if self.deliveries.is_some() {
            self.note_sent(now, number, retransmitted);
        }
        self.snd_nxt = self.snd_nxt.max(number + 1);
        self.snd_max = self.snd_max.max(self.snd_nxt);
        self.counts.sent += 1;
        self.counts.retransmitted += u64::from(retransmitted);
        self.timer.start(now);
        let window_reduced = self.announces_reduction && !retransmitted;
        self.announces_reduction &= !window_reduced;
        Segment {
            number,
            size_bytes: if number + 1 == self.total { self.last_segment_bytes } else { self.segment_bytes },
            retransmitted,
            ecn_capable: self.ecn && !retransmitted, // RFC 3168 §6.1.5
            window_reduced,
            sent_at: now,
        }
    }

    /// An acknowledgement of segments that were not acknowledged before.
    #[inline]
    fn on_progress(&mut self, now: Instant, ack: &Ack) {
        self.note_arrivals(ack);
        let segments = ack.next - self.snd_una;
        self.snd_una = ack.next;
        self.snd_nxt = self.snd_nxt.max(ack.next);
        self.dupacks = 0;
        self.timed_out = None;
        if self.recovery == Recovery::Scoreboard {
            self.scoreboard.advance(ack.next);
            self.scoreboard.update(&ack.sack, self.snd_max);
        }
        self.tell_arrivals(now, ack);
        if !ack.of_retransmitted {
            self.timer.sample(now, ack.sent_at);
        }
        if ack.next == self.snd_max {
            self.timer.stop();
        } else if self.restarts_timer() {
            self.timer.restart(now);
        }
        if self.phase == Phase::FastRecovery {
            self.on_progress_in_recovery(segments);
        } else if !self.answers_mark(now, ack) {
            if self.phase == Phase::Loss && ack.next >= self.recovery_point {
                self.phase = Phase::Open;
                self.control.on_recovered();
            }
            self.control.on_ack(&Acked { now, segments, srtt: self.timer.srtt() });
        }
    }

    /// An acknowledgement that tells nothing new but that something arrived.
    fn on_no_progress(&mut self, now: Instant, ack: &Ack) {
        self.note_arrivals(ack);
        if self.phase != Phase::FastRecovery {
            self.answers_mark(now, ack);
        }
        if self.recovery == Recovery::Scoreboard && self.scoreboard.update(&ack.sack, self.snd_max) == 0 {
            return; // A segment arrived twice; it tells of no loss (RFC 6675 §2).
        }
        self.tell_arrivals(now, ack);
        self.dupacks += 1;
        self.on_duplicate(now);
    }

    /// Once a window a mark is answered like a loss (RFC 3168 §6.1.2).
    #[inline]
    fn answers_mark(&mut self, now: Instant, ack: &Ack) -> bool {
        if !ack.congestion_experienced || !self.ecn || ack.next <= self.reduced_at {
            return false;
        }
        self.counts.marks_answered += 1;
        self.control.on_congestion(&Congestion { now, flight_size: self.flight_size(), marked: true });
        self.note_reduction();
        true
    }

    /// The window was reduced: not again for what is in flight, and the receiver is told.
    pub(super) fn note_reduction(&mut self) {
        self.reduced_at = self.snd_max;
        self.announces_reduction = self.ecn;
    }
}
