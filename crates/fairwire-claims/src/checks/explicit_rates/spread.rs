//! How a value scatters over draws of starting phases.

use crate::tolerance::round;
use fairwire_results::measures::percentile;
use serde_json::{Value, json};

/// The median, and the 5th and 95th percentile.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Spread {
    /// Of values, one a draw.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |part| percentile(&values, part).unwrap_or(f64::NAN);
        Self { low: at(0.05), median: at(0.5), high: at(0.95) }
    }

    /// Whether nine of ten draws are around this value.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// 5th percentile, median, 95th percentile.
    pub fn json(&self) -> Value {
        json!([round(self.low), round(self.median), round(self.high)])
    }
}

/// The same of many values.
pub fn all_json(spreads: &[Spread]) -> Value {
    spreads.iter().map(Spread::json).collect()
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn nine_of_ten_values_are_within() {
        let spread = Spread::of((1..=100).rev().map(f64::from));
        assert_eq!((spread.low, spread.median, spread.high), (5.0, 50.0, 95.0));
        assert_eq!([4.0, 5.0, 95.0, 96.0].map(|value| spread.holds(value)), [false, true, true, false]);
    }
}
