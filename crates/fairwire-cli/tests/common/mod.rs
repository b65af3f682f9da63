//! Runs the binary as a user does, in a folder of its own.
#![allow(dead_code, unused_imports, reason = "every test file uses a part of it")]

#[cfg(target_os = "linux")]
pub mod ahead;
pub mod answer_keys;
mod calls;
#[cfg(target_os = "linux")]
pub mod desk;
pub mod skip;

pub use calls::{Said, folder, has_keys, names_in, put, root};

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Once;

const FAIRWIRE: &str = env!("CARGO_BIN_EXE_fairwire");

/// A shipped scenario.
pub fn shipped(name: &str) -> String {
    root().join("scenarios").join(name).display().to_string()
}

/// Every shipped scenario.
pub fn all_shipped() -> Vec<String> {
    let folders = fs::read_dir(root().join("scenarios")).expect("scenarios are shipped");
    let files = folders.flatten().filter_map(|folder| fs::read_dir(folder.path()).ok()).flatten();
    let mut paths: Vec<String> = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| path.display().to_string())
        .collect();
    paths.sort();
    assert!(paths.len() > 5, "{paths:?}");
    paths
}

/// The binary, ready to run in `folder`.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    calls::ready(FAIRWIRE, folder, args)
}

/// Runs `fairwire` with these arguments in `folder`.
pub fn fairwire_in(folder: &Path, args: &[&str]) -> Said {
    calls::said(&mut command(folder, args))
}

/// Runs `fairwire` with these arguments; only for calls that write nothing.
pub fn fairwire(args: &[&str]) -> Said {
    fairwire_in(Path::new(env!("CARGO_TARGET_TMPDIR")), args)
}

/// Runs `fairwire-bench`, by `fairwire bench`, with these arguments; only for calls that write nothing.
pub fn bench(args: &[&str]) -> Said {
    build_bench();
    fairwire(&[&["bench"], args].concat())
}

/// Sees to it that `fairwire-bench` lies beside `fairwire`.
pub fn build_bench() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| calls::build_beside(FAIRWIRE, "fairwire-bench"));
}

/// A small ring on which everything is quick: two senders, one exit.
pub const SMALL: &str = r#"schema = 1
title = "Two senders, one exit"

[run]
duration = "50 ms"
warmup = "10 ms"

[ring]
stations = 3
capacity = "100 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }

[[flow]]
name = "to-last"
from = [0, 1]
to = 2
ringlet = 0
traffic = { kind = "cbr", rate = "100 Mb/s", interval-jitter = "50 %", packet = "1 kB" }
"#;

/// One flow that nothing disturbs.
pub const STEADY: &str = r#"
schema = 1
[run]
duration = "5 ms"
[ring]
stations = 4
capacity = "1 Gb/s"
span-delay = "50 us"
law = { name = "dvsr" }
[[flow]]
name = "one"
from = 0
to = 2
"#;
