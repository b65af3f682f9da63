//! Ctrl-C: the first one asks to stop, the second one stops.

use crate::CliError;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

/// Whether the user wants to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, SIGINT and SIGTERM raise the flag; a second one ends the process. So does SIGHUP, the end of the terminal,
    /// where that is not ignored.
    ///
    /// # Errors
    /// [`CliError::Missing`] if the operating system does not let us.
    pub fn listen() -> Result<Self, CliError> {
        let interrupt = Self::default();
        [SIGINT, SIGTERM].into_iter().chain(hangup()).try_for_each(|signal| interrupt.listen_to(signal)).map_err(
            |error| CliError::Missing {
                message: format!("cannot listen to Ctrl-C: {error}"),
                help: "run it where signals can be handled".to_owned(),
            },
        )?;
        Ok(interrupt)
    }

    fn listen_to(&self, signal: i32) -> io::Result<()> {
        // Handlers run in this order: the first signal finds the flag still down.
        flag::register_conditional_shutdown(signal, 130, Arc::clone(&self.0))?;
        flag::register(signal, Arc::clone(&self.0))?;
        Ok(())
    }

    /// Whether a signal has come.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// SIGHUP, unless `nohup` or its kin want it ignored, or that cannot be told.
fn hangup() -> Option<i32> {
    const SIGHUP: i32 = 1;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let ignored = u64::from_str_radix(status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?.trim(), 16).ok()?;
    (ignored & (1 << (SIGHUP - 1)) == 0).then_some(SIGHUP)
}
