//! fairwire in a browser: a scenario in, a page out.
//!
//! | file | holds |
//! | --- | --- |
//! | `questions.rs` | what a page may ask, and what it is answered |
//! | `boundary.rs` | how questions and answers cross the border of a module of WebAssembly |
//!
//! All else is what the command does, too: the same parser, solvers, simulator and report.
#![deny(unsafe_code)]

#[cfg(target_family = "wasm")]
mod boundary;
mod questions;

pub use questions::{Answer, Finding, Law, Outside, Question, answer, answer_json};
