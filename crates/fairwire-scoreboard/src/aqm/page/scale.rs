//! Scales that fit what is shown.

use fairwire_results::Scale;

/// A logarithmic scale over positive values, with ticks at 1, 2 and 5 times powers of ten, or at round values where that
/// leaves fewer than three.
pub fn logarithmic(values: impl IntoIterator<Item = f64>, text: fn(f64) -> String) -> Option<Scale> {
    let (low, high) = extent(values.into_iter().filter(|value| *value > 0.0))?;
    // A fifth of an octave of room, and at least a factor of two in all.
    let middle = (low * high).sqrt();
    let (low, high) = ((low / 1.15).min(middle / 1.5), (high * 1.15).max(middle * 1.5));
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ticks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(decade)));
    let ticks: Vec<_> = ticks.filter(|tick| (low..=high).contains(tick)).map(|tick| (tick, text(tick))).collect();
    let few = ticks.len() < 3;
    let ticks = if few { Scale::linear(low..high, 6).ticks } else { ticks };
    Some(Scale::with_ticks(low..high, ticks).logarithmic())
}

/// A linear scale with about five ticks at round values; never below 0.
pub fn linear(values: impl IntoIterator<Item = f64>) -> Option<Scale> {
    let (low, high) = extent(values)?;
    let room = ((high - low) * 0.08).max(high.abs() * 0.002).max(f64::MIN_POSITIVE);
    let (low, high) = ((low - room).max(0.0), high + room);
    Some(Scale::linear(low..high, 5))
}

fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |known: Option<(f64, f64)>, value| {
        Some(known.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let text = |value: f64| format!("{value}");
        let scale = linear([9.2, 9.9]).unwrap();
        let ticks: Vec<&str> = scale.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(ticks, ["9.2", "9.4", "9.6", "9.8"]);
        let scale = logarithmic([3.0, 150.0], text).unwrap();
        let ticks: Vec<f64> = scale.ticks.iter().map(|tick| tick.0).collect();
        assert_eq!(ticks, [5.0, 10.0, 20.0, 50.0, 100.0]);
        let scale = logarithmic([26.0, 40.0], text).unwrap();
        let ticks: Vec<&str> = scale.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(ticks, ["25", "30", "35", "40", "45"]);
        assert!(logarithmic([0.0], text).is_none());
        // One value gets a range of its own.
        assert!(linear([5.0]).unwrap().range.end > 5.0);
    }
}
