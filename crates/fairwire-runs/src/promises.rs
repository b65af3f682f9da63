//! `[expect]`: holds a scenario's promises against what was measured.

use crate::batch::FinishedRun;
use crate::reference::fair_rates;
use crate::time_to_fair::time_to_fair_ns;
use crate::verdict::{Held, Measured, Verdict, named_criterion};
use fairwire_alloc::{AllocError, Criterion};
use fairwire_results::FlowSummary;
use fairwire_results::measures::{Reference, TransferSummary};
use fairwire_scenario::{Expectation, FlowMeasure, Measure, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The promises of a scenario, ready to be held against runs.
#[derive(Debug)]
pub struct Promises<'a> {
    scenario: &'a Scenario,
    /// Fair rates under every criterion that a promise names, a flow each.
    references: BTreeMap<Criterion, Vec<Reference>>,
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
        let named = scenario.expectations().iter().filter_map(|expectation| named_criterion(&expectation.measure));
        let named: BTreeSet<Criterion> = named.collect();
        let solved = named.into_iter().map(|criterion| Ok((criterion, fair_rates(scenario, criterion)?)));
        let references = solved.collect::<Result<_, AllocError>>()?;
        Ok(Self { scenario, references })
    }

    /// Holds every promise against one run.
    pub fn judge(&self, run: &FinishedRun) -> Vec<Verdict> {
        self.scenario.expectations().iter().map(|expectation| self.judge_one(expectation, run)).collect()
    }

    /// Holds the promises about fair rates against the solvers: all that can be
    /// told without a run.
    pub fn judge_fair_rates(&self) -> Vec<Verdict> {
        let fair_rates = |expectation: &'a Expectation| match &expectation.measure {
            Measure::Flow { flows, what: FlowMeasure::FairRate(criterion) } => {
                let rates = &self.references[criterion];
                let measured = flows.iter().map(|&flow| (rates[flow].rate_bps, Some(flow)));
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
        Verdict::of(expectation, self.scenario, &self.measure(expectation, run), &held)
    }

    fn measure(&self, expectation: &Expectation, run: &FinishedRun) -> Vec<Measured> {
        let summary = &run.outcome.summary;
        match &expectation.measure {
            Measure::Flow { flows, what } => {
                flows.iter().map(|&flow| (self.measure_flow(flow, *what, &summary.flows[flow]), Some(flow))).collect()
            }
            Measure::Jain => vec![(summary.jain, None)],
            Measure::JainWindows => {
                vec![(summary.jain_windows.as_ref().map_or(f64::NAN, |windows| windows.mean), None)]
            }
            Measure::Utilisation => vec![(summary.utilisation, None)],
            Measure::Oscillation => vec![(summary.oscillation, None)],
            Measure::TimeToFair { within } => vec![(time_to_fair_ns(run, *within), None)],
            Measure::Fair { criterion } => {
                let references = self.references[criterion].iter().zip(&summary.flows);
                let ratio = |(reference, flow): (&Reference, &FlowSummary)| match reference.ratio(flow.rate_bps) {
                    Some(ratio) => ratio,
                    // Nothing is fair, so nothing is what the flow should have.
                    None if flow.rate_bps == 0.0 => 1.0,
                    None => f64::INFINITY,
                };
                references.map(ratio).enumerate().map(|(flow, ratio)| (ratio, Some(flow))).collect()
            }
        }
    }

    fn measure_flow(&self, flow: usize, what: FlowMeasure, summary: &FlowSummary) -> f64 {
        let ns = |delay: Option<u64>| delay.map_or(f64::NAN, |ns| ns as f64);
        match what {
            FlowMeasure::MeanRate => summary.rate_bps,
            FlowMeasure::FairRate(criterion) => self.references[&criterion][flow].rate_bps,
            FlowMeasure::Ratio => summary.ratio.unwrap_or(f64::NAN),
            FlowMeasure::Loss => summary.loss,
            FlowMeasure::MeanDelay => summary.delay_mean_ns.unwrap_or(f64::NAN),
            FlowMeasure::DelayP50 => ns(summary.delay_p50_ns),
            FlowMeasure::DelayP95 => ns(summary.delay_p95_ns),
            FlowMeasure::DelayP99 => ns(summary.delay_p99_ns),
            FlowMeasure::MeanTransfer => transfer_ns(summary, |transfers| transfers.mean_s),
            FlowMeasure::TransferP50 => transfer_ns(summary, |transfers| transfers.p50_s),
            FlowMeasure::TransferP90 => transfer_ns(summary, |transfers| transfers.p90_s),
            FlowMeasure::TransferP99 => transfer_ns(summary, |transfers| transfers.p99_s),
        }
    }
}

/// A time of a flow's transfers; not a number where none came to its end.
fn transfer_ns(flow: &FlowSummary, get: fn(&TransferSummary) -> Option<f64>) -> f64 {
    flow.transfers.as_ref().and_then(get).map_or(f64::NAN, |seconds| seconds * 1e9)
}
