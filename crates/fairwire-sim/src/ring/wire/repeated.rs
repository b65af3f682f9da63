//! What comes again and again.

use fairwire_core::EqualPackets;
use fairwire_laws::PackedMessage;

/// A message that a link sends whenever some time has passed, and nothing else: when it arrives next is worked out when
/// somebody asks.
#[derive(Debug)]
pub struct Repeated {
    message: PackedMessage,
    next_at: u64,
    /// When the next one is sent, and the time from each to the next.
    sent_at: u64,
    period: u64,
    /// The times that they take on the link, and then on the wire.
    times: EqualPackets,
    delay: u64,
}

impl Repeated {
    /// `message` is sent at `sent_at` and whenever `period` has passed; it takes `times` and `delay` ns.
    pub fn new(message: PackedMessage, sent_at: u64, period: u64, times: EqualPackets, delay: u64) -> Self {
        let mut repeated = Self { message, next_at: 0, sent_at, period, times, delay };
        repeated.find_next();
        repeated
    }

    fn find_next(&mut self) {
        self.next_at = self.sent_at + self.times.transmit() + self.delay;
        self.sent_at += self.period;
    }

    /// The next one, and when it arrived, if that was not after `now`.
    #[inline]
    pub fn pop(&mut self, now: u64) -> Option<(u64, PackedMessage)> {
        if self.next_at > now {
            return None;
        }
        let arrived_at = self.next_at;
        self.find_next();
        Some((arrived_at, self.message.clone()))
    }
}
