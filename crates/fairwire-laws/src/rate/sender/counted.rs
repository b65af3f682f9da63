//! A source whose data somebody else sends, such as a kernel: its control packets leave by what has been counted.

use super::{NEVER_BY_TIME, Sender};
use fairwire_core::Instant;

/// In place of [`Sender::poll_timeout`] and [`Sender::take`], which send data, too.
impl Sender {
    /// So many data packets have left since it was told last.
    pub fn on_sent(&mut self, packets: u64) {
        if packets > 0 {
            let packets = i32::try_from(packets).unwrap_or(i32::MAX);
            self.since_control = self.since_control.saturating_add(packets).min(i32::MAX - 1);
            // The first data packets are followed by a control packet.
            self.index = self.index.max(1);
        }
    }

    /// When a control packet is due if no data is sent until then, [`Instant::NEVER`] if never. A time that has passed is now.
    pub fn control_due_at(&self) -> Instant {
        if !self.is_on() {
            return Instant::NEVER;
        }
        // Who has no rate and asks is not starved.
        let starved = if self.asks_alone() { Instant::NEVER } else { self.control_at + self.starved_after() };
        let is_due = self.may_send_data && self.is_control_due_by_count();
        let by_count = if is_due { self.control_at } else { Instant::NEVER };
        let waits = self.control_within != NEVER_BY_TIME && self.index > 0;
        let enough = waits && self.since_control >= self.control_least;
        let by_time = if enough { self.control_at + self.control_within } else { Instant::NEVER };
        self.asks_at.min(starved).min(by_count).min(by_time)
    }

    /// Writes the control packet that is due at `now` into `bytes`: whether there is one.
    pub fn take_control(&mut self, now: Instant, bytes: &mut Vec<u8>) -> bool {
        let is_due = self.control_due_at() <= now;
        if is_due {
            let asks = self.asks && self.asks_at <= now;
            self.write_control(now, asks, bytes);
            self.index = self.index.max(1).saturating_add(1);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use crate::rate::{FirstRate, Manner, OnChange, RateLawChoice, Sender, SendingPlan, Terms};
    use fairwire_core::{Instant, Span};

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn sender(law: &str, first: FirstRate, control_within: Option<Span>) -> Sender {
        let plan = SendingPlan {
            packet_bytes: 1_000,
            control_every: 10,
            control_within,
            control_least: 4,
            first,
            on_change: OnChange::Reschedule,
            manner: Manner::Honest,
        };
        let terms = Terms { minimum_bps: 0.0, peak_bps: 8e7, supported_bps: 8e7, weight: 1.0 };
        let mut sender = Sender::new(&RateLawChoice::by_name(law).unwrap(), &plan, &terms);
        sender.start(ms(0), Instant::NEVER, None);
        sender
    }

    #[test]
    fn control_packets_follow_the_first_data_and_then_so_many_packets() {
        let (mut sender, mut bytes) = (sender("wmfqc", FirstRate::Peak, None), Vec::new());
        assert_eq!(sender.control_due_at(), ms(100), "without data as often as a starved source sends");
        assert!(!sender.take_control(ms(1), &mut bytes));
        sender.on_sent(0);
        assert!(!sender.take_control(ms(1), &mut bytes));
        sender.on_sent(1);
        assert!(sender.take_control(ms(2), &mut bytes) && !bytes.is_empty());
        sender.on_sent(8);
        assert!(!sender.take_control(ms(3), &mut bytes), "one in ten packets");
        sender.on_sent(1);
        assert!(sender.take_control(ms(3), &mut bytes));
        sender.on_sent(u64::MAX);
        sender.on_sent(u64::MAX);
        assert!(sender.take_control(ms(4), &mut bytes));
        assert_eq!(sender.control_due_at(), ms(104));
    }

    #[test]
    fn who_has_sent_enough_sends_one_after_a_time() {
        let mut sender = sender("wmfqc", FirstRate::Peak, Some(Span::from_millis(20)));
        sender.on_sent(1);
        assert!(sender.take_control(ms(1), &mut Vec::new()));
        sender.on_sent(3);
        assert_eq!(sender.control_due_at(), ms(101));
        sender.on_sent(1);
        assert_eq!(sender.control_due_at(), ms(21));
    }

    #[test]
    fn who_asks_asks_again_and_is_not_starved() {
        let (mut sender, mut bytes) = (sender("wmfqc", FirstRate::Ask, None), Vec::new());
        assert!(sender.take_control(ms(0), &mut bytes));
        // Sixteen packets at its peak rate, then three times that.
        assert_eq!(sender.control_due_at(), Instant::from_nanos(1_600_000));
        assert!(sender.take_control(ms(2), &mut bytes));
        assert_eq!(sender.control_due_at(), Instant::from_nanos(6_800_000));
    }
}
