//! Arrivals in run folders: written down while packets are carried, and brought again.

use super::answer::Carried;
use fairwire_core::{Instant, Span};
use fairwire_net::{Closing, Journal, JournalWriter, nameless_file};
use fairwire_runs::{Batch, FinishedRun, Job, Reference};
use fairwire_terminal::CliError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Journals are called `arrivals-LAW-SEED-RUN.fwa`.
const PREFIX: &str = "arrivals-";
const ENDING: &str = "fwa";

/// Which run the arrivals of a journal are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The law that ran.
    pub law: String,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// How long it was to be.
    pub duration_ns: u64,
}

impl Header {
    /// Of a run of `batch`.
    pub fn of(batch: &Batch, job: Job) -> Self {
        let run = batch.seeded[job.seed].run();
        let law = batch.laws[job.law].about().name.to_owned();
        Self { law, seed: run.seed, run: job.run, duration_ns: run.duration.as_nanos() }
    }

    /// A file of the run, in its folder.
    pub fn file_name(&self, prefix: &str, ending: &str) -> String {
        format!("{prefix}{}-{}-{}.{ending}", self.law, self.seed, self.run)
    }
}

/// A file on its way to a run folder: it has no name, and is gone with the process.
#[derive(Debug)]
pub struct Kept {
    /// What it is called in the folder.
    pub name: String,
    /// Its contents.
    pub file: File,
}

impl Kept {
    /// Begins a journal.
    ///
    /// # Errors
    /// If it cannot be written where temporary files are.
    pub fn begin(header: &Header) -> Result<(Self, JournalWriter<Box<dyn Write>>), CliError> {
        Self::new(header.file_name(PREFIX, ENDING), |out| JournalWriter::begin(out, &serde_json::to_string(header)?))
    }

    /// Begins a file of this name with what `begin` makes of it.
    ///
    /// # Errors
    /// If it cannot be written where temporary files are.
    pub fn new<T>(name: String, begin: impl FnOnce(Box<dyn Write>) -> io::Result<T>) -> Result<(Self, T), CliError> {
        let place = std::env::temp_dir();
        let begin = || -> io::Result<_> {
            let file = nameless_file(&place)?;
            let out: Box<dyn Write> = Box::new(BufWriter::new(file.try_clone()?));
            Ok((Self { name, file }, begin(out)?))
        };
        begin().map_err(|error| {
            CliError::file("write to", &place, &error, "make room there, or keep no folder with `--no-folder`")
        })
    }
}

/// What a run folder holds of a real run.
#[derive(Debug)]
pub struct Arrivals {
    /// Which run.
    pub header: Header,
    /// All that came.
    pub journal: Journal,
    closing: Closing,
    name: String,
    path: PathBuf,
}

/// Reads all journals of a run folder, in the order of their names.
///
/// # Errors
/// If there is none, or one cannot be read.
pub fn read_folder(folder: &Path) -> Result<Vec<Arrivals>, CliError> {
    let help = "name the folder of a run with `--real`";
    let entries = fs::read_dir(folder).map_err(|error| CliError::file("read", folder, &error, help))?;
    let is_journal = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(PREFIX) && name.ends_with(&format!(".{ENDING}"))
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_journal).collect();
    paths.sort();
    if paths.is_empty() {
        return Err(CliError::bad_input(format!("there are no arrivals in {}", folder.display()), help));
    }
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Arrivals, CliError> {
    let help = "run the scenario with `--real` anew";
    let bytes = fs::read(path).map_err(|error| CliError::file("read", path, &error, help))?;
    let wrong = |what: String| CliError::bad_input(format!("{}: {what}", path.display()), help);
    let journal = Journal::read(&bytes).map_err(|error| wrong(error.to_string()))?;
    let foreign = || wrong("the journal of arrivals does not say which run it is of".to_owned());
    let header: Header = serde_json::from_str(&journal.note).map_err(|_| foreign())?;
    let closing = Closing::from_note(&journal.closing).ok_or_else(foreign)?;
    let name = header.file_name(PREFIX, ENDING);
    Ok(Arrivals { header, journal, closing, name, path: path.to_owned() })
}

/// Brings the arrivals of each run of `batch` again.
///
/// # Errors
/// If they are of another scenario.
pub fn replay(
    all: &[Arrivals],
    batch: &Batch,
    reference: &Reference,
    watch: &dyn Fn(usize, f64) -> bool,
) -> Result<(Carried, Vec<FinishedRun>), CliError> {
    let mut carried = Carried { by: "replay", ..Carried::default() };
    let mut runs = Vec::new();
    for (number, job) in batch.jobs().into_iter().enumerate() {
        let header = Header::of(batch, job);
        let same = |arrivals: &&Arrivals| (arrivals.header.seed, arrivals.header.run) == (header.seed, header.run);
        let of_law = |arrivals: &&Arrivals| arrivals.header.law == header.law;
        let Some(arrivals) = all.iter().filter(same).find(of_law).or_else(|| all.iter().find(same)) else { continue };
        let foreign = |what: String| {
            let message = format!("{}: {what}: the arrivals are of another scenario", arrivals.path.display());
            CliError::bad_input(message, "replay the folder as it was written")
        };
        let mut run = batch.carried(job).map_err(|error| foreign(error.to_string()))?;
        let until = Instant::from_nanos(arrivals.closing.reached_ns);
        let end = until.as_secs_f64();
        let mut watch = |now: Instant| watch(number, now.as_secs_f64() / end);
        let started = std::time::Instant::now();
        let brought = fairwire_net::replay(&mut run, &arrivals.journal.arrivals, until, &mut watch);
        brought.map_err(|error| foreign(error.to_string()))?;
        if fairwire_sim::Steps::now(&run) < until {
            break;
        }
        if arrivals.closing.tcp.len() != batch.scenario().flows().len() {
            return Err(foreign(format!("it tells of {} flows", arrivals.closing.tcp.len())));
        }
        carried.caution(arrivals.closing.cautions.clone());
        if header.law != arrivals.header.law {
            carried.caution(vec![format!(
                "the arrivals are those under {}: nobody who sent them hears what {} does to them",
                arrivals.header.law, header.law
            )]);
        } else {
            let file = File::open(&arrivals.path);
            let help = "the file was there a moment ago";
            let file = file.map_err(|error| CliError::file("read", &arrivals.path, &error, help))?;
            carried.files.push(Kept { name: arrivals.name.clone(), file });
        }
        runs.push(batch.finish_carried(job, run, &arrivals.closing.tcp, reference, started.elapsed().as_secs_f64()));
    }
    Ok((carried, runs))
}

impl Header {
    /// How long the run was to be.
    pub fn duration(&self) -> Span {
        Span::from_nanos(self.duration_ns)
    }
}
