//! The fairwire command with one ring law more.
//!
//! ```text
//! cd examples/outside-law
//! cargo run --release -- compare ../../scenarios/papers/parking-lot.toml --law dvsr --law equal-parts
//! ```

mod equal_parts;
mod parts;

use equal_parts::{EqualParts, Params};
use fairwire_laws::ring::OutsideLaw;
use std::process::ExitCode;

/// The command, which knows `equal-parts` beside the built-in laws.
pub fn main() -> ExitCode {
    fairwire_cli::main_with(vec![OutsideLaw::of::<EqualParts>(Params::default())])
}
