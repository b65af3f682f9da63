//! What laws raise while runs go on.

use crate::run::setting;
use pyo3::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// By what Python knows this thread; nothing before it is asked.
    static IDENT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The first exception that a law of a batch has raised, if any has. All runs of the batch stop then.
#[derive(Default)]
pub struct Trouble {
    has_come: AtomicBool,
    error: Mutex<Option<PyErr>>,
    /// The threads that are within a law now. It changes and is looked at with Python's lock held.
    within: Mutex<BTreeSet<u64>>,
}

/// As long as it is there, its thread is within a law.
pub struct Within<'a> {
    trouble: &'a Trouble,
    ident: u64,
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

    /// From now on this thread is within a law.
    pub fn enter(&self, py: Python<'_>) -> PyResult<Within<'_>> {
        let ident = match IDENT.get() {
            Some(ident) => ident,
            None => py.import("_thread")?.call_method0("get_ident")?.extract()?,
        };
        IDENT.set(Some(ident));
        self.within().insert(ident);
        Ok(Within { trouble: self, ident })
    }

    /// Raises KeyboardInterrupt in every law that is being called, and calls none any more.
    pub fn interrupt(&self, py: Python<'_>) {
        self.has_come.store(true, Ordering::Relaxed);
        let within = self.within().clone();
        let raise = |ident: u64| -> PyResult<()> {
            let ctypes = py.import("ctypes")?;
            let thread = ctypes.getattr("c_ulong")?.call1((ident,))?;
            let error = py.get_type::<pyo3::exceptions::PyKeyboardInterrupt>();
            let error = ctypes.getattr("py_object")?.call1((error,))?;
            ctypes.getattr("pythonapi")?.call_method1("PyThreadState_SetAsyncExc", (thread, error)).map(drop)
        };
        // A Python without it (PyPy has none) lets the law return by itself.
        within.into_iter().for_each(|ident| drop(raise(ident)));
    }

    fn within(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.within.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.trouble.within().remove(&self.ident);
    }
}
