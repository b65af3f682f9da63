//! Work without Python's lock that Ctrl-C still stops.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often signals are looked at, and progress is told.
const PULSE: Duration = Duration::from_millis(50);

/// Does `work` on another thread and lets Python run meanwhile.
///
/// Between pulses nothing waits: a short piece of work returns at once. On every
/// pulse signals are looked at and `tell` is called; if either raises, `work`
/// sees `stop` and has to come to an end, and what was raised goes on.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
    tell: impl Fn(Python<'_>) -> PyResult<()> + Sync,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (result, raised) = py.detach(|| {
        let (done, finished) = mpsc::channel();
        let stop = &stop;
        std::thread::scope(|scope| {
            scope.spawn(move || done.send(work(stop)));
            let mut raised = None;
            loop {
                match finished.recv_timeout(PULSE) {
                    Ok(result) => return (Some(result), raised),
                    Err(RecvTimeoutError::Disconnected) => return (None, raised),
                    Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        raised = Python::attach(|py| py.check_signals().and_then(|()| tell(py))).err();
                        stop.store(raised.is_some(), Ordering::Relaxed);
                    }
                }
            }
        })
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result")),
    }
}
