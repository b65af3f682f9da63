//! Threads: one pool for all that is short, and what is said where none can be started.

use crate::errors::defect;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// The pool, and the process it lives in.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool of this process, with a thread a core. A process that was forked has none of its parent's
/// threads, would wait for them forever, and gets a pool of its own.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of, pool)) = &*kept
        && *of == process
    {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(a_pool(0)?);
    // The parent's is not ended: that would be to wait for its threads.
    std::mem::forget(kept.replace((process, Arc::clone(&pool))));
    Ok(pool)
}

/// A pool of `threads` threads, or of one a core for 0.
pub fn a_pool(threads: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| no_thread(&error))
}

/// There can be no further thread.
pub fn no_thread(error: &dyn Display) -> PyErr {
    PyRuntimeError::new_err(format!(
        "no thread can be started: {error}; let go of other simulations, or allow more processes (ulimit -u)"
    ))
}

/// What a thread has ended with that ought not to have ended.
pub fn ended_by(panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    defect(said.unwrap_or("a thread ended"))
}
