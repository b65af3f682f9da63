//! What people stumble over in a tool, and what this one answers then.

use crate::common::{SMALL, command, fairwire, fairwire_in, folder, names_in, put};
use serde_json::Value;
use std::time::{Duration, Instant};

#[test]
fn a_misspelt_verb_option_or_kind_gets_a_proposal() {
    for (call, meant) in [
        (&["alocate", "x.toml"][..], "'allocate'"),
        (&["reprodce"], "'reproduce'"),
        (&["run", "x.toml", "--sed", "1"], "'--seed'"),
        (&["scenario", "new", "dumbell"], "'dumbbell'"),
        (&["export", "libreqs", "x.toml"], "'libreqos'"),
    ] {
        let said = fairwire(call).ends_with(2);
        assert!(said.stderr.contains("similar") && said.stderr.contains(meant), "{call:?}: {said}");
    }
}

/// The three works of fairwire by their own names, and the other spelling.
#[test]
fn verbs_have_the_names_of_what_they_do() {
    let folder = folder("manners-names");
    let file = put(&folder, "small.toml", SMALL);
    let said = |verb: &str, extra: &[&str]| fairwire(&[&[verb, &file, "--json"], extra].concat()).ends_with(0).json();
    assert_eq!(said("compute", &[]), said("allocate", &[]));
    let rates = |verb: &str| said(verb, &["--no-folder"])["runs"][0]["flows"].clone();
    assert!(rates("run").is_array() && rates("simulate") == rates("run"));
    let help = |verb: &str| fairwire(&[verb, "--help"]).ends_with(0).stdout;
    assert_eq!(help("analyze"), help("analyse"));
}

