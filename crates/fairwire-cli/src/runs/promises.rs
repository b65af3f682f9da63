//! `[expect]`: holds a scenario's promises against what was measured.

use super::batch::FinishedRun;
use crate::error::CliError;
use crate::table::TextTable;
use crate::text;
use fairwire_alloc::Criterion;
use fairwire_core::Instant;
use fairwire_results::measures::{Reference, TransferSummary, WindowedRate, fair_window, time_to_fair};
use fairwire_results::{FlowSummary, Promise};
use fairwire_scenario::{Bound, Expectation, FlowMeasure, Measure, Scenario, Unit};
use serde::Serialize;
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

/// One promise against the run that came nearest to breaking it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The promise, as the scenario writes it.
    pub key: String,
    /// What was promised, in words.
    pub expected: String,
    /// The least that keeps the promise, in the unit; none if there is no limit.
    pub expected_min: Option<f64>,
    /// The most that keeps the promise, in the unit; none if there is no limit.
    pub expected_max: Option<f64>,
    /// What was measured, in the unit; none for what never happened.
    pub measured: Option<f64>,
    /// `bps`, `ns` or `1`.
    pub unit: &'static str,
    /// Whether the promise was kept.
    pub ok: bool,
    /// The flow that was measured, where the promise is about flows.
    pub flow: Option<String>,
    /// The law that ran; empty where none did.
    pub law: String,
    /// The replication.
    pub run: u64,
    /// The criterion that the promise names.
    #[serde(skip)]
    criterion: Option<Criterion>,
    /// How far beyond the bound, negative inside.
    #[serde(skip)]
    excess: f64,
    #[serde(skip)]
    measured_text: String,
}

/// A measured value, and the flow it belongs to.
type Measured = (f64, Option<usize>);

