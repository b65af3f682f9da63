//! `fairwire import`: files of others become scenarios.

use crate::new_file;
use crate::source::Source;
use fairwire_core::{BitRate, UnitError};
use fairwire_exchange::{Foreign, GraphOptions, LibreQosOptions, Senders, from_csv, from_graph, from_libreqos};
use fairwire_scenario::Diagnostics;
use fairwire_terminal::{CliError, Outcome, output};
use std::path::{Path, PathBuf};

/// What to read.
#[derive(Debug, clap::Subcommand)]
pub enum Verb {
    /// A table of links (from, to, capacity; name, delay, duplex)
    Csv(CsvArgs),
    /// A graph: GraphML, or node-link JSON as networkx and TopoHub write it
    Graph(GraphArgs),
    /// The network.json of LibreQoS, and its ShapedDevices.csv
    Libreqos(LibreQosArgs),
}

/// Where the scenario goes, and what it is called.
#[derive(Debug, clap::Args)]
struct Target {
    /// The scenario's title
    #[arg(long, default_value = "", hide_default_value = true)]
    title: String,

    /// Write a new file instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Who sends, where the file does not say.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Sending {
    /// A table of flows (from, to; name, demand, weight, min_rate, peak_rate, route)
    #[arg(long, value_name = "FILE")]
    flows: Option<PathBuf>,

    /// One flow from this node to every other
    #[arg(long, value_name = "NODE")]
    from: Option<String>,

    /// A flow from every node to every other
    #[arg(long)]
    all_pairs: bool,
}

/// Options of `import csv`.
#[derive(Debug, clap::Args)]
pub struct CsvArgs {
    /// The table of links
    links: PathBuf,

    #[command(flatten)]
    sending: Sending,

    #[command(flatten)]
    target: Target,
}

/// Options of `import graph`.
#[derive(Debug, clap::Args)]
pub struct GraphArgs {
    /// The graph
    graph: PathBuf,

    /// The capacity of edges that tell none
    #[arg(long, value_name = "RATE", value_parser = rate)]
    capacity: Option<BitRate>,

    /// What one of a bare number in `capacity` or `bandwidth` is, such as "1 Mb/s"
    #[arg(long, value_name = "RATE", value_parser = rate)]
    unit: Option<BitRate>,

    #[command(flatten)]
    sending: Sending,

    #[command(flatten)]
    target: Target,
}

/// Options of `import libreqos`.
#[derive(Debug, clap::Args)]
pub struct LibreQosArgs {
    /// The tree of sites
    network: PathBuf,

    /// The circuits; without them every site without children sends and receives
    #[arg(long, value_name = "FILE")]
    devices: Option<PathBuf>,

    /// What the place is called that all sites hang on
    #[arg(long, value_name = "NAME", default_value = "internet")]
    root: String,

    #[command(flatten)]
    target: Target,
}

fn rate(text: &str) -> Result<BitRate, UnitError> {
    text.parse()
}

/// Reads, and writes the scenario.
pub fn run(verb: &Verb) -> Result<Outcome, CliError> {
    let (made, target) = match verb {
        Verb::Csv(args) => {
            let links = Read::file(&args.links)?;
            let made = args.sending.with(|senders| from_csv(links.foreign(), senders, &args.target.title))?;
            (made, &args.target)
        }
        Verb::Graph(args) => {
            let graph = Read::file(&args.graph)?;
            let options = GraphOptions { capacity: args.capacity, unit: args.unit };
            let made =
                args.sending.with(|senders| from_graph(graph.foreign(), &options, senders, &args.target.title))?;
            (made, &args.target)
        }
        Verb::Libreqos(args) => {
            let network = Read::file(&args.network)?;
            let devices = args.devices.as_deref().map(Read::file).transpose()?;
            let options = LibreQosOptions { root: args.root.clone() };
            let devices = devices.as_ref().map(Read::foreign);
            (from_libreqos(network.foreign(), devices, &options, &args.target.title)?, &args.target)
        }
    };
    let Some(path) = &target.output else {
        output::print(&made)?;
        return Ok(Outcome::Fine);
    };
    new_file::write(path, &made)?;
    output::note(&format!("wrote {0}; `fairwire allocate {0}` says what is fair", path.display()));
    Ok(Outcome::Fine)
}

impl Sending {
    fn with(&self, make: impl Fn(&Senders<'_>) -> Result<String, Diagnostics>) -> Result<String, CliError> {
        let made = match (&self.flows, &self.from) {
            (Some(file), _) => make(&Senders::Table(Read::file(file)?.foreign())),
            (None, Some(hub)) => make(&Senders::Hub(hub.clone())),
            (None, None) => make(&Senders::AllPairs),
        };
        Ok(made?)
    }
}

/// A file that has been read.
struct Read {
    name: String,
    text: String,
}

impl Read {
    fn file(path: &Path) -> Result<Self, CliError> {
        let source = Source::read_or(path, "name a file of the kind that the verb's help tells")?;
        Ok(Self { name: source.name(), text: source.text })
    }

    fn foreign(&self) -> Foreign<'_> {
        Foreign { name: &self.name, text: &self.text }
    }
}
