//! `fairwire import`: files of others become scenarios.

use crate::deferred::Deferred;
use crate::new_file;
use crate::source::Source;
use fairwire_core::{BitRate, UnitError};
use fairwire_exchange::{
    Foreign, GraphOptions, Layout, LibreQosOptions, Senders, Traffic, from_csv, from_graph, from_libreqos,
};
use fairwire_scenario::Diagnostics;
use fairwire_terminal::{CliError, Outcome, output};
use std::path::{Path, PathBuf};

/// What to read.
#[derive(Debug, clap::Subcommand)]
pub enum Verb {
    /// A table of links (from, to, capacity; name, delay, duplex)
    Csv(Deferred<CsvArgs>),
    /// A graph: GraphML, or node-link JSON as networkx and TopoHub write it
    Graph(Deferred<GraphArgs>),
    /// The network.json of LibreQoS, and its ShapedDevices.csv
    Libreqos(Deferred<LibreQosArgs>),
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

/// What they send.
#[derive(Debug, clap::Args)]
struct Load {
    /// What flows without a demand send
    #[arg(long, value_enum, default_value_t)]
    traffic: Sent,
}

/// What flows send whose table tells no demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Sent {
    /// TCP where acknowledgements find a way back, else datagrams without end
    #[default]
    Usual,
    /// TCP
    Tcp,
    /// Datagrams without end, whatever becomes of them
    Greedy,
}

impl From<Sent> for Traffic {
    fn from(sent: Sent) -> Self {
        match sent {
            Sent::Usual => Self::Usual,
            Sent::Tcp => Self::Tcp,
            Sent::Greedy => Self::Greedy,
        }
    }
}

/// How tables are laid out.
#[derive(Debug, clap::Args)]
struct Laid {
    /// What stands between cells: comma, semicolon, tab, or a character [default: found in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    separator: Option<char>,

    /// What stands before decimals: comma or point [default: found where it can be nothing else]
    #[arg(long, value_name = "CHAR", value_parser = decimal)]
    decimal: Option<char>,

    /// What a heading of theirs is called here, such as `Kapazität=capacity_mbps`; nothing after `=` leaves it out
    #[arg(long, value_name = "THEIRS=OURS", value_parser = renamed)]
    map: Vec<(String, String)>,
}

impl Laid {
    fn layout(&self) -> Result<Layout, CliError> {
        for (nth, (theirs, ours)) in self.map.iter().enumerate() {
            let is_other =
                |(name, told): &&(String, String)| name.to_lowercase() == theirs.to_lowercase() && told != ours;
            if let Some((_, other)) = self.map[..nth].iter().find(is_other) {
                let message = format!("`--map` calls `{theirs}` both `{other}` and `{ours}`");
                return Err(CliError::bad_input(message, "keep one of them"));
            }
        }
        Ok(Layout { separator: self.separator, decimal: self.decimal, map: self.map.clone() })
    }
}

fn separator(text: &str) -> Result<char, String> {
    match text {
        "comma" => Ok(','),
        "semicolon" => Ok(';'),
        "tab" | "\\t" => Ok('\t'),
        one => one
            .parse()
            .ok()
            .filter(char::is_ascii)
            .ok_or_else(|| "write comma, semicolon, tab or one character".to_owned()),
    }
}

fn decimal(text: &str) -> Result<char, String> {
    match text {
        "comma" | "," => Ok(','),
        "point" | "." => Ok('.'),
        _ => Err("write comma or point".to_owned()),
    }
}

fn renamed(text: &str) -> Result<(String, String), String> {
    let (theirs, ours) = text.rsplit_once('=').ok_or("write THEIRS=OURS, such as `bandwidth=capacity`")?;
    Ok((theirs.to_owned(), ours.trim().to_owned()))
}

/// Options of `import csv`.
#[derive(Debug, clap::Args)]
pub struct CsvArgs {
    /// The table of links
    links: PathBuf,

    #[command(flatten)]
    laid: Laid,

    #[command(flatten)]
    sending: Sending,

    #[command(flatten)]
    load: Load,

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
    load: Load,

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
    load: Load,

    #[command(flatten)]
    target: Target,
}

fn rate(text: &str) -> Result<BitRate, UnitError> {
    fairwire_exchange::rate(text)
}

/// Reads, and writes the scenario.
pub fn run(verb: &Verb) -> Result<Outcome, CliError> {
    let (made, target) = match verb {
        Verb::Csv(args) => {
            let links = Read::file(&args.links)?;
            let layout = args.laid.layout()?;
            let made = args
                .sending
                .with(&args.load, |sending| from_csv(links.foreign(), &layout, sending, &args.target.title))?;
            (made, &args.target)
        }
        Verb::Graph(args) => {
            let graph = Read::file(&args.graph)?;
            let options = GraphOptions { capacity: args.capacity, unit: args.unit };
            let made = args
                .sending
                .with(&args.load, |sending| from_graph(graph.foreign(), &options, sending, &args.target.title))?;
            (made, &args.target)
        }
        Verb::Libreqos(args) => {
            let network = Read::file(&args.network)?;
            let devices = args.devices.as_deref().map(Read::file).transpose()?;
            let options = LibreQosOptions { root: args.root.clone(), traffic: args.load.traffic.into() };
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
    fn with(
        &self,
        load: &Load,
        make: impl Fn(&fairwire_exchange::Sending<'_>) -> Result<String, Diagnostics>,
    ) -> Result<String, CliError> {
        let make = |senders| make(&fairwire_exchange::Sending { senders, traffic: load.traffic.into() });
        let made = match (&self.flows, &self.from) {
            (Some(file), _) => make(Senders::Table(Read::file(file)?.foreign())),
            (None, Some(hub)) => make(Senders::Hub(hub.clone())),
            (None, None) => make(Senders::AllPairs),
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
