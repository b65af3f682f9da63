//! The other solvers: whether they are here, and what a problem costs them.

use super::ours::Measured;
use super::rows::{Peer, Row, Work};
use crate::child::{self, median};
use fairwire_terminal::{CliError, warn};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SIMGRID_SOURCE: &str = include_str!("../../../../benches/simgrid/max_min.cpp");
const PYTHON_SOURCE: &str = include_str!("../../../../benches/python/peers.py");
const ARRAYS_SOURCE: &str = include_str!("../../../../benches/python/arrays.py");

/// Where `make test-python` puts what it needs.
const VENV: &str = "target/python-venv/bin/python";

/// What a peer took for a problem.
#[derive(Debug)]
pub struct PeerSample {
    /// Median of the processor time of a solve, what it needs beforehand included; milliseconds.
    pub ms: f64,
    /// The same without what it needs beforehand, where that is told apart.
    pub bare_ms: Option<f64>,
    pub peak_bytes: u64,
    /// Whether it came as near as it was asked to.
    pub is_exact: bool,
    pub rates: Vec<f64>,
}

/// What there is on this machine, and a place for files, which is removed at the end.
pub struct Peers {
    place: PathBuf,
    simgrid: Option<PathBuf>,
    python: PathBuf,
    versions: BTreeMap<String, Option<String>>,
    has_fairwire: bool,
}

/// What a peer's driver prints.
#[derive(Deserialize)]
struct PeerOutput {
    #[serde(default)]
    build_s: Vec<f64>,
    solve_s: Vec<f64>,
    #[serde(default = "yes")]
    is_exact: bool,
}

fn yes() -> bool {
    true
}

/// What `benches/python/arrays.py` prints, of which this is needed.
#[derive(Deserialize)]
struct FromPython {
    seconds: f64,
    overload: f64,
}

impl Peers {
    /// Looks around; compiles the driver of SimGrid if that is installed.
    ///
    /// # Errors
    /// [`CliError::Missing`] without a place to write to.
    pub fn find(python: Option<&Path>) -> Result<Self, CliError> {
        let place = std::env::temp_dir().join(format!("fairwire-bench-solvers-{}", std::process::id()));
        let lacks = |error: io::Error| CliError::Missing {
            message: format!("cannot prepare the problems: {error}"),
            help: "set TMPDIR to a folder that can be written".to_owned(),
        };
        fs::create_dir(&place).map_err(lacks)?;
        let mut peers = Self {
            python: python.map_or_else(usual_python, Path::to_owned),
            place,
            simgrid: None,
            versions: BTreeMap::new(),
            has_fairwire: false,
        };
        for (name, text) in [("max_min.cpp", SIMGRID_SOURCE), ("peers.py", PYTHON_SOURCE), ("arrays.py", ARRAYS_SOURCE)]
        {
            fs::write(peers.file(name), text).map_err(lacks)?;
        }
        peers.look_for_simgrid();
        peers.look_for_python();
        Ok(peers)
    }

    fn look_for_simgrid(&mut self) {
        let program = self.file("max_min");
        let mut compiler = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
        compiler.args(["-O2", "-std=c++17", "-o"]).arg(&program).arg(self.file("max_min.cpp")).arg("-lsimgrid");
        match child::run(&mut compiler) {
            Ok(_) => self.simgrid = Some(program),
            Err(_) => warn(
                "there is no SimGrid to compare with",
                "install it and a C++ compiler, for example with `apt-get install g++ libsimgrid-dev`",
            ),
        }
    }

    fn look_for_python(&mut self) {
        let mut versions = Command::new(&self.python);
        versions.arg(self.file("peers.py")).arg("versions");
        let told = child::run(&mut versions).ok().and_then(|(said, _)| serde_json::from_str(&said).ok());
        self.versions = told.unwrap_or_default();
        for peer in [Peer::Highs, Peer::Clarabel] {
            if !self.has(peer) {
                let help = "`make test-python` installs it under target/python-venv, which is looked at from the \
                            folder you are in; or name an interpreter that has it with `--python`";
                warn(&format!("there is no {} to compare with", peer.name()), help);
            }
        }
        let mut fairwire = Command::new(&self.python);
        fairwire.args(["-c", "import fairwire, numpy"]);
        self.has_fairwire = child::run(&mut fairwire).is_ok();
        if !self.has_fairwire {
            warn("Python has no fairwire: its row is left out", "`make test-python` installs it; or use `--python`");
        }
    }

