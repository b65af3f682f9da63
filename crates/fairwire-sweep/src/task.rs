//! Work that travels: text out, text back.

use crate::error::SweepError;
use crate::key::{BUILD, Key};
use crate::plan::Plan;
use crate::series::SeriesLine;
use crate::stages::Job;
use crate::store::RunLine;
use crate::work::{EndedRun, Work, work};
use fairwire_scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Some runs to do elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The build that has to do it.
    pub build: String,
    /// What messages call the scenario.
    pub name: String,
    /// The scenario file.
    pub text: String,
    /// Whether the series of runs are wanted, too.
    #[serde(default)]
    pub with_series: bool,
    /// The runs, point by point.
    pub points: Vec<TaskPoint>,
}

/// Runs of one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskPoint {
    /// Its position.
    pub point: usize,
    /// What its runs are known by.
    pub key: Key,
    /// What is set there, in order, as (key, value in TOML).
    pub set: Vec<(String, String)>,
    /// The first replication.
    pub from: u64,
    /// The one after the last.
    pub to: u64,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskAnswer {
    /// How long it took, in seconds.
    pub wall_s: f64,
    /// The runs.
    pub lines: Vec<RunLine>,
    /// Their series, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<SeriesLine>,
}

impl Task {
    /// The task of doing `jobs` of a plan.
    pub fn of(plan: &Plan, jobs: &[Job]) -> Self {
        let point = |job: &Job| TaskPoint {
            point: job.point,
            key: plan.points[job.point].key,
            set: plan.sweep.settings(job.point),
            from: job.runs.start,
            to: job.runs.end,
        };
        let (name, text) = plan.sweep.file();
        Self {
            build: BUILD.to_owned(),
            name: name.to_owned(),
            text: text.to_owned(),
            with_series: plan.with_series,
            points: jobs.iter().map(point).collect(),
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// If it is for another build, or what is wrong with a point.
    pub fn work(&self) -> Result<TaskAnswer, SweepError> {
        if self.build != BUILD {
            return Err(SweepError::OtherBuild { wanted: self.build.clone(), found: BUILD.to_owned() });
        }
        let started = Instant::now();
        let (mut lines, mut series) = (Vec::new(), Vec::new());
        for TaskPoint { point, key, set, from, to } in &self.points {
            let scenario = Scenario::parse_with(&self.name, &self.text, set)?;
            let set_there = || set.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ");
            let mut keep = |ended: EndedRun| {
                lines.push(ended.line);
                series.extend(ended.series);
                Ok(())
            };
            let runs = Work { key: *key, runs: *from..*to, with_series: self.with_series };
            let done = work(&scenario, runs, &mut |_| true, &mut keep);
            done.map_err(|failure| failure.at(*point, set_there))?;
        }
        Ok(TaskAnswer { wall_s: started.elapsed().as_secs_f64(), lines, series })
    }
}
