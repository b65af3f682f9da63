//! A queue that falling bandwidth has left is drained.

use fairwire_core::{Instant, Span};

/// So many packets beside one a flow are no queue to speak of.
const USUAL: f64 = 8.0;
/// At most this part of the excess is kept back; so nobody falls to his minimum.
const MOST: f64 = 0.5;

/// What is kept back from shares and grants while there is a queue.
///
/// It is chosen once for a queue, not anew with each packet that leaves, so that sources change their rates twice: when it
/// begins and when it ends. It ends a loop before the queue is gone, as so long nothing changes at the port.
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

    /// What is kept back now, in bit/s. There are `packets` of so many bits in the queue and so many flows; after a `loop`
    /// flows have done what they were told; `excess_bps` is what is there beyond minimums.
    #[inline]
    pub fn kept_bps(
        &mut self,
        now: Instant,
        packets: u32,
        packet_bits: f64,
        flows: usize,
        a_loop: Span,
        excess_bps: f64,
    ) -> f64 {
        let beyond = f64::from(packets) - flows as f64 - USUAL;
        if beyond <= 0.0 && self.kept_bps == 0.0 {
            return 0.0;
        }
        let loop_s = a_loop.as_secs_f64().max(1e-6);
        let bits = beyond * packet_bits;
        if self.kept_bps > 0.0 && bits <= self.kept_bps * loop_s * 0.5 {
            (self.kept_bps, self.until) = (0.0, now + a_loop * 2);
        } else if now >= self.until {
            self.kept_bps = (bits / loop_s).min(MOST * excess_bps);
            self.until = now + a_loop * 2;
        }
        self.kept_bps.min(MOST * excess_bps)
    }
}
