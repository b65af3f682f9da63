//! How far a flow strays from its fair share.

use super::tandem::{Arrival, FeedbackTandem, Setting};
use crate::AnalysisError;

/// A flow that always has something to send from some window on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The flow.
    pub flow: usize,
    /// The first window in which it does; before that the schedule says what it asks for.
    pub from_window: usize,
}

/// The largest deviations seen, in bits; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Excess {
    /// Let through beyond the fair share, over any interval: Lemma 1.
    pub underthrottled_bits: f64,
    /// Held back below it, over any interval: Lemma 2.
    pub overthrottled_bits: f64,
    /// Service behind the fair share since the flow came: Fig. 15.
    pub service_behind_bits: f64,
    /// Service beyond what was let through; 0 unless something is wrong.
    pub service_beyond_throttled_bits: f64,
    /// Difference of the services of two watched flows over any interval: Lemma 3.
    pub pairwise_bits: f64,
    /// Service behind what feedback without delay would have given: C over the
    /// number of flows that ask for anything, window by window. No lemma bounds this.
    pub behind_undelayed_bits: f64,
}

impl Excess {
    /// The larger of both, entry by entry.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            underthrottled_bits: self.underthrottled_bits.max(other.underthrottled_bits),
            overthrottled_bits: self.overthrottled_bits.max(other.overthrottled_bits),
            service_behind_bits: self.service_behind_bits.max(other.service_behind_bits),
            service_beyond_throttled_bits: self.service_beyond_throttled_bits.max(other.service_beyond_throttled_bits),
            pairwise_bits: self.pairwise_bits.max(other.pairwise_bits),
            behind_undelayed_bits: self.behind_undelayed_bits.max(other.behind_undelayed_bits),
        }
    }
}

/// Runs a schedule and measures the watched flows.
///
/// `schedule[k][f]` is what flow f asks for in window k, in bit/s. Deviations are
/// taken at every change of a rate where the model is exact there (one link,
/// traffic spread over the window), else at the ends of windows.
///
/// # Errors
/// [`AnalysisError::Parameter`] for a setting that makes no sense.
pub fn excess(setting: &Setting, schedule: &[Vec<f64>], watched: &[Watched]) -> Result<Excess, AnalysisError> {
    let mut tandem = FeedbackTandem::new(setting.clone())?;
    let mut tracks: Vec<Track> = watched.iter().map(|&watched| Track::new(watched)).collect();
    let mut pairs: Vec<Swing> = vec![Swing::default(); watched.len().saturating_sub(1) * watched.len() / 2];
    let is_exact_within =
        setting.arrival == Arrival::Spread && setting.routes.iter().all(|route| route.start == 0 && route.len() == 1);
    for (number, asked) in schedule.iter().enumerate() {
        let mut demands = asked.clone();
        for watched in watched.iter().filter(|watched| number >= watched.from_window) {
            demands[watched.flow] = f64::INFINITY;
        }
        for track in tracks.iter_mut().filter(|track| track.watched.from_window == number) {
            track.begin(&tandem);
        }
        note_pairs(&mut pairs, &tracks, &tandem);
        let undelayed = setting.capacity_bps / demands.iter().filter(|demand| **demand > 0.0).count().max(1) as f64;
        tandem.window(&demands, |now| {
            if is_exact_within {
                tracks.iter_mut().for_each(|track| track.note(now));
                note_pairs(&mut pairs, &tracks, now);
            }
        });
        for track in &mut tracks {
            track.undelayed_bits += undelayed * setting.window_s;
            track.note(&tandem);
            track.note_undelayed(&tandem);
        }
        note_pairs(&mut pairs, &tracks, &tandem);
    }
    let mut worst = tracks.iter().map(|track| track.excess).fold(Excess::default(), Excess::max);
    worst.pairwise_bits = pairs.iter().map(|pair| pair.rise.max(pair.fall)).fold(0.0, f64::max);
    Ok(worst)
}

/// Largest rise and fall of a quantity over any interval.
#[derive(Clone, Copy, Default)]
struct Swing {
    extremes: Option<(f64, f64)>,
    rise: f64,
    fall: f64,
}

impl Swing {
    fn note(&mut self, value: f64) {
        let (low, high) = self.extremes.unwrap_or((value, value));
        self.rise = self.rise.max(value - low);
        self.fall = self.fall.max(high - value);
        self.extremes = Some((low.min(value), high.max(value)));
    }
}

struct Track {
    watched: Watched,
    /// What had been let through, was fair and had been served when it began.
    base: Option<[f64; 3]>,
    undelayed_bits: f64,
    throttling: Swing,
    excess: Excess,
}

impl Track {
    fn new(watched: Watched) -> Self {
        Self { watched, base: None, undelayed_bits: 0.0, throttling: Swing::default(), excess: Excess::default() }
    }

    fn begin(&mut self, now: &FeedbackTandem) {
        self.base = Some(self.state(now));
        self.undelayed_bits = 0.0;
        self.throttling.note(0.0);
    }

    fn state(&self, now: &FeedbackTandem) -> [f64; 3] {
        let flow = self.watched.flow;
        [now.throttled_bits()[flow], now.fair_bits()[flow], now.served_bits(flow)]
    }

    /// p, f and s since it began.
    fn since(&self, now: &FeedbackTandem) -> Option<[f64; 3]> {
        let (state, base) = (self.state(now), self.base?);
        Some([state[0] - base[0], state[1] - base[1], state[2] - base[2]])
    }

    fn note(&mut self, now: &FeedbackTandem) {
        let Some([throttled, fair, served]) = self.since(now) else { return };
        self.throttling.note(throttled - fair);
        let excess = &mut self.excess;
        excess.underthrottled_bits = self.throttling.rise;
        excess.overthrottled_bits = self.throttling.fall;
        excess.service_behind_bits = excess.service_behind_bits.max(fair - served);
        excess.service_beyond_throttled_bits = excess.service_beyond_throttled_bits.max(served - throttled);
    }

    fn note_undelayed(&mut self, now: &FeedbackTandem) {
        let Some([_, _, served]) = self.since(now) else { return };
        let behind = self.undelayed_bits - served;
        self.excess.behind_undelayed_bits = self.excess.behind_undelayed_bits.max(behind);
    }
}

fn note_pairs(pairs: &mut [Swing], tracks: &[Track], now: &FeedbackTandem) {
    let mut pairs = pairs.iter_mut();
    for (index, one) in tracks.iter().enumerate() {
        for other in &tracks[index + 1..] {
            let Some(pair) = pairs.next() else { return };
            if one.base.is_some() && other.base.is_some() {
                pair.note(now.served_bits(one.watched.flow) - now.served_bits(other.watched.flow));
            }
        }
    }
}
