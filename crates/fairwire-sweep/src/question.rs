//! What is measured of every run of a point.

use crate::estimate::Kind;
use fairwire_alloc::{AllocError, Criterion};
use fairwire_results::RunSummary;
use fairwire_runs::{FinishedRun, Meter};
use fairwire_scenario::{Bound, FlowMeasure, Measure, Scenario, Unit};

/// With more flows than this only what is asked for is kept of each.
const MOST_FLOWS: usize = 32;
/// With more flows than this they are not shown one by one unless asked for.
const MOST_SHOWN: usize = 8;
/// What counts as fair where the scenario does not promise it.
const FAIR_WITHIN: f64 = 0.05;

/// One number that every run of a point gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// The measure of one flow, or of the run, as `[expect]` names it, with its unit at the end: `flow.a.delay.p95_ns`.
    pub name: String,
    /// `bit/s`, `ns`, `1`.
    pub unit: &'static str,
    /// How runs are taken together.
    pub kind: Kind,
    /// Whether tables for people show it.
    pub shown: bool,
}

/// Everything that is measured at a point.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The numbers, in order.
    pub columns: Vec<Column>,
    measures: Vec<Question>,
    /// Which columns decide when there are enough runs.
    pub(crate) deciding: Vec<usize>,
    criterion: Criterion,
}

/// A measure, and which of its values are wanted.
#[derive(Clone, Debug)]
struct Question {
    measure: Measure,
    /// How far a rate may be from the fair one, where that is asked.
    within: f64,
}

impl Asked {
    /// What is measured of `scenario`: what its sweep and promises name, and what is usual.
    pub fn of(scenario: &Scenario) -> Self {
        let criterion = scenario.criterion();
        let mut asked = Self { columns: Vec::new(), measures: Vec::new(), deciding: Vec::new(), criterion };
        if let Some(until) = scenario.until() {
            asked.deciding = asked.ask(scenario, &until.measure.measure, &until.measure.key, true);
        }
        scenario.sweep_measures().iter().for_each(|named| drop(asked.ask(scenario, &named.measure, &named.key, true)));
        for promise in scenario.expectations() {
            // What holds without a run is no measure of runs.
            if !matches!(promise.measure, Measure::Flow { what: FlowMeasure::FairRate(_), .. }) {
                asked.ask(scenario, &promise.measure, &promise.key, true);
            }
        }
        asked.ask_the_usual(scenario);
        asked
    }

    fn ask_the_usual(&mut self, scenario: &Scenario) {
        let flows = scenario.flows().len();
        for (measure, key) in [
            (Measure::Jain, "jain"),
            (Measure::Utilisation, "utilisation"),
            (Measure::TimeToFair { within: FAIR_WITHIN }, "time-to-fair.5%"),
        ] {
            self.ask(scenario, &measure, key, true);
        }
        let fair = Measure::Fair { criterion: self.criterion };
        self.ask(scenario, &fair, "fair", true);
        self.ask(scenario, &Measure::Oscillation, "oscillation", false);
        if !scenario.is_ring() {
            self.ask(scenario, &Measure::JainWindows, "jain.windows", false);
        }
        if flows > MOST_FLOWS {
            return;
        }
        for what in [
            FlowMeasure::Ratio,
            FlowMeasure::MeanRate,
            FlowMeasure::Loss,
            FlowMeasure::MeanDelay,
            FlowMeasure::DelayP95,
        ] {
            let shown = what == FlowMeasure::Ratio && flows <= MOST_SHOWN;
            self.ask(scenario, &Measure::Flow { flows: (0..flows).collect(), what }, "", shown);
        }
    }

    /// Adds the columns of a measure that are not there yet, and tells where all of them are.
    fn ask(&mut self, scenario: &Scenario, measure: &Measure, key: &str, shown: bool) -> Vec<usize> {
        let within = fair_within(scenario, measure);
        let (unit, suffix) = match measure.unit() {
            Unit::Rate => ("bit/s", "_bps"),
            Unit::Time => ("ns", "_ns"),
            Unit::Number | Unit::Fraction => ("1", ""),
        };
        let names = names(scenario, measure, key, within);
        let kind = kind_of(measure);
        let columns = names.into_iter().map(|name| Column { name: format!("{name}{suffix}"), unit, kind, shown });
        let mut places = Vec::new();
        let mut new = Vec::new();
        for (at, column) in columns.enumerate() {
            match self.columns.iter().position(|known| known.name == column.name) {
                Some(place) => places.push(place),
                None => {
                    places.push(self.columns.len());
                    self.columns.push(column);
                    new.push(at);
                }
            }
        }
        if !new.is_empty() {
            self.measures.push(Question { measure: narrowed(measure, &new), within });
        }
        places
    }

