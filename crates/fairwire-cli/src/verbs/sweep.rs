//! `fairwire sweep FILE`: all points of a sweep, as many runs as it takes.

use crate::outside::SIMULATOR_IS_WRONG;
use crate::settings::{self, Setting};
use crate::source::Source;
use crate::sweep::{StoppedAnswer, SweepAnswer, forecast, tables, wrong};
use fairwire_runs::do_not_differ;
use fairwire_scenario::{Scenario, Sweep};
use fairwire_sweep::{
    BUILD, Finished, Job, Part, Plan, Rounds, Store, SweepError, check_part, check_place, check_writable, fill, finish,
    known_in, read_points, take_over,
};
use fairwire_terminal::{CliError, Countdown, Interrupt, Outcome, output, patiently, text, warn};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario with its [sweep]; `-` reads it from stdin
    file: PathBuf,

    /// Another value under a key of the file, which is then not swept; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = settings::parse)]
    set: Vec<Setting>,

    /// A table of points, CSV or Parquet: a header of keys, a row a point; all that the file sweeps goes with each
    #[arg(long, value_name = "FILE")]
    points: Option<PathBuf>,

    /// Where to keep runs, tables and report; `runs/FILE-sweep` unless told. What is known there is not run again
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Do only a part of the points, such as 7/40, and write no tables: for jobs in many places that share a folder
    #[arg(long, value_name = "K/N", value_parser = part, conflicts_with_all = ["merge", "dry_run"])]
    part: Option<Part>,

    /// Run nothing: put together what parts have left in the folder, and in others that are named here
    #[arg(long, value_name = "DIR", num_args = 0.., conflicts_with = "dry_run")]
    merge: Option<Vec<PathBuf>>,

    /// Also keep the rates of all flows over time of every run, in files of some MB sorted by point
    #[arg(long, conflicts_with = "dry_run")]
    series: bool,

    /// Tell how many points and runs there are and how long they will take, from one run of some points
    #[arg(long)]
    dry_run: bool,

    /// How many runs go on at a time; as many as there are cores unless told
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// A part, for clap.
fn part(text: &str) -> Result<Part, String> {
    Part::parse(text).ok_or_else(|| "write the number of the part and how many there are, such as 7/40".to_owned())
}

/// Runs what is not known yet, and tells what all of it comes to.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let Some(threads) = args.threads {
        // Only the first call in a process sets it, and this is the first.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let source = Source::read(&args.file)?;
    let scenario = source.scenario_with(&args.set)?;
    let plan = patiently("checking all points", || Plan::new(sweep_of(args, &scenario)?).map_err(wrong));
    let plan = plan.map_err(|error| match error {
        CliError::Scenario(mut files) if files.len() == 1 => source.mistaken(files.remove(0), &args.set),
        other => other,
    })?;
    let plan = plan.with_series(args.series);
    let folder = args.out.clone().unwrap_or_else(|| Path::new("runs").join(format!("{}-sweep", source.stem())));
    check_place(&folder).map_err(wrong)?;
    args.merge.iter().flatten().try_for_each(|folder| check_part(folder).map_err(wrong))?;
    if args.dry_run {
        check_writable(&folder).map_err(wrong)?;
        return tell_forecast(args, &plan, &folder);
    }
    let interrupt = Interrupt::listen()?;
    let (started, was_there) = (Instant::now(), folder.is_dir());
    let store = Store::open(&folder, &plan, args.part).map_err(wrong)?;
    let mut rounds = Rounds::new(&plan, args.part);
    let gathered = gather(args, &plan, &store).map_err(wrong);
    let done = match gathered.and_then(|()| do_all(args, &plan, &mut rounds, &store, &interrupt)) {
        Ok(done) => done,
        Err(error) => {
            // What keeps it from going on is what to tell. A folder that was not there is not left empty.
            let _ = store.leave();
            if !was_there {
                let _ = fs::remove_dir(&folder);
            }
            return Err(error);
        }
    };
    if done.is_interrupted || args.part.is_some() {
        return tell_stopped(args, &source, &plan, &store, &done);
    }
    let wall_s = started.elapsed().as_secs_f64();
    let finished = patiently("writing tables", || finish(&plan, &rounds, store, wall_s)).map_err(wrong)?;
    tell(args, &source, &plan, &finished, &done)
}

fn sweep_of(args: &Args, scenario: &Scenario) -> Result<Sweep, CliError> {
    Ok(match &args.points {
        Some(path) => {
            let is_file = fs::metadata(path).and_then(|found| match found.is_dir() {
                true => Err(ErrorKind::IsADirectory.into()),
                false => Ok(()),
            });
            is_file.map_err(|error| CliError::file("read", path, &error, "name a table of points, CSV or Parquet"))?;
            scenario.sweep_points_of(&read_points(path).map_err(wrong)?)?
        }
        None => {
            if scenario.sweep().is_empty() && scenario.until().is_none() {
                let help = "write what to vary into `[sweep]`, or name a table of points with `--points`";
                warn("nothing is swept: the scenario as it stands is the only point", help);
            }
            scenario.sweep_points()?
        }
    })
}

/// Takes in what the folder and others have of earlier calls.
fn gather(args: &Args, plan: &Plan, store: &Store) -> Result<(), SweepError> {
    if args.part.is_none() {
        take_over(store.folder(), plan, store)?;
    }
    args.merge.iter().flatten().try_for_each(|folder| store.read_too(folder))
}

/// What was done now.
struct Done {
    runs: u64,
    is_interrupted: bool,
    wall_s: f64,
}

