//! Scales that fit what is shown.

use crate::page::panel::Scale;

/// A logarithmic scale over positive values, with ticks at 1, 2 and 5 times powers of ten.
pub fn logarithmic(values: impl IntoIterator<Item = f64>, text: fn(f64) -> String) -> Option<Scale> {
    let (low, high) = extent(values.into_iter().filter(|value| *value > 0.0))?;
    // A fifth of an octave of room, and at least a factor of two in all.
    let middle = (low * high).sqrt();
    let (low, high) = ((low / 1.15).min(middle / 1.5), (high * 1.15).max(middle * 1.5));
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ticks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(decade)));
    let ticks: Vec<_> = ticks.filter(|tick| (low..=high).contains(tick)).map(|tick| (tick, text(tick))).collect();
    Some(Scale { range: low..high, logarithmic: true, ticks, marks: Vec::new() })
}

/// A linear scale with about five ticks at round values; never below 0.
pub fn linear(values: impl IntoIterator<Item = f64>, text: fn(f64) -> String) -> Option<Scale> {
    let (low, high) = extent(values)?;
    let room = ((high - low) * 0.08).max(high.abs() * 0.002).max(f64::MIN_POSITIVE);
    let (low, high) = ((low - room).max(0.0), high + room);
    let step = round_step((high - low) / 5.0);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    let ticks = (first..=last).map(|tick| tick as f64 * step).map(|tick| (tick, text(tick))).collect();
    Some(Scale { range: low..high, logarithmic: false, ticks, marks: Vec::new() })
}

fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |known: Option<(f64, f64)>, value| {
        Some(known.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    })
}

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|round| *round >= step).unwrap_or(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let text = |value: f64| format!("{value}");
        let scale = linear([9.2, 9.9], text).unwrap();
        let ticks: Vec<&str> = scale.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(ticks, ["9.200000000000001", "9.4", "9.600000000000001", "9.8"]);
        let scale = logarithmic([3.0, 150.0], text).unwrap();
        let ticks: Vec<f64> = scale.ticks.iter().map(|tick| tick.0).collect();
        assert_eq!(ticks, [5.0, 10.0, 20.0, 50.0, 100.0]);
        assert!(logarithmic([0.0], text).is_none());
        // One value gets a range of its own.
        assert!(linear([5.0], text).unwrap().range.end > 5.0);
    }
}
