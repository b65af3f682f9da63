//! A step that damps only where the direction keeps reversing.

/// The part of the way that is gone when the direction reverses.
const REVERSED: f64 = 1.0 / 2.0;
/// What that part grows by in each lap in which the direction stays. Cycles that were seen take five or six
/// laps and reverse twice: in the two or three laps in between the part must not become whole again.
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
            self.part = REVERSED;
        } else {
            self.part = (self.part * GROWTH).min(1.0);
        }
        self.swing = way.abs().max(self.swing * MEMORY);
        self.upward = upward;
        self.value += self.part * way;
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has followed a rise by 100 to 1000, the first change of late.
    fn risen() -> Step {
        let mut step = Step::new();
        assert_eq!([900.0, 1_000.0].map(|target| step.toward(target)), [900.0, 1_000.0]);
        step
    }

    #[test]
    fn half_of_the_way_is_gone_at_a_reversal_and_an_eighth_more_of_it_in_each_lap_after() {
        let mut step = risen();
        assert_eq!(step.toward(800.0), 900.0);
        assert_eq!(step.toward(800.0), 900.0 - 0.5625 * 100.0);
        assert_eq!(step.toward(1_000.0), 843.75 + 0.5 * 156.25);
    }

    #[test]
    fn the_whole_way_is_gone_again_in_the_sixth_lap_after_a_reversal() {
        let mut step = risen();
        let mut value = step.toward(900.0);
        let arrives: Vec<bool> = (0..6)
            .map(|_| {
                let target = value - 100.0;
                value = step.toward(target);
                value == target
            })
            .collect();
        assert_eq!(arrives, [false, false, false, false, false, true]);
    }

    #[test]
    fn a_change_of_more_than_three_times_the_swings_of_late_is_followed_at_once() {
        assert_eq!(risen().toward(710.0), 855.0);
        assert_eq!(risen().toward(690.0), 690.0);
    }

    #[test]
    fn swings_shrink_by_a_tenth_in_a_lap() {
        let still = || {
            let mut step = risen();
            step.toward(1_000.0);
            step
        };
        assert_eq!(still().toward(740.0), 870.0, "three times 90 is more than 260");
        assert_eq!(still().toward(720.0), 720.0, "and less than 280");
    }

    #[test]
    fn a_change_by_less_than_a_thirty_second_is_followed() {
        assert_eq!(risen().toward(970.0), 970.0);
        assert_eq!(risen().toward(968.0), 984.0);
    }
}
