//! Conservative mode as the DVSR paper has it ([dvsr] §II-D).

use super::{FairRateRule, LocalRate};
use crate::ring::rpr::situation::Situation;
use fairwire_core::Instant;

/// Congested when the link carries more than its low mark or the access timer has
/// expired. At the onset the fair rate is an equal part for every active station;
/// while congestion lasts it climbs below the low mark and sinks above the high one.
///
/// The step is not printed; one in so many an aging interval, and how many, is ours. A station with packets to add counts
/// as active even if the others let none of them through (ours, too). How many aging intervals in a row the link has to be
/// above its low mark until it is congested is told in two ways: one (§II-D), two (§IV-A2). They are counted in time: two
/// looks that come one soon after the other are not two intervals.
#[derive(Clone, Copy, Debug)]
pub struct ConservativeRate {
    ramp_coef: f64,
    onset_intervals: u32,
    rate_bps: f64,
    /// When the first look found the link above its low mark since which all have.
    above_since: Option<Instant>,
    was_congested: bool,
}

impl ConservativeRate {
    /// A rule whose steps are one in `ramp_coef`, and that finds a link congested in the last of `onset_intervals`.
    pub const fn new(ramp_coef: f64, onset_intervals: u32) -> Self {
        Self { ramp_coef, onset_intervals, rate_bps: 0.0, above_since: None, was_congested: false }
    }

    /// Whether the link has been above its low mark for so many aging intervals, the one that ends now included.
    fn is_congested(&mut self, now: &Situation) -> bool {
        self.above_since = if now.fill.above_low() { self.above_since.or(Some(now.now)) } else { None };
        let onset = now.aging * u64::from(self.onset_intervals.saturating_sub(1));
        self.above_since.is_some_and(|since| now.now.since(since) >= onset)
    }
}

impl FairRateRule for ConservativeRate {
    fn age(&mut self, now: &Situation) -> LocalRate {
        let (unreserved, total) = (now.unreserved_bps, now.fill.level);
        let congested = self.is_congested(now);
        if congested && !self.was_congested {
            let own = now.sample.is_active || now.waiting;
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
    use fairwire_core::Span;

    fn at(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

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
        let mut rule = ConservativeRate::new(64.0, 1);
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

    /// A link that is above its mark for one interval, and then for three.
    #[test]
    fn an_onset_may_take_two_intervals_in_a_row() {
        let mut rule = ConservativeRate::new(64.0, 2);
        let mut age = |us, mbps| {
            let local = rule.age(&Situation { now: at(us), ..carrying(mbps, false) });
            (local.congested, local.rate_bps / 1e6)
        };
        assert_eq!([age(100, 590.0), age(200, 400.0), age(300, 590.0)], [(false, 600.0); 3]);
        assert_eq!(age(400, 590.0), (true, 150.0), "a quarter each");
        assert_eq!(age(500, 590.0), (true, 150.0 - 150.0 / 64.0));
        assert_eq!(
            [age(600, 400.0), age(700, 590.0), age(800, 590.0)],
            [(false, 600.0), (false, 600.0), (true, 150.0)]
        );
    }

    /// The look that is due at 200 us comes at 266, and the next one in time: 34 us are no interval.
    #[test]
    fn two_looks_soon_one_after_the_other_are_not_two_intervals() {
        let mut rule = ConservativeRate::new(64.0, 2);
        let looks = [(100, 400.0), (266, 590.0), (300, 590.0), (400, 590.0)];
        let congested = looks.map(|(us, mbps)| {
            let now = Situation { now: at(us), ..carrying(mbps, false) };
            rule.age(&now).congested
        });
        assert_eq!(congested, [false, false, false, true]);
    }

    #[test]
    fn only_who_sends_or_waits_counts() {
        let onset = |others: u8, is_active, waiting| {
            let mut now = Situation { waiting, ..carrying(590.0, false) };
            (now.sample.active_others, now.sample.is_active) = (others.into(), is_active);
            ConservativeRate::new(64.0, 1).age(&now).rate_bps / 1e6
        };
        assert_eq!(onset(3, false, false), 200.0);
        assert_eq!([onset(3, true, false), onset(3, false, true), onset(3, true, true)], [150.0; 3]);
        assert_eq!(onset(0, false, false), 600.0, "nobody is one");
    }
}
