//! The feedback value of one link ([dvsr] §V-B2 and Table I).

use fairwire_core::Weight;

/// What is known of a window besides what was counted in it.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// What the link could have sent.
    pub room_bytes: f64,
    /// The largest packet.
    pub packet_bytes: f64,
    /// By how much the count of an ingress may fall short of its share before the ingress counts as one that wants less.
    pub margin_bytes: f64,
    /// Whether the link had something to send throughout.
    pub never_dry: bool,
}

/// Turns what each ingress has brought to a link in a window into the link's fair rate.
#[derive(Clone, Debug)]
pub struct FairRate {
    weights: Vec<f64>,
    /// l_i: bytes that arrived from each ingress in the window.
    arrived_bytes: Vec<u64>,
    /// Whether any is more than zero.
    any_arrived: bool,
    sent_bytes: u64,
    /// What the counters told when the window began.
    counted_before: Vec<u64>,
    sent_before: u64,
    /// (x_i / w_i, x_i, w_i) of those present; scratch.
    present: Vec<(f64, f64, f64)>,
}

impl FairRate {
    /// For ingresses of these weights, whose counters are at zero.
    pub fn new(weights: &[Weight]) -> Self {
        Self {
            weights: weights.iter().map(|weight| weight.get()).collect(),
            arrived_bytes: vec![0; weights.len()],
            any_arrived: false,
            sent_bytes: 0,
            counted_before: vec![0; weights.len()],
            sent_before: 0,
            present: Vec::with_capacity(weights.len()),
        }
    }

    /// An ingress weighs so much from now on.
    pub fn set_weights(&mut self, weights: &[Weight]) {
        self.weights.clear();
        self.weights.extend(weights.iter().map(|weight| weight.get()));
    }

    /// A window begins with the counters at these values: bytes that arrived from each ingress, and bytes sent.
    pub fn begin(&mut self, arrived: &[u64], sent: u64) {
        self.counted_before.iter_mut().zip(arrived).for_each(|(before, now)| *before = *now);
        self.sent_before = sent;
    }

    /// The window ends with the counters at these values, and the next one begins.
    #[inline]
    pub fn read(&mut self, arrived: &[u64], sent: u64) {
        let since = arrived.iter().zip(&mut self.counted_before);
        let mut all = 0;
        for (bytes, (&now, before)) in self.arrived_bytes.iter_mut().zip(since) {
            *bytes = now.wrapping_sub(*before);
            *before = now;
            all |= *bytes;
        }
        if went_back(all) {
            self.arrived_bytes.iter_mut().filter(|bytes| went_back(**bytes)).for_each(|bytes| *bytes = 0);
            all = self.arrived_bytes.iter().fold(0, |all, bytes| all | bytes);
        }
        self.any_arrived = all > 0;
        self.sent_bytes = sent.saturating_sub(self.sent_before);
        self.sent_before = sent;
    }

    /// `ingress` has brought so many bytes at least.
    pub fn count_at_least(&mut self, ingress: usize, bytes: u64) {
        self.arrived_bytes[ingress] = self.arrived_bytes[ingress].max(bytes);
        self.any_arrived |= bytes > 0;
    }

    /// Whether any ingress has brought anything in the window, or the link sent anything.
    #[inline]
    pub fn has_counted(&self) -> bool {
        self.any_arrived || self.sent_bytes > 0
    }

    /// What has been read is of this window: returns the fair rate per unit weight as a fraction of the room, in [0, 1].
    ///
    /// The link counts as busy if it sent all but one packet's worth (packet
    /// boundaries make b fall just short of 1) or never ran dry.
    pub fn close(&mut self, window: &Window) -> f64 {
        if !self.any_arrived {
            return 1.0;
        }
        let (room_bytes, sent) = (window.room_bytes, self.sent_bytes as f64);
        self.present.clear();
        for (&arrived, &weight) in self.arrived_bytes.iter().zip(&self.weights) {
            if arrived > 0 {
                let x = arrived as f64 / room_bytes;
                self.present.push((x / weight, x, weight));
            }
        }
        self.present.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let busy = sent >= room_bytes - window.packet_bytes || (window.never_dry && sent > 0.0);
        let fraction = if busy {
            largest_share(&self.present, window.margin_bytes / room_bytes)
        } else {
            idle_share(&self.present, sent / room_bytes)
        };
        fraction.clamp(0.0, 1.0)
    }
}

/// Whether a counter that came so much further has begun anew: nobody counts to 2⁶³ bytes.
#[inline]
fn went_back(bytes: u64) -> bool {
    bytes >> 63 != 0
}

/// b < 1: the largest may have what it has and all that was left unused.
fn idle_share(present: &[(f64, f64, f64)], busy_fraction: f64) -> f64 {
    let (largest, _, weight) = present[present.len() - 1];
    largest + (1.0 - busy_fraction) / weight
}

/// b = 1, Table I: the max-min share of the largest. Whoever is below the share
/// leaves the count with what it uses, and the rest share what remains. The
/// printed last statement of the loop copies a count where it must advance.
///
/// Counts come in whole packets. 19 packets where 19.4 are due are no smaller demand: whoever is within `margin` of the
/// share is not below it. As printed, without a margin, the share comes out too large then, the limits together
/// are above the link, and its queue stands for good.
fn largest_share(present: &[(f64, f64, f64)], margin: f64) -> f64 {
    let largest = present[present.len() - 1].0;
    let mut capacity = 1.0;
    let mut weights: f64 = present.iter().map(|(_, _, weight)| weight).sum();
    let mut share = capacity / weights;
    for &(normalised, x, weight) in &present[..present.len() - 1] {
        if normalised + margin / weight >= share || largest < share {
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
