//! The runs of one law, summed up.

use fairwire_results::measures::Interval;
use fairwire_results::{FlowSummary, RunSummary};
use fairwire_scenario::LawChoice;

/// The finished runs of one law; at least one.
pub struct LawRuns<'a> {
    /// The law's name.
    pub law: &'a str,
    /// Its runs, by replication.
    pub runs: Vec<&'a RunSummary>,
    /// The same, simulated, where the runs are real and that was asked for.
    pub simulated: Vec<&'a RunSummary>,
}

impl<'a> LawRuns<'a> {
    /// Sorts runs by law, in the order of `laws`, and those that were simulated beside real ones; laws without a finished run
    /// are left out.
    pub fn group(laws: &'a [LawChoice], runs: &[&'a RunSummary], simulated: &'a [RunSummary]) -> Vec<Self> {
        let of = |law: &'a LawChoice| {
            let law = law.about().name;
            let simulated = simulated.iter().filter(|run| run.law == law).collect();
            Self { law, runs: runs.iter().copied().filter(|run| run.law == law).collect(), simulated }
        };
        laws.iter().map(of).filter(|law| !law.runs.is_empty()).collect()
    }

    /// The flows, as the first run has them.
    pub fn flows(&self) -> &'a [FlowSummary] {
        self.runs.first().map_or(&[], |run| &run.flows)
    }

    /// A measure of one flow, by its position, in every run that has it.
    pub fn of_flow(&self, flow: usize, measure: impl Fn(&FlowSummary) -> Option<f64>) -> Vec<f64> {
        self.runs.iter().filter_map(|run| run.flows.get(flow).and_then(&measure)).collect()
    }

    /// The mean of a measure of one flow over all runs.
    pub fn flow_mean(&self, flow: usize, measure: impl Fn(&FlowSummary) -> Option<f64>) -> Option<f64> {
        mean(&self.of_flow(flow, measure))
    }

    /// The mean rate of one flow over the runs that were simulated beside real ones, if there are any.
    pub fn simulated_rate(&self, flow: usize) -> Option<f64> {
        let rates: Vec<f64> = self.simulated.iter().filter_map(|run| Some(run.flows.get(flow)?.rate_bps)).collect();
        mean(&rates)
    }

    /// A measure over all runs with its 95 % interval, as text has it: `0.9519 ± 0.0031`.
    pub fn interval(&self, measure: impl Fn(&RunSummary) -> f64, text: impl Fn(f64) -> String) -> String {
        let values: Vec<f64> = self.runs.iter().map(|run| measure(run)).collect();
        interval_text(Interval::of(&values), text)
    }

    /// Whether the runs are those of a network.
    pub fn is_network(&self) -> bool {
        self.flows().iter().any(|flow| flow.retransmitted.is_some())
    }

    /// The mean of a measure over all runs.
    pub fn mean(&self, measure: impl Fn(&RunSummary) -> f64) -> f64 {
        let values: Vec<f64> = self.runs.iter().map(|run| measure(run)).collect();
        mean(&values).unwrap_or(0.0)
    }

    /// Whether some run satisfies `is_so`.
    pub fn any(&self, is_so: impl Fn(&RunSummary) -> bool) -> bool {
        self.runs.iter().any(|run| is_so(run))
    }

    /// The longest of a time over all runs; infinite if one run never gets there.
    pub fn slowest(&self, time_ns: impl Fn(&RunSummary) -> Option<u64>) -> f64 {
        let times = self.runs.iter().map(|run| time_ns(run).map_or(f64::INFINITY, |ns| ns as f64));
        times.fold(0.0, f64::max)
    }
}

/// The mean, and half of the interval where there is one.
pub fn interval_text(interval: Interval, text: impl Fn(f64) -> String) -> String {
    match interval.half_width {
        Some(half) => format!("{} ± {}", text(interval.mean), text(half)),
        None => text(interval.mean),
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
