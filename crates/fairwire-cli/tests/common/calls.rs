//! What a command said, and the folders and files of tests: for the tests of `fairwire` and of `fairwire-bench`.

use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

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

/// An empty folder for the test called `name`.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a temporary folder can be made");
    folder
}

/// `program`, ready to run in `folder`.
pub fn ready(program: &str, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub fn said(command: &mut Command) -> Said {
    let output = command.output().expect("the binary runs");
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

/// Builds the command of another package, which then lies beside `program`: Cargo builds only those of the packages
/// under test, so that it would be missing or old. Under `make test`, which sets `FAIRWIRE_IS_BUILT`, it is there already, and
/// to ask Cargo would be to wait until it has built the Python package.
pub fn build_beside(program: &str, package: &str) {
    if env::var_os("FAIRWIRE_IS_BUILT").is_some() {
        return;
    }
    static BUILDING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = BUILDING.lock();
    let profile = Path::new(program).parent().and_then(Path::file_name).expect("it lies in the folder of its profile");
    let profile = if profile == "debug" { "dev".into() } else { profile.to_string_lossy() };
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--package", package, "--profile", &*profile])
        .current_dir(root())
        .status();
    assert!(build.is_ok_and(|status| status.success()), "{package} can be built");
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
