//! What `--real` lets people choose.

use super::refusal;
use clap::ValueEnum;
use fairwire_core::Span;
use fairwire_laws::transport::KernelControl;
use fairwire_net::{Guest, Home, Options, enter};
use fairwire_terminal::CliError;

/// Options shared by the verbs that carry real packets.
#[derive(Debug, clap::Args)]
pub struct RealOptions {
    /// Carry real packets of this machine's UDP and TCP, in network namespaces of its own (Linux); no root is needed
    #[arg(long, help_heading = "Real packets")]
    real: bool,

    /// The kernel's TCP in place of the scenario's
    #[arg(long, value_enum, value_name = "NAME", requires = "real", help_heading = "Real packets")]
    tcp: Option<Tcp>,

    /// Go before all other programs: root without a user namespace, or CAP_SYS_NICE
    #[arg(long, requires = "real", help_heading = "Real packets")]
    priority: bool,

    /// Do not simulate the same beside
    #[arg(long, requires = "real", help_heading = "Real packets")]
    no_simulation: bool,

    /// An existing network namespace as a station: N=NAME, where the name is that of `ip netns`, a process in it, or a path
    #[arg(long = "station", value_name = "N=NAME", value_parser = Guest::parse, requires = "real", help_heading = "Real packets")]
    stations: Vec<Guest>,

    /// How often to look for packets at most: 100 us on rings and 200 us on networks unless told
    #[arg(long, value_name = "TIME", requires = "real", help_heading = "Real packets")]
    tick: Option<Span>,
}

/// What those choose who ask for the paper's testbed.
#[derive(Debug, clap::Args)]
pub struct Testbed {
    /// Also measure what the papers say of testbeds, with real packets (Linux); no root is needed
    #[arg(long, conflicts_with = "list", help_heading = "Real packets")]
    real: bool,

    /// Go before all other programs: root without a user namespace, or CAP_SYS_NICE
    #[arg(long, requires = "real", help_heading = "Real packets")]
    priority: bool,
}

impl Testbed {
    /// Enters a place of the process's own if packets are to be real, as [`RealOptions::enter`] does.
    ///
    /// # Errors
    /// What the environment lacks.
    pub fn enter(&self) -> Result<Option<Home>, CliError> {
        self.options().enter()
    }

    /// For each run.
    pub fn of_run(&self) -> Options {
        self.options().of_run()
    }

    fn options(&self) -> RealOptions {
        RealOptions {
            real: self.real,
            tcp: None,
            priority: self.priority,
            no_simulation: true,
            stations: Vec::new(),
            tick: None,
        }
    }
}

/// Congestion control of the kernel's TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tcp {
    /// Additive increase, multiplicative decrease (RFC 5681), with SACK
    Reno,
    /// RFC 9438
    Cubic,
    /// By measured bandwidth and round-trip time
    Bbr,
}

impl RealOptions {
    /// Those of a ring or network that is held open.
    pub fn for_up(priority: bool, stations: Vec<Guest>) -> Self {
        Self { real: true, tcp: None, priority, no_simulation: true, stations, tick: None }
    }

    /// Enters a place of the process's own if packets are to be real. First thing: later the process may have more threads,
    /// and only one that has a single thread can.
    ///
    /// # Errors
    /// What the environment lacks.
    pub fn enter(&self) -> Result<Option<Home>, CliError> {
        if !self.real {
            return Ok(None);
        }
        if self.tick.is_some_and(|tick| tick < Span::from_micros(10) || tick > Span::from_millis(10)) {
            return Err(CliError::bad_input("a tick of that length is of no use", "take one from 10 us to 10 ms"));
        }
        enter(self.priority, &self.stations).map(Some).map_err(|error| refusal(&error))
    }

    /// Whether to simulate the same beside.
    pub fn simulates(&self) -> bool {
        !self.no_simulation
    }

    /// Whether programs of others may send something, too.
    pub fn has_guests(&self) -> bool {
        !self.stations.is_empty()
    }

    /// For the run itself.
    pub fn of_run(&self) -> Options {
        let tcp = self.tcp.map(|tcp| match tcp {
            Tcp::Reno => KernelControl::Reno,
            Tcp::Cubic => KernelControl::Cubic,
            Tcp::Bbr => KernelControl::Bbr,
        });
        Options { tick: self.tick, tcp, priority: self.priority, check_links: true }
    }
}
