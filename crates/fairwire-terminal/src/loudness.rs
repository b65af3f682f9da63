//! How much is said on stderr: `--quiet`, `--verbose`, or what is usual.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU8, Ordering};

/// How much is said on stderr beside warnings and errors, which are always told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Loudness {
    /// Nothing.
    Quiet,
    /// Where things are and how it went; how far it is, on a terminal.
    Usual,
    /// Also what is being done.
    Verbose,
}

static LOUDNESS: AtomicU8 = AtomicU8::new(Loudness::Usual as u8);

impl Loudness {
    /// From now on so much is said.
    pub fn set(self) {
        LOUDNESS.store(self as u8, Ordering::Relaxed);
    }

    /// Whether it is this that was set.
    pub(crate) fn is_set(self) -> bool {
        LOUDNESS.load(Ordering::Relaxed) == self as u8
    }
}

/// Whether people see on stderr how far something is. Where every step is told, or nothing, they do not.
pub(crate) fn shows_progress() -> bool {
    Loudness::Usual.is_set() && io::stderr().is_terminal()
}
