//! A queue that falling bandwidth has left is drained.

use fairwire_core::{Instant, Span};

/// So many packets beside one a flow are no queue to speak of.
const USUAL: u32 = 8;
/// At most this part of the excess is kept back; so nobody falls to his minimum.
const MOST: f64 = 0.75;
/// It ends when what is left will be gone after this part of a loop: so long it takes in the mean until rates rise again.
const EARLY: f64 = 0.6;
/// For so many loops nothing is chosen anew.
const REST: u64 = 2;

/// The queue of a port as it is seen now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// Packets in it, and the flows that they are of.
    pub packets: u32,
    pub flows: u32,
    /// The mean size of packets in bits.
    pub packet_bits: f64,
    /// After so long most of the traffic is as it was told to be.
    pub a_loop: Span,
    /// What there is beyond minimums, in bit/s.
    pub excess_bps: f64,
}

/// What is kept back from shares and grants while there is a queue.
///
/// It is chosen once for a queue, not anew with each packet that leaves, so that sources change their rates twice: when it
/// begins and when it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drain {
    kept_bps: f64,
    /// What was chosen is waited for until then.
    until: Instant,
}

impl Drain {
    /// No queue.
    pub fn new(start: Instant) -> Self {
        Self { kept_bps: 0.0, until: start }
    }

    /// What is kept back now, in bit/s.
    #[inline]
    pub fn kept_bps(&mut self, now: Instant, queue: &Queue) -> f64 {
        let is_long = queue.packets > queue.flows + USUAL;
        if !is_long && self.kept_bps == 0.0 {
            return 0.0;
        }
        self.choose(now, is_long, queue);
        self.kept_bps.min(MOST * queue.excess_bps)
    }

    #[cold]
    fn choose(&mut self, now: Instant, is_long: bool, queue: &Queue) {
        let bits = f64::from(queue.packets) * queue.packet_bits;
        let loop_s = queue.a_loop.as_secs_f64();
        if self.kept_bps > 0.0 && bits <= self.kept_bps * loop_s * EARLY {
            (self.kept_bps, self.until) = (0.0, now + queue.a_loop * REST);
        } else if is_long && now >= self.until && loop_s > 0.0 {
            self.kept_bps = (bits / loop_s).min(MOST * queue.excess_bps);
            self.until = now + queue.a_loop * REST;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_queue_is_drained_in_two_steps() {
        let us = |us: u64| Instant::ZERO + Span::from_micros(us);
        let seen =
            |packets| Queue { packets, flows: 2, packet_bits: 1000.0, a_loop: Span::from_micros(100), excess_bps: 1e9 };
        let mut drain = Drain::new(us(0));
        assert_eq!(drain.kept_bps(us(0), &seen(10)), 0.0);
        // 60 packets in a loop.
        assert_eq!(drain.kept_bps(us(1), &seen(60)), 6e8);
        assert_eq!(drain.kept_bps(us(50), &seen(70)), 6e8);
        assert_eq!(drain.kept_bps(us(201), &seen(300)), 7.5e8);
        assert_eq!(drain.kept_bps(us(350), &seen(46)), 7.5e8);
        assert_eq!(drain.kept_bps(us(351), &seen(45)), 0.0);
        // What is still there goes by itself.
        assert_eq!(drain.kept_bps(us(400), &seen(40)), 0.0);
        assert_eq!(drain.kept_bps(us(551), &seen(20)), 2e8);
        // Less is there to be kept back.
        assert_eq!(drain.kept_bps(us(552), &Queue { excess_bps: 1e8, ..seen(20) }), 7.5e7);
    }
}
