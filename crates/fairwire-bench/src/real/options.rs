//! What can be asked for.

use super::case::Part;
use std::path::PathBuf;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this part of it; may be given several times [default: all]
    #[arg(long, value_enum, value_name = "PART")]
    part: Vec<Part>,

    /// Only under this law; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    pub law: Vec<String>,

    /// Only cases whose names begin like this, `parking-lot`; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    pub case: Vec<String>,

    /// A few cases of each part, for a first look
    #[arg(long)]
    pub quick: bool,

    /// Run a case of which nothing can be said (`invalid`), and one of connections that was disturbed, up to so many times more
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub again: u32,

    /// Let the engine of real runs go before all other programs: for root, or with CAP_SYS_NICE
    #[arg(long)]
    pub priority: bool,

    /// Keep runs here; what is there already is not run again
    #[arg(long, value_name = "DIR", default_value = "real")]
    pub out: PathBuf,

    /// Forget runs that are there and run everything anew
    #[arg(long)]
    pub fresh: bool,

    /// Write the tables into the generated parts of this page
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,

    /// Take the time of round trips to this address, from inside a station
    #[arg(long, value_name = "ADDRESS", hide = true)]
    ping: Option<std::net::Ipv4Addr>,
}

impl Args {
    /// Whom to take round trips to, if that is what is asked.
    pub fn ping(&self) -> Option<std::net::Ipv4Addr> {
        self.ping
    }

    /// The parts that were asked for, in their order.
    pub fn parts(&self) -> Vec<Part> {
        let is_asked = |part: &Part| self.part.is_empty() || self.part.contains(part);
        Part::ALL.into_iter().filter(is_asked).collect()
    }

    /// What narrows the question down, as it is typed.
    pub fn asked(&self) -> String {
        let laws = self.law.iter().map(|law| format!(" --law {law}"));
        let cases = self.case.iter().map(|case| format!(" --case {case}"));
        laws.chain(cases).chain(self.quick.then(|| " --quick".to_owned())).collect()
    }
}
