//! The pages that say what is in the answers as JSON.

mod common;

use common::{SMALL, fairwire, folder, put, root, shipped};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The keys of a value, as the pages write them: `flows[].limited_by.kind`.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, &format!("{path}[]"), found)),
        _ => {}
    }
}

/// The keys that a page of the reference tells.
fn told(page: &str) -> BTreeSet<String> {
    let page = fs::read_to_string(root().join("docs/reference").join(page)).expect("the page is there");
    page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(key, _)| key.to_owned())).collect()
}

#[test]
fn every_key_of_what_allocate_answers_is_documented_and_no_other() {
    let mut found = BTreeSet::new();
    for (file, criterion, change) in [
        ("operators/radio-relay.toml", "general-weighted", "link hop-4 +50%"),
        ("papers/two-exit.toml", "rias", "link 4 +10%"),
    ] {
        let args =
            ["allocate", &shipped(file), "--criterion", criterion, "--json", "--sensitivities", "--what-if", change];
        keys(&fairwire(&args).ends_with(0).json(), "", &mut found);
    }
    assert_eq!(told("allocate.md"), found, "docs/reference/allocate.md and the answer differ");
}

/// A network with a web, a ring that protects itself, and a plain one with a promise that is broken.
#[test]
fn every_key_of_what_run_and_compare_answer_is_documented_and_no_other() {
    let folder = folder("answer-keys");
    let promised = put(&folder, "promised.toml", &format!("{SMALL}\n[expect]\n\"flow.*.ratio\" = {{ min = 2 }}\n"));
    let (office, ring) = (shipped("operators/unfair-link.toml"), shipped("operators/protected-ring.toml"));
    let mut found = BTreeSet::new();
    let mut learn = |args: &[&str], code: i32| {
        keys(&fairwire(&[args, &["--json", "--no-folder"]].concat()).ends_with(code).json(), "", &mut found);
    };
    learn(&["compare", &office, "--law", "droptail", "--replications", "2", "--duration", "20 s"], 0);
    learn(&["run", &ring], 0);
    learn(&["run", &promised], 1);
    // Nobody can break an invariant to see how that is told.
    found.extend(["law", "run", "what"].map(|key| format!("violations[].{key}")));
    assert_eq!(told("run.md"), found, "docs/reference/run.md and the answer differ");
}
