//! `fairwire-bench real`. Where a system lacks what real packets need, tests say so and pass.

#![cfg(target_os = "linux")]

mod common;

use common::answer_keys::{as_told, told_of};
use common::skip::is_ready;
use common::{bench, bench_in, build_fairwire, folder};
use serde_json::Value;
use std::path::Path;

/// Whether real packets can be had here; if not, the present test is left out.
fn possible() -> bool {
    build_fairwire();
    is_ready(&Path::new(env!("CARGO_BIN_EXE_fairwire-bench")).with_file_name("fairwire"))
}

fn rows(answer: &Value) -> &[Value] {
    answer["rows"].as_array().expect("rows")
}

#[test]
fn laws_and_cases_that_are_not_there_end_with_2() {
    build_fairwire();
    let said = bench(&["real", "--law", "dsvr"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("did you mean `dvsr`?"), "{said}");
    let said = bench(&["real", "--case", "nowhere"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("no case begins with `nowhere`"), "{said}");
    assert!(said.stderr.contains("vrr-mix"), "they are listed: {said}");
}

#[test]
fn real_rings_are_held_against_their_simulations_once() {
    if !possible() {
        return;
    }
    let folder = folder("real-once");
    let parts = ["--part", "rings", "--part", "come-and-go", "--part", "idle"];
    let few = ["--quick", "--law", "dvsr-plus", "--case", "lot", "--case", "four that come"];
    let ask = [&["real"][..], &parts, &few, &["--json"]].concat();
    let answer = bench_in(&folder, &ask).ends_with(0).json();
    assert_eq!(as_told(&answer, "-", &[]), told_of("fairwire-bench real"), "docs/reference/answers.md");
    let [row, come_and_go] = rows(&answer) else { panic!("two cases: {answer}") };
    assert_eq!((&row["law"], &row["case"]), (&"dvsr-plus".into(), &"lot at 100 Mb/s".into()));
    if row["real"][0]["verdict"] == "invalid" {
        assert_eq!(row["holds"], Value::Null, "of an invalid run nothing is said");
        return println!("the machine is too busy: {}", row["real"][0]["why"]);
    }
    assert!(row["apart"].as_f64().is_some_and(|apart| apart < 0.01) && row["holds"] == true, "{row}");
    let trips = answer["round_trips"].as_array().expect("round trips");
    for trip in trips {
        assert!(trip["p50_ns"].as_u64() >= trip["links_ns"].as_u64(), "sooner than light: {trip}");
    }
    assert_eq!(come_and_go["changes"].as_array().map(Vec::len), Some(6), "{come_and_go}");
    if come_and_go["real"][0]["verdict"] == "undisturbed" {
        assert_eq!(come_and_go["holds"], true, "{come_and_go}");
    }
    // What is there is not run again.
    let again = bench_in(&folder, &[&["real"], &parts[..4], &few].concat()).ends_with(0);
    assert!(again.stderr.contains("0 runs made"), "{again}");
    let kept = std::fs::read_dir(folder.join("real")).expect("the folder").count();
    assert_eq!(kept, 1, "only the runs are kept");
}

#[test]
fn disturbed_runs_stay_near_or_say_that_they_are_invalid() {
    if !possible() {
        return;
    }
    let folder = folder("real-disturbed");
    let answer = bench_in(&folder, &["real", "--quick", "--part", "disturbed", "--json"]).ends_with(0).json();
    assert_eq!(rows(&answer).len(), 2);
    for row in rows(&answer) {
        assert_ne!(row["holds"], false, "{row}");
        let verdicts = row["real"].as_array().expect("runs").iter().map(|run| run["verdict"].as_str());
        if row["case"] == "three stops of 0.3 s" {
            assert!(verdicts.clone().all(|verdict| verdict != Some("undisturbed")), "a stop is noticed: {row}");
        }
    }
}