fn do_all(
    args: &Args,
    plan: &Plan,
    rounds: &mut Rounds,
    store: &Store,
    interrupt: &Interrupt,
) -> Result<Done, CliError> {
    let started = Instant::now();
    let (progress, runs) = (Countdown::new("run"), AtomicU64::new(0));
    let mut is_interrupted = false;
    while !is_interrupted {
        let jobs = rounds.next(plan, store).map_err(wrong)?;
        if jobs.is_empty() {
            break;
        }
        let left: u64 = jobs.iter().map(Job::count).sum();
        if args.merge.is_some() {
            let points = jobs.iter().map(|job| job.point.to_string()).take(8).collect::<Vec<_>>().join(", ");
            let are = if left == 1 { "is" } else { "are" };
            let unreadable = store.unreadable().map(|line| format!("; {line} tells of no run")).unwrap_or_default();
            let runs = text::count(left as usize, "run");
            let message = format!("{runs} {are} missing, the first of points {points}{unreadable}");
            return Err(CliError::bad_input(
                message,
                "call the parts that have not ended again, or leave out `--merge` to run the rest here",
            ));
        }
        let all = runs.load(Ordering::Relaxed) + left;
        output::detail(|| {
            let (left, points) = (text::count(left as usize, "run"), text::count(plan.points.len(), "point"));
            format!("{left} wanted next at {points}, {} known", store.known())
        });
        let watch = |ended: u64, work: f64| {
            runs.fetch_add(ended, Ordering::Relaxed);
            progress.advance(ended, work, all);
            !interrupt.is_raised()
        };
        is_interrupted = !fill(plan, &jobs, store, &watch).map_err(wrong)?;
    }
    Ok(Done { runs: runs.into_inner(), is_interrupted, wall_s: started.elapsed().as_secs_f64() })
}

fn tell_forecast(args: &Args, plan: &Plan, folder: &Path) -> Result<Outcome, CliError> {
    let known = known_in(folder, plan).map_err(wrong)?;
    let forecast = patiently("trying points", || forecast(plan, known)).map_err(wrong)?;
    if args.json {
        output::print_json(&forecast)?;
        return Ok(Outcome::Fine);
    }
    let seconds = |seconds: f64| text::time(seconds * 1e9);
    let between = |least: String, most: String| if least == most { least } else { format!("{least} to {most}") };
    let runs = between(text::grouped(forecast.runs_least), text::grouped(forecast.runs_most));
    let (points, tried) = (text::count(forecast.points, "point"), text::count(forecast.tried, "point"));
    let takes = match forecast.most_s {
        0.0 => "nothing is left to do".to_owned(),
        _ => between(seconds(forecast.least_s), seconds(forecast.most_s)),
    };
    let (each, threads) = (seconds(forecast.run_s), text::count(forecast.threads, "thread"));
    let known = if known > 0 { format!(", {} known already", text::grouped(known)) } else { String::new() };
    output::print_page(&format!(
        "{points}, {runs} runs{known}\n{each} a run, tried at {tried}: {takes} on {threads}\n"
    ))?;
    Ok(Outcome::Fine)
}

fn tell_stopped(args: &Args, source: &Source, plan: &Plan, store: &Store, done: &Done) -> Result<Outcome, CliError> {
    if args.json {
        output::print_json(&StoppedAnswer {
            scenario: plan.sweep.base().title(),
            file: &source.name(),
            build: BUILD,
            done: done.runs,
            known: store.known(),
            interrupted: done.is_interrupted,
            folder: store.folder().display().to_string(),
        })?;
    }
    let known = text::count(store.known() as usize, "run");
    if done.is_interrupted {
        warn(&format!("stopped: {known} kept in {}", store.folder().display()), "calling it again goes on");
        return Ok(Outcome::Interrupted);
    }
    output::note(&format!("this part is done, with {known}; once all are, `--merge` puts them together"));
    Ok(Outcome::Fine)
}

fn tell(args: &Args, source: &Source, plan: &Plan, finished: &Finished, done: &Done) -> Result<Outcome, CliError> {
    let answer = &finished.answer;
    if args.json {
        output::print_json(&SweepAnswer {
            scenario: plan.sweep.base().title(),
            file: &source.name(),
            build: BUILD,
            answer,
            done: done.runs,
            interrupted: false,
            folder: finished.folder.display().to_string(),
            report: finished.report.display().to_string(),
            series: finished.series.as_ref().map(|series| series.display().to_string()),
        })?;
    } else {
        output::print_page(&format!("{}\n\n{}", plan.sweep.base().title(), tables(plan, answer)))?;
    }
    for (warning, runs) in &answer.warnings {
        output::note(&format!("{}: {warning}", text::count(*runs as usize, "run")));
    }
    if answer.alike_points > 0 {
        let points = match answer.points.len() {
            all if all == answer.alike_points => "of each point".to_owned(),
            _ => format!("of {}", text::count(answer.alike_points, "point")),
        };
        output::note(&do_not_differ(&points));
    }
    if answer.broken_runs > 0 {
        let runs = text::count(answer.broken_runs as usize, "run");
        warn(&format!("{runs} broke an invariant of the simulator: left out of all means"), SIMULATOR_IS_WRONG);
    }
    let known = text::count(answer.runs.saturating_sub(done.runs) as usize, "run");
    if answer.runs > done.runs {
        output::note(&format!("{known} known before"));
    }
    output::note(&format!("{} in {}", text::count(done.runs as usize, "run"), text::time(done.wall_s * 1e9)));
    if let Some(series) = &finished.series {
        output::note(&format!("series: {}", series.display()));
    }
    output::note(&format!("report: {}", finished.report.display()));
    Ok(Outcome::fine_if(answer.broken_runs == 0))
}
