//! Aggressive mode: an upstream flow is told a small rate whenever the queue is long.

use super::{Cycle, LONGEST_CYCLE, Loss, ModeParameters};
use crate::AnalysisError;
use crate::error::parameter;
use serde::Serialize;

/// An upstream flow that is thrown back to a small sender's rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AggressiveModel {
    /// C, in bit/s.
    pub capacity_bps: f64,
    /// R: the fair rate of the flow, in bit/s. The rest of the link belongs to others who take it.
    pub fair_bps: f64,
    /// r_min: what it is thrown back to, in bit/s; r_osc of Proposition 2.
    pub lowest_bps: f64,
    /// What the flow has to send, in bit/s; infinite if greedy.
    pub demand_bps: f64,
    /// How the mode is run.
    pub parameters: ModeParameters,
}

/// One cycle, and where its parts begin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AggressiveTrace {
    /// The flow's rates.
    pub cycle: Cycle,
    /// Q_k: the queue downstream after each step, in bytes.
    pub queue_bytes: Vec<f64>,
    /// K: the last step not above the fair rate.
    pub last_fair_step: usize,
    /// L: the step in which the queue begins to fill.
    pub queue_begins_step: usize,
    /// M: the step in which it reaches its threshold.
    pub threshold_step: usize,
}

impl AggressiveModel {
    /// Fig. 7: a downstream flow of constant rate, and upstream one that wants all of the link.
    pub fn two_flows(capacity_bps: f64, downstream_bps: f64, parameters: ModeParameters) -> Self {
        Self {
            capacity_bps,
            fair_bps: capacity_bps - downstream_bps,
            lowest_bps: downstream_bps,
            demand_bps: capacity_bps,
            parameters,
        }
    }

    /// One cycle from r_0 = r_min to r_N, when the message has arrived ([dvsr] §IV-B1).
    /// K is read with R where the paper prints r_max, as its text says.
    ///
    /// # Errors
    /// [`AnalysisError::NeverCongested`] if the flow asks for no more than is fair,
    /// [`AnalysisError::EndlessCycle`], or [`AnalysisError::Parameter`].
    pub fn trace(&self) -> Result<AggressiveTrace, AnalysisError> {
        self.validate()?;
        if self.demand_bps.min(self.capacity_bps) <= self.fair_bps {
            return Err(AnalysisError::NeverCongested);
        }
        let mut allowed = self.lowest_bps;
        let (mut rates, mut queue) = (vec![allowed.min(self.demand_bps)], vec![0.0]);
        let (mut last_fair, mut begins) = (0, None);
        let threshold = loop {
            allowed = self.parameters.climbed(allowed, self.capacity_bps);
            let (step, rate) = (rates.len(), allowed.min(self.demand_bps));
            let growth = self.parameters.aging_interval_s * (rate - self.fair_bps) / 8.0;
            let length = (queue[step - 1] + growth).max(0.0);
            rates.push(rate);
            queue.push(length);
            if rate <= self.fair_bps {
                last_fair = step;
            }
            if length > 0.0 {
                begins.get_or_insert(step);
                if length >= self.parameters.threshold_bytes {
                    break step;
                }
            }
            if step >= LONGEST_CYCLE {
                return Err(AnalysisError::EndlessCycle(LONGEST_CYCLE));
            }
        };
        self.wait_for_the_message(allowed, &mut rates, &mut queue);
        Ok(AggressiveTrace {
            cycle: Cycle {
                rates_bps: rates,
                fair_bps: self.fair_bps,
                aging_interval_s: self.parameters.aging_interval_s,
            },
            queue_bytes: queue,
            last_fair_step: last_fair,
            queue_begins_step: begins.unwrap_or(threshold),
            threshold_step: threshold,
        })
    }

    /// N is the first step at least τ_p after M; until then the rate climbs on.
    fn wait_for_the_message(&self, mut allowed: f64, rates: &mut Vec<f64>, queue: &mut Vec<f64>) {
        // A quotient of two decimal fractions must not become one step more by rounding.
        let steps = (self.parameters.propagation_s / self.parameters.aging_interval_s - 1e-9).ceil().max(0.0) as usize;
        for _ in 0..steps.min(LONGEST_CYCLE) {
            allowed = self.parameters.climbed(allowed, self.capacity_bps);
            let rate = allowed.min(self.demand_bps);
            let growth = self.parameters.aging_interval_s * (rate - self.fair_bps) / 8.0;
            queue.push((queue.last().copied().unwrap_or(0.0) + growth).max(0.0));
            rates.push(rate);
        }
    }

    fn validate(&self) -> Result<(), AnalysisError> {
        self.parameters.validate()?;
        parameter("capacity_bps", self.capacity_bps, |value| value > 0.0, "above 0")?;
        parameter(
            "fair_bps",
            self.fair_bps,
            |value| value > 0.0 && value <= self.capacity_bps,
            "above 0 and at most C",
        )?;
        parameter("lowest_bps", self.lowest_bps, |value| value >= 0.0, "at least 0")
    }
}

/// Fig. 10: the loss of the upstream flow for each rate of the downstream one.
///
/// # Errors
/// As [`AggressiveModel::trace`].
pub fn loss_against_downstream_rate(
    capacity_bps: f64,
    downstream_bps: &[f64],
    parameters: ModeParameters,
) -> Result<Vec<Loss>, AnalysisError> {
    let loss = |&rate: &f64| Ok(AggressiveModel::two_flows(capacity_bps, rate, parameters).trace()?.cycle.loss());
    downstream_bps.iter().map(loss).collect()
}
