//! What `run` says of what it refuses.

use crate::common::{SMALL, fairwire, fairwire_in, folder, has_keys, names_in, put};
use serde_json::Value;

#[test]
fn bad_input_is_told_with_its_mend_and_ends_with_2() {
    let folder = folder("run-bad");
    let file = put(&folder, "small.toml", SMALL);
    put(&folder, "bad.toml", &SMALL.replace("\"100 Mb/s\"\nspan", "100\nspan").replace("stations", "statoins"));
    insta::assert_snapshot!(fairwire_in(&folder, &["run", "bad.toml", "--no-folder"]).ends_with(2));
    let said = fairwire_in(&folder, &["run", "small.toml", "--no-folder", "--law", "dsvr"]).ends_with(2);
    assert!(
        said.stderr.contains("there is no ring law `dsvr`") && said.stderr.contains("did you mean `dvsr`? use one of"),
        "{said}"
    );
    // A name is never broken at a hyphen: it could not be copied.
    assert!(!said.stderr.contains("-\n"), "{said}");
    let said = fairwire_in(&folder, &["run", "small.toml", "--no-folder", "--seed", "-1"]).ends_with(2);
    assert!(said.stderr.contains("invalid value '-1' for '--seed <N>'"), "{said}");
    for wrong in [
        &["--duration", "2"][..],
        &["--duration", "5 ms"],
        &["--replications", "0"],
        &["--seed", "-1"],
        &["--run", "1", "--replications", "2"],
        &["--out", "x", "--no-folder"],
        &["--engine", "warp"],
        &["--format", "xml"],
    ] {
        let args: Vec<&str> = ["run", file.as_str()].iter().chain(wrong).copied().collect();
        let said = fairwire_in(&folder, &args).ends_with(2);
        assert!(said.stdout.is_empty() && !said.stderr.is_empty(), "{said}");
    }
    assert_eq!(names_in(&folder), ["bad.toml", "small.toml"], "nothing is left behind");
}

/// The time that is asked for is that of the run, whatever else is set: none of both is held against the file's.
#[test]
fn settings_are_held_against_the_time_that_is_asked_for() {
    let folder = folder("run-time");
    put(&folder, "small.toml", SMALL);
    let run = |set: &str, duration: &str| {
        fairwire_in(&folder, &["run", "small.toml", "--no-folder", "--json", "--duration", duration, "--set", set])
    };
    run("run.warmup=60 ms", "80 ms").ends_with(0);
    let said = run("run.warmup=90 ms", "80 ms").ends_with(2);
    assert!(said.stdout.contains("of 90 ms") && said.stdout.contains("80 ms"), "{said}");
    // The window of the file is cut to the time, as without settings.
    run("run.window=40 ms", "20 ms").ends_with(0);
}

#[test]
fn errors_are_an_answer_for_programs_too() {
    let folder = folder("run-json-errors");
    let file = put(&folder, "bad.toml", "schema = 1\ntitle = \"Nothing to run on\"\n");
    let said = fairwire(&["run", &file, "--json", "--no-folder"]).ends_with(2);
    let errors = said.json()["errors"].clone();
    has_keys(&errors[0], &["file", "line", "column", "message", "help"]);
    assert_eq!(errors[0]["file"], Value::from(file.as_str()));
    assert!(said.stderr.contains(errors[0]["message"].as_str().expect("text")), "people read the same: {said}");

    let nowhere = fairwire(&["run", "there-is-no-such.toml", "--json"]).ends_with(2).json();
    assert_eq!((&nowhere["errors"][0]["file"], nowhere["errors"].as_array().map(Vec::len)), (&Value::Null, Some(1)));
}

/// Also where the command itself cannot be understood, or a folder cannot be replayed.
#[test]
fn every_way_to_go_wrong_is_an_answer_for_programs() {
    let folder = folder("run-json-arguments");
    for (call, words) in [
        (&["run", "x.toml", "--json", "--sed", "1"][..], "'--sed'"),
        (&["compare", "x.toml", "--json", "--format", "xls"], "'xls'"),
        (&["replay", "nowhere", "--json"], "nowhere"),
        (&["analyse", "nowhere.toml", "--json"], "nowhere.toml"),
    ] {
        let said = fairwire_in(&folder, call).ends_with(2);
        let errors = said.json()["errors"].clone();
        has_keys(&errors[0], &["file", "line", "column", "message", "help"]);
        assert!(errors[0]["message"].as_str().is_some_and(|message| message.contains(words)), "{call:?}: {said}");
        assert!(said.stderr.contains(words), "people read the same: {said}");
    }
    let help = fairwire_in(&folder, &["run", "--json", "--help"]).ends_with(0);
    assert!(help.stdout.starts_with("Simulate"), "{help}");
}

#[cfg(unix)]
#[test]
fn a_file_without_end_is_refused() {
    let said = fairwire(&["allocate", "/dev/zero"]).ends_with(2);
    assert!(said.stderr.contains("more than 64 MiB"), "{said}");
    let folder = folder("run-without-end");
    let file = put(&folder, "small.toml", SMALL);
    let said = fairwire_in(&folder, &["sweep", &file, "--points", "/dev/zero"]).ends_with(2);
    assert!(said.stderr.contains("256 MiB or more"), "{said}");
    let said = fairwire(&["allocate", &file, "--html", "/dev/zero"]).ends_with(2);
    assert!(said.stderr.contains("is no page"), "{said}");
}

/// One range for options, files and Python.
#[test]
fn a_seed_goes_as_far_as_a_file_can_write_it() {
    let folder = folder("run-seeds");
    let file = put(&folder, "small.toml", SMALL);
    fairwire(&["run", &file, "--no-folder", "--seed", "9223372036854775807"]).ends_with(0);
    for seed in ["9223372036854775808", "99999999999999999999", "-1"] {
        let said = fairwire(&["run", &file, "--no-folder", "--seed", seed]).ends_with(2);
        assert!(said.stderr.contains("from 0 to 2^63 - 1"), "{said}");
    }
    let said = fairwire(&["run", &file, "--no-folder", "--set", "run.seed=-1"]).ends_with(2);
    assert!(said.stderr.contains("goes from 0 to 2^63 - 1"), "{said}");
}
