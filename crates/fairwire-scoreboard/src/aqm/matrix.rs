//! Runs every law over every case with every seed, and keeps what comes out.

use super::cases::{Case, Family};
use super::measure::{Measured, measure};
use super::reference::Reference;
use crate::ScoreError;
use crate::board::short_hash;
use crate::runs::get_or_make;
use crate::whole::simulate_whole;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_sweep::{Key, Record, Records, side_by_side};
use serde::{Deserialize, Serialize};

/// Every law over every case, with so many seeds.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The cases.
    pub cases: Vec<Case>,
    /// The laws, with their parameters.
    pub laws: Vec<QueueLawChoice>,
    /// Replications 0 to one less than this are run, each with random numbers of its own;
    /// the same ones under every law.
    pub seeds: u64,
    /// Names the build of the program: runs of another one are not taken over.
    pub build: String,
}

/// One law on one case with one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run by what: case, scenario, law with its parameters, seed, build.
    pub key: String,
    /// The case.
    pub case: String,
    /// What it is about.
    pub family: Family,
    /// The law.
    pub law: String,
    /// The replication.
    pub seed: u64,
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

/// One place of the matrix.
struct Cell<'a> {
    /// Among all.
    position: usize,
    case: &'a Case,
    law: QueueLawChoice,
    seed: u64,
    key: String,
}

impl Matrix {
    /// How many runs there are, with those that were made before.
    pub fn len(&self) -> usize {
        self.cases.len() * self.laws.len() * self.seeds as usize
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All runs, case by case, law by law, seed by seed: those that `runs` holds, and
    /// those that are made now, on all cores, and kept there.
    ///
    /// `watch` is told how far a run is, by its position among all; when it answers
    /// `false`, what is running is given up and what is finished is returned.
    ///
    /// # Errors
    /// The first run that fails.
    pub fn fill(&self, runs: &Runs, watch: &(dyn Fn(usize, f64) -> bool + Sync)) -> Result<Vec<Run>, ScoreError> {
        let filled = side_by_side(self.places(), |place| fill_place(&place, runs, watch))?;
        Ok(filled.into_iter().flatten().collect())
    }

    fn places(&self) -> Vec<Cell<'_>> {
        let mut places = Vec::with_capacity(self.len());
        for case in &self.cases {
            let scenario = short_hash(&case.scenario);
            let with_marks = case.uses_ecn();
            for law in &self.laws {
                let marks = with_marks.then(|| law.marking()).flatten();
                let law = marks.unwrap_or_else(|| law.clone());
                let (name, hash) = (law.about().name, short_hash(&law));
                for seed in 0..self.seeds {
                    let key = format!("{} {scenario} {name} {hash} {seed} {}", case.id, self.build);
                    places.push(Cell { position: places.len(), case, law: law.clone(), seed, key });
                }
            }
        }
        places
    }
}

/// What is kept of it, or comes out now; none if `watch` stopped it.
fn fill_place(
    place: &Cell<'_>,
    runs: &Runs,
    watch: &(dyn Fn(usize, f64) -> bool + Sync),
) -> Result<Option<Run>, ScoreError> {
    let Cell { position, case, law, seed, key } = place;
    let (case, family, law) = (case.id.clone(), case.family, law.about().name.to_owned());
    let run = |measured| Run { key: key.clone(), case, family, law, seed: *seed, measured };
    let make = |tell: &mut dyn FnMut(f64) -> bool| Ok(simulate(place, tell)?.map(run));
    get_or_make(runs, Key::of_words(key), &mut |fraction| watch(*position, fraction), make)
}

fn simulate(place: &Cell<'_>, tell: &mut dyn FnMut(f64) -> bool) -> Result<Option<Measured>, ScoreError> {
    let (case, law) = (place.case.id.clone(), place.law.about().name);
    let Some(plan) = place.case.scenario.with_queue_law(place.law.clone()).network_plan(place.seed) else {
        return Err(ScoreError::Scenario { case, message: "it describes no network".to_owned() });
    };
    let reference = Reference::of(&case, &plan)?;
    let record = simulate_whole(&plan, &case, law, tell)?;
    Ok(record.map(|record| measure(&plan, &record, &reference)))
}
