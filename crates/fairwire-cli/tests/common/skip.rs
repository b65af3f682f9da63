//! Tests that this system lacks something for: they say so and pass, or fail where none may be left out.

use serde_json::Value;
use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::thread;

/// Set, it makes tests fail that would be left out.
const ALL: &str = "FAIRWIRE_ALL_TESTS";

/// The present test is left out.
pub fn skip(why: &str) {
    let test = thread::current().name().unwrap_or("a test").to_owned();
    assert!(env::var_os(ALL).is_none_or(|set| set.is_empty()), "{ALL} is set, and {test} was skipped: {why}");
    // What `println!` says in a test that passes is not shown.
    let _ = writeln!(io::stderr(), "skipped {test}: {why}");
}

/// Whether this command can carry real packets here; if not, the present test is left out.
pub fn is_ready(fairwire: &Path) -> bool {
    let output = Command::new(fairwire).args(["doctor", "--json"]).output().expect("the command starts");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let ready = found["ready"] == true;
    if !ready {
        let findings = found["findings"].as_array().into_iter().flatten().filter(|finding| finding["ok"] == false);
        let lack = |finding: &Value| Some(format!("{}, {}", finding["what"].as_str()?, finding["found"].as_str()?));
        let lacks: Vec<_> = findings.filter_map(lack).collect();
        skip(&format!("no real packets here, as `fairwire doctor` says: {}", lacks.join("; ")));
    }
    ready
}
