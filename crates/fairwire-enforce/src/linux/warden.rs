//! Whoever is left when this process is killed: a shell that waits for its end, and then gives every egress its safe rate.

use crate::error::EnforceError;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Ctrl-C and the end of a session are for the one that is watched.
const SCRIPT: &str =
    r#"trap '' INT TERM HUP; read -r word; [ "$word" = done ] || printf %s "$SAFE" | tc -batch - 2> /dev/null"#;

/// It waits for the end of this process.
pub struct Warden {
    shell: Child,
    words: Option<ChildStdin>,
}

impl Warden {
    /// From now on `safe`, lines for `tc -batch`, is done should this process end without a word.
    pub fn begin(safe: &str) -> Result<Self, EnforceError> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT]).env("SAFE", safe).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let doing = "starting what looks after limits";
        let mut shell = command.spawn().map_err(|error| EnforceError::System(doing, error))?;
        let words = shell.stdin.take();
        Ok(Self { shell, words })
    }

    /// All is well.
    pub fn end(mut self) {
        let _ = self.words.take().map(|mut words| words.write_all(b"done\n"));
        let _ = self.shell.wait();
    }
}
