//! Measures of runs, as `[expect]` names them.

use crate::batch::FinishedRun;
use crate::reference::{changes, fair_rates};
use crate::time_to_fair::time_to_fair_ns;
use crate::verdict::{Measured, named_criterion};
use fairwire_alloc::{AllocError, Criterion};
use fairwire_results::measures::{Change, ChangeSummary, Reference, TransferSummary};
use fairwire_results::{FlowSummary, RunSummary};
use fairwire_scenario::{FlowMeasure, Measure, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// Reads measures off runs of a scenario.
#[derive(Debug)]
pub struct Meter<'a> {
    scenario: &'a Scenario,
    /// Fair rates under every criterion that a measure names, a flow each.
    references: BTreeMap<Criterion, Vec<Reference>>,
    /// The same after every change, for criteria that a measure of them names.
    changes: BTreeMap<Criterion, Vec<Change>>,
}

impl<'a> Meter<'a> {
    /// Solves what `measures` need to know; only these can be read.
    ///
    /// # Errors
    /// If no fair rates can be found under a criterion that a measure names.
    pub fn new<'m>(
        scenario: &'a Scenario,
        measures: impl IntoIterator<Item = &'m Measure>,
    ) -> Result<Self, AllocError> {
        let (mut at_once, mut after_events) = (BTreeSet::new(), BTreeSet::new());
        for measure in measures {
            let of_events = matches!(measure, Measure::FairAfterEvents { .. });
            let named = if of_events { &mut after_events } else { &mut at_once };
            named.extend(named_criterion(measure));
        }
        let solved = at_once.into_iter().map(|criterion| Ok((criterion, fair_rates(scenario, criterion)?)));
        let references = solved.collect::<Result<_, AllocError>>()?;
        let solved = after_events.into_iter().map(|criterion| Ok((criterion, changes(scenario, criterion)?)));
        let changes = solved.collect::<Result<_, AllocError>>()?;
        Ok(Self { scenario, references, changes })
    }

    /// The rate that a criterion grants a flow, in bit/s.
    pub(crate) fn fair_rate(&self, criterion: Criterion, flow: usize) -> f64 {
        self.references[&criterion][flow].rate_bps
    }

    /// What a measure came to in one run, with the flow that each value belongs to; not a number for what was not to be
    /// measured, infinite for what never happened.
    pub fn read(&self, measure: &Measure, run: &FinishedRun) -> Vec<Measured> {
        let summary = &run.outcome.summary;
        match measure {
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
                let ratio = |(reference, flow): (&Reference, &FlowSummary)| ratio(reference, flow.rate_bps);
                references.map(ratio).enumerate().map(|(flow, ratio)| (ratio, Some(flow))).collect()
            }
            Measure::FairAfterEvents { criterion } => {
                let changes = self.changes[criterion].iter().zip(&summary.changes);
                changes.flat_map(|(change, measured)| ratios_after(change, measured)).collect()
            }
            Measure::DeepestQueue { links } => {
                let links = links.iter().map(|&link| self.scenario.network().map(|network| &network.links[link].name));
                links.map(|name| (deepest(summary, name), None)).collect()
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
            FlowMeasure::Response => ns(summary.explicit_rate.and_then(|rate| rate.response_max_ns)),
        }
    }
}

/// A rate over the fair one.
fn ratio(reference: &Reference, rate_bps: f64) -> f64 {
    match reference.ratio(rate_bps) {
        Some(ratio) => ratio,
        // Nothing is fair, so nothing is what the flow should have.
        None if rate_bps == 0.0 => 1.0,
        None => f64::INFINITY,
    }
}

/// Allowed rates over fair ones right before the next change, of flows that are on.
fn ratios_after(change: &Change, measured: &ChangeSummary) -> Vec<Measured> {
    let rates = measured.allowed.iter().flat_map(|allowed| allowed.rates_bps.iter().enumerate());
    let told = rates.filter_map(|(flow, rate)| Some((flow, (*rate)?)));
    told.map(|(flow, rate)| (ratio(&change.references[flow], rate), Some(flow))).collect()
}

/// Most packets at the port of the link with this name; none where nothing came.
fn deepest(summary: &RunSummary, name: Option<&String>) -> f64 {
    let link = summary.links.iter().find(|link| Some(&link.id) == name);
    link.and_then(|link| link.port.as_ref()).map_or(0.0, |port| port.deepest_packets.into())
}

/// A time of a flow's transfers; not a number where none came to its end.
fn transfer_ns(flow: &FlowSummary, get: fn(&TransferSummary) -> Option<f64>) -> f64 {
    flow.transfers.as_ref().and_then(get).map_or(f64::NAN, |seconds| seconds * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_fair_nothing_has_ratio_1_and_anything_is_far_off() {
        let ratio = |fair_bps: f64, rate_bps: f64| ratio(&Reference::exactly(fair_bps), rate_bps);
        assert_eq!([ratio(0.0, 0.0), ratio(0.0, 1.0), ratio(4.0, 1.0)], [1.0, f64::INFINITY, 0.25]);
    }
}
