//! What a sweep came to, for people and programs.

use crate::estimate::Estimate;
use crate::pairs::Pair;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a sweep came to; as JSON the answer of `fairwire sweep --json`, whose keys are never renamed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    /// The points, in order.
    pub points: Vec<PointAnswer>,
    /// Laws beside the first law of the sweep, on the same random numbers.
    pub pairs: Vec<Pair>,
    /// Runs that broke an invariant: marked, and in no mean.
    pub broken_runs: u64,
    /// What to know before trusting the numbers, and how many runs it is about.
    pub warnings: BTreeMap<String, u64>,
    /// Points with several runs that are all the same run.
    #[serde(skip)]
    pub alike_points: usize,
    /// Packets sent over one link each, over all runs.
    pub packet_hops: u64,
    /// Runs of all points.
    pub runs: u64,
}

/// One point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointAnswer {
    /// Its position, from 0.
    pub point: usize,
    /// What is set there.
    pub set: BTreeMap<String, String>,
    /// The law that ran.
    pub law: &'static str,
    /// How many runs it has.
    pub runs: u64,
    /// Of these, how many broke an invariant.
    pub broken: u64,
    /// Of these, how many have a warning.
    pub warned: u64,
    /// Why it has no more: `replications`, `half-width`, `most`.
    pub stopped: &'static str,
    /// What is shown of it.
    pub measures: Vec<MeasureAnswer>,
}

/// One measure at one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureAnswer {
    /// The column of the tables.
    pub measure: String,
    /// `bit/s`, `ns`, `1`.
    pub unit: &'static str,
    /// What it comes to.
    #[serde(flatten)]
    pub estimate: Estimate,
}
