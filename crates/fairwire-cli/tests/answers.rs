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

/// A page of the reference.
fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs/reference").join(name)).expect("the page is there")
}

/// The keys that a page tells.
fn told(page_name: &str) -> BTreeSet<String> {
    rows(&page(page_name)).map(|(key, _)| key.to_owned()).collect()
}

/// Keys and their types.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (key, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((key, rest.split_once(" |")?.0))
    })
}

/// The keys that the page of all other verbs tells of one, shapes written out.
fn told_of(verb: &str) -> BTreeSet<String> {
    let page = page("answers.md");
    let section = page.split("\n## ").find(|section| section.starts_with(&format!("`fairwire {verb}`\n")));
    let mut keys = BTreeSet::new();
    for (key, kind) in rows(section.expect("the verb has a section")) {
        let parts: &[&str] = match kind {
            "estimate" => &["value", "low", "high"],
            "mean" => &["mean", "half_width"],
            _ => &[],
        };
        keys.extend(parts.iter().map(|part| format!("{key}.{part}")));
        keys.insert(key.to_owned());
    }
    keys
}

/// Keys of an answer as the page tells them: names in the map at `map` are any, and what is below `open` is its own.
fn as_told(answer: &Value, map: &str, open: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys(answer, "", &mut found);
    let named = |key: String| match key.strip_prefix(&format!("{map}.")) {
        Some(below) => below.split_once('.').map(|(_, rest)| format!("{map}.*.{rest}")),
        None => Some(key),
    };
    let is_closed = |key: &String| !open.iter().any(|open| key.len() > open.len() && key.starts_with(open));
    found.into_iter().filter(is_closed).filter_map(named).collect()
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

/// Of each other verb the shortest call that shows all keys. `bench solvers` and `bench validate` are left out: they have
/// keys that only programs of others bring.
#[test]
fn every_key_of_what_other_verbs_answer_is_documented_and_no_other() {
    let folder = folder("answer-keys-of-others");
    let (swing, small) = (shipped("papers/two-flow-am.toml"), put(&folder, "small.toml", SMALL));
    let kept = folder.join("kept").display().to_string();
    let learn = |verb: &str, args: &[&str], map: &str, open: &[&str]| {
        let verb_args: Vec<&str> = verb.split(' ').collect();
        let answer = fairwire(&[verb_args.as_slice(), args, &["--json"]].concat()).ends_with(0).json();
        assert_eq!(
            told_of(verb),
            as_told(&answer, map, open),
            "docs/reference/answers.md and `fairwire {verb}` differ"
        );
    };
    learn("scenario check", &[&small], "-", &[]);
    learn("laws", &[], "-", &[]);
    learn(
        "reproduce",
        &["slides-rias-two-exit"],
        "-",
        &["claims[].expected", "claims[].measured", "claims[].tolerance"],
    );
    learn("analyse", &[&swing, "--trace"], "-", &[]);
    learn("bench", &["--quick"], "-", &[]);
    let lot = ["--case", "ring-1", "--case", "lot-2", "--rings", "2", "--law", "fifo", "--law", "dvsr", "--out", &kept];
    learn("bench fairness", &lot, "-", &[]);
    learn("bench aqm", &["--quick", "--law", "red", "--out", &kept], "results[].groups", &[]);
    learn("bench protection", &["--cuts", "1", "--stations", "8", "--law", "dvsr", "--out", &kept], "-", &[]);
}
