//! PIE: proportional integral controller enhanced.
//!
//! Every 15 ms a drop probability is moved by how far the queueing delay is from its target
//! and by how it changed; arrivals are dropped, or marked, with it. Bursts out of
//! a calm queue pass.
//!
//! Source: RFC 8033 §4, with §5.1 (marks), §5.2 (departure rate), §5.4 (drops spread
//! evenly) and §5.5 (steps of at most 2 %) as options, the last two on as in Linux. Not here: §5.3 (switching
//! itself off).

use super::parts::chance::happens;
use super::{DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, Instant, RandomStream, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What PIE may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// QDELAY_REF: the queueing delay aimed at (RFC 8033 §4.2).
    pub target: Span,
    /// T_UPDATE: time between two updates of the probability (RFC 8033 §4.2).
    pub update: Span,
    /// alpha: weight of the distance from the target, per second (RFC 8033 §4.2).
    #[schemars(range(min = 0))]
    pub alpha: f64,
    /// beta: weight of the change since the last update, per second (RFC 8033 §4.2).
    #[schemars(range(min = 0))]
    pub beta: f64,
    /// MAX_BURST: for so long a burst out of a calm queue loses nothing (RFC 8033 §4.4).
    pub max_burst: Span,
    /// How the queueing delay is known.
    pub delay: DelayFrom,
    /// Whether drops are spread evenly (RFC 8033 §5.4).
    pub derandomise: bool,
    /// Whether the probability climbs by at most 2 % a step once it is at 10 % (RFC 8033 §5.5).
    pub cap_step: bool,
    /// Whether capable packets are marked instead of dropped, up to `mark-limit`.
    pub ecn: bool,
    /// mark_ecnth: above this probability capable packets are dropped like all (RFC 8033 §5.1).
    #[schemars(range(min = 0, max = 1))]
    pub mark_limit: f64,
}

/// How the queueing delay is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayFrom {
    /// As the last packet that left had it (RFC 8033 §4.3).
    #[default]
    Timestamps,
    /// As the bytes that wait over the rate at which they leave (RFC 8033 §5.2).
    DepartureRate,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            target: Span::from_millis(15),
            update: Span::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Span::from_millis(150),
            delay: DelayFrom::Timestamps,
            derandomise: true,
            cap_step: true,
            ecn: false,
            mark_limit: 0.1,
        }
    }
}

/// PIE in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    limit: Limit,
    mean_bytes: u64,
    /// Present drop probability.
    drop_prob: f64,
    /// Sum of probabilities since the last drop.
    accu_prob: f64,
    burst_allowance: Span,
    /// Waiting time of the last packet that left.
    qdelay: Span,
    /// Queueing delay at the last update.
    qdelay_old: Span,
    updated: Instant,
    next_update: Instant,
    /// When those that wait came.
    since: VecDeque<Instant>,
    rate: DepartureRate,
    capacity: BitRate,
}

