//! Scores and references that are kept, so that work goes on where it ended.
//!
//! Both files have one JSON object a line, and a line is written in one piece:
//! an interrupted run leaves whole lines and at most one torn end, which is
//! dropped.

use crate::{Group, Measured, Rates, ScoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

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

/// A file of lines, and what is in it by key.
#[derive(Debug)]
struct Journal<T> {
    path: PathBuf,
    state: Mutex<(File, BTreeMap<String, T>)>,
}

impl Store {
    /// Opens the files in `folder`, which is made if need be; `fresh` forgets all scores.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if the operating system refuses.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, ScoreError> {
        fs::create_dir_all(folder).map_err(ScoreError::io("make", folder))?;
        let scores = folder.join("results.jsonl");
        if fresh {
            match fs::remove_file(&scores) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(ScoreError::io("remove", &scores)(error));
                }
                _ => {}
            }
        }
        Ok(Self {
            scores: Journal::open(scores, |score: &Score| score.key.clone())?,
            rates: Journal::open(folder.join("references.jsonl"), |kept: &KeptRates| kept.key.clone())?,
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

impl<T: Serialize + DeserializeOwned + Clone> Journal<T> {
    fn open(path: PathBuf, key: impl Fn(&T) -> String) -> Result<Self, ScoreError> {
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ScoreError::io("read", &path)(error)),
        };
        // Lines of another format are those of another version: they are of no use, and do no harm.
        let known = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        let known = known.map(|item: T| (key(&item), item)).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(ScoreError::io("open", &path))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(ScoreError::io("write", &path))?;
        }
        Ok(Self { path, state: Mutex::new((file, known)) })
    }

    fn get(&self, key: &str) -> Option<T> {
        self.state.lock().ok()?.1.get(key).cloned()
    }

    fn keep(&self, key: &str, item: T) -> Result<(), ScoreError> {
        let refused = ScoreError::io("write", &self.path);
        let line = serde_json::to_string(&item).map(|line| line + "\n");
        let Ok(mut state) = self.state.lock() else { return Ok(()) };
        match line.map_err(std::io::Error::from).and_then(|line| state.0.write_all(line.as_bytes())) {
            Ok(()) => {
                state.1.insert(key.to_owned(), item);
                Ok(())
            }
            Err(error) => Err(refused(error)),
        }
    }
}
