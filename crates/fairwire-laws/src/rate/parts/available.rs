//! Available bandwidth: what a link has for the flows that a law controls.

use crate::rate::PortView;
use fairwire_core::{Instant, Span};

/// Other traffic that moves by less than this part of the capacity is taken for steady.
const STEADY: f64 = 1.0 / 256.0;
/// What moves by more than this part of the capacity from one interval to the next is another rate at once.
const LEAP: f64 = 1.0 / 8.0;
/// So many packets more or less than expected say nothing: they may as well belong to the time before or after.
const FEW_PACKETS: f64 = 3.0;
/// What comes between two looks is taken for one packet up to this size.
const PACKET_BYTES: u64 = 1_500;

/// ABW: the capacity less what traffic of higher priority and uncontrolled traffic took in the last interval
/// ([wmfqc] §2.1), never less than what is reserved, nor more than the capacity. As long as there is no other traffic it is
/// the capacity, exactly.
///
/// On a slow link an interval holds few packets: were each interval believed, one control packet that comes back each 20 ms would change
/// ABW, and all rates, each 10 ms. So what is believed stands until more bytes are missing, or too many, than a few packets have:
/// in an interval where that is a good part of the capacity, else in all the time since. That adds up until a few packets are no more
/// than the steady part, which then is what counts (ours).
#[derive(Clone, Debug)]
pub struct Available {
    interval: Span,
    /// The begin of the time that adds up, and of the present interval.
    since: Mark,
    last: Mark,
    /// What had come at the last look, and the largest packet.
    seen_bytes: u64,
    packet_bytes: u64,
    /// What other traffic took, in bit/s, as it was last believed.
    other_bps: f64,
}

/// What had come by then.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Instant,
    bytes: u64,
}

impl Mark {
    /// Seconds and bits from here to a later mark.
    fn until(&self, later: &Self) -> (f64, f64) {
        (later.at.since(self.at).as_secs_f64(), (later.bytes - self.bytes) as f64 * 8.0)
    }
}

impl Available {
    /// Measured over `interval`, which begins at `start`.
    pub fn new(interval: Span, start: Instant) -> Self {
        let begin = Mark { at: start, bytes: 0 };
        Self { interval, since: begin, last: begin, seen_bytes: 0, packet_bytes: 0, other_bps: 0.0 }
    }

    /// ABW in bit/s at `now`.
    #[inline]
    pub fn bps(&mut self, now: Instant, port: &PortView, reserved_bps: f64) -> f64 {
        let mark = Mark { at: now, bytes: port.higher_bytes + port.uncontrolled_bytes };
        if mark.bytes == self.since.bytes && self.other_bps == 0.0 {
            (self.since, self.last) = (mark, mark);
        } else {
            self.look(mark, port.capacity.as_bps_f64());
        }
        let capacity_bps = port.capacity.as_bps_f64();
        (capacity_bps - self.other_bps).max(reserved_bps.min(capacity_bps))
    }

    #[cold]
    fn look(&mut self, now: Mark, capacity_bps: f64) {
        let came = now.bytes - self.seen_bytes;
        (self.seen_bytes, self.packet_bytes) = (now.bytes, self.packet_bytes.max(came.min(PACKET_BYTES)));
        if now.at.since(self.last.at) >= self.interval {
            self.measure(now, capacity_bps);
            self.last = now;
        }
    }

    /// An interval is over.
    fn measure(&mut self, now: Mark, capacity_bps: f64) {
        let few_bits = FEW_PACKETS * self.packet_bytes as f64 * 8.0;
        let off = |(time_s, bits): (f64, f64)| (bits - self.other_bps * time_s).abs();
        let ((last_s, last_bits), (time_s, bits)) = (self.last.until(&now), self.since.until(&now));
        let steady_bits = STEADY * capacity_bps * time_s;
        let has_leapt = off((last_s, last_bits)) > few_bits.max(LEAP * capacity_bps * last_s);
        let is_long = steady_bits >= few_bits;
        let is_other = off((time_s, bits)) > if is_long { steady_bits } else { few_bits + steady_bits };
        if has_leapt {
            self.other_bps = last_bits / last_s;
        } else if is_other || (is_long && bits == 0.0) {
            self.other_bps = bits / time_s;
        }
        if has_leapt || is_other || is_long {
            self.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::BitRate;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// 100 Mb/s, and what others have sent so far.
    fn view(higher_bytes: u64, uncontrolled_bytes: u64) -> PortView {
        PortView { capacity: BitRate::from_mbps(100), higher_bytes, uncontrolled_bytes, ..PortView::default() }
    }

    fn measured() -> Available {
        Available::new(Span::from_millis(10), ms(0))
    }

    #[test]
    fn without_others_it_is_the_capacity() {
        let mut available = measured();
        for at in [0, 1, 500] {
            assert_eq!(available.bps(ms(at), &view(0, 0), 0.0), 1e8);
        }
    }

    #[test]
    fn all_others_are_taken_off_once_an_interval_is_over() {
        let mut available = measured();
        // The interval begins when nothing of others had come.
        assert_eq!(available.bps(ms(100), &view(0, 0), 0.0), 1e8);
        assert_eq!(available.bps(ms(109), &view(30_000, 10_000), 0.0), 1e8);
        // 50 kB in 10 ms are 40 Mb/s.
        let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1.0, "{got} in place of {wanted}");
        near(available.bps(ms(110), &view(35_000, 15_000), 0.0), 6e7);
        // A late end: 50 kB in 20 ms.
        near(available.bps(ms(130), &view(60_000, 40_000), 0.0), 8e7);
        // What is reserved stays.
        near(available.bps(ms(131), &view(60_000, 40_000), 9e7), 9e7);
        near(available.bps(ms(131), &view(60_000, 40_000), 1.1e8), 1e8);
    }

    /// One packet of 1000 bytes each 20 ms on 10 Mb/s are 4 %: they are taken off once, and ABW stands.
    #[test]
    fn a_few_packets_more_or_less_change_nothing() {
        let mut available = measured();
        let mut told = Vec::new();
        for at in (1..6_000).step_by(2) {
            let view = PortView { capacity: BitRate::from_mbps(10), ..view(0, at / 20 * 1_000) };
            let bps = available.bps(ms(at), &view, 0.0);
            if told.last() != Some(&bps) {
                told.push(bps);
            }
        }
        assert!(told.len() <= 3 && told[0] == 1e7, "{told:?}");
        assert!((told.last().unwrap() / 9.6e6 - 1.0).abs() < 0.005, "{told:?}");
    }

    /// A 256th of 100 Mb/s are 390 kb/s: that near is what is believed, and nothing at all is nothing.
    #[test]
    fn small_changes_add_up_until_they_count() {
        let mut available = measured();
        let (mut bytes, mut now) = (0, 0);
        for kbps in [384, 1_000, 1_384, 600, 3_000, 200, 0] {
            let mut told = Vec::new();
            for _ in 0..200 {
                now += 10;
                bytes += kbps * 10 / 8;
                told.push(1e5 - available.bps(ms(now), &view(bytes, 0), 0.0) / 1e3);
            }
            let (believed, steady) = (told[told.len() - 1], 390.7);
            assert!((believed - kbps as f64).abs() <= steady, "{believed} for {kbps}");
            assert!(told[40..].iter().all(|before| *before == believed), "{kbps}: {told:?}");
            assert!(kbps > 0 || believed == 0.0);
        }
    }
}
