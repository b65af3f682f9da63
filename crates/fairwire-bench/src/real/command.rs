//! The command itself does all runs, as it does for people.

use super::case::Case;
use super::disturbance::disturbed;
use fairwire_terminal::{CliError, sibling};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run may say of itself, from the best on.
pub const VERDICTS: [&str; 3] = ["undisturbed", "disturbed", "invalid"];

/// Where `fairwire` is, and how it is called.
pub struct Fairwire {
    program: PathBuf,
    priority: bool,
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunMeasured {
    pub flows: Vec<FlowMeasured>,
    /// Jain's index of rates over fair rates.
    pub jain: Option<f64>,
    /// How real it was; none of what was simulated.
    pub real: Option<How>,
    /// What changes of demands led to, where there are any.
    #[serde(default)]
    pub changes: Vec<ChangeSeen>,
}

/// A change of a demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeSeen {
    pub events: Vec<String>,
    pub window_ns: u64,
    pub fair_again_ns: Option<u64>,
}

/// A flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowMeasured {
    pub id: String,
    pub rate_bps: f64,
    pub fair_rate_bps: f64,
    /// Packets that were marked.
    #[serde(default)]
    pub marked: u64,
}

/// What a real run says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct How {
    pub verdict: String,
    pub why: Vec<String>,
    pub lateness_p99_ns: u64,
    pub stood_still_ns: u64,
    pub cpu: f64,
    /// How often it was run before, and nothing could be said of it.
    #[serde(default)]
    pub repeated: u32,
}

impl RunMeasured {
    /// Whether it says worse of itself than this.
    pub fn is_worse_than(&self, verdict: &str) -> bool {
        let place = |verdict: &str| VERDICTS.iter().position(|known| *known == verdict);
        self.real.as_ref().is_some_and(|how| place(&how.verdict) > place(verdict))
    }
}

impl How {
    /// Whether nothing can be said.
    pub fn is_invalid(&self) -> bool {
        self.verdict == "invalid"
    }
}

#[derive(Deserialize)]
struct Answer {
    runs: Vec<RunSeen>,
    #[serde(default)]
    real: Vec<RealSeen>,
}

#[derive(Deserialize)]
struct RunSeen {
    flows: Vec<FlowMeasured>,
    jain: Option<f64>,
    #[serde(default)]
    changes: Vec<ChangeSeen>,
}

impl RunSeen {
    fn seen(self, real: Option<How>) -> RunMeasured {
        let Self { flows, jain, changes } = self;
        RunMeasured { flows, jain, real, changes }
    }
}

#[derive(Deserialize)]
struct RealSeen {
    fidelity: How,
}

impl Fairwire {
    /// Finds it beside this program or on PATH.
    ///
    /// # Errors
    /// If it is nowhere.
    pub fn find(priority: bool) -> Result<Self, CliError> {
        let program = sibling("fairwire").ok_or_else(|| CliError::Missing {
            message: "there is no fairwire beside this program or on PATH".to_owned(),
            help:
                "get it with `cargo install --path crates/fairwire-cli --locked`, or type `make bench` in the checkout"
                    .to_owned(),
        })?;
        Ok(Self { program, priority })
    }

    /// The option for real runs, if it was asked for.
    pub fn priority(&self) -> Option<&'static str> {
        self.priority.then_some("--priority")
    }

    /// This very build of it, by its bytes.
    pub fn build(&self) -> Result<String, CliError> {
        let bytes = fs::read(&self.program)
            .map_err(|error| CliError::file("read", &self.program, &error, "run it where its file can be read"))?;
        Ok(fairwire_scoreboard::fingerprint(&bytes))
    }

    /// The command with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
        command
    }

    /// Simulates a case with so many seeds.
    pub fn simulate(&self, file: &Path, case: &Case, seeds: u64) -> Result<Vec<RunMeasured>, CliError> {
        let runs = seeds.to_string();
        let output = self.command(&["run", "--json", "--no-folder", "--replications", &runs]).arg(file).output();
        let answer = self.answer(case, output)?;
        Ok(answer.runs.into_iter().map(|run| run.seen(None)).collect())
    }

    /// Runs replication `run` of a case with real packets.
    pub fn carry(&self, file: &Path, case: &Case, run: u64) -> Result<RunMeasured, CliError> {
        let run = run.to_string();
        let mut command = self.command(&["run", "--real", "--no-simulation", "--json", "--no-folder", "--run", &run]);
        command.args(case.tcp.iter().flat_map(|tcp| ["--tcp", tcp]));
        command.args(self.priority());
        command.arg(file);
        let output = match case.disturbance {
            None => command.output(),
            Some(disturbance) => disturbed(&mut command, disturbance),
        };
        let answer = self.answer(case, output)?;
        match (answer.runs.into_iter().next(), answer.real.into_iter().next()) {
            (Some(run), Some(RealSeen { fidelity })) => Ok(run.seen(Some(fidelity))),
            _ => Err(self.failed(case, "it answers no run")),
        }
    }

    fn answer(&self, case: &Case, output: std::io::Result<Output>) -> Result<Answer, CliError> {
        let output = output.map_err(|error| self.failed(case, &error.to_string()))?;
        // 1 is an answer, too: of runs of which nothing can be said.
        match output.status.code() {
            Some(0 | 1) => {
                serde_json::from_slice(&output.stdout).map_err(|error| self.failed(case, &error.to_string()))
            }
            _ => Err(self.failed(case, String::from_utf8_lossy(&output.stderr).trim())),
        }
    }

    fn failed(&self, case: &Case, why: &str) -> CliError {
        CliError::Missing {
            message: format!("{} under {} cannot be run: {why}", case.name, case.law),
            help: "`fairwire doctor` tells what this system lacks for real packets".to_owned(),
        }
    }
}
