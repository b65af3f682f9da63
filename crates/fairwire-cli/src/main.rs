//! The `fairwire` command: conversion and presentation, no logic of its own.
//!
//! Data goes to stdout, words for people to stderr. Exit codes: 0 fine, 1 an
//! expectation failed, 2 bad input, 3 the environment lacks something, 130
//! interrupted.
#![forbid(unsafe_code)]

mod cli;
mod new_file;
mod runs;
mod source;
mod unheeded;
mod verbs;

use clap::Parser;
use fairwire_terminal::conclude;
use std::process::ExitCode;

fn main() -> ExitCode {
    conclude(cli::Cli::parse().run())
}
