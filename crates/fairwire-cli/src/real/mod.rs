//! Real packets: what `--real` of `run` and `compare` does in place of simulating, and what `replay` does again.

mod answer;
mod carry;
mod control;
mod journal;
mod options;
mod show;
mod testbed;

pub use answer::{Carried, RealAnswer};
pub use carry::carry;
pub use control::{DOWN, Held, STATUS, Status, ask};
#[cfg(target_os = "linux")]
pub use control::{answer, listen};
pub use journal::{Arrivals, read_folder, replay};
pub use options::{RealOptions, Testbed};
pub use show::show;
pub use testbed::Kernel;

use fairwire_net::NetError;
use fairwire_terminal::CliError;

/// An error of real runs, for people: what the environment lacks, or what is too much for it.
pub fn refusal(error: &NetError) -> CliError {
    let (message, help) = (error.to_string(), error.help().to_owned());
    match error {
        NetError::Stations(_) | NetError::Flows(_) | NetError::Bring(_) => CliError::BadInput { message, help },
        _ => CliError::Missing { message, help },
    }
}
