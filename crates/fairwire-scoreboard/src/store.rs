//! Scores and references that are kept, so that work goes on where it ended.

use crate::{Group, Measured, Rates, ScoreError};
use fairwire_sweep::{Key, Record, Records};
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

impl Record for Score {
    const NAME: &'static str = "results";

    fn key(&self) -> Key {
        Key::of_words(&self.key)
    }
}

/// Fair rates of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptRates {
    key: String,
    case: String,
    rates: Rates,
}

impl Record for KeptRates {
    const NAME: &'static str = "references";

    fn key(&self) -> Key {
        Key::of_words(&self.key)
    }
}

/// The scores and references of a folder.
#[derive(Debug)]
pub struct Store {
    pub(crate) scores: Records<Score>,
    rates: Records<KeptRates>,
}

impl Store {
    /// Opens the files in `folder`, which is made if need be; `fresh` forgets all scores.
    ///
    /// # Errors
    /// [`ScoreError::Store`] if the operating system refuses, or another process works there.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, ScoreError> {
        Ok(Self { scores: Records::open(folder, fresh)?, rates: Records::open(folder, false)? })
    }

    /// The rates kept under `key`, or those that `solve` finds, which are kept.
    ///
    /// # Errors
    /// Those of `solve`, and [`ScoreError::Store`].
    pub(crate) fn rates_or(
        &self,
        key: String,
        case: &str,
        solve: impl FnOnce() -> Result<Rates, ScoreError>,
    ) -> Result<Rates, ScoreError> {
        if let Some(kept) = self.rates.get(Key::of_words(&key))? {
            return Ok(kept.rates);
        }
        let rates = solve()?;
        self.rates.keep(&KeptRates { key, case: case.to_owned(), rates: rates.clone() })?;
        Ok(rates)
    }
}
