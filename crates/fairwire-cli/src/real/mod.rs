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
pub use control::{Held, STATUS, Status, ask, take_down};
#[cfg(target_os = "linux")]
pub use control::{answer, listen};
pub use journal::{Kept, replay, unreadable};
pub use options::{RealOptions, Testbed};
pub use show::show;
pub use testbed::Kernel;

use fairwire_net::NetError;
use fairwire_terminal::CliError;
use std::io;

/// An error of real runs, for people: what the environment lacks, or what is too much for it.
pub fn refusal(error: &NetError) -> CliError {
    let (message, help) = (error.to_string(), error.help().to_owned());
    match error {
        NetError::Stations(_)
        | NetError::Flows(_)
        | NetError::NoStation(..)
        | NetError::Bring(_)
        | NetError::Plan(_) => CliError::BadInput { message, help },
        // As shells do.
        NetError::Program(_, why) => {
            CliError::Program { message, help, code: if why.kind() == io::ErrorKind::NotFound { 127 } else { 126 } }
        }
        _ => CliError::Missing { message, help },
    }
}
