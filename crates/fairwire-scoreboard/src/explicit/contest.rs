//! Runs every entrant over every case, and keeps what comes out.

use super::case::{Case, Kind};
use super::entrants::Entrant;
use super::measure::{Measured, measure};
use super::plan::plan;
use crate::ScoreError;
use crate::board::{fingerprint, short_hash};
use crate::journal::Journal;
use fairwire_sim::simulate_network_watched;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Every entrant over every case.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The cases.
    pub cases: Vec<Case>,
    /// Who takes part.
    pub entrants: Vec<Entrant>,
    /// Names the build of the program: runs of another one are not taken over.
    pub build: String,
}

/// One entrant on one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run by what: case, entrant with the law's parameters, build.
    pub key: String,
    /// The case.
    pub case: String,
    /// What its network looks like.
    pub kind: Kind,
    /// Whether a link falls to a lower capacity.
    pub falls: bool,
    /// Whether links lose packets.
    pub lossy: bool,
    /// Flows of the case.
    pub flows: usize,
    /// The entrant.
    pub entrant: String,
    /// What came out.
    #[serde(flatten)]
    pub measured: Measured,
}

/// The file that keeps runs.
#[derive(Debug)]
pub struct Runs(Journal<Run>);

impl Runs {
    /// Opens the file in `folder`, which is made if need be; `fresh` forgets all runs.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if the operating system refuses.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, ScoreError> {
        Ok(Self(Journal::open(folder, "runs.jsonl", fresh, |run: &Run| run.key.clone())?))
    }
}

/// Tells how far a run is, by its position among all; an answer of `false` gives up.
type Watch<'a> = &'a (dyn Fn(usize, f64) -> bool + Sync);

impl Contest {
    /// How many runs there are, with those that were made before.
    pub fn len(&self) -> usize {
        self.cases.len() * self.entrants.len()
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All runs, case by case and entrant by entrant: those that `runs` holds, and those that are made now, on all
    /// cores, and kept there.
    ///
    /// `watch` is told how far a run is, by its position among all; when it answers `false`, what is running is given up
    /// and what is finished is returned.
    ///
    /// # Errors
    /// The first run that fails.
    pub fn fill(&self, runs: &Runs, watch: &(dyn Fn(usize, f64) -> bool + Sync)) -> Result<Vec<Run>, ScoreError> {
        let filled: Result<Vec<Option<Run>>, ScoreError> =
            (0..self.len()).into_par_iter().map(|position| self.fill_place(position, runs, watch)).collect();
        Ok(filled?.into_iter().flatten().collect())
    }

    /// What is kept of it, or comes out now; none if `watch` stopped it.
    fn fill_place(&self, position: usize, runs: &Runs, watch: Watch<'_>) -> Result<Option<Run>, ScoreError> {
        let case = &self.cases[position / self.entrants.len()];
        let entrant = &self.entrants[position % self.entrants.len()];
        let key = self.key(case, entrant);
        if let Some(run) = runs.0.get(&key) {
            watch(position, 1.0);
            return Ok(Some(run));
        }
        if !watch(position, 0.0) {
            return Ok(None);
        }
        let mut tell = |fraction| watch(position, fraction);
        let Some(measured) = simulate(case, entrant, &mut tell)? else { return Ok(None) };
        let run = Run {
            key: key.clone(),
            case: case.id.clone(),
            kind: case.kind,
            falls: case.falls(),
            lossy: case.is_lossy(),
            flows: case.network.flows.len(),
            entrant: entrant.name(),
            measured,
        };
        runs.0.keep(&key, run.clone())?;
        Ok(Some(run))
    }

    fn key(&self, case: &Case, entrant: &Entrant) -> String {
        let network = fingerprint(format!("{:?}", case.network).as_bytes());
        let (name, law) = (entrant.name(), short_hash(&entrant.law));
        format!("{} {network} {name} {law} {}", case.id, self.build)
    }
}

fn simulate(case: &Case, entrant: &Entrant, tell: &mut dyn FnMut(f64) -> bool) -> Result<Option<Measured>, ScoreError> {
    let (id, law) = (&case.id, entrant.law_name());
    let plan = plan(case, entrant);
    let mut was_cut = false;
    let record = simulate_network_watched(&plan, &mut |fraction| {
        was_cut = !tell(fraction);
        !was_cut
    });
    let record = record.map_err(|source| ScoreError::Plan { case: id.clone(), law, source })?;
    if was_cut {
        return Ok(None);
    }
    if let Some(violation) = record.violations.first() {
        return Err(ScoreError::Invariant { case: id.clone(), law, violation: violation.clone() });
    }
    Ok(Some(measure(case, entrant, &plan, &record)))
}
