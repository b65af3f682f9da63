//! ns-2, and our scripts for it.

use super::case::{Case, RunFigures, SECONDS};
use super::one_reno::Sawtooth;
use fairwire_terminal::CliError;
use serde::de::DeserializeOwned;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A place with our scripts; it is removed at the end.
#[derive(Debug)]
pub struct Peer {
    place: PathBuf,
}

const GATEWAY: (&str, &str) = ("gateway.tcl", include_str!("../../../../benches/ns2/gateway.tcl"));
const ONE_RENO: (&str, &str) = ("one_reno.tcl", include_str!("../../../../benches/ns2/one_reno.tcl"));

impl Peer {
    /// Writes the scripts and sees whether ns-2 is here.
    ///
    /// # Errors
    /// [`CliError::Missing`] if it is not.
    pub fn find() -> Result<Self, CliError> {
        let lacks = |error: io::Error| CliError::Missing {
            message: format!("cannot prepare the scripts for ns-2: {error}"),
            help: "set TMPDIR to a folder that can be written".to_owned(),
        };
        let place = std::env::temp_dir().join(format!("fairwire-validate-{}", std::process::id()));
        fs::create_dir(&place).map_err(lacks)?;
        let peer = Self { place };
        for (name, text) in [GATEWAY, ONE_RENO] {
            fs::write(peer.place.join(name), text).map_err(lacks)?;
        }
        peer.one::<Sawtooth>(ONE_RENO.0, &["1".to_owned(), "0.5".to_owned()]).map_err(|_| CliError::Missing {
            message: "there is no ns-2 to compare with".to_owned(),
            help: "install it, for example with `apt-get install ns2`".to_owned(),
        })?;
        Ok(peer)
    }

    /// One run of a gateway case.
    ///
    /// # Errors
    /// [`CliError::Missing`] if ns-2 fails.
    pub fn gateway(&self, case: &Case, seed: u64) -> Result<RunFigures, CliError> {
        let mut words = vec![case.traffic.to_owned(), case.peer_law.to_owned(), seed.to_string()];
        words.extend(SECONDS.map(|seconds| seconds.to_string()));
        words.push(case.overhead_s.to_string());
        self.one(GATEWAY.0, &words)
    }

    /// The one flow.
    ///
    /// # Errors
    /// [`CliError::Missing`] if ns-2 fails.
    pub fn one_reno(&self) -> Result<Sawtooth, CliError> {
        self.one(ONE_RENO.0, &SECONDS.map(|seconds| seconds.to_string()))
    }

    fn one<T: DeserializeOwned>(&self, script: &str, words: &[String]) -> Result<T, CliError> {
        let failed = |why: String| CliError::Missing {
            message: format!("ns-2 cannot run {script}: {why}"),
            help: "install Debian's ns2 2.35, or another ns-2 that runs `ns`".to_owned(),
        };
        let output = Command::new("ns")
            .arg(self.place.join(script))
            .args(words)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A folder left behind in the temporary place is no reason to fail.
        let _ = fs::remove_dir_all(&self.place);
    }
}
