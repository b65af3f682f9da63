//! Runs the binary as a user does, in a folder of its own.
#![allow(dead_code, reason = "every test file uses a part of it")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a call said and how it ended.
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// The answer as JSON; fails the test if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// Fails the test unless the call ended with `code`.
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }
}

/// Exit code, stdout and stderr, for snapshots: paths and times are hidden.
impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
        let hidden = |text: &str| {
            let lines = text.replace(&root().display().to_string(), "[root]");
            lines
                .lines()
                .map(|line| if line.ends_with("packet-hops a second") { "[speed]" } else { line }.to_owned() + "\n")
                .collect::<String>()
        };
        write!(f, "exit {code}\n--- stdout\n{}--- stderr\n{}", hidden(&self.stdout), hidden(&self.stderr))
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is there")
}

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

/// An empty folder for the test called `name`.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a temporary folder can be made");
    folder
}

/// The binary, ready to run in `folder`.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairwire"));
    command.current_dir(folder).args(args).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// Runs `fairwire` with these arguments in `folder`.
pub fn fairwire_in(folder: &Path, args: &[&str]) -> Said {
    let output = command(folder, args).output().expect("the binary runs");
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

/// Runs `fairwire` with these arguments; only for calls that write nothing.
pub fn fairwire(args: &[&str]) -> Said {
    fairwire_in(Path::new(env!("CARGO_TARGET_TMPDIR")), args)
}

/// Writes a file for a test.
pub fn put(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a test file can be written");
    path.display().to_string()
}

/// Fails the test unless `value` is an object with these keys.
#[track_caller]
pub fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "`{key}` is missing in {value:#}");
    }
}

/// The names of what is in a folder, hidden things included, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
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
