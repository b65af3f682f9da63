//! The `fairwire` command with the built-in laws.
#![forbid(unsafe_code)]

use std::process::ExitCode;

// musl's own hands pages back at once and soon takes them again, which costs up to a fifth of a run.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    fairwire_cli::main_with(Vec::new())
}
