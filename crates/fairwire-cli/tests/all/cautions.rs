//! What `run` and `sweep` say of numbers that are not to be trusted as they stand.

use crate::common::{SMALL, STEADY, fairwire, fairwire_in, folder, put};

#[test]
fn a_run_that_is_too_short_for_its_ways_says_so() {
    let folder = folder("run-too-short");
    put(&folder, "far.toml", &SMALL.replace("warmup = \"10 ms\"", ""));
    let args = ["run", "far.toml", "--no-folder", "--duration", "2 us"];
    let said = fairwire_in(&folder, &args);
    assert!(said.stderr.contains("no packet arrived in 2 us"), "{said}");
    assert!(said.stdout.contains("Jain's index of the ratios") && !said.stdout.contains("NaN"), "{said}");
    let answer = fairwire_in(&folder, &[&args[..], &["--json"]].concat()).json();
    assert!(answer["runs"][0]["utilisation"].as_f64().is_some_and(|used| used <= 1.0));
}

#[test]
fn where_nobody_asks_for_anything_nothing_is_unfair_or_missing() {
    let folder = folder("run-nothing-asked");
    let silent = format!("{STEADY}demand = \"0 b/s\"\n[expect]\nfair = {{ criterion = \"rias\", within = \"2 %\" }}\n");
    put(&folder, "idle.toml", &silent);
    let said = fairwire_in(&folder, &["run", "idle.toml", "--no-folder"]).ends_with(0);
    assert!(!said.stderr.contains("no packet arrived"), "{said}");
    let fair = said.stdout.lines().find(|line| line.starts_with("fair within 5 %")).expect("a time to fair");
    assert!(fair.ends_with('–') && said.stdout.contains("kept"), "{said}");
}

#[test]
fn runs_that_do_not_differ_are_told() {
    let folder = folder("sweep-alike");
    put(&folder, "steady.toml", STEADY);
    put(&folder, "jitter.toml", &format!("{STEADY}traffic = {{ kind = \"greedy\", size-jitter = \"10 %\" }}\n"));
    for (verb, whose) in [("run", "under dvsr"), ("sweep", "of each point")] {
        let said = |file: &str, replications: &str| {
            let out = format!("{verb}-{file}-{replications}");
            let set = format!("run.replications={replications}");
            fairwire_in(&folder, &[verb, file, "--set", &set, "--out", &out]).ends_with(0).stderr
        };
        let alike = said("steady.toml", "3");
        assert!(
            alike.contains(&format!("the runs {whose} do not differ: nothing in the scenario is random")),
            "{alike}"
        );
        assert!(!said("steady.toml", "1").contains("do not differ"), "one run has nothing to differ from");
        assert!(!said("jitter.toml", "3").contains("do not differ"));
    }
}

/// Equal packets at even intervals find a full queue in the same order for ever.
#[test]
fn packets_that_meet_in_step_are_told() {
    let folder = folder("run-in-step");
    let ring = |traffic: &str| {
        format!(
            "schema = 1\n[run]\nduration = \"20 ms\"\nwarmup = \"5 ms\"\n[ring]\nstations = 5\ncapacity = \"1 Gb/s\"\n\
             span-delay = \"0.1 ms\"\nlaw = {{ name = \"fifo\" }}\n[[flow]]\nname = \"f\"\nfrom = [0, 1, 2, 3]\nto = 4\n\
             traffic = {{ {traffic} }}\n"
        )
    };
    for (traffic, in_step) in [
        ("kind = \"greedy\"", true),
        ("kind = \"cbr\", rate = \"1 Gb/s\"", true),
        ("kind = \"greedy\", size-jitter = \"5 %\"", false),
        ("kind = \"cbr\", rate = \"1 Gb/s\", interval-jitter = \"50 %\"", false),
    ] {
        let file = put(&folder, "ring.toml", &ring(traffic));
        let said = fairwire(&["run", &file, "--no-folder"]).ends_with(0);
        assert_eq!(said.stderr.contains("were dropped, and all sources send packets of one size"), in_step, "{said}");
    }
}

#[test]
fn where_events_change_what_is_fair_ratios_say_little() {
    let folder = folder("run-eventful");
    let event = |at: &str| format!("[[event]]\nat = \"{at}\"\nkind = \"capacity\"\ncapacity = \"50 Mb/s\"\n");
    let said = |events: &str| {
        put(&folder, "steady.toml", &format!("{STEADY}{events}"));
        fairwire_in(&folder, &["run", "steady.toml", "--no-folder"]).ends_with(0)
    };
    let none = said("");
    assert!(!none.stderr.contains("ratios say little") && none.stdout.contains("fair within 5 % for good"), "{none}");
    let one = said(&event("1 ms"));
    assert!(one.stdout.contains("fair within 5 % of the first rates for good"), "{one}");
    let one = one.stderr;
    assert!(one.contains("1 event changes what is fair; fair rates are those of the start"), "{one}");
    let two = said(&(event("1 ms") + &event("2 ms").replace("50 Mb/s", "60 Mb/s"))).stderr;
    assert!(two.contains("2 events change what is fair"), "{two}");
}
