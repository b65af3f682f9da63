//! Work without Python's lock that Ctrl-C still stops.

use crate::ring_law::Trouble;
use crate::threads::{ended_by, no_thread};
use fairwire_alloc::Interrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often signals are looked at, and progress is told.
const PULSE: Duration = Duration::from_millis(50);

/// So many pulses after work was told to end, a law in Python that does not return is interrupted.
const PATIENCE: u32 = 5;

/// Does `work` on another thread and lets Python run meanwhile.
///
/// Between pulses nothing waits: a short piece of work returns at once. On every
/// pulse signals are looked at and `tell` is called; if either raises, `work`
/// sees `stop` and has to come to an end, and what was raised goes on. Where that
/// takes too long, laws in Python of `trouble` are interrupted.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
    tell: impl Fn(Python<'_>) -> PyResult<()> + Sync,
    trouble: Option<&Trouble>,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    until_done(py, || work(&stop), tell, trouble, || stop.store(true, Ordering::Relaxed))
}

/// The same for solvers, which give up soon after Ctrl-C.
pub fn heeding<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let interrupt = Interrupt::default();
    let done = until_done(py, || interrupt.heed(work), |_| Ok(()), None, || interrupt.raise())?;
    done.ok_or_else(|| ended_by(&"nobody has asked the solver to give up"))
}

fn until_done<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
    tell: impl Fn(Python<'_>) -> PyResult<()> + Sync,
    trouble: Option<&Trouble>,
    stop: impl Fn() + Sync,
) -> PyResult<T> {
    py.detach(|| {
        let (done, finished) = mpsc::channel();
        thread::scope(|scope| {
            let begun = thread::Builder::new().spawn_scoped(scope, move || done.send(work()));
            let begun = begun.map_err(|error| no_thread(&error))?;
            let waited = wait(&finished, &tell, trouble, || {
                stop();
                true
            });
            match begun.join() {
                Ok(_) => waited?.ok_or_else(|| ended_by(&"the work ended without a result")),
                Err(panic) => Err(ended_by(&*panic)),
            }
        })
    })
}

/// The same for solvers that own all they need: nobody waits for them any more.
pub fn abandonable<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    py.detach(|| {
        let (done, finished) = mpsc::channel();
        let interrupt = Interrupt::default();
        let heeded = interrupt.clone();
        let begun = thread::Builder::new().spawn(move || heeded.heed(work).map(|result| drop(done.send(result))));
        let begun = begun.map_err(|error| no_thread(&error))?;
        let stop = || {
            interrupt.raise();
            false
        };
        match wait(&finished, &|_| Ok(()), None, stop)? {
            Some(result) => Ok(result),
            None => Err(begun.join().map_or_else(|panic| ended_by(&*panic), |_| ended_by(&"the work ended"))),
        }
    })
}

/// Waits for what another thread sends, without Python's lock; nothing if it has ended without that.
///
/// If something is raised meanwhile, `stop` tells the other thread to end, and whether that is to be waited for.
pub fn wait<T>(
    answer: &Receiver<T>,
    tell: &dyn Fn(Python<'_>) -> PyResult<()>,
    trouble: Option<&Trouble>,
    stop: impl Fn() -> bool,
) -> PyResult<Option<T>> {
    let mut raised = None;
    let mut pulses = 0;
    loop {
        match (answer.recv_timeout(PULSE), raised) {
            (Ok(_) | Err(RecvTimeoutError::Disconnected), Some(error)) => return Err(error),
            (Ok(result), None) => return Ok(Some(result)),
            (Err(RecvTimeoutError::Disconnected), None) => return Ok(None),
            (Err(RecvTimeoutError::Timeout), Some(error)) => {
                raised = Some(error);
                pulses += 1;
                if pulses > PATIENCE
                    && let Some(trouble) = trouble
                {
                    Python::attach(|py| trouble.interrupt(py));
                }
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                raised = Python::attach(|py| py.check_signals().and_then(|()| tell(py))).err();
                if let Some(error) = raised {
                    if !stop() {
                        return Err(error);
                    }
                    raised = Some(error);
                }
            }
        }
    }
}
