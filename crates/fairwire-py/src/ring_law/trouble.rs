//! What laws raise while runs go on.

use crate::run::setting;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

thread_local! {
    /// By what Python knows this thread; nothing before it is asked.
    static IDENT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The threads that are within a law now, and whose. It changes and is looked at with Python's lock held.
static WITHIN: Mutex<BTreeSet<(usize, u64)>> = Mutex::new(BTreeSet::new());

/// Python is about to end: no law is called any more.
static ENDING: AtomicBool = AtomicBool::new(false);

/// So often it is looked whether laws have come to their end, when Python does.
const LOOKS: u32 = 40;

/// The first exception that a law of a batch has raised, if any has. All runs of the batch stop then.
#[derive(Default)]
pub struct Trouble {
    /// Whether any law in Python has ever been called.
    calls_laws: AtomicBool,
    has_come: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

/// As long as it is there, its thread is within a law.
pub struct Within {
    key: (usize, u64),
    /// Whether it was there already: a law runs something else.
    is_new: bool,
}

impl Trouble {
    /// Whether a law has raised anything.
    pub fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }

    /// Whether no law is to be called any more.
    pub fn silences(&self) -> bool {
        self.has_come() || ENDING.load(Ordering::Relaxed)
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
    pub fn enter(&self, py: Python<'_>) -> PyResult<Within> {
        let ident = match IDENT.get() {
            Some(ident) => ident,
            None => py.import("_thread")?.call_method0("get_ident")?.extract()?,
        };
        IDENT.set(Some(ident));
        self.calls_laws.store(true, Ordering::Relaxed);
        let key = (self.address(), ident);
        Ok(Within { key, is_new: within().insert(key) })
    }

    /// Whether a law is being called now.
    pub fn is_within(&self) -> bool {
        within().iter().any(|(whose, _)| *whose == self.address())
    }

    /// Raises KeyboardInterrupt in every law that is being called, and calls none any more. Where all laws are built in, what takes
    /// long to end can go on all the same.
    pub fn interrupt(&self, py: Python<'_>) {
        if !self.calls_laws.load(Ordering::Relaxed) {
            return;
        }
        self.has_come.store(true, Ordering::Relaxed);
        let those: Vec<u64> =
            within().iter().filter(|(whose, _)| *whose == self.address()).map(|(_, ident)| *ident).collect();
        interrupt(py, &those);
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        if self.is_new {
            within().remove(&self.key);
        }
    }
}

/// Ends all laws before Python ends: it would end their threads, and with them the process.
#[pyfunction]
pub fn end_laws(py: Python<'_>) {
    ENDING.store(true, Ordering::Relaxed);
    for _ in 0..LOOKS {
        let those: Vec<u64> = within().iter().map(|(_, ident)| *ident).collect();
        if those.is_empty() {
            return;
        }
        interrupt(py, &those);
        py.detach(|| std::thread::sleep(Duration::from_millis(25)));
    }
}

/// Raises KeyboardInterrupt in threads of Python.
fn interrupt(py: Python<'_>, threads: &[u64]) {
    let raise = |ident: u64| -> PyResult<()> {
        let ctypes = py.import("ctypes")?;
        let thread = ctypes.getattr("c_ulong")?.call1((ident,))?;
        let error = py.get_type::<PyKeyboardInterrupt>();
        let error = ctypes.getattr("py_object")?.call1((error,))?;
        ctypes.getattr("pythonapi")?.call_method1("PyThreadState_SetAsyncExc", (thread, error)).map(drop)
    };
    // A Python without it (PyPy has none) lets laws return by themselves.
    threads.iter().for_each(|&ident| drop(raise(ident)));
}

fn within() -> MutexGuard<'static, BTreeSet<(usize, u64)>> {
    WITHIN.lock().unwrap_or_else(PoisonError::into_inner)
}