impl<'a> Promises<'a> {
    /// Solves what the promises need to know.
    ///
    /// # Errors
    /// If no fair rates can be found under a criterion that a promise names.
    pub fn new(scenario: &'a Scenario) -> Result<Self, CliError> {
        let named = scenario.expectations().iter().filter_map(|expectation| named_criterion(&expectation.measure));
        let named: BTreeSet<Criterion> = named.collect();
        let solved = named.into_iter().map(|criterion| Ok((criterion, solve_references(scenario, criterion)?)));
        let references = solved.collect::<Result<_, CliError>>()?;
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
                Some((expectation, flows.iter().map(|&flow| (rates[flow].rate_bps, Some(flow))).collect()))
            }
            _ => None,
        };
        let told = self.scenario.expectations().iter().filter_map(fair_rates);
        told.map(|(expectation, measured)| self.verdict(expectation, measured, "", 0)).collect()
    }

    fn judge_one(&self, expectation: &Expectation, run: &FinishedRun) -> Verdict {
        self.verdict(expectation, self.measure(expectation, run), &run.summary.law, run.summary.run)
    }

    fn verdict(&self, expectation: &Expectation, measured: Vec<Measured>, law: &str, run: u64) -> Verdict {
        let (bound, unit) = (expectation.bound, expectation.measure.unit());
        // Of several flows, the one that is farthest beyond the bound speaks for all.
        let worst = measured.into_iter().max_by(|a, b| excess(bound, a.0).total_cmp(&excess(bound, b.0)));
        let (value, flow) = worst.unwrap_or((f64::NAN, None));
        let flow = flow.map(|flow| self.scenario.flows()[flow].name.clone());
        let (min, max) = limits(bound);
        Verdict {
            key: expectation.key.clone(),
            expected: expected_text(bound, unit),
            expected_min: Some(min).filter(|limit| limit.is_finite()),
            expected_max: Some(max).filter(|limit| limit.is_finite()),
            measured: Some(value).filter(|value| value.is_finite()),
            unit: match unit {
                Unit::Rate => "bps",
                Unit::Time => "ns",
                Unit::Number | Unit::Fraction => "1",
            },
            ok: bound.holds(value),
            flow,
            law: law.to_owned(),
            run,
            criterion: named_criterion(&expectation.measure),
            excess: excess(bound, value),
            measured_text: value_text(unit, value),
        }
    }

    fn measure(&self, expectation: &Expectation, run: &FinishedRun) -> Vec<Measured> {
        let summary = &run.summary;
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

/// The criterion that a promise about fair rates names.
fn named_criterion(measure: &Measure) -> Option<Criterion> {
    match measure {
        Measure::Fair { criterion } | Measure::Flow { what: FlowMeasure::FairRate(criterion), .. } => Some(*criterion),
        _ => None,
    }
}

/// A time of a flow's transfers; not a number where none came to its end.
fn transfer_ns(flow: &FlowSummary, get: fn(&TransferSummary) -> Option<f64>) -> f64 {
    flow.transfers.as_ref().and_then(get).map_or(f64::NAN, |seconds| seconds * 1e9)
}

/// The fair rates of all flows, what is guaranteed included.
///
/// # Errors
/// If no fair rates can be found.
pub fn solve_references(scenario: &Scenario, criterion: Criterion) -> Result<Vec<Reference>, CliError> {
    let rates = scenario.fair_rates(criterion).map_err(|error| CliError::unsolved(scenario, error))?;
    let all = rates.rates_bps.iter().zip(&rates.low_bps).zip(&rates.high_bps);
    Ok(all.map(|((&rate_bps, &low_bps), &high_bps)| Reference { rate_bps, low_bps, high_bps }).collect())
}

/// The worst verdict on each promise over all runs.
pub fn worst(verdicts: impl IntoIterator<Item = Vec<Verdict>>) -> Vec<Verdict> {
    let worse = |old: Verdict, new: Verdict| if new.excess.total_cmp(&old.excess).is_gt() { new } else { old };
    let merge =
        |all: Vec<Verdict>, run: Vec<Verdict>| all.into_iter().zip(run).map(|(old, new)| worse(old, new)).collect();
    verdicts.into_iter().reduce(merge).unwrap_or_default()
}

/// The verdicts in words. Promises that mean another criterion than the tables beside them, `criterion`, say so.
pub fn in_words(verdicts: &[Verdict], criterion: &str) -> Vec<Promise> {
    let told = |verdict: &Verdict| {
        let other = verdict.criterion.map(Criterion::name).filter(|named| *named != criterion);
        let about: Vec<&str> = verdict.flow.as_deref().into_iter().chain(other).collect();
        let whose = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
        Promise {
            about: verdict.key.clone(),
            law: verdict.law.clone(),
            expected: verdict.expected.clone(),
            measured: format!("{}{whose}", verdict.measured_text),
            kept: verdict.ok,
        }
    };
    verdicts.iter().map(told).collect()
}

/// The same as a table; empty without promises.
pub fn verdict_table(verdicts: &[Verdict], criterion: &str) -> String {
    let promises = in_words(verdicts, criterion);
    let Some(first) = promises.first() else { return String::new() };
    let header = if first.law.is_empty() { "promise".to_owned() } else { format!("promise ({})", first.law) };
    let mut table = TextTable::new(&[&header, "expected", "measured", "verdict"]);
    for promise in &promises {
        let word = if promise.kept { "kept" } else { "BROKEN" };
        table.row([&promise.about, &promise.expected, &promise.measured, word]);
    }
    format!("\n{table}")
}

fn limits(bound: Bound) -> (f64, f64) {
    match bound {
        Bound::Near { value, tolerance } => (value - tolerance, value + tolerance),
        Bound::Between { min, max } => (min, max),
    }
}

/// How far `value` lies beyond the bound; not-a-number is beyond everything.
fn excess(bound: Bound, value: f64) -> f64 {
    let (min, max) = limits(bound);
    if value.is_nan() { f64::INFINITY } else { (min - value).max(value - max) }
}

fn value_text(unit: Unit, value: f64) -> String {
    match unit {
        _ if value.is_nan() => "nothing".to_owned(),
        Unit::Rate => text::rate(value),
        Unit::Time => text::time(value),
        Unit::Number => text::number(value, 4),
        Unit::Fraction => text::percent(value),
    }
}

fn expected_text(bound: Bound, unit: Unit) -> String {
    let write = |value: f64| match unit {
        Unit::Rate => text::rate(value),
        _ => unit.text(value),
    };
    match bound {
        Bound::Near { value, tolerance } => format!("{} ± {}", write(value), value_text(unit, tolerance)),
        Bound::Between { min, max } if max == f64::INFINITY => format!("at least {}", write(min)),
        Bound::Between { min, max } if min == f64::NEG_INFINITY => format!("at most {}", write(max)),
        Bound::Between { min, max } => format!("from {} to {}", write(min), write(max)),
    }
}

/// Nanoseconds from the last event until all rates are fair within `within`; infinite if never.
fn time_to_fair_ns(run: &FinishedRun, within: f64) -> f64 {
    let told = run.summary.time_to_fair.iter().find(|told| (told.within - within).abs() < 1e-12);
    let ns = told.map_or_else(|| computed_time_to_fair_ns(run, within), |told| told.ns);
    ns.map_or(f64::INFINITY, |ns| ns as f64)
}

/// For tolerances that the summary does not tell.
fn computed_time_to_fair_ns(run: &FinishedRun, within: f64) -> Option<u64> {
    let (outline, counts, summary) = (run.plan.outline(), run.record.counts(&run.plan), &run.summary);
    let references: Vec<Reference> = summary
        .flows
        .iter()
        .map(|flow| Reference {
            rate_bps: flow.fair_rate_bps,
            low_bps: flow.fair_rate_low_bps,
            high_bps: flow.fair_rate_high_bps,
        })
        .collect();
    let sizes = outline.flows.iter().map(|flow| flow.packet_bytes);
    let window = fair_window(references.iter().copied().zip(sizes), within, outline.base_time, counts.window);
    let event = Instant::from_nanos(summary.event_ns);
    let series: Vec<(WindowedRate, Reference)> = outline
        .flows
        .iter()
        .zip(&counts.flows)
        .zip(references)
        .filter(|((flow, _), _)| flow.is_active_after(event))
        .map(|((_, flow), reference)| {
            (WindowedRate::new(flow.delivered_bytes, counts.window, counts.duration), reference)
        })
        .collect();
    let judged: Vec<_> = series.iter().map(|(series, reference)| (series, *reference)).collect();
    time_to_fair(&judged, within, window.rows, event).map(|span| span.as_nanos())
}
