//! Limits, by `tc` of iproute2: one that stays and reads line after line.

use crate::error::EnforceError;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

/// A `tc` that waits for lines.
pub struct Shaper {
    tc: Child,
    lines: Option<ChildStdin>,
}

impl Shaper {
    /// Starts it.
    pub fn start() -> Result<Self, EnforceError> {
        let mut command = Command::new("tc");
        command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C is for this process: `tc` is still needed to take the queue away.
        command.process_group(0);
        let mut tc = command.spawn().map_err(EnforceError::NoTc)?;
        let lines = tc.stdin.take();
        Ok(Self { tc, lines })
    }

    /// Does what stands in `lines`, soon.
    pub fn change(&mut self, lines: &str) -> Result<(), EnforceError> {
        let written =
            self.lines.as_mut().is_some_and(|to| to.write_all(lines.as_bytes()).and_then(|()| to.flush()).is_ok());
        // Whoever does not read any more says why.
        if written { Ok(()) } else { Err(EnforceError::Refused(self.last_words())) }
    }

    /// Waits until all is done.
    pub fn end(mut self) -> Result<(), EnforceError> {
        let said = self.last_words();
        let status = self.tc.wait();
        if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(EnforceError::Refused(said)) }
    }

    fn last_words(&mut self) -> String {
        drop(self.lines.take());
        let mut said = String::new();
        let _ = self.tc.stderr.take().map(|mut stderr| stderr.read_to_string(&mut said));
        said.trim().replace('\n', "; ")
    }
}

/// Does what stands in `lines`, now.
pub fn set(lines: &str) -> Result<(), EnforceError> {
    let mut shaper = Shaper::start()?;
    // What it does not take it tells at its end.
    let _ = shaper.change(lines);
    shaper.end()
}
