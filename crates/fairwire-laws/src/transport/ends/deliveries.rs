//! The delivery rate, sampled as draft-ietf-ccwg-bbr §4.1 says: each segment remembers how much had been delivered when it was sent.

use crate::transport::contract::{Delivered, LostSegment, RateSample};
use fairwire_core::{Instant, Span};
use std::collections::VecDeque;

/// What is remembered of all segments from the first unacknowledged one on.
#[derive(Clone, Debug, Default)]
pub(super) struct Deliveries {
    sent: VecDeque<Sent>,
    /// The number of the first of these.
    first: u32,
    /// C.delivered, C.lost.
    delivered: u64,
    lost: u64,
    /// C.delivered_time, C.first_send_time.
    delivered_at: Instant,
    first_sent_at: Instant,
    /// C.app_limited: samples of what is sent until so much is delivered tell of the application.
    app_limited_until: u64,
    /// Segments below this one that have not arrived are known to be lost.
    judged_below: u32,
    /// Segments below this one were sent when the window was full.
    cwnd_limited_below: u32,
    /// What was sent again, and when, in this order.
    resent: VecDeque<(u32, Instant)>,
    /// When the segment was sent that was sent last of all that have arrived (RACK.xmit_ts, RFC 8985).
    latest_arrived: Instant,
    /// What the acknowledgement at hand has told so far.
    news: News,
}

/// A segment as it was sent last.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Instant,
    delivered: u64,
    delivered_at: Instant,
    first_sent_at: Instant,
    lost: u64,
    tx_in_flight: u32,
    is_app_limited: bool,
    retransmitted: bool,
    has_arrived: bool,
    is_lost: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct News {
    segments: u32,
    lost: u32,
    /// Of those that arrived the one sent last.
    latest: Option<Sent>,
}

impl Deliveries {
    /// A segment leaves while `in_flight` others are in the network.
    pub(super) fn on_send(&mut self, now: Instant, number: u32, retransmitted: bool, in_flight: u32) {
        if in_flight == 0 {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        let sent = Sent {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            lost: self.lost,
            tx_in_flight: in_flight + 1,
            is_app_limited: self.app_limited_until > 0,
            retransmitted,
            has_arrived: false,
            is_lost: false,
        };
        match self.sent.get_mut((number - self.first) as usize) {
            // What has arrived already is not delivered once more.
            Some(again) => *again = Sent { has_arrived: again.has_arrived, ..sent },
            None => self.sent.push_back(sent),
        }
        if retransmitted {
            self.resent.push_back((number, now));
        }
    }

    /// A segment that was sent again and is lost again: one that was sent more than `slack` after it has arrived, and it
    /// has not (RFC 8985 §6.2). To be asked until there is none.
    pub(super) fn lost_again(&mut self, slack: Span) -> Option<u32> {
        while let Some((number, at)) = self.resent.front().copied() {
            if at + slack >= self.latest_arrived {
                return None;
            }
            self.resent.pop_front();
            let sent = number.checked_sub(self.first).and_then(|place| self.sent.get_mut(place as usize));
            if let Some(sent) = sent.filter(|sent| sent.at == at && !sent.has_arrived) {
                sent.is_lost = false;
                return Some(number);
            }
        }
        None
    }

    /// The window keeps back the segment `snd_nxt`.
    #[inline]
    pub(super) fn note_full_window(&mut self, snd_nxt: u32) {
        self.cwnd_limited_below = snd_nxt;
    }

    /// There is nothing more to send while `in_flight` segments are in the network.
    #[inline]
    pub(super) fn note_nothing_to_send(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + u64::from(in_flight)).max(1);
    }

    /// A segment is told to have arrived.
    pub(super) fn on_arrival(&mut self, number: u32) {
        let Some(sent) = number.checked_sub(self.first).and_then(|at| self.sent.get_mut(at as usize)) else { return };
        if std::mem::replace(&mut sent.has_arrived, true) {
            return;
        }
        let sent = *sent;
        self.count(&sent);
    }

    /// All below `next` has arrived.
    pub(super) fn advance(&mut self, next: u32) {
        while self.first < next {
            let Some(sent) = self.sent.pop_front() else { break };
            self.first += 1;
            if !sent.has_arrived {
                self.count(&sent);
            }
        }
    }

