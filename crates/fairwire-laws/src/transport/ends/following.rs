//! What a sender does for a law that follows deliveries or paces: it remembers when each segment was sent, and tells the law what
//! acknowledgements say of arrivals and losses.

use super::deliveries::SenderView;
use super::recovery::Phase;
use super::{Ack, Sender};
use fairwire_core::{Instant, Span};

impl Sender {
    /// How many segments are in the network (pipe, RFC 6675 §4); after a timeout what was sent before it counts no more.
    pub(super) fn in_flight(&self) -> u32 {
        match self.phase {
            Phase::Loss => self.snd_nxt - self.snd_una - self.scoreboard.arrived_below(self.snd_nxt),
            Phase::Open | Phase::FastRecovery => self.pipe(),
        }
    }

    /// pipe (RFC 6675 §4), without what is lost again.
    #[inline]
    pub(super) fn pipe(&self) -> u32 {
        self.scoreboard.pipe(self.snd_max).saturating_sub(self.lost_again.len() as u32)
    }

    /// A law that follows deliveries, or paces, is told of what leaves.
    pub(super) fn note_sent(&mut self, now: Instant, number: u32, retransmitted: bool) {
        // Whoever repairs a loss has counted the segment as sent already.
        let counted = u32::from(retransmitted && self.phase == Phase::FastRecovery);
        let in_flight = self.in_flight().saturating_sub(counted);
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.on_send(now, number, retransmitted, in_flight);
        }
        if let Some(rate) = self.control.pacing() {
            self.pacer.sent(now, rate);
        }
    }

    /// The law is told of segments below `beyond` that are lost and were not known to be.
    pub(super) fn tell_losses(&mut self, now: Instant, beyond: u32) {
        let Some(deliveries) = &mut self.deliveries else { return };
        for number in self.scoreboard.absent_in(deliveries.judged_below().max(self.snd_una), beyond) {
            if let Some(lost) = deliveries.on_lost(now, number) {
                self.control.on_lost(&lost);
            }
        }
        deliveries.judge_below(beyond);
    }

    /// Finds what was lost when it was sent again; RACK.reo_wnd is a quarter of the shortest round trip (RFC 8985 §6.2).
    fn find_lost_again(&mut self, now: Instant) {
        let Some(deliveries) = &mut self.deliveries else { return };
        self.lost_again.retain(|number| *number >= self.snd_una && self.scoreboard.is_absent(*number));
        let slack = Span::from_nanos(self.least_rtt.as_nanos() / 4);
        while let Some(number) = deliveries.lost_again(slack) {
            if let Some(lost) = deliveries.on_lost(now, number) {
                self.control.on_lost(&lost);
            }
            if self.phase == Phase::FastRecovery {
                self.lost_again.push_back(number);
            }
        }
    }

    /// The law is told what an acknowledgement tells of deliveries, before the scoreboard takes it in.
    pub(super) fn note_arrivals(&mut self, ack: &Ack) {
        let Some(deliveries) = &mut self.deliveries else { return };
        deliveries.advance(ack.next);
        for (first, beyond) in ack.sack.iter() {
            for number in self.scoreboard.absent_in(first.max(ack.next), beyond.min(self.snd_max)) {
                deliveries.on_arrival(number);
            }
        }
    }

    /// The same, after it.
    pub(super) fn tell_arrivals(&mut self, now: Instant, ack: &Ack) {
        if self.deliveries.is_none() {
            return;
        }
        if self.phase != Phase::Loss {
            self.tell_losses(now, self.scoreboard.lost_below());
            self.find_lost_again(now);
        }
        let seen = SenderView {
            now,
            marked: ack.congestion_experienced,
            snd_una: self.snd_una,
            snd_nxt: self.snd_nxt,
            in_flight: self.in_flight(),
            least_rtt: self.least_rtt,
        };
        let Some(delivered) = self.deliveries.as_mut().and_then(|deliveries| deliveries.finish(&seen)) else { return };
        if let Some(rtt) = delivered.sample.rtt {
            self.least_rtt = if self.least_rtt == Span::ZERO { rtt } else { self.least_rtt.min(rtt) };
        }
        self.control.on_delivered(&delivered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{ControlChoice, SackBlocks, TcpSettings};
    use fairwire_core::Bytes;

    const SETTINGS: TcpSettings = TcpSettings {
        segment: Bytes::new(1_000),
        ack: Bytes::new(40),
        receive_window: 100,
        initial_window: 1,
        initial_threshold: None,
        min_timeout: Span::from_millis(1_000),
        granularity: Span::from_millis(1),
        delayed_ack: None,
        ecn: false,
    };

    #[test]
    fn the_shortest_round_trip_of_all_is_remembered() {
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        let mut sender = Sender::new(ControlChoice::by_name("bbr").unwrap(), SETTINGS, None, 1_000);
        sender.start();
        let trips = [(0, 100, 100), (500, 620, 100), (1_000, 1_080, 80)];
        for (number, (leaves, arrives, least)) in (0..).zip(trips) {
            assert_eq!(sender.poll_segment(at(leaves)).map(|segment| segment.number), Some(number));
            let (next, sack, sent_at) = (number + 1, SackBlocks::default(), at(leaves));
            let ack = Ack { next, sack, sent_at, of_retransmitted: false, congestion_experienced: false };
            sender.on_ack(at(arrives), &ack);
            assert_eq!(sender.least_rtt, Span::from_millis(least), "after a round trip of {} ms", arrives - leaves);
        }
    }
}
