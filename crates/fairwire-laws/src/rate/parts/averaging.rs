//! What arrives at a port over averaging intervals.

use crate::rate::PortView;
use fairwire_core::{Instant, Span};

/// Measures the input of a port: over a time, or until so many packets have come, whichever is over first.
///
/// An interval that ends late is one interval, as long as it was. A port that rests measures nothing until the next packet.
#[derive(Clone, Debug)]
pub struct Averaging {
    interval: Span,
    most_packets: u32,
    /// When the interval began; none while the port rests.
    since: Option<Instant>,
    /// [`PortView::controlled_bytes`] at its beginning.
    bytes: u64,
    packets: u32,
    packet_bytes: u64,
    mean_packet_bits: f64,
}

/// What an interval brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// How long it was, in s; above zero.
    pub seconds: f64,
    /// What arrived of controlled flows, in bit/s.
    pub input_bps: f64,
    /// The mean size of their packets in bits, of the last interval that had any; zero if none had.
    pub mean_packet_bits: f64,
}

impl Averaging {
    /// Intervals of `interval`, which is above zero, or of `most_packets` if that is earlier.
    pub fn new(interval: Span, most_packets: Option<u32>) -> Self {
        Self {
            interval,
            most_packets: most_packets.unwrap_or(u32::MAX),
            since: None,
            bytes: 0,
            packets: 0,
            packet_bytes: 0,
            mean_packet_bits: 0.0,
        }
    }

    /// Intervals are so long from now on, the one that goes on included.
    pub fn set_interval(&mut self, interval: Span) {
        self.interval = interval;
    }

    /// A packet of a controlled flow comes: what the interval before it brought, if that is over.
    #[inline]
    pub fn on_packet(&mut self, now: Instant, size_bytes: u32, port: &PortView) -> Option<Load> {
        let since = *self.since.get_or_insert(now);
        let is_over = self.packets >= self.most_packets || now.since(since) >= self.interval;
        let load = if is_over { self.end(now, port) } else { None };
        self.packets = self.packets.saturating_add(1);
        self.packet_bytes += u64::from(size_bytes);
        load
    }

    /// What the interval brought, if it is over at `now`.
    pub fn on_timeout(&mut self, now: Instant, port: &PortView) -> Option<Load> {
        let is_over = self.since.is_some_and(|since| now.since(since) >= self.interval);
        if is_over { self.end(now, port) } else { None }
    }

    /// When the interval will be over.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.since.map(|since| since + self.interval)
    }

    /// Nothing is measured until the next packet.
    pub fn rest(&mut self) {
        self.since = None;
    }

    /// None as long as no time has passed: a rate needs some.
    #[cold]
    fn end(&mut self, now: Instant, port: &PortView) -> Option<Load> {
        let seconds = now.since(self.since?).as_secs_f64();
        if seconds == 0.0 {
            return None;
        }
        if self.packets > 0 {
            self.mean_packet_bits = self.packet_bytes as f64 * 8.0 / f64::from(self.packets);
        }
        let bits = port.controlled_bytes.saturating_sub(self.bytes) as f64 * 8.0;
        let load = Load { seconds, input_bps: bits / seconds, mean_packet_bits: self.mean_packet_bits };
        (self.since, self.bytes) = (Some(now), port.controlled_bytes);
        (self.packets, self.packet_bytes) = (0, 0);
        Some(load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    fn view(controlled_bytes: u64) -> PortView {
        PortView { controlled_bytes, ..PortView::default() }
    }

    #[test]
    fn an_interval_ends_by_time_by_packets_or_late() {
        let mut averaging = Averaging::new(Span::from_micros(100), Some(3));
        assert_eq!(averaging.poll_timeout(), None);
        // By time: 2 packets of 125 bytes in 100 µs are 20 Mb/s.
        assert_eq!(averaging.on_packet(us(1000), 125, &view(0)), None);
        assert_eq!(averaging.poll_timeout(), Some(us(1100)));
        assert_eq!(averaging.on_packet(us(1050), 125, &view(125)), None);
        assert_eq!(averaging.on_timeout(us(1099), &view(250)), None);
        let load = averaging.on_timeout(us(1100), &view(250)).unwrap();
        assert_eq!((load.seconds, load.mean_packet_bits), (1e-4, 1000.0));
        assert!((load.input_bps - 2e7).abs() < 1.0);
        // By packets: the fourth one ends the interval of three. 3000 bits in 30 µs are 100 Mb/s.
        for packet in 0..3 {
            assert_eq!(averaging.on_packet(us(1110 + packet), 125, &view(250 + 125 * packet)), None);
        }
        let load = averaging.on_packet(us(1130), 125, &view(625)).unwrap();
        assert!((load.input_bps - 1e8).abs() < 1.0, "{load:?}");
        // Late, by a packet: one interval of 400 µs.
        let load = averaging.on_packet(us(1530), 125, &view(750)).unwrap();
        assert!((load.input_bps - 2.5e6).abs() < 1.0, "{load:?}");
        // Without input, and the mean size stays.
        averaging.on_timeout(us(1630), &view(875)).unwrap();
        let load = averaging.on_timeout(us(1730), &view(875)).unwrap();
        assert_eq!((load.input_bps, load.mean_packet_bits), (0.0, 1000.0));
        averaging.rest();
        assert_eq!(averaging.poll_timeout(), None);
        // After a rest the interval begins with the packet.
        assert_eq!(averaging.on_packet(us(9000), 125, &view(875)), None);
        assert_eq!(averaging.poll_timeout(), Some(us(9100)));
    }

    #[test]
    fn packets_at_one_instant_have_no_rate() {
        let mut averaging = Averaging::new(Span::from_micros(100), Some(2));
        for packet in 0..5 {
            assert_eq!(averaging.on_packet(us(0), 125, &view(125 * packet)), None);
        }
        let load = averaging.on_packet(us(1), 125, &view(625)).unwrap();
        assert!((load.input_bps - 5e9).abs() < 1e3, "{load:?}");
    }
}
