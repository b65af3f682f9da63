//! Work that travels: text out, text back.

use crate::error::SweepError;
use crate::key::{BUILD, Key};
use crate::plan::Plan;
use crate::rounds::Job;
use crate::series::SeriesLine;
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

    /// Tasks of doing `jobs`, of at least `seconds` each where a run takes `run_s`.
    pub fn all_of(plan: &Plan, jobs: &[Job], seconds: f64, run_s: f64) -> Vec<Self> {
        // Of seconds that are no number comes 0.
        let most = ((seconds / run_s.max(1e-6)).ceil().clamp(1.0, 1e6) as u64).max(1);
        batches(jobs, most).iter().map(|jobs| Self::of(plan, jobs)).collect()
    }

    /// How many runs it has.
    pub fn runs(&self) -> u64 {
        self.points.iter().map(|point| point.to - point.from).sum()
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

/// Jobs in batches of at most `most` runs, all of the same size but for the last one, which may have a few runs less: with a small
/// one at the end all but one worker would wait.
fn batches(jobs: &[Job], most: u64) -> Vec<Vec<Job>> {
    let all: u64 = jobs.iter().map(Job::count).sum();
    let size = all.div_ceil(all.div_ceil(most).max(1));
    let (mut batches, mut batch, mut room) = (Vec::new(), Vec::new(), size);
    for job in jobs {
        let mut start = job.runs.start;
        while start < job.runs.end {
            let end = job.runs.end.min(start + room);
            batch.push(Job { point: job.point, runs: start..end });
            room -= end - start;
            start = end;
            if room == 0 {
                batches.push(std::mem::take(&mut batch));
                room = size;
            }
        }
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_of_one_size_but_for_the_last() {
        let jobs = [Job { point: 4, runs: 10..17 }, Job { point: 1, runs: 0..1 }, Job { point: 2, runs: 3..6 }];
        // 11 runs in batches of at most 5 are three of 4, 4 and 3.
        let sizes = |most: u64| -> Vec<u64> {
            batches(&jobs, most).iter().map(|batch| batch.iter().map(Job::count).sum()).collect()
        };
        assert_eq!(sizes(5), [4, 4, 3]);
        assert_eq!(sizes(100), [11]);
        assert_eq!(sizes(1), [1; 11]);
        assert_eq!(batches(&[], 5), Vec::<Vec<Job>>::new());
        let second = &batches(&jobs, 5)[1];
        assert_eq!(second, &[Job { point: 4, runs: 14..17 }, Job { point: 1, runs: 0..1 }]);
    }
}
