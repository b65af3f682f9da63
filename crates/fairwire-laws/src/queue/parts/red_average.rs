//! What RED, FRED, VRR and CHOKe share: the average queue length and the chance of an
//! early drop that grows with it.
//!
//! Source: S. Floyd and V. Jacobson, Random Early Detection Gateways for Congestion
//! Avoidance, IEEE/ACM ToN 1(4), 1993; *gentle* is Floyd's later
//! recommendation. What the paper leaves open is as in ns-2: the link's idle time
//! counts in whole packet times, and with *wait* two early drops lie at least
//! 1/probability arrivals apart.

use super::chance::happens;
use super::red_params::RedParams;
use crate::queue::{QueueSite, QueueView};
use fairwire_core::{BitRate, Bytes, Instant, RandomStream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a law counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Packets, of whatever size.
    #[default]
    Packets,
    /// Bytes, told in packets of the link's mean size.
    Bytes,
}

impl Count {
    /// How much waits, in packets or in packets of `mean_bytes`.
    #[inline]
    pub(in crate::queue) fn length(self, queue: &QueueView<'_>, mean_bytes: f64) -> f64 {
        match self {
            Self::Packets => f64::from(queue.packets),
            Self::Bytes => queue.bytes as f64 / mean_bytes,
        }
    }
}

/// Bytes in a packet of the site's mean size, at least 1.
pub(in crate::queue) fn mean_bytes(site: &QueueSite) -> f64 {
    site.mean_packet.get().max(1) as f64
}

/// The queue length, averaged exponentially over arrivals.
#[derive(Clone, Debug)]
pub(in crate::queue) struct Average {
    packets: f64,
    weight: f64,
    mean_packet: Bytes,
    packet_time_ns: u64,
    idle_since: Option<Instant>,
}

impl Average {
    /// An empty queue in front of an idle link; `weight` is the papers' w_q.
    pub(in crate::queue) fn new(weight: f64, site: &QueueSite) -> Self {
        Self {
            packets: 0.0,
            weight,
            mean_packet: site.mean_packet,
            packet_time_ns: packet_time_ns(site.mean_packet, site.capacity),
            idle_since: Some(site.start),
        }
    }

    /// In packets, or packets of the mean size.
    #[inline]
    pub(in crate::queue) fn get(&self) -> f64 {
        self.packets
    }

    /// Takes in the present length. An idle link counts as arrivals at an empty queue,
    /// one each packet time.
    #[inline]
    pub(in crate::queue) fn update(&mut self, now: Instant, packets: f64) {
        self.take_in_idle_time(now);
        self.packets += self.weight * (packets - self.packets);
    }

    #[inline]
    fn take_in_idle_time(&mut self, now: Instant) {
        if let Some(since) = self.idle_since {
            let missed = now.since(since).as_nanos() / self.packet_time_ns;
            self.packets *= power(1.0 - self.weight, missed);
            self.idle_since = Some(now);
        }
    }

    /// From now on a packet needs another time; idle time up to now counts at the old one.
    pub(in crate::queue) fn set_capacity(&mut self, now: Instant, capacity: BitRate) {
        self.take_in_idle_time(now);
        self.packet_time_ns = packet_time_ns(self.mean_packet, capacity);
    }

    /// The link has nothing to send from now on.
    pub(in crate::queue) fn idle(&mut self, now: Instant) {
        self.idle_since = Some(now);
    }

    /// A packet was accepted: the link has something to send.
    #[inline]
    pub(in crate::queue) fn busy(&mut self) {
        self.idle_since = None;
    }
}

/// The time that a usual packet needs on the link, at least 1 ns.
fn packet_time_ns(mean_packet: Bytes, capacity: BitRate) -> u64 {
    (mean_packet / capacity).as_nanos().max(1)
}

/// By squaring, as a result that is the same on every machine.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 && result > 0.0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

