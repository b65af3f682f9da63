//! The `fairwire` command: conversion and presentation, no logic of its own.
//!
//! Data goes to stdout, words for people to stderr. Exit codes: 0 fine, 1 an
//! expectation failed, 2 bad input, 3 the environment lacks something, 130
//! interrupted.
#![forbid(unsafe_code)]

mod cli;
mod error;
mod new_file;
mod output;
mod runs;
mod source;
mod table;
mod text;
mod unheeded;
mod verbs;
mod waiting;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = cli::Cli::parse().run();
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => error.tell(),
    }
}
