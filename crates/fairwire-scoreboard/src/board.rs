//! Runs what has no score yet.

use crate::measure::measure;
use crate::runs::get_or_make;
use crate::{Case, Rates, Score, ScoreError, Store};
use fairwire_laws::ring::RingLawChoice;
use fairwire_results::scenario_hash;
use fairwire_sim::simulate_watched;
use fairwire_sweep::{Key, side_by_side};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Every law over every case.
#[derive(Clone, Debug)]
pub struct Board {
    /// The cases.
    pub cases: Vec<Case>,
    /// The laws, with their parameters.
    pub laws: Vec<RingLawChoice>,
    /// Names the build of the program: scores of another one are not taken over.
    pub build: String,
}

impl Board {
    /// How many runs there are, with those that have a score already.
    pub fn len(&self) -> usize {
        self.cases.len() * self.laws.len()
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Scores of all runs, case by case and law by law: those that `store` has,
    /// and those that are made now, on all cores, and kept there.
    ///
    /// `watch` is told how far a run is, by its position among all runs; when it
    /// answers `false`, what is running is given up and what is finished is
    /// returned.
    ///
    /// # Errors
    /// The first run that fails.
    pub fn fill(&self, store: &Store, watch: &(dyn Fn(usize, f64) -> bool + Sync)) -> Result<Vec<Score>, ScoreError> {
        let rows = side_by_side(self.cases.iter().enumerate(), |(at, case)| self.fill_case(at, case, store, watch))?;
        Ok(rows.into_iter().flatten().collect())
    }

    fn fill_case(
        &self,
        at: usize,
        case: &Case,
        store: &Store,
        watch: &(dyn Fn(usize, f64) -> bool + Sync),
    ) -> Result<Vec<Score>, ScoreError> {
        // The fair rates take longer than a run; they wait until a run needs them.
        let mut rates: Option<Rates> = None;
        let mut scores = Vec::new();
        for (number, law) in self.laws.iter().enumerate() {
            let position = at * self.laws.len() + number;
            let words = self.key(case, law);
            let key = Key::of_words(&words);
            let make = |tell: &mut dyn FnMut(f64) -> bool| {
                let rates = match &rates {
                    Some(rates) => rates,
                    None => rates.insert(self.rates(case, store)?),
                };
                score(case, law, rates, words, tell)
            };
            match get_or_make(&store.scores, key, &mut |fraction| watch(position, fraction), make)? {
                Some(score) => scores.push(score),
                None => break,
            }
        }
        Ok(scores)
    }

    pub(crate) fn rates(&self, case: &Case, store: &Store) -> Result<Rates, ScoreError> {
        let key = format!("{} {} {}", case.id, env!("CARGO_PKG_VERSION"), hash(case));
        store.rates_or(key, &case.id, || Rates::solve(&case.id, &case.scenario))
    }

    /// What a score depends on.
    fn key(&self, case: &Case, law: &RingLawChoice) -> String {
        let (law_hash, build) = (short_hash(law), &self.build);
        format!("{} {} {} {law_hash} {build}", case.id, hash(case), law.about().name)
    }
}

/// A short name for a build of a program, from its bytes.
pub fn fingerprint(program: &[u8]) -> String {
    let digest = Sha256::digest(program);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Of the scenario with all defaults filled in, whatever its law.
fn hash(case: &Case) -> String {
    short_hash(&case.scenario)
}

/// Of a value as it is written, all defaults filled in.
pub(crate) fn short_hash(value: &impl Serialize) -> String {
    let hash = serde_json::to_value(value).map(|value| scenario_hash(&value)).unwrap_or_default();
    hash[..hash.len().min(16)].to_owned()
}

/// Runs one law on one case; none if `tell` stopped it.
fn score(
    case: &Case,
    law: &RingLawChoice,
    rates: &Rates,
    key: String,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Result<Option<Score>, ScoreError> {
    let name = law.about().name;
    let Some(plan) = case.plan(law) else {
        let message = "it describes no ring".to_owned();
        return Err(ScoreError::Scenario { case: case.id.clone(), message });
    };
    let mut was_cut = false;
    let record = simulate_watched(&plan, law, &mut |fraction| {
        was_cut = !tell(fraction);
        !was_cut
    });
    let record = record.map_err(|source| ScoreError::Plan { case: case.id.clone(), law: name, source })?;
    if was_cut {
        return Ok(None);
    }
    if let Some(violation) = record.violations.first() {
        return Err(ScoreError::Invariant { case: case.id.clone(), law: name, violation: violation.clone() });
    }
    Ok(Some(Score {
        key,
        case: case.id.clone(),
        group: case.group,
        law: name.to_owned(),
        stations: plan.stations.len(),
        flows: plan.flows.len(),
        unique: rates.unique,
        measured: measure(&plan, &record, rates),
    }))
}
