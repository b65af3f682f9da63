//! The `fairwire` command: conversion and presentation, no logic of its own.
//!
//! Data goes to stdout, words for people to stderr. Exit codes: 0 fine, 1 an
//! expectation failed, 2 bad input, 3 the environment lacks something, 130
//! interrupted.
//!
//! It is a library so that a program with ring laws of its own can be the same command: its
//! `main` hands them to [`main_with`].
#![forbid(unsafe_code)]

mod cli;
mod deferred;
mod new_file;
mod outside;
mod real;
mod runs;
mod settings;
mod source;
mod sweep;
mod tc_words;
mod unheeded;
mod verbs;

use clap::Parser;
use fairwire_laws::ring::OutsideLaw;
use fairwire_terminal::{conclude, conclude_in_json, conclude_unread, fit};
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// The command with `laws` beside the built-in ones: `--law NAME` of `run` and `compare` takes them,
/// `laws` lists them. Scenario files cannot name them.
///
/// Reads the arguments of the process and gives its exit code: 2 if two laws have one name.
pub fn main_with(laws: Vec<OutsideLaw>) -> ExitCode {
    main_of(env::args_os(), laws)
}

/// [`main_with`] for a process whose arguments begin elsewhere, such as Python's; the first of `arguments` is the name
/// of the program.
pub fn main_of(arguments: impl IntoIterator<Item = OsString>, laws: Vec<OutsideLaw>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match cli::Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return conclude_unread(&error, &arguments),
    };
    cli.loudness().set();
    fit(cli.width);
    let conclude = if cli.answers_in_json() { conclude_in_json } else { conclude };
    conclude(outside::check_names(&laws).and_then(|()| cli.run(&laws)))
}
