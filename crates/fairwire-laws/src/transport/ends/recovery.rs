//! What a sender does once something is lost: fast retransmit, fast recovery, starting over.

use super::Sender;
use super::scoreboard::DUP_THRESH;
use crate::transport::contract::{Congestion, Recovery};
use fairwire_core::Instant;

/// What a sender is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// A loss was seen by duplicates and is being repaired.
    FastRecovery,
    /// All that had been sent is being sent again.
    Loss,
}

impl Sender {
    /// dupacks is one more.
    pub(super) fn on_duplicate(&mut self, now: Instant) {
        match self.phase {
            Phase::Open => {
                let lost = self.dupacks >= DUP_THRESH
                    || (self.recovery == Recovery::Scoreboard && self.scoreboard.first_is_lost());
                if lost && self.snd_una >= self.trusts_duplicates_from {
                    self.on_loss(now);
                }
            }
            // One segment more has left the network (RFC 5681 §3.2 step 4).
            Phase::FastRecovery if self.recovery != Recovery::Scoreboard => self.inflation += 1,
            Phase::FastRecovery | Phase::Loss => {}
        }
    }

    /// Fast retransmit: the first segment not acknowledged is lost.
    fn on_loss(&mut self, now: Instant) {
        self.counts.fast_retransmits += 1;
        // Marks and losses of one window of data reduce the window once (RFC 3168 §6.1.2).
        if self.snd_una >= self.reduced_at {
            self.control.on_congestion(&Congestion { now, flight_size: self.flight_size(), marked: false });
        }
        self.timer.restart(now);
        if self.recovery == Recovery::SlowStart {
            self.start_over();
            return;
        }
        self.note_reduction();
        self.phase = Phase::FastRecovery;
        self.recovery_point = self.snd_max;
        self.distrust_duplicates();
        self.resend_first = true;
        self.had_partial = false;
        self.rescued = false;
        if self.recovery == Recovery::Scoreboard {
            self.scoreboard.start_recovery();
            self.scoreboard.on_resent(self.snd_una);
        } else {
            // The three that arrived have left the network (RFC 5681 §3.2 step 3).
            self.inflation = i64::from(DUP_THRESH);
        }
    }

    /// Segments were acknowledged while a loss is being repaired.
    pub(super) fn on_progress_in_recovery(&mut self, segments: u32) {
        let all = self.snd_una >= self.recovery_point;
        match self.recovery {
            _ if all => self.leave_recovery(),
            // RFC 5681 §3.2 step 6: any new data ends it.
            Recovery::SlowStart | Recovery::UntilNextAck => self.leave_recovery(),
            // RFC 6582 §3.2 step 3, partial acknowledgement: the next one is lost too.
            Recovery::UntilAllAcked => {
                self.resend_first = true;
                self.had_partial = true;
                let least = 1 - self.control.cwnd() as i64;
                self.inflation = (self.inflation - i64::from(segments) + 1).max(least);
            }
            Recovery::Scoreboard => {}
        }
    }

    /// cwnd is the ssthresh that the loss set.
    fn leave_recovery(&mut self) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.resend_first = false;
        self.lost_again.clear();
        self.control.on_recovered();
    }

    /// All from the first segment not acknowledged on is sent again (go back N).
    pub(super) fn start_over(&mut self) {
        self.note_reduction();
        self.phase = Phase::Loss;
        self.recovery_point = self.snd_max;
        self.distrust_duplicates();
        self.snd_nxt = self.snd_una;
        self.dupacks = 0;
        self.inflation = 0;
        self.resend_first = false;
        self.lost_again.clear();
        self.scoreboard.clear(self.snd_una);
    }

    /// Segments that arrive twice cause duplicates too. Until something beyond all that was
    /// sent so far is acknowledged, they tell of no loss (RFC 6582 §3.2 steps 1 and 4); blocks tell which is which.
    fn distrust_duplicates(&mut self) {
        let beyond = u32::from(self.recovery != Recovery::Scoreboard);
        self.trusts_duplicates_from = self.snd_max + beyond;
    }

    /// Each acknowledgement restarts the timer (RFC 6298 (5.3)), but in NewReno's recovery only
    /// the first of a part (RFC 6582 §4, the impatient variant): a recovery of many losses gives way to a timeout.
    pub(super) fn restarts_timer(&self) -> bool {
        let in_parts = self.phase == Phase::FastRecovery && self.snd_una < self.recovery_point;
        !(in_parts && self.had_partial && self.recovery == Recovery::UntilAllAcked)
    }

    /// The next segment while the network holds fewer than the window (NextSeg, RFC 6675 §4).
    pub(super) fn select_by_scoreboard(&mut self) -> Option<u32> {
        let room = f64::from(self.pipe()) + 1.0 <= self.control.cwnd();
        if !room {
            return None;
        }
        if let Some(lost) = self.lost_again.pop_front() {
            return Some(lost);
        }
        if let Some(lost) = self.scoreboard.next_lost() {
            self.scoreboard.on_resent(lost);
            return Some(lost);
        }
        if self.has_new() {
            return Some(self.snd_nxt);
        }
        if let Some(suspect) = self.scoreboard.next_suspect() {
            self.scoreboard.on_resent(suspect);
            return Some(suspect);
        }
        if self.rescued {
            return None;
        }
        self.rescued = true;
        self.scoreboard.highest_absent(self.snd_max)
    }
}
