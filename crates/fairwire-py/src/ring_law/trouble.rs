//! What laws raise while runs go on.

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

    /// Hands on what was raised.
    pub fn raise(&self) -> PyResult<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
