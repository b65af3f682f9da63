//! Axes with round numbers.

use std::ops::Range;

/// Values worth a tick, from round step to round step.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Ticks {
    pub values: Vec<f64>,
    /// Decimals that tell the values apart.
    decimals: usize,
}

impl Ticks {
    /// About `wanted` ticks inside `range`, at multiples of 1, 2 or 5 times a power of ten.
    pub fn within(range: &Range<f64>, wanted: usize) -> Self {
        let step = nice_step((range.end - range.start) / wanted.max(1) as f64);
        let (first, last) = ((range.start / step - 1e-9).ceil() as i64, (range.end / step + 1e-9).floor() as i64);
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        Self { values: (first..=last).map(|k| k as f64 * step).collect(), decimals }
    }

    /// A tick as text.
    pub fn text(&self, value: f64) -> String {
        let text = format!("{value:.*}", self.decimals);
        if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) { "0".to_owned() } else { text }
    }
}

/// The smallest of 1, 2 or 5 times a power of ten that is not below `rough`.
fn nice_step(rough: f64) -> f64 {
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let ticks = Ticks::within(&(0.0..622.0), 5);
        assert_eq!(ticks.values, [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(ticks.text(200.0), "200");
        let ticks = Ticks::within(&(0.93..1.0), 4);
        assert_eq!(ticks.values.iter().map(|&v| ticks.text(v)).collect::<Vec<_>>(), ["0.94", "0.96", "0.98", "1.00"]);
        assert_eq!(Ticks::within(&(0.0..5.0), 5).values.len(), 6);
    }
}
