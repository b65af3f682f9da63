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
mod many_flows;
mod processor;
mod protection;
mod rates;
mod ratio;
mod real;
mod scores;
mod solvers;
mod speed;
mod validate;
mod work;

use clap::Parser;
use fairwire_terminal::{conclude, conclude_in_json};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let conclude = if cli.answers_in_json() { conclude_in_json } else { conclude };
    conclude(cli.run())
}
