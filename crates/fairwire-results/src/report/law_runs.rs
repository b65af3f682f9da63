//! The runs of one law, seen as one.

use super::input::{ReportInput, RunOutcome};
use crate::measures::{Reference, bytes_left};
use crate::record::Counts;
use crate::summary::{FlowSummary, RunSummary};

/// All replications of one law; there is at least one.
pub(super) struct LawRuns<'a> {
    pub law: &'a str,
    /// The run that is drawn over time.
    pub first: &'a RunOutcome,
    /// What that run left behind.
    pub counts: Counts<'a>,
    pub runs: Vec<&'a RunOutcome>,
    /// The bytes of that run in each row, as they left the links of each flow; none where that cannot be told.
    pub left: Option<Vec<Vec<u32>>>,
    references: Vec<Reference>,
}

/// A flow over all replications.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeanFlow {
    pub rate_bps: f64,
    pub lowest_bps: f64,
    pub highest_bps: f64,
    pub ratio: Option<f64>,
    pub loss: f64,
}

impl<'a> LawRuns<'a> {
    /// Groups the runs by law, in the order in which laws first appear.
    pub fn all(input: &ReportInput<'a>) -> Vec<Self> {
        let (references, outline) = (input.references(), input.plan.outline());
        let mut laws: Vec<Self> = Vec::new();
        for run in input.runs {
            match laws.iter_mut().find(|known| known.law == run.law) {
                Some(known) => known.runs.push(run),
                None => {
                    let counts = run.record.counts(input.plan);
                    laws.push(Self {
                        law: &run.law,
                        first: run,
                        left: bytes_left(input.plan, &outline, &counts),
                        counts,
                        runs: vec![run],
                        references: references.clone(),
                    });
                }
            }
        }
        laws
    }

    /// Mean over the replications of what `get` reads from flow `flow`.
    fn mean(&self, flow: usize, get: impl Fn(&FlowSummary) -> f64) -> f64 {
        let values = self.runs.iter().filter_map(|run| run.summary.flows.get(flow)).map(get);
        let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
        if count == 0 { 0.0 } else { sum / f64::from(count) }
    }

    /// Flow number `flow` over all replications; its ratio is that of its mean rate.
    pub fn flow(&self, flow: usize) -> MeanFlow {
        let rates = || self.runs.iter().filter_map(|run| run.summary.flows.get(flow)).map(|flow| flow.rate_bps);
        let rate_bps = self.mean(flow, |flow| flow.rate_bps);
        MeanFlow {
            rate_bps,
            lowest_bps: rates().fold(rate_bps, f64::min),
            highest_bps: rates().fold(rate_bps, f64::max),
            ratio: self.references.get(flow).and_then(|reference| reference.ratio(rate_bps)),
            loss: self.mean(flow, |flow| flow.loss),
        }
    }

    /// How far flow `flow` is from fair; 0 where there is nothing to compare with.
    pub fn error(&self, flow: usize) -> f64 {
        self.flow(flow).ratio.map_or(0.0, |ratio| (ratio - 1.0).abs())
    }

    /// The longest time to fair within `within` of all replications: none if one never gets there.
    pub fn time_to_fair_ns(&self, within: f64) -> Option<u64> {
        let times = self.runs.iter().map(|run| {
            let entry = run.summary.time_to_fair.iter().find(|entry| entry.within == within)?;
            entry.ns
        });
        times.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// Whether in some run the time that `is_last` looks at came so late that it says nothing of what stays.
    pub fn is_only_at_the_end(&self, is_last: impl Fn(&RunSummary) -> bool) -> bool {
        self.runs.iter().any(|run| is_last(&run.summary))
    }

    /// Mean over the replications of what `get` reads from a run.
    pub fn mean_of_runs(&self, get: impl Fn(&RunOutcome) -> f64) -> f64 {
        self.runs.iter().map(|run| get(run)).sum::<f64>() / self.runs.len() as f64
    }

    /// Packets dropped or lost on the way over packets sent, over all flows and whole runs.
    pub fn loss(&self) -> f64 {
        let flows = || self.runs.iter().flat_map(|run| &run.summary.flows);
        let (dropped, entered) = (flows().map(|f| f.dropped).sum::<u64>(), flows().map(|f| f.entered).sum::<u64>());
        if entered == 0 { 0.0 } else { dropped as f64 / entered as f64 }
    }
}
