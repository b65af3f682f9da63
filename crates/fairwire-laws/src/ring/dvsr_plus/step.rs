//! A step that damps only where the direction keeps reversing.

/// The part of the way that is gone is halved with every reversal, but never below.
const LEAST: f64 = 1.0 / 2.0;
/// What it grows by while the direction stays. Cycles that were seen take five or six
/// laps and reverse twice: 2 · 2 halved must outweigh what three or four laps grow.
const GROWTH: f64 = 1.125;
/// A change this many times the swings of late is news and is followed at once.
const NEWS: f64 = 3.0;
/// A change by less than this part of the value is noise and is followed: to lag
/// behind it would only let queues grow.
const NOISE: f64 = 1.0 / 32.0;
/// What remains of the swings of late after a lap.
const MEMORY: f64 = 0.9;

/// A value that follows a target.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    value: f64,
    /// The part of the way to the target that is gone at a time.
    part: f64,
    /// Whether the last change was upward.
    upward: bool,
    /// The largest distance from the target of late.
    swing: f64,
}

impl Step {
    /// Follows its first target at once.
    pub fn new() -> Self {
        Self { value: f64::NAN, part: 1.0, upward: false, swing: 0.0 }
    }

    /// A lap later: where the value goes now that this is the target.
    pub fn toward(&mut self, target: f64) -> f64 {
        if self.value.is_nan() {
            self.value = target;
            return target;
        }
        let way = target - self.value;
        if way.abs() <= NOISE * target {
            self.value = target;
            self.swing *= MEMORY;
            return target;
        }
        let upward = way > 0.0;
        if way.abs() > NEWS * self.swing {
            self.part = 1.0;
        } else if upward != self.upward {
            self.part = (self.part / 2.0).max(LEAST);
        } else {
            self.part = (self.part * GROWTH).min(1.0);
        }
        self.swing = way.abs().max(self.swing * MEMORY);
        self.upward = upward;
        self.value += self.part * way;
        self.value
    }
}
