//! Runs every entrant over every case, and keeps what comes out.

use super::case::{Case, Kind};
use super::entrants::Entrant;
use super::measure::{Measured, measure};
use super::plan::plan;
use crate::ScoreError;
use crate::board::{fingerprint, short_hash};
use crate::runs::get_or_make;
use crate::whole::simulate_whole;
use fairwire_sweep::{Key, Record, Records, side_by_side};
use serde::{Deserialize, Serialize};

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

/// The runs that are kept.
pub type Runs = Records<Run>;

impl Record for Run {
    const NAME: &'static str = "runs";

    fn key(&self) -> Key {
        Key::of_words(&self.key)
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
        let filled = side_by_side(0..self.len(), |position| self.fill_place(position, runs, watch))?;
        Ok(filled.into_iter().flatten().collect())
    }

    /// What is kept of it, or comes out now; none if `watch` stopped it.
    fn fill_place(&self, position: usize, runs: &Runs, watch: Watch<'_>) -> Result<Option<Run>, ScoreError> {
        let case = &self.cases[position / self.entrants.len()];
        let entrant = &self.entrants[position % self.entrants.len()];
        let key = self.key(case, entrant);
        let run = |measured| Run {
            key: key.clone(),
            case: case.id.clone(),
            kind: case.kind,
            falls: case.falls(),
            lossy: case.is_lossy(),
            flows: case.network.flows.len(),
            entrant: entrant.name(),
            measured,
        };
        let make = |tell: &mut dyn FnMut(f64) -> bool| Ok(simulate(case, entrant, tell)?.map(run));
        get_or_make(runs, Key::of_words(&key), &mut |fraction| watch(position, fraction), make)
    }

    fn key(&self, case: &Case, entrant: &Entrant) -> String {
        let network = fingerprint(format!("{:?}", case.network).as_bytes());
        let (name, law) = (entrant.name(), short_hash(&entrant.law));
        format!("{} {network} {name} {law} {}", case.id, self.build)
    }
}

fn simulate(case: &Case, entrant: &Entrant, tell: &mut dyn FnMut(f64) -> bool) -> Result<Option<Measured>, ScoreError> {
    let plan = plan(case, entrant);
    let record = simulate_whole(&plan, &case.id, entrant.law_name(), tell)?;
    Ok(record.map(|record| measure(case, entrant, &plan, &record)))
}
