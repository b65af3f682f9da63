//! Runs are made once and kept.

use super::case::Case;
use super::command::{Fairwire, RunMeasured};
use super::judge::Row;
use crate::scores::unkept;
use fairwire_scoreboard::fingerprint;
use fairwire_sweep::{Key, Record, Records, SweepError};
use fairwire_terminal::{CliError, Interrupt, Progress};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What one call of the command came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CallOutcome {
    key: String,
    case: String,
    law: String,
    runs: Vec<RunMeasured>,
}

impl Record for CallOutcome {
    const NAME: &'static str = "runs";

    fn key(&self) -> Key {
        Key::of_words(&self.key)
    }
}

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub struct CaseOutcome {
    pub simulated: Vec<RunMeasured>,
    pub real: Vec<RunMeasured>,
}

/// The runs that are kept, and the build of the program that makes them.
pub struct Runs {
    kept: Records<CallOutcome>,
    folder: PathBuf,
    build: String,
}

/// One call of the command.
#[derive(Clone, Copy)]
enum Job {
    /// So many seeds.
    Simulate(u64),
    /// Replication of this number.
    Carry(u64),
}

impl Runs {
    /// Opens the file in `folder`, which is made if need be; `fresh` forgets all runs.
    pub fn open(folder: &Path, fresh: bool, build: String) -> Result<Self, SweepError> {
        Ok(Self { kept: Records::open(folder, fresh)?, folder: folder.to_owned(), build })
    }

    /// All runs of all cases, those that are kept and those made now, and how many the latter are; none for a case that was not
    /// finished. Simulations go first, so that real runs have the machine for themselves. Where the first real runs do not come
    /// near enough, more seeds are simulated, and where that does not do, those real runs that chance has a part in go on.
    pub fn fill(
        &self,
        fairwire: &Fairwire,
        cases: &[Case],
        again: u32,
        interrupt: &Interrupt,
    ) -> Result<(Vec<Option<CaseOutcome>>, usize), CliError> {
        let mut found = vec![CaseOutcome::default(); cases.len()];
        let mut made = 0;
        let mut work = |jobs: &[(usize, Job)], found: &mut [CaseOutcome]| -> Result<(), CliError> {
            made += self.work(fairwire, cases, jobs, again, interrupt, found)?;
            Ok(())
        };
        let all = |jobs: &dyn Fn(&Case) -> Vec<Job>| -> Vec<(usize, Job)> {
            cases.iter().enumerate().flat_map(|(case, of)| jobs(of).into_iter().map(move |job| (case, job))).collect()
        };
        work(&all(&|case| vec![Job::Simulate(case.simulated)]), &mut found)?;
        work(&all(&|case| (0..case.real).map(Job::Carry).collect()), &mut found)?;
        let is_whole =
            |case: &Case, found: &CaseOutcome| !found.simulated.is_empty() && found.real.len() as u64 >= case.real;
        let is_far = |case: &Case, found: &CaseOutcome| Row::of(case, found).is_some_and(|row| row.holds != Some(true));
        let is_to_be_known_better = |(number, case): &(usize, &Case)| {
            case.simulated_most > case.simulated && is_whole(case, &found[*number]) && is_far(case, &found[*number])
        };
        let better = cases.iter().enumerate().filter(is_to_be_known_better);
        let better: Vec<(usize, Job)> =
            better.map(|(number, case)| (number, Job::Simulate(case.simulated_most))).collect();
        work(&better, &mut found)?;
        let more = |(number, case): (usize, &Case)| {
            let goes_on = is_whole(case, &found[number]) && is_far(case, &found[number]);
            (case.real..case.most)
                .filter(move |_| goes_on)
                .map(move |run| (number, Job::Carry(run)))
                .collect::<Vec<_>>()
        };
        let more: Vec<(usize, Job)> = cases.iter().enumerate().flat_map(more).collect();
        work(&more, &mut found)?;
        let whole = cases.iter().zip(found).map(|(case, found)| is_whole(case, &found).then_some(found)).collect();
        Ok((whole, made))
    }

