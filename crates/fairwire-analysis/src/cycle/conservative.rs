//! Conservative mode: a flow is told C/n_a whenever the filtered load passes the threshold.

use super::{Cycle, LONGEST_CYCLE, Loss, ModeParameters};
use crate::AnalysisError;
use crate::error::parameter;
use serde::Serialize;

/// A flow that is thrown back to C/n_a beside flows that need less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConservativeModel {
    /// C, in bit/s.
    pub capacity_bps: f64,
    /// n_a: how many are counted as active, itself included.
    pub active: usize,
    /// What the others send, in bit/s.
    pub others_bps: f64,
    /// What the flow has to send, in bit/s; infinite if greedy.
    pub demand_bps: f64,
    /// R: its fair rate, in bit/s.
    pub fair_bps: f64,
    /// How the mode is run.
    pub parameters: ModeParameters,
}

/// One cycle of the steady state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConservativeTrace {
    /// The flow's rates.
    pub cycle: Cycle,
    /// lpf(): the filtered load of the link after each step, in bit/s.
    pub filtered_bps: Vec<f64>,
    /// The filtered load that ended the cycle, in bit/s.
    pub filtered_at_reset_bps: f64,
}

/// Cycles after which the filter has long forgotten where it began.
const WARM_UP_CYCLES: usize = 16;

impl ConservativeModel {
    /// Fig. 9(b): a small flow upstream and one that wants much at the congested station.
    pub fn two_flows(capacity_bps: f64, upstream_bps: f64, downstream_bps: f64, parameters: ModeParameters) -> Self {
        Self {
            capacity_bps,
            active: 2,
            others_bps: upstream_bps,
            demand_bps: downstream_bps,
            fair_bps: downstream_bps.min(capacity_bps - upstream_bps),
            parameters,
        }
    }

    /// One cycle of the steady state, from r_0 = C/n_a to the step before it begins again
    /// ([dvsr] §IV-B2): as long as the filtered load is below the threshold the flow climbs.
    /// Since steps are whole, two cycles that differ by a step may take turns; this is one of them.
    ///
    /// # Errors
    /// [`AnalysisError::NeverCongested`] if the load never passes the threshold,
    /// or stays above it at C/n_a; [`AnalysisError::EndlessCycle`], or
    /// [`AnalysisError::Parameter`].
    pub fn trace(&self) -> Result<ConservativeTrace, AnalysisError> {
        self.validate()?;
        let threshold = self.parameters.low_threshold * self.capacity_bps;
        let share = self.capacity_bps / self.active as f64;
        let load = |allowed: f64| allowed.min(self.demand_bps) + self.others_bps;
        if load(self.capacity_bps) <= threshold || load(share) >= threshold {
            return Err(AnalysisError::NeverCongested);
        }
        let mut filtered = load(share);
        for _ in 0..WARM_UP_CYCLES {
            filtered = self.one_cycle(filtered)?.filtered_at_reset_bps;
        }
        self.one_cycle(filtered)
    }

    fn one_cycle(&self, mut filtered: f64) -> Result<ConservativeTrace, AnalysisError> {
        let threshold = self.parameters.low_threshold * self.capacity_bps;
        let mut allowed = self.capacity_bps / self.active as f64;
        let (mut rates, mut loads) = (Vec::new(), Vec::new());
        let mut has_cleared = false;
        loop {
            let rate = allowed.min(self.demand_bps);
            filtered += (rate + self.others_bps - filtered) / self.parameters.lpcoef;
            rates.push(rate);
            loads.push(filtered);
            if filtered >= threshold {
                // Still congested from the cycle before: the share holds until that clears.
                if has_cleared {
                    break;
                }
            } else {
                has_cleared = true;
                allowed = self.parameters.climbed(allowed, self.capacity_bps);
            }
            if rates.len() > LONGEST_CYCLE {
                return Err(AnalysisError::EndlessCycle(LONGEST_CYCLE));
            }
        }
        Ok(ConservativeTrace {
            cycle: Cycle {
                rates_bps: rates,
                fair_bps: self.fair_bps,
                aging_interval_s: self.parameters.aging_interval_s,
            },
            filtered_bps: loads,
            filtered_at_reset_bps: filtered,
        })
    }

    fn validate(&self) -> Result<(), AnalysisError> {
        self.parameters.validate()?;
        parameter("capacity_bps", self.capacity_bps, |value| value > 0.0, "above 0")?;
        parameter("active", self.active as f64, |value| value >= 1.0, "at least 1")?;
        parameter("others_bps", self.others_bps, |value| value >= 0.0, "at least 0")?;
        parameter("fair_bps", self.fair_bps, |value| value > 0.0, "above 0")
    }
}

/// Fig. 11: the loss of the last of N flows in a parking lot, of which the others need
/// `small_bps` each and all together ask for `total_bps`; one value for each N.
///
/// # Errors
/// As [`ConservativeModel::trace`].
pub fn loss_against_flows(
    capacity_bps: f64,
    total_bps: f64,
    small_bps: f64,
    flows: &[usize],
    parameters: ModeParameters,
) -> Result<Vec<Loss>, AnalysisError> {
    let loss = |&active: &usize| {
        let others_bps = small_bps * active.saturating_sub(1) as f64;
        let demand_bps = total_bps - others_bps;
        let fair_bps = demand_bps.min(capacity_bps - others_bps);
        let model = ConservativeModel { capacity_bps, active, others_bps, demand_bps, fair_bps, parameters };
        Ok(model.trace()?.cycle.loss())
    };
    flows.iter().map(loss).collect()
}
