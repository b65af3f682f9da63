//! Scores and references that are kept, so that work goes on where it ended.

use crate::journal::Journal;
use crate::{Group, Measured, Rates, ScoreError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One law on one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// What was run by what: case, scenario, law with its parameters, build.
    pub key: String,
    /// The case.
    pub case: String,
    /// Where the case comes from.
    pub group: Group,
    /// The law.
    pub law: String,
    /// Stations of the ring.
    pub stations: usize,
    /// Flows on it.
    pub flows: usize,
    /// Whether the fair rates are proved to be the only ones.
    pub unique: crate::Unique,
    /// What came out.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Fair rates of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptRates {
    key: String,
    case: String,
    rates: Rates,
}

/// The files of a scoreboard.
#[derive(Debug)]
pub struct Store {
    scores: Journal<Score>,
    rates: Journal<KeptRates>,
}

impl Store {
    /// Opens the files in `folder`, which is made if need be; `fresh` forgets all scores.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if the operating system refuses.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, ScoreError> {
        Ok(Self {
            scores: Journal::open(folder, "results.jsonl", fresh, |score: &Score| score.key.clone())?,
            rates: Journal::open(folder, "references.jsonl", false, |kept: &KeptRates| kept.key.clone())?,
        })
    }

    /// The score kept under `key`.
    pub fn score(&self, key: &str) -> Option<Score> {
        self.scores.get(key)
    }

    /// Keeps a score.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if it cannot be written.
    pub fn keep(&self, score: &Score) -> Result<(), ScoreError> {
        self.scores.keep(&score.key, score.clone())
    }

    /// The rates kept under `key`, or those that `solve` finds, which are kept.
    ///
    /// # Errors
    /// Those of `solve`, and [`ScoreError::Io`].
    pub fn rates_or(
        &self,
        key: &str,
        case: &str,
        solve: impl FnOnce() -> Result<Rates, ScoreError>,
    ) -> Result<Rates, ScoreError> {
        if let Some(kept) = self.rates.get(key) {
            return Ok(kept.rates);
        }
        let rates = solve()?;
        let kept = KeptRates { key: key.to_owned(), case: case.to_owned(), rates: rates.clone() };
        self.rates.keep(key, kept)?;
        Ok(rates)
    }
}