    /// A file in the place for files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// Whether a peer can take part.
    pub fn has(&self, peer: Peer) -> bool {
        match peer {
            Peer::SimGrid => self.simgrid.is_some(),
            Peer::Highs | Peer::Clarabel => self.version(peer).is_some(),
        }
    }

    /// Whether a row can be measured here.
    pub fn allow(&self, row: &Row) -> bool {
        self.has_fairwire || !matches!(row.work, Work::FromPython)
    }

    /// The version of a peer that can be asked for it.
    pub fn version(&self, peer: Peer) -> Option<&str> {
        self.versions.get(&peer.name().to_lowercase())?.as_deref()
    }

    /// Where the problem of a row lies for those who are to solve it.
    pub fn problem(&self, row: &Row) -> PathBuf {
        self.file(&format!("{}.problem", row.id))
    }

    /// Has a peer solve a row's problem `runs` times.
    ///
    /// # Errors
    /// [`CliError::Missing`] if it fails.
    pub fn solve(&self, peer: Peer, row: &Row, runs: usize) -> Result<PeerSample, CliError> {
        let rates = self.file("peer.rates");
        let mut command = match (peer, &self.simgrid) {
            (Peer::SimGrid, Some(program)) => Command::new(program),
            _ => {
                let mut python = Command::new(&self.python);
                python.arg(self.file("peers.py")).arg(peer.name().to_lowercase());
                python
            }
        };
        command.arg(self.problem(row)).arg(&rates).arg(runs.to_string()).env("OMP_NUM_THREADS", "1");
        let (said, used) = child::run(&mut command).map_err(|why| failed(peer.name(), row, &why))?;
        let told: PeerOutput =
            serde_json::from_str(&said).map_err(|error| failed(peer.name(), row, &error.to_string()))?;
        let rates = read_rates(&rates).map_err(|error| failed(peer.name(), row, &error.to_string()))?;
        let built = told.build_s.iter().copied().chain(std::iter::repeat(0.0));
        let whole = told.solve_s.iter().zip(built).map(|(solving, building)| solving + building);
        Ok(PeerSample {
            ms: 1e3 * median(whole),
            bare_ms: (!told.build_s.is_empty()).then(|| 1e3 * median(told.solve_s.iter().copied())),
            peak_bytes: used.peak_bytes,
            is_exact: told.is_exact,
            rates,
        })
    }

    /// One solve of ten flows from Python.
    ///
    /// # Errors
    /// [`CliError::Missing`] if it fails.
    pub fn ten_from_python(&self, row: &Row) -> Result<Measured, CliError> {
        let mut python = Command::new(&self.python);
        python.arg(self.file("arrays.py")).arg("10");
        let (said, _) = child::run(&mut python).map_err(|why| failed("Python", row, &why))?;
        let told: FromPython =
            serde_json::from_str(&said).map_err(|error| failed("Python", row, &error.to_string()))?;
        Ok(Measured { ms: 1e3 * told.seconds, runs: 1, overload: Some(told.overload), ..Measured::default() })
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // A folder left behind in the temporary place is no reason to fail.
        let _ = fs::remove_dir_all(&self.place);
    }
}

fn usual_python() -> PathBuf {
    let venv = PathBuf::from(VENV);
    if venv.exists() { venv } else { PathBuf::from("python3") }
}

fn failed(who: &str, row: &Row, why: &str) -> CliError {
    CliError::Missing {
        message: format!("{who} cannot solve {}: {why}", row.id),
        help: "see whether the machine has memory and disk space left".to_owned(),
    }
}

/// Doubles, one after the other.
pub fn read_rates(file: &Path) -> io::Result<Vec<f64>> {
    let bytes = fs::read(file)?;
    Ok(bytes.chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().expect("eight bytes"))).collect())
}

/// The same the other way.
pub fn write_rates(file: &Path, rates: &[f64]) -> io::Result<()> {
    fs::write(file, rates.iter().flat_map(|rate| rate.to_le_bytes()).collect::<Vec<u8>>())
}