impl Law {
    /// RFC 8033 §4.1, with §5.4.
    fn drops_early(&mut self, queue: &QueueView<'_>, rng: &mut RandomStream) -> bool {
        let is_calm = self.qdelay_old < half(self.params.target) && self.drop_prob < 0.2;
        if self.burst_allowance > Span::ZERO || is_calm || queue.bytes <= 2 * self.mean_bytes {
            return false;
        }
        if !self.params.derandomise {
            return happens(rng, self.drop_prob);
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        let drops = self.accu_prob >= 8.5 || (self.accu_prob >= 0.85 && happens(rng, self.drop_prob));
        if drops {
            self.accu_prob = 0.0;
        }
        drops
    }

    fn current_qdelay(&self, queue: &QueueView<'_>) -> Span {
        match self.params.delay {
            DelayFrom::Timestamps if queue.packets == 0 => Span::ZERO,
            DelayFrom::Timestamps => self.qdelay,
            DelayFrom::DepartureRate => self.rate.delay(queue.bytes),
        }
    }

    /// RFC 8033 §4.2.
    fn update_drop_prob(&mut self, qdelay: Span) {
        let behind = qdelay.as_secs_f64() - self.params.target.as_secs_f64();
        let change = qdelay.as_secs_f64() - self.qdelay_old.as_secs_f64();
        let mut step = (self.params.alpha * behind + self.params.beta * change) * scale(self.drop_prob);
        if self.params.cap_step && self.drop_prob >= 0.1 {
            step = step.min(0.02);
        }
        self.drop_prob += step;
        if qdelay == Span::ZERO && self.qdelay_old == Span::ZERO {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
    }
}

/// Small probabilities are moved by small steps (RFC 8033 §4.2).
fn scale(probability: f64) -> f64 {
    let table = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    let divisor = table.iter().find(|(below, _)| probability < *below).map_or(1.0, |&(_, divisor)| divisor);
    1.0 / divisor
}

fn half(span: Span) -> Span {
    Span::from_nanos(span.as_nanos() / 2)
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "pie",
        summary: "Drops at random, with a probability steered towards a target delay",
        source: "RFC 8033",
    };
    const ORDER: Order = Order::Fifo;

    fn problem(params: &Params) -> Option<String> {
        let Params { target, update, alpha, beta, mark_limit, .. } = *params;
        if target == Span::ZERO {
            Some(format!("`target` is {target}; write a time above 0, such as \"15 ms\""))
        } else if update == Span::ZERO {
            Some(format!("`update` is {update}; write a time above 0, such as \"15 ms\""))
        } else if !(alpha >= 0.0 && alpha.is_finite()) {
            Some(format!("`alpha` is {alpha}; write a number of at least 0"))
        } else if !(beta >= 0.0 && beta.is_finite()) {
            Some(format!("`beta` is {beta}; write a number of at least 0"))
        } else if !(0.0..=1.0).contains(&mark_limit) {
            Some(format!("`mark-limit` is {mark_limit}; write a probability from 0 to 1"))
        } else {
            None
        }
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        Self {
            params: params.clone(),
            limit: site.limit,
            mean_bytes: site.mean_packet.get(),
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: params.max_burst,
            qdelay: Span::ZERO,
            qdelay_old: Span::ZERO,
            updated: site.start,
            next_update: site.start + params.update,
            since: VecDeque::new(),
            rate: DepartureRate::default(),
            capacity: site.capacity,
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if !self.limit.admits(queue.packets, queue.bytes, packet.size_bytes) {
            return Verdict::Drop(DropReason::Full);
        }
        let is_hit = self.drops_early(queue, cx.rng);
        let mark = is_hit && self.params.ecn && packet.ecn_capable && self.drop_prob <= self.params.mark_limit;
        if is_hit && !mark {
            return Verdict::Drop(DropReason::Early);
        }
        if self.params.delay == DelayFrom::Timestamps {
            self.since.push_back(cx.now);
        }
        Verdict::Accept { lane: 0, mark }
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) {
        match self.params.delay {
            DelayFrom::Timestamps => {
                self.qdelay = self.since.pop_front().map_or(Span::ZERO, |since| cx.now.since(since));
            }
            DelayFrom::DepartureRate => self.rate.departed(cx.now, packet.size_bytes, queue.bytes),
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.next_update)
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) {
        // Late by several updates there is one for all: what was missed cannot be made up for.
        let missed = cx.now.since(self.next_update).as_nanos() / self.params.update.as_nanos();
        self.next_update += self.params.update * (missed + 1);
        let qdelay = self.current_qdelay(queue);
        self.update_drop_prob(qdelay);
        // The allowance is a time (RFC 8033 §4.4): what has passed of it counts, however late the update is.
        self.burst_allowance = self.burst_allowance - cx.now.since(self.updated);
        self.updated = cx.now;
        let low = half(self.params.target);
        if self.drop_prob == 0.0 && qdelay < low && self.qdelay_old < low {
            self.burst_allowance = self.params.max_burst;
        }
        self.qdelay_old = qdelay;
        cx.show("drop_probability", 0, self.drop_prob);
        cx.show("queue_delay_ns", 0, qdelay.as_nanos() as f64);
    }

    /// What was measured of the departure rate is told in the new capacity.
    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.rate.scale(self.capacity.as_bps_f64() / capacity.as_bps_f64());
        self.capacity = capacity;
    }
}

/// RFC 8033 §5.2: how long a threshold of bytes takes to leave.
#[derive(Clone, Debug, Default)]
struct DepartureRate {
    /// Start of the present measurement, and what has left since.
    measuring: Option<(Instant, u64)>,
    /// Nanoseconds for a threshold, averaged.
    average_ns: Option<f64>,
}

impl DepartureRate {
    const THRESHOLD_BYTES: u64 = 16 * 1024;
    const WEIGHT: f64 = Self::THRESHOLD_BYTES as f64 / 65_536.0;