    fn count(&mut self, sent: &Sent) {
        self.delivered += 1;
        self.news.segments += 1;
        self.latest_arrived = self.latest_arrived.max(sent.at);
        let order = |sent: &Sent| (sent.delivered, sent.at);
        if self.news.latest.is_none_or(|latest| order(sent) >= order(&latest)) {
            self.news.latest = Some(*sent);
        }
    }

    /// Segments below have been told to be lost if they have not arrived.
    pub(super) fn judged_below(&self) -> u32 {
        self.judged_below
    }

    /// The same from now on of all below `number`.
    pub(super) fn judge_below(&mut self, number: u32) {
        self.judged_below = self.judged_below.max(number);
    }

    /// A segment is told to be lost; none if that was known.
    pub(super) fn on_lost(&mut self, now: Instant, number: u32) -> Option<LostSegment> {
        let sent = self.sent.get_mut(number.checked_sub(self.first)? as usize)?;
        if std::mem::replace(&mut sent.is_lost, true) {
            return None;
        }
        self.lost += 1;
        self.news.lost += 1;
        Some(LostSegment {
            now,
            total: self.delivered,
            tx_in_flight: sent.tx_in_flight,
            lost: (self.lost - sent.lost) as u32,
            is_app_limited: sent.is_app_limited,
        })
    }

    /// What an acknowledgement told, all in all; none if nothing arrived.
    pub(super) fn finish(&mut self, seen: &SenderView) -> Option<Delivered> {
        let News { segments, lost, latest } = std::mem::take(&mut self.news);
        let sent = latest?;
        self.delivered_at = seen.now;
        self.first_sent_at = sent.at;
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let delivered = self.delivered - sent.delivered;
        // The slower of the two: acknowledgements may come in a burst, and so may segments have been sent.
        let elapsed = sent.at.since(sent.first_sent_at).max(seen.now.since(sent.delivered_at));
        let is_too_short = elapsed == Span::ZERO || elapsed < seen.least_rtt;
        Some(Delivered {
            now: seen.now,
            segments,
            newly_lost: lost,
            marked: seen.marked,
            snd_una: seen.snd_una,
            snd_nxt: seen.snd_nxt,
            in_flight: seen.in_flight,
            total: self.delivered,
            is_cwnd_limited: seen.snd_una <= self.cwnd_limited_below && self.cwnd_limited_below > 0,
            sample: RateSample {
                rate: (!is_too_short).then(|| delivered as f64 / elapsed.as_secs_f64()),
                delivered: delivered as u32,
                lost: (self.lost - sent.lost) as u32,
                prior_delivered: sent.delivered,
                tx_in_flight: sent.tx_in_flight,
                is_app_limited: sent.is_app_limited,
                rtt: (!sent.retransmitted).then(|| seen.now.since(sent.at)),
            },
        })
    }
}

/// What the sender knows when an acknowledgement has been taken in.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderView {
    pub now: Instant,
    pub marked: bool,
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub in_flight: u32,
    /// No round trip is shorter: rates over less time are none.
    pub least_rtt: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLACK: Span = Span::from_millis(2);

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// Four segments leave at once. The first of them is sent again at 10 ms, and one more at each of these times.
    fn sent_again(later_ms: &[u64]) -> Deliveries {
        let mut deliveries = Deliveries::default();
        (0..4).for_each(|number| deliveries.on_send(at(0), number, false, number));
        deliveries.on_send(at(10), 0, true, 3);
        later_ms.iter().zip(4..).for_each(|(&ms, number)| deliveries.on_send(at(ms), number, false, 4));
        deliveries
    }

    #[test]
    fn what_was_sent_again_is_lost_again_once_something_sent_later_has_arrived() {
        let mut deliveries = sent_again(&[12, 13]);
        deliveries.on_arrival(4);
        assert_eq!(deliveries.lost_again(SLACK), None, "it was sent within the slack");
        deliveries.on_arrival(5);
        assert_eq!(deliveries.lost_again(SLACK), Some(0));
        assert_eq!(deliveries.lost_again(SLACK), None, "once");
    }

    #[test]
    fn what_has_arrived_or_was_sent_once_more_is_not_lost_again() {
        let mut arrived = sent_again(&[13]);
        [0, 4].into_iter().for_each(|number| arrived.on_arrival(number));
        assert_eq!(arrived.lost_again(SLACK), None);
        let mut once_more = sent_again(&[13]);
        once_more.on_send(at(20), 0, true, 4);
        once_more.on_arrival(4);
        assert_eq!(once_more.lost_again(SLACK), None);
    }
}
