//! Runs that are made once and kept.

use crate::ScoreError;
use crate::journal::Journal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A run that can be kept.
pub trait Kept: Serialize + DeserializeOwned + Clone {
    /// What was run by what.
    fn key(&self) -> &str;
}

/// The file that keeps runs.
#[derive(Debug)]
pub struct Runs<R>(Journal<R>);

impl<R: Kept> Runs<R> {
    /// Opens the file in `folder`, which is made if need be; `fresh` forgets all runs.
    ///
    /// # Errors
    /// [`ScoreError::Io`] if the operating system refuses.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, ScoreError> {
        Ok(Self(Journal::open(folder, "runs.jsonl", fresh, |run: &R| run.key().to_owned())?))
    }

    /// The run that is kept under `key`, or that `make` makes now; none where `watch`, which is told how far it is, stopped it.
    ///
    /// # Errors
    /// Those of `make`, and [`ScoreError::Io`].
    pub(crate) fn get_or_make(
        &self,
        key: &str,
        watch: &mut dyn FnMut(f64) -> bool,
        make: impl FnOnce(&mut dyn FnMut(f64) -> bool) -> Result<Option<R>, ScoreError>,
    ) -> Result<Option<R>, ScoreError> {
        if let Some(known) = self.0.get(key) {
            watch(1.0);
            return Ok(Some(known));
        }
        if !watch(0.0) {
            return Ok(None);
        }
        let made = make(watch)?;
        if let Some(run) = &made {
            self.0.keep(key, run.clone())?;
        }
        Ok(made)
    }
}
