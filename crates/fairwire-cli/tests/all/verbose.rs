//! `--verbose`: what is being done, on stderr.

use crate::common::{SMALL, fairwire, fairwire_in, folder, put};

#[test]
fn what_is_done_is_told_and_the_answer_stays() {
    let folder = folder("verbose");
    let file = put(&folder, "small.toml", SMALL);
    let plain = fairwire(&["run", &file, "--no-folder"]).ends_with(0);
    let told = fairwire_in(&folder, &["run", &file, "-v", "--seed", "7", "--replications", "2", "--engine", "events"]);
    let told = told.ends_with(0);
    for words in [
        &format!("read {file}: {} bytes", SMALL.len()),
        "is a ring with 2 flows",
        "results will go to a folder of their own in runs",
        "fair rates under rias in ",
        "law dvsr, seed 7, runs 0 to 1; engine events, on ",
        "law dvsr: ",
        "dvsr, seed 7, run 0: ",
        "dvsr, seed 7, run 1: ",
        "wrote runs/small-dvsr-",
    ] {
        assert!(told.stderr.contains(words), "{words}: {told}");
        assert!(!plain.stderr.contains(words), "{words}: {plain}");
    }
    let again = fairwire(&["run", &file, "--no-folder", "--verbose"]).ends_with(0);
    assert_eq!(again.stdout, plain.stdout);
    assert!(fairwire(&["run", &file, "-q", "-v"]).ends_with(2).stderr.contains("cannot be used with"));
}

/// The way that is taken, where the file leaves it open; and laws with what is set in them and what is not.
#[test]
fn what_is_left_open_is_told_as_it_was_resolved() {
    let folder = folder("verbose-resolved");
    let told = |name: &str, text: &str, rest: &[&str]| {
        let file = put(&folder, name, text);
        fairwire(&[&["compare", &file, "--no-folder", "-v"], rest].concat()).ends_with(0).stderr
    };
    let laws = ["--law", "dvsr", "--law", "rpr-aggressive"];
    let long = told("long.toml", SMALL, &laws);
    let short = told("short.toml", SMALL, &[&laws[..], &["--set", "ring.span-delay=0 s"]].concat());
    assert!(long.contains("engine windows (auto)"), "{long}");
    assert!(short.contains("engine events (auto)"), "{short}");
    for parameter in ["law dvsr: ", "law rpr-aggressive: ", "= \"", "no results are kept"] {
        assert!(long.contains(parameter), "{parameter}: {long}");
    }
}

#[test]
fn other_verbs_tell_their_steps_too() {
    let folder = folder("verbose-others");
    let file = put(&folder, "small.toml", SMALL);
    let asked = fairwire(&["allocate", &file, "-v", "--what-if", "link r0:1 +10%", "--what-if", "link r0:1 -10%"]);
    let asked = asked.ends_with(0);
    for words in
        ["what if link r0:1 +10%, under rias", "what if link r0:1 -10%", "fair rates under rias, solved and checked"]
    {
        assert!(asked.stderr.contains(words), "{words}: {asked}");
    }
    let checked = fairwire(&["reproduce", "dvsr-eq7-loss-definition", "-v"]).ends_with(0);
    assert!(checked.stderr.contains("checked dvsr-eq7-loss-definition after "), "{checked}");
}
