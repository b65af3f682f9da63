//! The pages that say what is in the answers as JSON.

use crate::common::answer_keys::{as_told, is_of_real_runs, keys, told, told_of};
use crate::common::{SMALL, fairwire, folder, put, shipped};
use std::collections::BTreeSet;

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

/// A network with a web, a ring that protects itself, one with bursts, one that changes on the way, one whose switches tell rates, and a plain one with a promise that
/// is broken.
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
    learn(&["run", &shipped("papers/parking-lot-pareto.toml")], 0);
    learn(&["run", &shipped("teaching/changes.toml")], 0);
    learn(&["run", &shipped("teaching/explicit-rate-events.toml")], 0);
    learn(&["run", &promised], 1);
    // What only real runs have is looked for where there are any (`real.rs`).
    found.extend(told("run.md").into_iter().filter(|key| is_of_real_runs(key)));
    // Nobody can break an invariant to see how that is told.
    found.extend(["law", "run", "what"].map(|key| format!("violations[].{key}")));
    assert_eq!(told("run.md"), found, "docs/reference/run.md and the answer differ");
}

/// Of each other verb the shortest call that shows all keys.
#[test]
fn every_key_of_what_other_verbs_answer_is_documented_and_no_other() {
    let folder = folder("answer-keys-of-others");
    let (swing, small) = (shipped("papers/two-flow-am.toml"), put(&folder, "small.toml", SMALL));
    let learn = |verb: &str, args: &[&str], map: &str, open: &[&str]| {
        let verb_args: Vec<&str> = verb.split(' ').collect();
        let answer = fairwire(&[verb_args.as_slice(), args, &["--json"]].concat()).ends_with(0).json();
        assert_eq!(
            told_of(&format!("fairwire {verb}")),
            as_told(&answer, map, open),
            "docs/reference/answers.md and `fairwire {verb}` differ"
        );
    };
    let laws = format!("{SMALL}\n[sweep]\n\"ring.law.name\" = [\"dvsr\", \"fifo\"]\n");
    let (laws, kept) = (put(&folder, "laws.toml", &laws), folder.join("kept").display().to_string());
    learn("sweep", &[&laws, "--out", &kept], "-", &["points[].set", "warnings"]);
    learn("scenario check", &[&small], "-", &[]);
    learn("laws", &[], "-", &[]);
    learn(
        "reproduce",
        &["vrr-algorithm"],
        "-",
        &["claims[].expected", "claims[].measured", "claims[].tolerance", "claims[].readings[].measured"],
    );
    learn("analyse", &[&swing, "--trace"], "-", &[]);
}
