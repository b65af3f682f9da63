//! Real runs once more: what came to them is brought again.

use crate::arrivals::{Arrivals, ArrivalsError, RunHeader, read_all};
use crate::batch::{Batch, FinishedRun, Job};
use crate::cautions::add_new;
use crate::reference::Reference;
use fairwire_core::Instant;
use fairwire_plan::{Detail, PlanError};
use fairwire_scenario::{LawChoice, Scenario, SettingError};
use fairwire_sim::{BringError, Steps};
use std::path::Path;
use std::time::Instant as Clock;

/// The runs whose arrivals a run folder holds, to take place once more.
#[derive(Debug)]
pub struct Replay {
    /// At least one.
    all: Vec<Arrivals>,
}

/// What took place once more.
#[derive(Debug, Default)]
pub struct Replayed<'a> {
    /// The runs.
    pub runs: Vec<FinishedRun>,
    /// What could not be carried over when they were real, and what to know of the replay, each sentence once.
    pub cautions: Vec<String>,
    /// The arrivals of those that ran under the law that they are of.
    pub own: Vec<&'a Arrivals>,
    /// Where those ended that the user had stopped before their end when they were real.
    pub cut_short: Vec<Instant>,
}

/// One run.
struct One<'a> {
    run: FinishedRun,
    cautions: Vec<String>,
    own: Option<&'a Arrivals>,
    cut_short: Option<Instant>,
}

impl Replay {
    /// Where packets came from, in answers and manifests.
    pub const DRIVER: &'static str = "replay";

    /// What a run folder holds.
    ///
    /// # Errors
    /// If it holds no arrivals, or some cannot be read.
    pub fn read(folder: &Path) -> Result<Self, ArrivalsError> {
        read_all(folder).map(|all| Self { all })
    }

    /// The scenario of the folder as it ran: with the seed and the duration that it had.
    ///
    /// # Errors
    /// If the scenario cannot have them.
    pub fn scenario(&self, written: &Scenario) -> Result<Scenario, SettingError> {
        let first = &self.all[0].header;
        written.with_seed(first.seed)?.with_duration(first.duration())
    }

    /// The laws that ran, each once.
    pub fn laws(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.all.iter().map(|arrivals| arrivals.header.law.as_str()).collect();
        names.dedup();
        names
    }

    /// The runs under `laws`. One law alone is the one that the scenario's promises are about.
    pub fn batch(&self, scenario: Scenario, laws: Vec<LawChoice>, detail: Detail) -> Batch {
        let numbers = || self.all.iter().map(|arrivals| arrivals.header.run);
        let runs = numbers().min().unwrap_or(0)..numbers().max().unwrap_or(0) + 1;
        let scenario = if let [law] = &laws[..] { scenario.under(law) } else { scenario };
        Batch { seeded: vec![scenario], laws, runs, engine: None, detail, check: false }
    }

    /// Whether a file of arrivals is one that runs of `batch` take place with under its law, so that their folder has it, too.
    pub fn keeps(&self, batch: &Batch, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        let is_it = |arrivals: &&Arrivals| arrivals.path.canonicalize().is_ok_and(|other| other == path);
        let law = self.all.iter().find(is_it).map(|arrivals| &arrivals.header.law);
        law.is_some_and(|law| batch.laws.iter().any(|ran| ran.about().name == law))
    }

    /// Brings the arrivals of each run of `batch` again, one run after the other: those under its law if there are such, else any
    /// of its seed and replication. Where there are none there is no run.
    ///
    /// `watch` is told how far the run at which position has come, from 0 to 1; where it answers `false` that run is cut
    /// short and left out.
    ///
    /// # Errors
    /// If they are of another scenario.
    pub fn run(
        &self,
        batch: &Batch,
        reference: &Reference,
        watch: &dyn Fn(usize, f64) -> bool,
    ) -> Result<Replayed<'_>, ArrivalsError> {
        let mut replayed = Replayed::default();
        for (number, job) in batch.jobs().into_iter().enumerate() {
            let Some(one) = self.one(batch, job, reference, &mut |part| watch(number, part))? else { continue };
            add_new(&mut replayed.cautions, one.cautions);
            replayed.own.extend(one.own);
            replayed.cut_short.extend(one.cut_short);
            replayed.runs.push(one.run);
        }
        Ok(replayed)
    }

    fn one(
        &self,
        batch: &Batch,
        job: Job,
        reference: &Reference,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<One<'_>>, ArrivalsError> {
        let header = RunHeader::of(batch, job);
        let same = |arrivals: &&Arrivals| (arrivals.header.seed, arrivals.header.run) == (header.seed, header.run);
        let of_law = |arrivals: &&Arrivals| arrivals.header.law == header.law;
        let found = self.all.iter().filter(same).find(of_law).or_else(|| self.all.iter().find(same));
        let Some(arrivals) = found else { return Ok(None) };
        let foreign = |what: String| ArrivalsError::Foreign(arrivals.path.clone(), what);
        let (told, declared) = (arrivals.closing.tcp.len(), batch.scenario().flows().len());
        let carried = if told > declared { batch.carried_open(job) } else { batch.carried(job) };
        let mut run = carried.map_err(|error: PlanError| foreign(error.to_string()))?;
        if run.flows() != told {
            return Err(foreign(format!("it tells of {told} flows")));
        }
        let until = Instant::from_nanos(arrivals.closing.reached_ns);
        let end = until.as_secs_f64();
        let mut watch = |now: Instant| watch(now.as_secs_f64() / end);
        let started = Clock::now();
        let brought = fairwire_net::replay(&mut run, &arrivals.journal.arrivals, until, &mut watch);
        brought.map_err(|error: BringError| foreign(error.to_string()))?;
        if run.now() < until {
            return Ok(None);
        }
        let is_own = header.law == arrivals.header.law;
        let mut cautions = arrivals.closing.cautions.clone();
        let asked = arrivals.header.duration();
        let cut_short = (until < Instant::ZERO + asked).then_some(until);
        if cut_short.is_some() {
            let RunHeader { law, run, .. } = &arrivals.header;
            cautions.push(format!("run {run} under {law} was stopped by the user after {end:.3} s of {asked}"));
        }
        if !is_own {
            cautions.push(format!(
                "the arrivals are those under {}: nobody who sent them hears what {} does to them",
                arrivals.header.law, header.law
            ));
        }
        let (run, _) =
            batch.finish_carried(job, run, &arrivals.closing.tcp, reference, started.elapsed().as_secs_f64());
        Ok(Some(One { run, cautions, own: is_own.then_some(arrivals), cut_short }))
    }
}
