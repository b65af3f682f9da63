//! What laws raise while runs go on.

use crate::run::setting;
use pyo3::{PyErr, PyResult};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first exception that a law of a batch has raised, if any has. All runs of the batch stop then.
#[derive(Default)]
pub struct Trouble {
    has_come: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Trouble {
    /// Whether a law has raised anything.
    pub fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }

    /// A law has raised `error`; only the first counts.
    pub fn keep(&self, error: PyErr) {
        let mut kept = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.has_come.swap(true, Ordering::Relaxed) {
            *kept = Some(error);
        }
    }

    /// Hands on what was raised; who asks again is told that there was something.
    pub fn raise(&self) -> PyResult<()> {
        if !self.has_come() {
            return Ok(());
        }
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(error.unwrap_or_else(|| setting("a law has raised an error before; begin anew".to_owned())))
    }
}
