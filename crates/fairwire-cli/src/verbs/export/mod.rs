//! `fairwire export`: fair rates as limits for shapers.

mod tc;

use crate::new_file;
use crate::runs::criterion;
use crate::source::Source;
use crate::unheeded;
use fairwire_alloc::Criterion;
use fairwire_exchange::{LimitError, Limits};
use fairwire_terminal::{CliError, Outcome, output};
use std::path::{Path, PathBuf};

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to write
    format: Format,

    /// The scenario of a network, or with `tc` of a ring; `-` reads stdin
    scenario: PathBuf,

    /// What fair means [default: what `[fair]` of the file says, or the criterion of its kind]
    #[arg(long, value_name = "NAME", value_parser = criterion)]
    criterion: Option<Criterion>,

    /// The node above all sites (libreqos) [default: the first]
    #[arg(long, value_name = "NODE")]
    root: Option<String>,

    /// The network.json to set limits in (libreqos): all else in it stays, and so do limits that no flow asks about
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,

    /// Write a new file instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    tc: tc::Args,
}

impl Args {
    /// The tree of LibreQoS, or the file that is kept with its limits.
    fn libreqos(&self, limits: Limits<'_>, kept: Option<&Source>) -> Result<String, LimitError> {
        match kept {
            Some(kept) => limits.libreqos_into(&kept.text, self.root.as_deref()),
            None => limits.libreqos(self.root.as_deref()).map(|tree| format!("{tree:#}\n")),
        }
    }
}

/// What limits are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table: what the flows of each node have together, down and up
    Sites,
    /// A table: what each flow has
    Flows,
    /// A tree of sites as in the network.json of LibreQoS
    Libreqos,
    /// Limits of Linux at a node: classes of HTB, for `tc -batch`
    Tc,
}

/// Computes what is fair, and writes it.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if args.into.is_some() && args.format != Format::Libreqos {
        return Err(CliError::bad_input(
            "`--into` is for `libreqos`".to_owned(),
            "leave it out, or write `export libreqos`",
        ));
    }
    if let Some(option) = args.tc.given().filter(|_| args.format != Format::Tc) {
        return Err(CliError::bad_input(format!("`{option}` is for `tc`"), "leave it out, or write `export tc`"));
    }
    let kept =
        args.into.as_deref().map(|file| Source::read_or(file, "name the network.json of LibreQoS")).transpose()?;
    let scenario = Source::read(&args.scenario)?.scenario()?;
    let scenario = scenario.to_be_shared();
    let criterion = args.criterion.unwrap_or_else(|| scenario.criterion());
    unheeded::tell(&scenario, criterion);
    let rates = scenario.fair_rates(criterion).map_err(|error| CliError::unsolved(&scenario, error))?.rates_bps;
    let told = |error| told(error, args.into.as_deref());
    let limits = || Limits::new(&scenario, &rates);
    let text = match args.format {
        Format::Sites => limits().and_then(|limits| limits.sites_csv()).map_err(told)?,
        Format::Flows => limits().and_then(|limits| limits.flows_csv()).map_err(told)?,
        Format::Libreqos => limits().and_then(|limits| args.libreqos(limits, kept.as_ref())).map_err(told)?,
        Format::Tc => args.tc.limits(&scenario, &rates)?,
    };
    output::note(&format!("fair means {}", scenario.fair_words(criterion)));
    let Some(path) = &args.output else {
        output::print(&text)?;
        return Ok(Outcome::Fine);
    };
    new_file::write(path, &text)?;
    output::note(&format!("wrote {}", path.display()));
    Ok(Outcome::Fine)
}

/// What went wrong, with its mend; `into` is the file to set limits in.
fn told(error: LimitError, into: Option<&Path>) -> CliError {
    let (help, is_of_file) = match error {
        LimitError::Ring => (
            "`export tc` writes limits of Linux for its stations, and `fairwire allocate --json` tells the rates",
            false,
        ),
        LimitError::NoTree { .. } => ("name another node with `--root`, or write the table `sites`", false),
        LimitError::NoJson(_) | LimitError::NoSites => {
            ("name the network.json of LibreQoS with the sites of the scenario", true)
        }
        LimitError::Twice(_) => ("keep one of them", true),
        LimitError::Table(_) => ("write the tree `libreqos`, and report it", false),
    };
    let message = match into.filter(|_| is_of_file) {
        Some(file) => format!("{}: {error}", file.display()),
        None => error.to_string(),
    };
    CliError::bad_input(message, help)
}