/// The run would take hours; where its folder cannot be written nobody waits for it.
#[test]
fn where_results_go_is_looked_at_before_the_run() {
    let folder = folder("manners-out");
    put(&folder, "small.toml", SMALL);
    std::fs::create_dir(folder.join("mine")).expect("a folder");
    put(&folder.join("mine"), "thesis.txt", "years of work");
    let started = Instant::now();
    for out in ["small.toml/results", "mine"] {
        let long = ["run", "small.toml", "--duration", "1000000 s", "--out", out];
        let said = fairwire_in(&folder, &long).ends_with(2);
        assert_eq!(said.stdout, "", "{said}");
        assert!(said.stderr.contains("--out DIR"), "{said}");
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(names_in(&folder.join("mine")), ["thesis.txt"]);
}

/// A time that leaves no second window says nothing of what stays, and does not look as if it did.
#[test]
fn what_holds_only_in_the_last_window_is_no_time() {
    let folder = folder("manners-last-window");
    let file = put(&folder, "small.toml", SMALL);
    let call = ["compare", &file, "--no-folder", "--law", "fifo", "--law", "dvsr"];
    let answer = fairwire(&[&call[..], &["--json"]].concat()).ends_with(0).json();
    let duration_ns = 50_000_000;
    let mut vacuous = 0;
    for run in answer["runs"].as_array().expect("runs") {
        let event_ns = run["event_ns"].as_u64().expect("a time");
        let times = run["time_to_fair"].as_array().expect("times").iter().chain([&run["settling"]]);
        for time in times {
            let until = time["ns"].as_u64().map(|ns| event_ns + ns + time["window_ns"].as_u64().expect("a window"));
            let is_last = until.is_some_and(|until| until > duration_ns);
            assert_eq!(time["only_in_last_window"], Value::from(is_last), "{time}");
            vacuous += usize::from(is_last);
        }
    }
    assert!(vacuous > 0, "this test would tell nothing");
    let shown = fairwire(&call).ends_with(0).stdout;
    assert_eq!(shown.matches("only in the last window").count(), vacuous, "{shown}");
}

/// Words of ns-2, tc and iperf get ours.
#[test]
fn words_of_other_tools_get_ours() {
    let folder = folder("manners-words");
    let text = r#"schema = 1
title = "Words of others"
[network]
nodes = ["a", "b"]
buffer = "10 packets"
[[network.link]]
from = "a"
to = "b"
capacity = "10 Mb/s"
delay = "1 ms"
[[flow]]
name = "stream"
from = "a"
to = "b"
count = 3
traffic = { kind = "udp", rate = "1 Mb/s" }
"#;
    let file = put(&folder, "others.toml", text);
    let said = fairwire(&["scenario", "check", &file]).ends_with(2);
    for (theirs, ours) in
        [("`buffer`", "write `limit`"), ("`count`", "write `micro-flows`"), ("\"udp\"", "write \"cbr\"")]
    {
        assert!(said.stderr.contains(theirs) && said.stderr.contains(ours), "{theirs}: {said}");
    }
}

#[test]
fn a_weight_that_does_nothing_on_a_ring_is_told() {
    let folder = folder("manners-weight");
    let weighed = SMALL.replace("to = 2\n", "to = 2\nweight = 2\n");
    let said = fairwire(&["allocate", &put(&folder, "weighed.toml", &weighed)]).ends_with(0);
    assert!(said.stderr.contains("changes nothing for a ring's laws and under RIAS"), "{said}");
    assert!(said.stderr.contains("weights = {"), "and what to write: {said}");
}

/// A greedy flow alone has more to send: the law leaves capacity unused.
#[test]
fn a_law_that_leaves_capacity_is_named_and_not_the_application() {
    let folder = folder("manners-law");
    let alone =
        SMALL.split("[[flow]]").next().expect("a ring").to_owned() + "[[flow]]\nname = \"alone\"\nfrom = 0\nto = 1\n";
    let file = put(&folder, "alone.toml", &alone);
    let held = |asked: &[&str]| {
        let call = ["run", &file, "--json", "--no-folder", "--duration", "1 s"];
        let answer = fairwire(&[&call[..], asked].concat()).ends_with(0).json();
        answer["runs"][0]["flows"][0]["limited_by"].clone()
    };
    // With steps of 1/64 this law uses 80 % of a link.
    let coarse = ["--set", "ring.law={ name = \"rpr-conservative\", fair-rate-ramp-coef = 64 }"];
    assert_eq!(held(&coarse), "law");
    assert_eq!(held(&["--law", "dvsr"]), "link");
    assert_eq!(held(&["--law", "dvsr", "--set", "flow.alone.demand=5 Mb/s"]), "application");
    let report = ["run", &file, "--duration", "1 s", "--out", "held"];
    fairwire_in(&folder, &[&report[..], &coarse].concat()).ends_with(0);
    let page = std::fs::read_to_string(folder.join("held/report.html")).expect("a report");
    assert!(page.contains("alone is held back by the law"), "the verdict says so");
}

#[test]
fn there_is_a_manual_page_for_each_verb() {
    let folder = folder("manners-man");
    fairwire_in(&folder, &["man", "pages"]).ends_with(0);
    let pages = names_in(&folder.join("pages"));
    for verb in ["allocate", "run", "compare", "sweep", "reproduce", "import-csv", "export"] {
        assert!(pages.contains(&format!("fairwire-{verb}.1")), "{verb}: {pages:?}");
    }
}

/// It stands in no line of the file: none is shown.
#[test]
fn a_mistake_in_a_setting_is_not_looked_for_in_the_file() {
    let folder = folder("manners-set");
    let file = put(&folder, "small.toml", SMALL);
    for verb in ["run", "allocate", "analyse"] {
        let said = fairwire(&[verb, &file, "--set", "ring.capacity=1000"]).ends_with(2);
        assert!(
            said.stderr.contains("--set ring.capacity=1000: `capacity` of [ring] is a bit rate and has no unit"),
            "{said}"
        );
        assert!(!said.stderr.contains("schema = 1"), "{said}");
    }
    let said = fairwire(&["run", &file, "--set", "flow.nope.weight=2"]).ends_with(2);
    assert!(said.stderr.contains("--set flow.nope.weight=2: `flow.nope.weight`: there is no flow \"nope\""), "{said}");
    for (set, wrong) in [
        ("flow.*.from=[1, 77]", "speaks of station 77"),
        ("flow.*.traffic={ kind = \"cbr\", rate = \"5\" }", "`5` has no unit"),
        ("sweep.ring.capacity=[\"1 Mb/s\", \"x\"]", "`x` does not start with a number"),
        ("ring.law={ name = \"dvsr\", nope = 1 }", "no key `nope`"),
    ] {
        let sets = ["--set", "run.seed=1", "--set", set, "--set", "run.seed=2"];
        let said = fairwire(&[&["run", file.as_str(), "--no-folder"], &sets[..]].concat()).ends_with(2);
        assert!(said.stderr.contains(wrong) && !said.stderr.contains("small.toml"), "{said}");
        let named = said.stderr.contains(&format!("--set {set}: "));
        assert!(named || set.starts_with("sweep"), "points of a sweep are not looked at one by one: {said}");
    }
    let doubled = fairwire(&["allocate", &file, "--set", "ring.capacity=200 Mb/s", "--json"]).ends_with(0).json();
    assert_eq!(doubled["flows"][0]["rate_bps"], Value::from(100e6));
}

/// Whoever keeps help in a file is told that the file did not hold it.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has one");
        let mut call = command(&folder("help-full"), arguments);
        let ended = call.stdout(full).output().expect("it runs");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{arguments:?}: {told}");
        assert!(told.contains("cannot write to standard output"), "{arguments:?}: {told}");
    }
}