    /// Does all jobs, as many side by side as their cases allow: how many were made now.
    fn work(
        &self,
        fairwire: &Fairwire,
        cases: &[Case],
        jobs: &[(usize, Job)],
        again: u32,
        interrupt: &Interrupt,
        found: &mut [CaseOutcome],
    ) -> Result<usize, CliError> {
        let progress = Progress::new(jobs.len().max(1));
        let (mut made, mut next) = (0, 0);
        while next < jobs.len() && !interrupt.is_raised() {
            let at_once = match jobs[next] {
                // The command simulates on all processors itself.
                (_, Job::Simulate(_)) => 1,
                (case, Job::Carry(_)) => cases[case].at_once,
            };
            let batch = &jobs[next..jobs.len().min(next + at_once)];
            let done = self.together(fairwire, cases, batch, again, interrupt)?;
            for ((case, job), (runs, is_new)) in batch.iter().zip(done) {
                made += usize::from(is_new);
                match job {
                    Job::Simulate(_) => found[*case].simulated = runs,
                    Job::Carry(_) => found[*case].real.extend(runs),
                }
            }
            next += batch.len();
            progress.tell(next - 1, 1.0);
        }
        Ok(made)
    }

    /// Does some jobs side by side: their runs, in order, and whether they were made now.
    fn together(
        &self,
        fairwire: &Fairwire,
        cases: &[Case],
        jobs: &[(usize, Job)],
        again: u32,
        interrupt: &Interrupt,
    ) -> Result<Vec<(Vec<RunMeasured>, bool)>, CliError> {
        thread::scope(|scope| {
            let work = |&(case, job): &(usize, Job)| {
                scope.spawn(move || self.one(fairwire, &cases[case], job, again, interrupt))
            };
            let workers: Vec<_> = jobs.iter().map(work).collect();
            let ended = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(ended).collect()
        })
    }

    fn one(
        &self,
        fairwire: &Fairwire,
        case: &Case,
        job: Job,
        again: u32,
        interrupt: &Interrupt,
    ) -> Result<(Vec<RunMeasured>, bool), CliError> {
        let what = match job {
            Job::Simulate(seeds) => format!("simulated {seeds}"),
            Job::Carry(run) => format!("real {run} {}", case.tcp.unwrap_or("")),
        };
        let key = format!("{} {} {} {what} {}", case.name, case.law, fingerprint(case.toml.as_bytes()), self.build);
        if let Some(kept) = self.kept.get(Key::of_words(&key)).map_err(unkept)? {
            return Ok((kept.runs, false));
        }
        let file = self.write(case)?;
        let runs = match job {
            Job::Simulate(seeds) => fairwire.simulate(&file, case, seeds),
            Job::Carry(run) => carry(fairwire, &file, case, run, again, interrupt).map(|seen| vec![seen]),
        };
        // The file is of no use any more, and whoever removed it did no harm.
        let _ = fs::remove_file(&file);
        let runs = match runs {
            // What ends the command ends its runs, too.
            Err(_) if interrupt.is_raised() => return Ok((Vec::new(), false)),
            runs => runs?,
        };
        if interrupt.is_raised() {
            return Ok((Vec::new(), false));
        }
        let (law, name) = (case.law.clone(), case.name.clone());
        self.kept.keep(&CallOutcome { key, case: name, law, runs: runs.clone() }).map_err(unkept)?;
        Ok((runs, true))
    }

    /// Writes the scenario where the command finds it.
    fn write(&self, case: &Case) -> Result<PathBuf, CliError> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.join(format!("case-{}-{number}.toml", std::process::id()));
        fs::write(&file, &case.toml)
            .map_err(|error| CliError::file("write", &file, &error, "name another place with `--out DIR`"))?;
        Ok(file)
    }
}

/// A real run; once more, up to so many times, as long as it says of itself that it is worse than the case bears.
fn carry(
    fairwire: &Fairwire,
    file: &Path,
    case: &Case,
    run: u64,
    again: u32,
    interrupt: &Interrupt,
) -> Result<RunMeasured, CliError> {
    let mut repeated = 0;
    loop {
        let mut seen = fairwire.carry(file, case, run)?;
        let again = if case.disturbance.is_some() { 0 } else { again };
        if !seen.is_worse_than(case.bears) || repeated == again || interrupt.is_raised() {
            if let Some(how) = &mut seen.real {
                how.repeated = repeated;
            }
            return Ok(seen);
        }
        repeated += 1;
    }
}
