//! What the commands `fairwire` and `fairwire-bench` share on a terminal.
//!
//! Data goes to stdout, words for people to stderr. Exit codes: 0 fine, 1 an expectation failed, 2 bad input,
//! 3 the environment lacks something, 130 interrupted.

mod bar;
mod countdown;
mod error;
mod excerpt;
mod harmless;
mod interrupt;
mod loudness;
pub mod output;
mod pages;
mod progress;
mod sibling;
mod table;
pub mod text;
mod waiting;
mod whole_file;
mod width;

pub use countdown::Countdown;
pub use error::{CliError, Outcome, conclude, conclude_in_json, conclude_unread, tell_finding, warn};
pub use interrupt::Interrupt;
pub use loudness::Loudness;
pub use miette::Severity;
pub use pages::{check_pages_place, write_pages};
pub use progress::Progress;
pub use sibling::sibling;
pub use table::{TextTable, stand_below};
pub use waiting::patiently;
pub use whole_file::{check_whole, write_whole};
pub use width::{fit, width};

/// What `--help` of both commands says below their options.
pub const EXIT_CODES: &str = "Exit codes: 0 fine, 1 an expectation failed, 2 bad input, \
    3 the environment lacks something, 130 interrupted.";
