//! Aggressive mode as the DVSR paper has it ([dvsr] §II-C).

use super::{FairRateRule, LocalRate};
use crate::ring::rpr::situation::Situation;

/// Congested when the secondary transit queue is deeper than its low mark or the
/// link carries more than is unreserved; then the fair rate is what the station
/// itself adds, filtered.
#[derive(Clone, Copy, Debug, Default)]
pub struct AggressiveRate;

/// How much larger a computed rate is that counts as larger.
const SLACK: f64 = 1e-9;

impl FairRateRule for AggressiveRate {
    /// It tells upstream stations what it gets, which does not bind itself.
    const OBEYED: bool = false;
    const ASKS_WHO_IS_ACTIVE: bool = false;

    fn age(&mut self, now: &Situation) -> LocalRate {
        let over = now.sample.lp_total_bps() > now.unreserved_bps * (1.0 + SLACK);
        let congested = now.fill.above_low() || over;
        let rate_bps = if congested { now.sample.lp_add_bps.min(now.unreserved_bps) } else { now.unreserved_bps };
        LocalRate { rate_bps, congested }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{calm, deep};
    use super::*;

    /// Over a grid of depths and rates.
    #[test]
    fn deep_or_over_is_congested() {
        for kb in [0.0, 31.999, 32.0, 32.001, 64.0] {
            for (add, forward) in [(200e6, 200e6), (200e6, 400e6), (200e6, 400.001e6), (650e6, 0.0)] {
                let mut now = deep(calm(), kb);
                (now.sample.lp_add_bps, now.sample.lp_forward_bps) = (add, forward);
                let due = kb > 32.0 || add + forward > 600e6;
                let local = AggressiveRate.age(&now);
                assert_eq!(local.congested, due, "{kb} kB, {add} + {forward}");
                assert_eq!(local.rate_bps, if due { add.min(600e6) } else { 600e6 });
            }
        }
    }
}
