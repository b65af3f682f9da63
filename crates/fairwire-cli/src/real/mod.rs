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
pub use journal::{UnnamedFile, replay, unreadable};
pub use options::{RealOptions, Testbed};
pub use show::show;
pub use testbed::Kernel;

use fairwire_net::NetError;
use fairwire_terminal::CliError;
use std::{env, io};

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
        NetError::Program(program, why) => {
            let is_there = why.kind() != io::ErrorKind::NotFound && is_anywhere(program);
            CliError::Program { message, help, code: if is_there { 126 } else { 127 } }
        }
        _ => CliError::Missing { message, help },
    }
}

/// Whether a program of this name may be somewhere. The system says that it may not be run where only a folder of PATH may not be
/// looked into.
fn is_anywhere(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    program.contains('/') || env::split_paths(&path).any(|folder| folder.join(program).exists())
}
