//! Sums that change for ever.

/// A sum from which parts are taken again: what rounding drops is kept beside it (Neumaier's summation).
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    sum: f64,
    dropped: f64,
}

impl Total {
    /// Adds a part, or takes one away that is negative.
    pub fn add(&mut self, part: f64) {
        let sum = self.sum + part;
        self.dropped += if self.sum.abs() >= part.abs() { (self.sum - sum) + part } else { (part - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum.
    pub fn get(self) -> f64 {
        self.sum + self.dropped
    }
}
