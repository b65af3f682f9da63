//! What a real run says of itself, to programs and in the manifest.

use super::journal::UnnamedFile;
use fairwire_core::Instant;
use fairwire_net::{Fidelity, Pause, Verdict};
use fairwire_results::RunSummary;
use fairwire_runs::Others;
use serde::Serialize;

/// One real run.
#[derive(Clone, Debug, Serialize)]
pub struct RealAnswer {
    /// The law that ran.
    pub law: String,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// Whether it is to be believed, and why not.
    pub fidelity: Fidelity,
    /// How long connections stood still when something happened to the ring; empty where nothing did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// What programs of others sent between stations where no flow is declared; only where others are stations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Others>,
    /// Whether the user stopped it before its end.
    pub stopped: bool,
    /// Where it ended, by its own clock.
    pub reached_ns: u64,
}

/// What real runs, or runs that were replayed, leave beside what simulated ones do.
#[derive(Debug, Default)]
pub struct Carried {
    /// `real`, or `replay`; empty where all was simulated.
    pub by: &'static str,
    /// In the order of the runs; none of what was replayed.
    pub real: Vec<RealAnswer>,
    /// The same, simulated.
    pub simulated: Vec<RunSummary>,
    /// What could not be carried over, each sentence once.
    pub cautions: Vec<String>,
    /// Where those runs ended that the user stopped before their end, now or when they were real.
    pub cut_short: Vec<Instant>,
    /// Arrivals and captures of each run, for the folder.
    pub files: Vec<UnnamedFile>,
}

impl Carried {
    /// Where packets came from, unless they were simulated.
    pub fn driver(&self) -> Option<&'static str> {
        Some(self.by).filter(|by| !by.is_empty())
    }

    /// Whether some run says of itself that it is not to be believed.
    pub fn is_invalid(&self) -> bool {
        self.real.iter().any(|run| run.fidelity.verdict == Verdict::Invalid)
    }

    /// Whether the user stopped one.
    pub fn is_stopped(&self) -> bool {
        self.real.iter().any(|run| run.stopped)
    }
}
