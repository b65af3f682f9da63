//! Whoever is left when this process is killed: a shell that waits for its end, and then gives every egress its safe rate.

use crate::error::EnforceError;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Ctrl-C and the end of a session are for the one that is watched.
const SCRIPT: &str = r#"trap '' INT TERM HUP; safe=$(head -c "$LENGTH"); read -r word
[ "$word" = done ] || printf '%s\n' "$safe" | tc -batch - 2> /dev/null"#;

/// It waits for the end of this process.
pub struct Warden {
    shell: Child,
    words: Option<ChildStdin>,
}

impl Warden {
    /// From now on `safe`, lines for `tc -batch`, is done should this process end without a word.
    pub fn begin(safe: &str) -> Result<Self, EnforceError> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT]).env("LENGTH", safe.len().to_string()).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let doing = "starting what looks after limits";
        let mut shell = command.spawn().map_err(|error| EnforceError::System(doing, error))?;
        let mut words = shell.stdin.take();
        // The kernel takes no more than 128 KiB of a variable or an argument, which a thousand flows fill.
        let told = words.as_mut().map_or(Ok(()), |words| words.write_all(safe.as_bytes()));
        told.map_err(|error| EnforceError::System(doing, error))?;
        Ok(Self { shell, words })
    }

    /// All is well.
    pub fn end(mut self) {
        let _ = self.words.take().map(|mut words| words.write_all(b"done\n"));
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_of_flows_have_safe_rates() {
        let line = "# As long as the line for `tc` that tells the limit of one flow, its bursts and its turns among all others\n";
        let warden = Warden::begin(&line.repeat(5_000)).unwrap_or_else(|error| panic!("{error}"));
        warden.end();
    }
}
