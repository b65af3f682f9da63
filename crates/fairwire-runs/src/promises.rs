//! `[expect]`: holds a scenario's promises against what was measured.

use crate::batch::{Batch, FinishedRun};
use crate::meter::Meter;
use crate::verdict::{Held, Measured, Verdict};
use fairwire_alloc::AllocError;
use fairwire_scenario::{Expectation, FlowMeasure, Measure, Scenario};

/// The promises of a scenario, ready to be held against runs.
#[derive(Debug)]
pub struct Promises<'a> {
    scenario: &'a Scenario,
    meter: Meter<'a>,
}

impl Promises<'_> {
    /// Whether nothing is promised.
    pub fn are_none(&self) -> bool {
        self.scenario.expectations().is_empty()
    }
}

impl<'a> Promises<'a> {
    /// Solves what the promises need to know.
    ///
    /// # Errors
    /// If no fair rates can be found under a criterion that a promise names.
    pub fn new(scenario: &'a Scenario) -> Result<Self, AllocError> {
        let measures = scenario.expectations().iter().map(|expectation| &expectation.measure);
        Ok(Self { scenario, meter: Meter::new(scenario, measures)? })
    }

    /// Holds every promise against a run of `batch`, if that is under the law that they are about; no verdict otherwise.
    pub fn judge_own(&self, batch: &Batch, run: &FinishedRun) -> Vec<Verdict> {
        if batch.judged() == Some(run.law) { self.judge(run) } else { Vec::new() }
    }

    /// Holds every promise against one run, whatever its law.
    pub fn judge(&self, run: &FinishedRun) -> Vec<Verdict> {
        self.scenario.expectations().iter().map(|expectation| self.judge_one(expectation, run)).collect()
    }

    /// Holds the promises about fair rates against the solvers: all that can be
    /// told without a run.
    pub fn judge_fair_rates(&self) -> Vec<Verdict> {
        let fair_rates = |expectation: &'a Expectation| match &expectation.measure {
            Measure::Flow { flows, what: FlowMeasure::FairRate(criterion) } => {
                let measured = flows.iter().map(|&flow| (self.meter.fair_rate(*criterion, flow), Some(flow)));
                Some((expectation, measured.collect::<Vec<Measured>>()))
            }
            _ => None,
        };
        let held = Held { law: "", seed: self.scenario.run().seed, run: 0 };
        let told = self.scenario.expectations().iter().filter_map(fair_rates);
        told.map(|(expectation, measured)| Verdict::of(expectation, self.scenario, &measured, &held)).collect()
    }

    fn judge_one(&self, expectation: &Expectation, run: &FinishedRun) -> Verdict {
        let summary = &run.outcome.summary;
        let held = Held { law: &summary.law, seed: summary.seed, run: summary.run };
        Verdict::of(expectation, self.scenario, &self.meter.read(&expectation.measure, run), &held)
    }
}
