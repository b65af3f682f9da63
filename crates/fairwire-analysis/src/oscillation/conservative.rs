//! Conservative mode: Proposition 3 with its sign put right.

use super::SLACK;
use super::party::Party;
use fairwire_alloc::max_min_shares;
use serde::Serialize;

/// Proposition 3 on one link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConservativeVerdict {
    /// Whether the fair rates alone carry the link over its low threshold.
    pub congested: bool,
    /// n_a: how many ingresses are active.
    pub active: usize,
    /// C/n_a: what they are told when congestion begins, in bit/s.
    pub share_bps: f64,
    /// Where congestion begins, in bit/s.
    pub low_threshold_bps: f64,
    /// n_g·C/n_a + S_s: what crosses the link once all obey, in bit/s.
    pub throttled_load_bps: f64,
    /// Whether that is less than the threshold by more than rounding, so that congestion clears.
    pub clears: bool,
    /// Every ingress on the link, the farthest upstream first.
    pub ingresses: Vec<ConservativeParty>,
}

/// One ingress on the link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConservativeParty {
    /// Who it is.
    #[serde(flatten)]
    pub party: Party,
    /// Whether it needs less than C/n_a, which makes C/n_a the wrong answer.
    pub small: bool,
    /// Whether it swings for ever.
    pub oscillates: bool,
    /// Below the low threshold of the link it climbs to this rate, in bit/s, before it is throttled again.
    pub highest_bps: f64,
}

impl ConservativeVerdict {
    /// Whether any ingress swings for ever.
    pub fn oscillates(&self) -> bool {
        self.ingresses.iter().any(|ingress| ingress.oscillates)
    }

    /// Between which rates an ingress swings, in bit/s, without filter and delay.
    pub fn range_bps(&self, ingress: &ConservativeParty) -> Option<(f64, f64)> {
        ingress.oscillates.then_some((self.share_bps, ingress.highest_bps))
    }
}

/// [dvsr] §IV-A2, Proposition 3. Printed, the second condition asks for
/// n_g·C/n_a + S_s > low_threshold; its own example needs the link to fall
/// *below* the threshold, so that congestion clears and the climb starts anew.
///
/// Active are ingresses, as §II-D counts stations; an ingress with exactly
/// C/n_a, which the paper counts nowhere, adds what it sends.
pub(super) fn judge(capacity_bps: f64, low_threshold: f64, ingresses: Vec<Party>) -> ConservativeVerdict {
    let slack = SLACK * capacity_bps;
    let active = ingresses.len();
    let share_bps = capacity_bps / active as f64;
    let low_threshold_bps = low_threshold * capacity_bps;
    let entitled: Vec<f64> = ingresses.iter().map(Party::entitled_bps).collect();
    let congested = entitled.iter().sum::<f64>() > low_threshold_bps + slack;
    let throttled_load_bps = entitled.iter().map(|rate| rate.min(share_bps)).sum::<f64>();
    let is_small = |rate: f64| rate < share_bps - slack;
    let clears = throttled_load_bps < low_threshold_bps - slack;
    let swings = congested && clears && entitled.iter().any(|&rate| is_small(rate));
    let climbed = max_min_shares(low_threshold_bps, &entitled, &vec![1.0; active]);
    let judged = ingresses.into_iter().zip(entitled).zip(climbed).map(|((party, rate), highest_bps)| {
        let oscillates = swings && rate > share_bps + slack;
        ConservativeParty { party, small: is_small(rate), oscillates, highest_bps }
    });
    ConservativeVerdict {
        congested,
        active,
        share_bps,
        low_threshold_bps,
        throttled_load_bps,
        clears,
        ingresses: judged.collect(),
    }
}
