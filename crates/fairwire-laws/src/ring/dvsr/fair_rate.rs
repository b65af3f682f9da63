//! The feedback value of one link ([dvsr] §V-B2 and Table I).

use fairwire_core::Weight;

/// Counts what each ingress brings to a link and turns a window's counts into
/// the link's fair rate.
#[derive(Clone, Debug)]
pub struct FairRate {
    weights: Vec<f64>,
    /// l_i: bytes that arrived from each ingress since the window began.
    arrived_bytes: Vec<u64>,
    sent_bytes: u64,
    /// (x_i / w_i, x_i, w_i) of those present; scratch.
    present: Vec<(f64, f64, f64)>,
}

impl FairRate {
    /// Counters for ingresses of these weights.
    pub fn new(weights: &[Weight]) -> Self {
        Self {
            weights: weights.iter().map(|weight| weight.get()).collect(),
            arrived_bytes: vec![0; weights.len()],
            sent_bytes: 0,
            present: Vec::with_capacity(weights.len()),
        }
    }

    /// A packet of `ingress` arrives at the link's scheduler.
    #[inline]
    pub fn count_arrival(&mut self, ingress: usize, size_bytes: u32) {
        self.arrived_bytes[ingress] += u64::from(size_bytes);
    }

    /// `ingress` has brought so many bytes at least.
    pub fn count_at_least(&mut self, ingress: usize, bytes: u64) {
        self.arrived_bytes[ingress] = self.arrived_bytes[ingress].max(bytes);
    }

    /// The link sends a packet.
    #[inline]
    pub fn count_sent(&mut self, size_bytes: u32) {
        self.sent_bytes += u64::from(size_bytes);
    }

    /// Whether any ingress has brought anything since the window began, or the link sent anything.
    #[inline]
    pub fn has_counted(&self) -> bool {
        self.arrived_bytes.iter().fold(self.sent_bytes, |any, arrived| any | arrived) > 0
    }

    /// Ends the window, in which the link could have sent `room_bytes`, and
    /// returns the fair rate per unit weight as a fraction of capacity in [0, 1].
    ///
    /// The link counts as busy if it sent all but one packet's worth (packet
    /// boundaries make b fall just short of 1) or never ran dry.
    pub fn close(&mut self, room_bytes: f64, max_packet_bytes: f64, never_dry: bool) -> f64 {
        if self.arrived_bytes.iter().fold(0, |any, arrived| any | arrived) == 0 {
            self.sent_bytes = 0;
            return 1.0;
        }
        let sent = self.sent_bytes as f64;
        self.present.clear();
        for (arrived, &weight) in self.arrived_bytes.iter_mut().zip(&self.weights) {
            if *arrived > 0 {
                let x = *arrived as f64 / room_bytes;
                self.present.push((x / weight, x, weight));
                *arrived = 0;
            }
        }
        self.sent_bytes = 0;
        self.present.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let busy = sent >= room_bytes - max_packet_bytes || (never_dry && sent > 0.0);
        let fraction = if busy { largest_share(&self.present) } else { idle_share(&self.present, sent / room_bytes) };
        fraction.clamp(0.0, 1.0)
    }
}

/// b < 1: the largest may have what it has and all that was left unused.
fn idle_share(present: &[(f64, f64, f64)], busy_fraction: f64) -> f64 {
    let (largest, _, weight) = present[present.len() - 1];
    largest + (1.0 - busy_fraction) / weight
}

/// b = 1, Table I: the max-min share of the largest. Whoever is below the share
/// leaves the count with what it uses, and the rest share what remains. The
/// printed last statement of the loop copies a count where it must advance.
fn largest_share(present: &[(f64, f64, f64)]) -> f64 {
    let largest = present[present.len() - 1].0;
    let mut capacity = 1.0;
    let mut weights: f64 = present.iter().map(|(_, _, weight)| weight).sum();
    let mut share = capacity / weights;
    for &(normalised, x, weight) in &present[..present.len() - 1] {
        if normalised >= share || largest < share {
            break;
        }
        capacity -= x;
        weights -= weight;
        share = capacity / weights;
    }
    share
}

#[cfg(test)]
mod tests;
