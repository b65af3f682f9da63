//! What became of a promise.

use fairwire_alloc::{Criterion, text};
use fairwire_results::Promise;
use fairwire_scenario::{Bound, Expectation, FlowMeasure, Measure, Scenario, Unit};
use serde::Serialize;

/// A measured value, and the position of the flow it belongs to.
pub type Measured = (f64, Option<usize>);

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
    /// The experiment, as in [`fairwire_results::RunSummary::seed`].
    pub seed: u64,
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

/// Under what a promise was held.
pub(crate) struct Held<'a> {
    pub law: &'a str,
    pub seed: u64,
    pub run: u64,
}

impl Verdict {
    /// Of what was measured on several flows, the one that is farthest beyond the bound speaks for all.
    pub(crate) fn of(expectation: &Expectation, scenario: &Scenario, measured: &[Measured], held: &Held<'_>) -> Self {
        let (bound, unit) = (expectation.bound, expectation.measure.unit());
        let worst = measured.iter().max_by(|a, b| excess(bound, a.0).total_cmp(&excess(bound, b.0)));
        let (value, flow) = worst.copied().unwrap_or((f64::NAN, None));
        let (min, max) = limits(bound);
        Self {
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
            flow: flow.map(|flow| scenario.flows()[flow].name.clone()),
            law: held.law.to_owned(),
            seed: held.seed,
            run: held.run,
            criterion: named_criterion(&expectation.measure),
            excess: excess(bound, value),
            measured_text: value_text(unit, value),
        }
    }
}

/// The criterion that a promise about fair rates names.
pub(crate) fn named_criterion(measure: &Measure) -> Option<Criterion> {
    match measure {
        Measure::Fair { criterion }
        | Measure::FairAfterEvents { criterion }
        | Measure::Flow { what: FlowMeasure::FairRate(criterion), .. } => Some(*criterion),
        _ => None,
    }
}

/// The worst verdict on each promise over all runs that were judged.
pub fn worst(verdicts: impl IntoIterator<Item = Vec<Verdict>>) -> Vec<Verdict> {
    let worse = |old: Verdict, new: Verdict| if new.excess.total_cmp(&old.excess).is_gt() { new } else { old };
    let merge =
        |all: Vec<Verdict>, run: Vec<Verdict>| all.into_iter().zip(run).map(|(old, new)| worse(old, new)).collect();
    verdicts.into_iter().filter(|run| !run.is_empty()).reduce(merge).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A value at either end of a bound keeps it; beyond it counts how far.
    #[test]
    fn a_bound_is_kept_up_to_both_of_its_ends() {
        let near = Bound::Near { value: 10.0, tolerance: 2.0 };
        let between = Bound::Between { min: 8.0, max: 12.0 };
        for bound in [near, between] {
            let excesses = [8.0, 10.0, 12.0, 7.5, 13.0].map(|value| excess(bound, value));
            assert_eq!(excesses, [0.0, -2.0, 0.0, 0.5, 1.0], "{bound:?}");
            assert_eq!(excess(bound, f64::NAN), f64::INFINITY);
        }
    }
}
