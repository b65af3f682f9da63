//! Conservative mode as the DVSR paper has it ([dvsr] §II-D).

use super::{FairRateRule, LocalRate};
use crate::ring::rpr::situation::Situation;

/// Congested when the link carries more than its low mark or the access timer has
/// expired. At the onset the fair rate is an equal part for every active station;
/// while congestion lasts it climbs below the low mark and sinks above the high one.
///
/// The step is not printed; one in so many an aging interval, and how many, is ours. A station with packets to add counts
/// as active even if the others let none of them through (ours, too).
#[derive(Clone, Copy, Debug)]
pub struct ConservativeRate {
    ramp_coef: f64,
    rate_bps: f64,
    was_congested: bool,
}

impl ConservativeRate {
    /// A rule whose steps are one in `ramp_coef`.
    pub fn new(ramp_coef: f64) -> Self {
        Self { ramp_coef, rate_bps: 0.0, was_congested: false }
    }
}

impl FairRateRule for ConservativeRate {
    fn age(&mut self, now: &Situation) -> LocalRate {
        let (unreserved, total) = (now.unreserved_bps, now.fill.level);
        let congested = now.fill.above_low();
        if congested && !self.was_congested {
            let own = now.sample.added || now.waiting;
            self.rate_bps = unreserved / (now.sample.active_others + f64::from(u8::from(own))).max(1.0);
        } else if congested && total < now.fill.marks.low {
            self.rate_bps += (unreserved - self.rate_bps) / self.ramp_coef;
        } else if congested && total > now.fill.marks.high {
            self.rate_bps -= self.rate_bps / self.ramp_coef;
        } else if !congested {
            self.rate_bps = unreserved;
        }
        self.was_congested = congested;
        LocalRate { rate_bps: self.rate_bps, congested }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::calm;
    use super::*;
    use crate::ring::rpr::situation::{Marks, Reading};

    /// Marks at 0.8 and 0.95 of 600 Mb/s.
    fn carrying(mbps: f64, starved: bool) -> Situation {
        let marks = Marks::halved(480e6, 570e6);
        let mut now = Situation {
            fill: Reading { level: mbps * 1e6, highest: mbps * 1e6, marks, starved },
            waiting: true,
            ..calm()
        };
        now.sample.active_others = 3.0;
        now
    }

    #[test]
    fn the_onset_gives_equal_parts_and_then_it_ramps() {
        let mut rule = ConservativeRate::new(64.0);
        let mut age = |now| {
            let local = rule.age(&now);
            (local.congested, local.rate_bps / 1e6)
        };
        assert_eq!(age(carrying(480.0, false)), (false, 600.0));
        assert_eq!(age(carrying(590.0, false)), (true, 150.0), "a quarter each");
        assert_eq!(age(carrying(571.0, false)), (true, 150.0 - 150.0 / 64.0));
        let down = 150.0 - 150.0 / 64.0;
        assert_eq!(age(carrying(570.0, false)), (true, down), "between the marks it stays");
        assert_eq!(age(carrying(481.0, false)), (true, down));
        assert_eq!(age(carrying(480.0, false)), (false, 600.0));
        assert_eq!(age(carrying(300.0, true)), (true, 150.0), "starved");
        let (congested, up) = age(carrying(300.0, true));
        assert!(congested && (up - (150.0 + 450.0 / 64.0)).abs() < 1e-9, "{up}");
    }

    #[test]
    fn only_who_sends_or_waits_counts() {
        let onset = |others: u8, added, waiting| {
            let mut now = Situation { waiting, ..carrying(590.0, false) };
            (now.sample.active_others, now.sample.added) = (others.into(), added);
            ConservativeRate::new(64.0).age(&now).rate_bps / 1e6
        };
        assert_eq!(onset(3, false, false), 200.0);
        assert_eq!([onset(3, true, false), onset(3, false, true), onset(3, true, true)], [150.0; 3]);
        assert_eq!(onset(0, false, false), 600.0, "nobody is one");
    }
}
