//! Runs the binary as a user does, in a folder of its own.
#![allow(dead_code, unused_imports, reason = "every test file uses a part of it")]

#[path = "../../../fairwire-cli/tests/common/answer_keys.rs"]
pub mod answer_keys;
#[path = "../../../fairwire-cli/tests/common/calls.rs"]
mod calls;
#[path = "../../../fairwire-cli/tests/common/skip.rs"]
pub mod skip;

pub use calls::{Said, folder, has_keys, root};

use std::path::Path;
use std::process::Command;
use std::sync::Once;

const BENCH: &str = env!("CARGO_BIN_EXE_fairwire-bench");

/// The binary, ready to run in `folder`.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    calls::ready(BENCH, folder, args)
}

/// Runs `fairwire-bench` with these arguments in `folder`.
pub fn bench_in(folder: &Path, args: &[&str]) -> Said {
    calls::said(&mut command(folder, args))
}

/// Runs `fairwire-bench` with these arguments; only for calls that write nothing.
pub fn bench(args: &[&str]) -> Said {
    bench_in(Path::new(env!("CARGO_TARGET_TMPDIR")), args)
}

/// Sees to it that `fairwire`, whose speed is measured, lies beside `fairwire-bench`.
pub fn build_fairwire() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| calls::build_beside(BENCH, "fairwire-cli"));
}
