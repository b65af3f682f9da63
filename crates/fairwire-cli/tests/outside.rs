//! The command with a law from outside: the example in `examples/outside-law`, run as a user runs it.
//!
//! This program is the example's command when it is called by itself, and the tests otherwise.

#[path = "../../../examples/outside-law/src/main.rs"]
mod outside_law;

mod common;

use common::{Said, folder, root, shipped};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Where it is set, this program is the command.
const AS_COMMAND: &str = "FAIRWIRE_TEST_AS_COMMAND";

/// The tests and their names.
const TESTS: [(&str, fn()); 6] = [
    ("it_runs_beside_the_built_in_laws", it_runs_beside_the_built_in_laws),
    ("it_is_held_to_the_contract_under_trouble", it_is_held_to_the_contract_under_trouble),
    ("it_is_told_as_other_laws_are", it_is_told_as_other_laws_are),
    ("its_runs_are_kept", its_runs_are_kept),
    ("a_name_that_nobody_has_is_refused", a_name_that_nobody_has_is_refused),
    ("the_crate_stands_alone", the_crate_stands_alone),
];

fn main() -> ExitCode {
    if env::var_os(AS_COMMAND).is_some() {
        return outside_law::main();
    }
    let wanted: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, test) in TESTS {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            test();
            println!("test {name} ... ok");
        }
    }
    ExitCode::SUCCESS
}

fn command(arguments: &[&str]) -> Said {
    let program = env::current_exe().expect("this program has a path");
    let output = Command::new(program).args(arguments).env(AS_COMMAND, "1").output().expect("it runs");
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn it_runs_beside_the_built_in_laws() {
    let lot = shipped("papers/parking-lot.toml");
    let laws = ["--law", "dvsr", "--law", "equal-parts", "--no-folder", "--check"];
    let tables = command(&[&["compare", &lot], &laws[..]].concat()).ends_with(0);
    assert!(tables.stdout.lines().any(|line| line.contains("dvsr") && line.contains("equal-parts")), "{tables}");

    let answer = command(&[&["compare", &lot, "--json"], &laws[..]].concat()).ends_with(0).json();
    let runs = answer["runs"].as_array().expect("runs");
    assert_eq!(runs.iter().map(|run| &run["law"]).collect::<Vec<_>>(), ["dvsr", "equal-parts"]);
    // One full link, and nobody is held elsewhere: equal parts are fair there.
    for flow in runs[1]["flows"].as_array().expect("flows") {
        let ratio = flow["ratio"].as_f64().expect("a ratio");
        assert!((ratio - 1.0).abs() < 0.02, "{flow}");
    }

    let all = command(&["compare", &lot, "--json", "--no-folder", "--duration", "0.6 s"]).ends_with(0).json();
    let last = all["runs"].as_array().and_then(|runs| runs.last()).expect("runs");
    assert_eq!(last["law"], "equal-parts", "without `--law` all laws are compared, those from outside too");
}

/// The call that the page of new laws gives.
fn it_is_held_to_the_contract_under_trouble() {
    let page = fs::read_to_string(root().join("docs/a-new-law.md")).expect("the page is there");
    let mut calls = page.split("cargo run --release -- ").filter_map(|call| call.split("```").next());
    let call = calls.find(|call| call.contains("--check")).expect("a checked run").replace("\\\n", " ");
    let lot = shipped("papers/parking-lot.toml");
    let words = shlex::split(&call.replace("../../scenarios/papers/parking-lot.toml", &lot)).expect("words of a shell");
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["--no-folder", "--json"]).collect();
    let answer = command(&words).ends_with(0).json();
    assert_eq!(answer["runs"][0]["law"], "equal-parts");
    for flow in answer["runs"][0]["flows"].as_array().expect("flows") {
        let ratio = flow["ratio"].as_f64().expect("a ratio");
        assert!((ratio - 1.0).abs() < 0.05, "{flow}");
    }
}

fn it_is_told_as_other_laws_are() {
    let answer = command(&["laws", "equal-parts", "--json"]).ends_with(0).json();
    assert_eq!(answer["laws"][0]["kind"], "ring");
    assert_eq!(answer["laws"][0]["source"], "none: an example");
    let all = command(&["laws"]).ends_with(0);
    assert!(all.stdout.contains("Laws of a ring from outside"), "{all}");
    let one = command(&["laws", "equal-parts"]).ends_with(0);
    assert!(one.stdout.contains("--law equal-parts"), "{one}");
    assert!(!common::fairwire(&["laws"]).ends_with(0).stdout.contains("outside"), "the command itself has none");
}

fn its_runs_are_kept() {
    let folder = folder("outside-law").join("run");
    let out = folder.display().to_string();
    let lot = shipped("papers/parking-lot.toml");
    command(&["run", &lot, "--law", "equal-parts", "--duration", "0.6 s", "--out", &out]).ends_with(0);
    let kept = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(kept("report.html").contains("equal-parts"));
    let manifest: Value = serde_json::from_str(&kept("manifest.json")).expect("a manifest");
    assert!(manifest.to_string().contains("equal-parts"), "{manifest}");
}

fn a_name_that_nobody_has_is_refused() {
    let lot = shipped("papers/parking-lot.toml");
    let said = command(&["compare", &lot, "--law", "equal-part", "--no-folder"]).ends_with(2);
    assert!(said.stderr.contains("there is no ring law `equal-part`"), "{said}");
    assert!(said.stderr.contains("did you mean `equal-parts`?"), "{said}");
    let gateway = shipped("gateways/one-reno.toml");
    let said = command(&["run", &gateway, "--law", "equal-parts", "--no-folder"]).ends_with(2);
    assert!(said.stderr.contains("there is no queue law `equal-parts`"), "{said}");
}

/// The crate's own manifest, elsewhere on the disk, is resolved with nothing but what fairwire's lock file names. Crates that only
/// other systems need are not asked for: who has built fairwire here need not have them.
fn the_crate_stands_alone() {
    let copy = folder("outside-law-crate");
    fs::create_dir_all(copy.join("src")).expect("a folder");
    let example = root().join("examples/outside-law");
    let manifest = fs::read_to_string(example.join("Cargo.toml")).expect("the manifest is there");
    let crates = format!("path = \"{}/crates/", root().display());
    let manifest = manifest.replace("path = \"../../crates/", &crates);
    fs::write(copy.join("Cargo.toml"), manifest).expect("a manifest");
    for file in ["main.rs", "equal_parts.rs", "parts.rs"] {
        fs::copy(example.join("src").join(file), copy.join("src").join(file)).expect("a source file");
    }
    fs::copy(root().join("Cargo.lock"), copy.join("Cargo.lock")).expect("a lock file");
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["update", "--workspace", "--offline"])
        .current_dir(&copy)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let of_workspace = packages(&root().join("Cargo.lock"));
    let beyond: Vec<_> = packages(&copy.join("Cargo.lock")).difference(&of_workspace).cloned().collect();
    assert_eq!(beyond, ["outside-law 0.1.0"], "packages that fairwire's lock file does not name");
}

/// Name and version of each package of a lock file.
fn packages(lock: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(lock).expect("a lock file");
    let value = |line: &str| line.split('"').nth(1).map(str::to_owned);
    let names = text.lines().filter(|line| line.starts_with("name = ")).filter_map(value);
    let versions = text.lines().filter(|line| line.starts_with("version = \"")).filter_map(value);
    names.zip(versions).map(|(name, version)| format!("{name} {version}")).collect()
}