    fn departed(&mut self, now: Instant, size_bytes: u32, left_bytes: u64) {
        if let Some((start, left)) = &mut self.measuring {
            *left += u64::from(size_bytes);
            if *left >= Self::THRESHOLD_BYTES {
                let sample = now.since(*start).as_nanos() as f64 * Self::THRESHOLD_BYTES as f64 / *left as f64;
                let average = self.average_ns.map_or(sample, |old| old + Self::WEIGHT * (sample - old));
                self.average_ns = Some(average);
                self.measuring = None;
            }
        }
        if self.measuring.is_none() && left_bytes >= Self::THRESHOLD_BYTES {
            self.measuring = Some((now, 0));
        }
    }

    /// From now on bytes take so many times as long; the measurement under way is void.
    fn scale(&mut self, longer: f64) {
        self.average_ns = self.average_ns.map(|average| average * longer);
        self.measuring = None;
    }

    fn delay(&self, bytes: u64) -> Span {
        let per_byte = self.average_ns.unwrap_or(0.0) / Self::THRESHOLD_BYTES as f64;
        Span::from_nanos((bytes as f64 * per_byte) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lanes;
    use super::*;
    use fairwire_core::{Bytes, Streams};

    /// PIE past its first burst, at this probability and this delay at the last update.
    fn pie(drop_prob: f64, qdelay_old: Span) -> Law {
        let site = QueueSite {
            start: Instant::ZERO,
            capacity: BitRate::from_mbps(10),
            delay: Span::ZERO,
            limit: Limit::Packets(100),
            mean_packet: Bytes::new(1_000),
        };
        Law { drop_prob, qdelay_old, burst_allowance: Span::ZERO, ..Law::new(&Params::default(), &site) }
    }

    /// At which sums of probabilities packets are dropped, of 20,000 that come.
    fn sums_at_drops(mut pie: Law) -> Vec<f64> {
        let lanes = Lanes::default();
        let queue = QueueView { packets: 50, bytes: 50_000, lanes: &lanes };
        let mut rng = Streams::new(1, 0).component("test");
        let mut sum = 0.0;
        let arrival = |_| {
            sum += pie.drop_prob;
            pie.drops_early(&queue, &mut rng).then(|| std::mem::take(&mut sum))
        };
        (0..20_000).filter_map(arrival).collect()
    }

    /// RFC 8033 §5.4: no drop below 0.85, and from there on one in a hundred.
    #[test]
    fn two_drops_lie_a_sum_of_0_85_apart() {
        let sums = sums_at_drops(pie(0.01, Span::from_millis(15)));
        let near = sums.iter().filter(|sum| **sum < 0.95).count();
        assert!(sums.iter().all(|sum| *sum > 0.85 - 1e-9), "{sums:?}");
        assert!(sums.len() > 50 && near > 0, "{near} of {}", sums.len());
    }

    /// RFC 8033 §4.1: a short queue is spared, but not once the probability is 0.2.
    #[test]
    fn a_short_delay_spares_packets_at_a_small_probability_only() {
        let short = Span::from_millis(7);
        assert!(sums_at_drops(pie(0.199, short)).is_empty());
        assert!(!sums_at_drops(pie(0.2, short)).is_empty());
        assert!(!sums_at_drops(pie(0.199, Span::from_micros(7_500))).is_empty());
    }
}