    /// A meter that can read all of it.
    pub(crate) fn meter<'a>(&self, scenario: &'a Scenario) -> Result<Meter<'a>, AllocError> {
        Meter::new(scenario, self.measures.iter().map(|question| &question.measure))
    }

    /// What one run came to, in the order of the columns; none where there is nothing to measure, or what never happened.
    pub(crate) fn read(&self, meter: &Meter<'_>, run: &FinishedRun) -> Vec<Option<f64>> {
        let mut values = Vec::with_capacity(self.columns.len());
        for Question { measure, within } in &self.measures {
            let read = meter.read(measure, run);
            if is_yes_or_no(measure) {
                let is_fair = !read.is_empty() && read.iter().all(|(ratio, _)| (ratio - 1.0).abs() <= *within);
                values.push(Some(f64::from(u8::from(is_fair))));
            } else {
                values.extend(read.into_iter().map(|(value, _)| Some(value).filter(|value| value.is_finite())));
            }
        }
        values
    }
}

/// How values of a measure are taken together. Ratios and oscillations may be more than 1.
fn kind_of(measure: &Measure) -> Kind {
    match measure {
        measure if is_yes_or_no(measure) => Kind::Share,
        Measure::Jain | Measure::JainWindows | Measure::Utilisation | Measure::Flow { what: FlowMeasure::Loss, .. } => {
            Kind::MeanOfParts
        }
        _ => Kind::Mean,
    }
}

/// Whether a measure says yes or no of a run: whether all rates are fair.
fn is_yes_or_no(measure: &Measure) -> bool {
    matches!(measure, Measure::Fair { .. } | Measure::FairAfterEvents { .. })
}

/// As near as the scenario promises, else within 5 %.
fn fair_within(scenario: &Scenario, measure: &Measure) -> f64 {
    let promised = scenario.expectations().iter().find(|promise| promise.measure == *measure);
    match promised.map(|promise| promise.bound) {
        Some(Bound::Near { tolerance, .. }) => tolerance,
        _ => FAIR_WITHIN,
    }
}

/// The same measure of some of its flows or links.
fn narrowed(measure: &Measure, places: &[usize]) -> Measure {
    let chosen = |all: &[usize]| places.iter().map(|&place| all[place]).collect();
    match measure {
        Measure::Flow { flows, what } => Measure::Flow { flows: chosen(flows), what: *what },
        Measure::DeepestQueue { links } => Measure::DeepestQueue { links: chosen(links) },
        other => other.clone(),
    }
}

/// What each value of a measure is called.
fn names(scenario: &Scenario, measure: &Measure, key: &str, within: f64) -> Vec<String> {
    match measure {
        Measure::Flow { flows, what } => {
            let name = |&flow: &usize| format!("flow.{}.{}", scenario.flows()[flow].name, word(*what));
            flows.iter().map(name).collect()
        }
        Measure::DeepestQueue { links } => {
            let all = scenario.network().map(|network| &network.links[..]).unwrap_or_default();
            links.iter().map(|&link| format!("queue.{}.max", all[link].name)).collect()
        }
        _ if is_yes_or_no(measure) => vec![format!("{key}.{}%", within * 100.0)],
        _ => vec![key.to_owned()],
    }
}

fn word(what: FlowMeasure) -> &'static str {
    match what {
        FlowMeasure::MeanRate => "rate.mean",
        FlowMeasure::FairRate(_) => "fair-rate",
        FlowMeasure::Ratio => "ratio",
        FlowMeasure::Loss => "loss",
        FlowMeasure::MeanDelay => "delay.mean",
        FlowMeasure::DelayP50 => "delay.p50",
        FlowMeasure::DelayP95 => "delay.p95",
        FlowMeasure::DelayP99 => "delay.p99",
        FlowMeasure::MeanTransfer => "transfer.mean",
        FlowMeasure::TransferP50 => "transfer.p50",
        FlowMeasure::TransferP90 => "transfer.p90",
        FlowMeasure::TransferP99 => "transfer.p99",
        FlowMeasure::Response => "response",
    }
}

/// How many invariants a run broke.
pub(crate) fn broken(run: &RunSummary) -> u64 {
    run.violations.len() as u64
}
