//! The page that says what is in the answers as JSON.

use crate::common::answer_keys::{as_told, told_of};
use crate::common::{bench, folder};
use crate::speed::QUICK;
use serde_json::Value;
use std::fs;

/// Of each measurement the shortest call that shows all keys. `solvers` and `validate` are left out: they have keys that
/// only programs of others bring.
#[test]
fn every_key_of_what_is_answered_is_documented_and_no_other() {
    let kept = folder("answer-keys").join("kept").display().to_string();
    let compare = |answer: &Value, what: &str, map: &str| {
        let command = format!("fairwire-bench{what}");
        assert_eq!(told_of(&command), as_told(answer, map, &[]), "docs/reference/answers.md and `{command}` differ");
    };
    let learn = |args: &[&str], what: &str, map: &str| {
        compare(&bench(&[args, &["--json"]].concat()).ends_with(0).json(), what, map);
    };
    compare(&QUICK, "", "-");
    let lot = ["--case", "ring-6", "--case", "lot-2", "--rings", "7", "--law", "fifo", "--law", "dvsr", "--out", &kept];
    learn(&[&["fairness"], &lot[..]].concat(), " fairness", "-");
    learn(&["aqm", "--quick", "--law", "red", "--out", &kept], " aqm", "results[].groups");
    let few = ["rates", "--networks", "2", "--law", "wmfqc", "--out", &kept];
    learn(&few, " rates", "-");
    learn(&["rates", "--cost", "--quick", "--law", "rcp"], " rates --cost", "-");
    learn(&["protection", "--cuts", "1", "--stations", "8", "--law", "dvsr", "--out", &kept], " protection", "-");
}

#[test]
fn what_went_wrong_is_an_answer_too() {
    let kept = folder("answers-busy");
    let held = fs::File::create(kept.join("results.jsonl")).expect("a file can be made");
    held.lock().expect("nobody else has it");
    let place = kept.display().to_string();
    let ask = ["fairness", "--rings", "1", "--law", "fifo", "--out", &place, "--json"];
    let busy = bench(&ask).ends_with(3).json();
    let message = busy["errors"][0]["message"].as_str().expect("a message");
    assert!(message.starts_with("another process works in"), "{message}");
    let wrong = bench(&["aqm", "--case", "nothing", "--json"]).ends_with(2).json();
    assert_eq!(wrong["errors"].as_array().map(Vec::len), Some(1));
    let nowhere = bench(&["fairness", "--rings", "1", "--out", "/dev/null/there", "--json"]).ends_with(2);
    assert!(nowhere.json()["errors"][0]["help"].as_str().is_some_and(|help| help.contains("--out DIR")), "{nowhere}");
}

#[test]
fn errors_are_an_answer_for_programs_too() {
    for (call, words) in
        [(&["fairness", "--law", "no-such", "--json"][..], "no-such"), (&["aqm", "--json", "--seds", "2"], "'--seds'")]
    {
        let said = bench(call).ends_with(2);
        let error = said.json()["errors"][0].clone();
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{call:?}: {said}");
        assert!(said.stderr.contains(words), "people read the same: {said}");
    }
}
