//! The `fairwire-bench` command: how fast the simulator and the solvers are beside their peers, and how fair the
//! laws are over many cases.
#![forbid(unsafe_code)]

mod aqm;
mod block;
mod child;
mod cli;
mod fairness;
mod laws;
mod liars;
mod machine;
mod many_flows;
mod processor;
mod protection;
mod rates;
mod ratio;
mod real;
mod scores;
mod solvers;
mod speed;
mod tables;
mod validate;
mod work;

use clap::Parser;
use fairwire_terminal::{conclude, conclude_in_json, conclude_unread};
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    let cli = match cli::Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return conclude_unread(&error, &arguments),
    };
    let conclude = if cli.answers_in_json() { conclude_in_json } else { conclude };
    conclude(cli.run())
}
