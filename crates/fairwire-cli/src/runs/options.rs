//! What `run` and `compare` let people choose.

use crate::settings::{self, Setting};
use crate::source::Source;
use clap::ValueEnum;
use fairwire_alloc::Criterion;
use fairwire_core::Span;
use fairwire_laws::ring::OutsideLaw;
use fairwire_plan::{Detail, EnginePath};
use fairwire_results::TableFormat;
use fairwire_runs::Batch;
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_terminal::CliError;
use std::path::PathBuf;

/// Options shared by the verbs that simulate.
#[derive(Debug, clap::Args)]
pub struct RunOptions {
    /// The scenario; `-` reads it from stdin
    pub file: PathBuf,

    /// Another value under a key of the file, such as 'ring.span-delay=1 ms'; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = settings::parse)]
    set: Vec<Setting>,

    /// The experiment, from 0 to 2^63 - 1: another family of random numbers
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Only this replication, counted from 0
    #[arg(long, value_name = "N", conflicts_with = "replications", value_parser = whole_number, allow_negative_numbers = true)]
    run: Option<u64>,

    /// How many runs with independent random numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000), allow_negative_numbers = true)]
    replications: Option<u64>,

    /// Simulated time, such as "2 s"
    #[arg(long, value_name = "TIME")]
    duration: Option<Span>,

    /// How to walk through time; the answer is the same
    #[arg(long, value_enum)]
    engine: Option<Engine>,

    /// What fair means [default: what `[fair]` of the file says, or the criterion of its kind]
    #[arg(long, value_name = "NAME", value_parser = criterion)]
    pub criterion: Option<Criterion>,

    /// Where to put the result folder (an older result folder is replaced, unless it holds real packets)
    #[arg(long, value_name = "DIR", conflicts_with = "no_folder")]
    pub out: Option<PathBuf>,

    /// Print the answer and keep nothing
    #[arg(long)]
    pub no_folder: bool,

    /// How to write the tables in the result folder
    #[arg(long, value_enum, default_value_t = Format::Parquet)]
    format: Format,

    /// Audit the simulator's invariants all along; exit 1 if one is broken
    #[arg(long)]
    pub check: bool,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// How tables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Compressed columns, for data frames
    Parquet,
    /// Comma-separated text, for spreadsheets
    Csv,
}

/// How the simulator walks through time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Windows where links are long enough, else events
    Auto,
    /// Each station once per lookahead window
    Windows,
    /// The earliest event first
    Events,
}

impl RunOptions {
    /// Those of one run that keeps nothing.
    pub fn plain(file: PathBuf) -> Self {
        Self::to_replay(file, None, Format::Parquet, false)
    }

    /// Those of runs that were kept in `folder` and take place once more; what they give goes to `out`, if that is wanted.
    pub fn to_replay(folder: PathBuf, out: Option<PathBuf>, format: Format, json: bool) -> Self {
        Self {
            file: folder,
            set: Vec::new(),
            seed: None,
            run: None,
            replications: None,
            duration: None,
            engine: None,
            criterion: None,
            no_folder: out.is_none(),
            out,
            format,
            check: false,
            json,
        }
    }

    /// The scenario of the file with these options applied.
    ///
    /// # Errors
    /// Mistakes in the file or the options.
    pub fn scenario(&self, source: &Source) -> Result<Scenario, CliError> {
        let mut scenario = self.as_set(source)?;
        if let Some(seed) = self.seed {
            scenario = scenario.with_seed(seed)?;
        }
        if let Some(replications) = self.replications {
            scenario = scenario.with_replications(replications)?;
        }
        if let Some(duration) = self.duration {
            scenario = scenario.with_duration(duration)?;
        }
        Ok(scenario)
    }

    /// The scenario of the file with what `--set` tells. The time that is asked for beside it comes first, so that settings fit
    /// it and not the file's; and last, as it leaves out events that come later.
    fn as_set(&self, source: &Source) -> Result<Scenario, CliError> {
        let duration = self.duration.filter(|_| !self.set.is_empty());
        let Some(duration) = duration else { return source.scenario_as_set(&self.set) };
        let longer = [("run.duration".to_owned(), duration.to_string())];
        let both: Vec<Setting> = longer.into_iter().chain(self.set.iter().cloned()).collect();
        let fits = |settings: &[Setting]| Scenario::parse_with(&source.name(), &source.text, settings).is_ok();
        let is_too_short = !fits(&both) && fits(&self.set);
        source.scenario_as_set(if is_too_short { &self.set } else { &both })
    }

    /// Runs of that scenario under `laws`.
    pub fn batch(&self, scenario: Scenario, laws: Vec<LawChoice>) -> Batch {
        Batch {
            runs: self.run.map_or(0..scenario.replications(), |run| run..run.saturating_add(1)),
            seeded: vec![scenario],
            laws,
            engine: self.engine(),
            detail: self.detail(),
            check: self.check,
        }
    }

    /// How much to keep of runs.
    pub fn detail(&self) -> Detail {
        if self.no_folder { Detail::Summary } else { Detail::Full }
    }

    /// The engine path that was asked for.
    fn engine(&self) -> Option<EnginePath> {
        self.engine.map(|engine| match engine {
            Engine::Auto => EnginePath::Auto,
            Engine::Windows => EnginePath::Windows,
            Engine::Events => EnginePath::Events,
        })
    }

    /// How to write tables.
    pub fn format(&self) -> TableFormat {
        match self.format {
            Format::Parquet => TableFormat::Parquet,
            Format::Csv => TableFormat::Csv,
        }
    }
}

/// A seed, for clap; the range is that of files and of Python.
fn seed(text: &str) -> Result<u64, String> {
    let seed = text.parse().ok().filter(|seed| i64::try_from(*seed).is_ok());
    seed.ok_or_else(|| "write a whole number from 0 to 2^63 - 1".to_owned())
}

/// A whole number from 0 on, for clap.
fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

/// The criterion called `name`, for clap.
pub fn criterion(name: &str) -> Result<Criterion, String> {
    fairwire_scenario::criterion_called(name).map_err(|error| error.with_help())
}

/// The law called `name`: as the scenario sets it if it is the scenario's own,
/// with its defaults otherwise; or one of `outside`.
///
/// # Errors
/// [`CliError::BadInput`] with the names there are.
pub fn law(scenario: &Scenario, name: &str, outside: &[OutsideLaw]) -> Result<LawChoice, CliError> {
    scenario.law_among(name, outside).map_err(|error| {
        CliError::bad_input(error.to_string(), format!("{}; `fairwire laws` says what they do", error.help()))
    })
}
