//! What runs come to over seeds.

use super::cases::Case;
use super::ellipse::Ellipse;
use super::matrix::Run;
use super::measure::{Group, Measured};
use fairwire_results::measures::Interval;
use serde::Serialize;
use std::collections::BTreeMap;

/// A number of a run, if it has it.
pub type Value<'a> = &'a dyn Fn(&Measured) -> Option<f64>;

/// All runs, in the order of cases and laws.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Seeds of the places that have the most.
    pub seeds: usize,
    /// The laws, in the order of the list.
    pub laws: Vec<String>,
    /// One entry a case and law that has runs.
    pub results: Vec<CaseLaw>,
    #[serde(skip)]
    runs: BTreeMap<(String, String), Vec<Measured>>,
}

/// One law on one case; each number with its mean over seeds and half of its 95 % interval
/// (Student's t).
#[derive(Clone, Debug, Serialize)]
pub struct CaseLaw {
    /// The case.
    pub case: String,
    /// What it is about.
    pub family: super::Family,
    /// The law.
    pub law: String,
    /// Runs that were made.
    pub seeds: usize,
    /// The measures, by their names in [`Measured`].
    pub measures: BTreeMap<&'static str, Interval>,
    /// Flows of one name, and their measures by their names in [`Group`] and
    /// [`super::Transfers`].
    pub groups: BTreeMap<String, BTreeMap<&'static str, Interval>>,
    /// Delay against goodput over the seeds.
    pub ellipse: Option<Ellipse>,
}

type Field<T> = (&'static str, fn(&T) -> Option<f64>);

const MEASURES: [Field<Measured>; 11] = [
    ("goodput_bps", |m| Some(m.goodput_bps)),
    ("utilisation", |m| Some(m.utilisation)),
    ("jain", |m| Some(m.jain)),
    ("largest_shortfall", |m| Some(m.largest_shortfall)),
    ("mean_shortfall", |m| Some(m.mean_shortfall)),
    ("queue_mean_ns", |m| Some(m.queue_mean_ns)),
    ("queue_p50_ns", |m| Some(m.queue_p50_ns)),
    ("queue_p95_ns", |m| Some(m.queue_p95_ns)),
    ("queue_p99_ns", |m| Some(m.queue_p99_ns)),
    ("loss", |m| Some(m.loss)),
    ("marked", |m| Some(m.marked)),
];

const GROUP_MEASURES: [Field<Group>; 9] = [
    ("goodput_bps", |g| Some(g.goodput_bps)),
    ("ratio", |g| Some(g.ratio)),
    ("loss", |g| Some(g.loss)),
    ("delay_p50_ns", |g| Some(g.delay_p50_ns)),
    ("delay_p95_ns", |g| Some(g.delay_p95_ns)),
    ("delay_p99_ns", |g| Some(g.delay_p99_ns)),
    ("transfer_mean_ns", |g| g.transfers.as_ref().map(|transfers| transfers.mean_ns)),
    ("transfer_p50_ns", |g| g.transfers.as_ref().map(|transfers| transfers.p50_ns)),
    ("transfer_p95_ns", |g| g.transfers.as_ref().map(|transfers| transfers.p95_ns)),
];

impl Summary {
    /// Sums up runs; those of one case and law are neighbours.
    pub fn of(runs: &[Run]) -> Self {
        let mut laws: Vec<String> = Vec::new();
        let mut by_place: BTreeMap<(String, String), Vec<Measured>> = BTreeMap::new();
        for run in runs {
            if !laws.contains(&run.law) {
                laws.push(run.law.clone());
            }
            by_place.entry((run.case.clone(), run.law.clone())).or_default().push(run.measured.clone());
        }
        let places = runs.chunk_by(|a, b| a.case == b.case && a.law == b.law);
        Self {
            seeds: by_place.values().map(Vec::len).max().unwrap_or(0),
            laws,
            results: places
                .map(|own| CaseLaw::of(&own[0], &by_place[&(own[0].case.clone(), own[0].law.clone())]))
                .collect(),
            runs: by_place,
        }
    }

    /// A number of one law on one case, seed by seed.
    pub fn values(&self, case: &str, law: &str, value: Value<'_>) -> Vec<f64> {
        let runs = self.runs.get(&(case.to_owned(), law.to_owned()));
        runs.into_iter().flatten().filter_map(value).collect()
    }

    /// Its mean over the seeds.
    pub fn mean(&self, case: &str, law: &str, value: Value<'_>) -> Option<Interval> {
        over_seeds(&self.values(case, law, value))
    }

    /// The mean over seeds of the mean over cases, for as many seeds as all of them have.
    pub fn over_cases(&self, cases: &[&Case], law: &str, value: Value<'_>) -> Option<Interval> {
        let values: Vec<Vec<f64>> = cases.iter().map(|case| self.values(&case.id, law, value)).collect();
        let seeds = values.iter().map(Vec::len).min().unwrap_or(0);
        let mean_of = |seed: usize| values.iter().map(|case| case[seed]).sum::<f64>() / values.len() as f64;
        over_seeds(&(0..seeds).map(mean_of).collect::<Vec<_>>())
    }

    /// One law on one case.
    pub fn result(&self, case: &str, law: &str) -> Option<&CaseLaw> {
        self.results.iter().find(|result| result.case == case && result.law == law)
    }
}

impl CaseLaw {
    fn of(place: &Run, runs: &[Measured]) -> Self {
        let over = |value: Value<'_>| over_seeds(&runs.iter().filter_map(value).collect::<Vec<_>>());
        let measures = MEASURES.iter().filter_map(|(name, value)| Some((*name, over(&|m| value(m))?)));
        let groups = place.measured.groups.iter().map(|group| {
            let found = GROUP_MEASURES.iter();
            let found = found.filter_map(|(name, value)| Some((*name, over(&|m| value(named(m, &group.name)?))?)));
            (group.name.clone(), found.collect())
        });
        let points: Vec<_> = runs.iter().map(|run| (run.queue_mean_ns, run.goodput_bps)).collect();
        Self {
            case: place.case.clone(),
            family: place.family,
            law: place.law.clone(),
            seeds: runs.len(),
            measures: measures.collect(),
            groups: groups.collect(),
            ellipse: Ellipse::of(&points),
        }
    }
}

/// Flows of that name.
pub fn named<'a>(measured: &'a Measured, name: &str) -> Option<&'a Group> {
    measured.groups.iter().find(|group| group.name == name)
}

/// None of none.
fn over_seeds(values: &[f64]) -> Option<Interval> {
    (!values.is_empty()).then(|| Interval::of(values))
}