/// What a law with an early drop is set to.
#[derive(Clone, Copy, Debug)]
pub(in crate::queue) struct EarlyDropSettings {
    /// Thresholds and probability.
    pub red: RedParams,
    /// Whether the probability climbs on to 1 at twice max_th instead of jumping.
    pub gentle: bool,
    /// Whether two early drops lie at least 1/probability arrivals apart.
    pub wait: bool,
    /// Whether larger packets are dropped more often, and what counts as one.
    pub per_bytes: Option<f64>,
}

/// What RED decided on one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::queue) enum Fate {
    /// It stays.
    Spared,
    /// The draw hit it: drop or mark it.
    Chosen,
    /// The average is too high for any packet: drop it.
    Forced,
}

/// RED's decision and the count of arrivals since the last early drop.
#[derive(Clone, Debug)]
pub(in crate::queue) struct EarlyDrop {
    settings: EarlyDropSettings,
    /// From here on every packet is dropped.
    beyond: f64,
    /// Packets since the last drop that could have been the next; -1 after the average was low.
    count: f64,
}

impl EarlyDrop {
    pub(in crate::queue) fn new(settings: EarlyDropSettings) -> Self {
        let max_th = settings.red.max_th;
        let beyond = if settings.gentle { 2.0 * max_th } else { max_th };
        Self { settings, beyond, count: -1.0 }
    }

    /// Whether the average is at the upper threshold.
    #[inline]
    pub(in crate::queue) fn is_over(&self, average: f64) -> bool {
        average >= self.settings.red.max_th
    }

    /// p_b, the base probability at this average.
    pub(in crate::queue) fn p_b(&self, average: f64) -> f64 {
        let RedParams { min_th, max_th, max_p, .. } = self.settings.red;
        if average < min_th {
            0.0
        } else if average < max_th {
            max_p * (average - min_th) / (max_th - min_th)
        } else if average < self.beyond {
            max_p + (1.0 - max_p) * (average - max_th) / max_th
        } else {
            1.0
        }
    }

    /// What becomes of a packet of this size.
    #[inline]
    pub(in crate::queue) fn decide(&mut self, average: f64, size_bytes: u32, rng: &mut RandomStream) -> Fate {
        if average < self.settings.red.min_th {
            self.calm();
            return Fate::Spared;
        }
        if average >= self.beyond {
            self.dropped();
            return Fate::Forced;
        }
        self.passed(size_bytes);
        self.draw(average, size_bytes, rng)
    }

    /// One more arrival counts towards the next drop.
    #[inline]
    pub(in crate::queue) fn passed(&mut self, size_bytes: u32) {
        self.count += self.settings.per_bytes.map_or(1.0, |mean| f64::from(size_bytes) / mean);
    }

    /// The draw alone.
    #[inline]
    pub(in crate::queue) fn draw(&mut self, average: f64, size_bytes: u32, rng: &mut RandomStream) -> Fate {
        let p_a = self.p_a(self.p_b(average));
        let weighed = self.settings.per_bytes.map_or(p_a, |mean| p_a * f64::from(size_bytes) / mean);
        if happens(rng, if p_a < 1.0 { weighed } else { 1.0 }) {
            self.dropped();
            Fate::Chosen
        } else {
            Fate::Spared
        }
    }

    /// The average is low: the count begins anew.
    #[inline]
    pub(in crate::queue) fn calm(&mut self) {
        self.count = -1.0;
    }

    /// A packet was dropped.
    #[inline]
    pub(in crate::queue) fn dropped(&mut self) {
        self.count = 0.0;
    }

    /// p_a: the base probability, raised with the count so that drops are spread evenly
    /// (Floyd and Jacobson; with *wait* as in ns-2).
    #[inline]
    fn p_a(&self, p_b: f64) -> f64 {
        let expected = self.count * p_b;
        if self.settings.wait {
            match expected {
                _ if expected < 1.0 => 0.0,
                _ if expected < 2.0 => p_b / (2.0 - expected),
                _ => 1.0,
            }
        } else if expected < 1.0 {
            p_b / (1.0 - expected)
        } else {
            1.0
        }
    }
}
