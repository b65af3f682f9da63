//! `fairwire run`.

use crate::common::{SMALL, Said, all_shipped, fairwire, fairwire_in, folder, has_keys, names_in, put};
use serde_json::Value;
use std::fs;

/// The answer without what may differ from call to call.
fn timeless(said: &Said) -> Value {
    let mut answer = said.json();
    for run in answer["runs"].as_array_mut().expect("runs") {
        run["wall_s"] = Value::Null;
    }
    answer
}

#[test]
fn the_answer_has_the_keys_that_programs_rely_on() {
    let folder = folder("run-keys");
    let text = format!("{SMALL}\n[expect]\njain = {{ min = 0.5 }}\n");
    let file = put(&folder, "small.toml", &text);
    let answer = fairwire(&["run", &file, "--json", "--no-folder"]).ends_with(0).json();
    has_keys(&answer, &["scenario", "runs", "expect", "violations"]);
    let run = &answer["runs"][0];
    has_keys(
        run,
        &["law", "seed", "run", "flows", "time_to_fair", "oscillation", "jain", "utilisation", "packet_hops", "wall_s"],
    );
    has_keys(
        &run["flows"][0],
        &["id", "rate_bps", "fair_rate_bps", "ratio", "loss", "delay_p50_ns", "delay_p95_ns", "delay_p99_ns"],
    );
    has_keys(&run["time_to_fair"][0], &["within", "window_ns", "ns"]);
    has_keys(&answer["expect"][0], &["key", "expected", "measured", "ok"]);
    assert_eq!(answer["scenario"], "Two senders, one exit");
    assert_eq!((&answer["expect"][0]["key"], &answer["expect"][0]["ok"]), (&Value::from("jain"), &Value::from(true)));
    assert!(names_in(&folder) == ["small.toml"], "no folder was asked for");
}

#[test]
fn tables_are_the_same_every_time() {
    let folder = folder("run-table");
    let file = put(&folder, "small.toml", SMALL);
    let (one, two) = (fairwire(&["run", &file, "--no-folder"]), fairwire(&["run", &file, "--no-folder"]));
    assert_eq!(one.stdout, two.stdout);
    insta::assert_snapshot!(one);
}

#[test]
fn neither_engine_nor_threads_change_the_answer() {
    let folder = folder("run-determinism");
    let file = put(&folder, "small.toml", SMALL);
    let args = ["run", &file, "--json", "--no-folder", "--replications", "5"];
    let answer = |more: &[&str], threads: &str| {
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        let output =
            crate::common::command(&folder, &args).env("RAYON_NUM_THREADS", threads).output().expect("it runs");
        timeless(&Said {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into(),
            stderr: String::new(),
        })
    };
    let first = answer(&[], "1");
    assert_eq!(first, answer(&[], "4"));
    assert_eq!(first, answer(&["--engine", "windows"], "2"));
    assert_eq!(first, answer(&["--engine", "events"], "2"));
    let runs: Vec<u64> = first["runs"].as_array().expect("runs").iter().filter_map(|run| run["run"].as_u64()).collect();
    assert_eq!(runs, [0, 1, 2, 3, 4], "runs come in their order");
}

#[test]
fn a_replication_alone_is_the_one_of_the_series() {
    let folder = folder("run-one");
    let file = put(&folder, "small.toml", SMALL);
    let all = timeless(&fairwire(&["run", &file, "--json", "--no-folder", "--replications", "3"]));
    let third = timeless(&fairwire(&["run", &file, "--json", "--no-folder", "--run", "2"]));
    assert_eq!(all["runs"][2], third["runs"][0]);
    assert_ne!(all["runs"][0]["flows"], all["runs"][2]["flows"], "replications are independent");
    let other = timeless(&fairwire(&["run", &file, "--json", "--no-folder", "--seed", "9", "--run", "2"]));
    assert_ne!(third["runs"][0]["flows"], other["runs"][0]["flows"], "so are seeds");
}

#[test]
fn settings_of_the_file_can_be_overruled() {
    let folder = folder("run-settings");
    let file = put(&folder, "small.toml", SMALL);
    let answer = fairwire(&[
        "run",
        &file,
        "--json",
        "--no-folder",
        "--law",
        "fifo",
        "--seed",
        "3",
        "--duration",
        "80 ms",
        "--criterion",
        "max-min",
    ]);
    let answer = answer.ends_with(0).json();
    assert_eq!((&answer["runs"][0]["law"], &answer["runs"][0]["seed"]), (&Value::from("fifo"), &Value::from(3)));
    assert_eq!(answer["criterion"], "max-min");
    let hops = |answer: &Value| answer["runs"][0]["packet_hops"].as_u64().expect("a count");
    let short = fairwire(&["run", &file, "--json", "--no-folder", "--law", "fifo"]).json();
    assert!(hops(&answer) > hops(&short), "a longer run sends more");
}

#[test]
fn a_broken_promise_ends_with_1_and_says_which() {
    let folder = folder("run-promise");
    let text = format!(
        "{SMALL}\n[expect]\n\"flow.to-last-*.rate.mean\" = {{ value = \"70 Mb/s\", within = \"1 %\" }}\n\
         \"flow.to-last-0.fair-rate\" = {{ value = \"50 Mb/s\", within = \"1 %\" }}\n\
         \"time-to-fair.3%\" = {{ max = \"50 ms\" }}\n"
    );
    let file = put(&folder, "broken.toml", &text);
    let said = fairwire(&["run", &file, "--no-folder"]).ends_with(1);
    insta::assert_snapshot!(said);
    let answer = fairwire(&["run", &file, "--no-folder", "--json"]).ends_with(1).json();
    let ok: Vec<bool> =
        answer["expect"].as_array().expect("promises").iter().filter_map(|row| row["ok"].as_bool()).collect();
    assert_eq!(ok[..2], [false, true]);
    assert!(answer["expect"][0]["measured"].as_f64().is_some_and(|rate| (45e6..55e6).contains(&rate)));
}

#[test]
fn every_run_has_to_keep_a_promise() {
    let folder = folder("run-worst");
    let file = put(&folder, "small.toml", SMALL);
    let answer = fairwire(&["run", &file, "--json", "--no-folder", "--replications", "4"]).json();
    let delay = |run: usize| answer["runs"][run]["flows"][0]["delay_mean_ns"].as_f64().expect("a delay");
    let mut delays: Vec<f64> = (0..4).map(delay).collect();
    delays.sort_by(f64::total_cmp);
    // A limit that all runs keep but the slowest one.
    let limit = ((delays[2] + delays[3]) / 2.0).round();
    let text = format!("{SMALL}\n[expect]\n\"flow.to-last-0.delay.mean\" = {{ max = \"{limit} ns\" }}\n");
    let file = put(&folder, "promise.toml", &text);
    let answer = fairwire(&["run", &file, "--json", "--no-folder", "--replications", "4"]).ends_with(1).json();
    assert_eq!(answer["expect"][0]["measured"].as_f64(), Some(delays[3]));
}

#[test]
fn no_shipped_scenario_breaks_an_invariant_and_all_keep_their_promises() {
    for file in all_shipped() {
        let said = fairwire(&["run", &file, "--json", "--no-folder", "--check"]);
        if said.code == Some(2) {
            assert!(said.stderr.contains("[network]"), "{file}: {said}");
            continue;
        }
        let answer = said.ends_with(0).json();
        assert_eq!(answer["violations"], Value::Array(Vec::new()), "{file}");
    }
}

/// Of what nobody asks for, and of what a run is too short to tell, no page says "never".
#[test]
fn pages_do_not_deny_what_nobody_can_tell() {
    let folder = folder("run-idle-page");
    let network = "schema = 1\n[run]\nduration = \"2 s\"\n[network]\nnodes = [\"a\", \"b\"]\n[[network.link]]\n\
                   from = \"a\"\nto = \"b\"\ncapacity = \"10 Mb/s\"\n";
    let flow = |name: &str, more: &str| format!("[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\n{more}\n");
    let silent = flow("silent", "demand = \"0 b/s\"");
    put(&folder, "silent.toml", &format!("{network}{silent}"));
    let [late, short] = [("late", "start = \"1.9 s\""), ("short", "stop = \"0.1 s\"")]
        .map(|(name, when)| flow(name, &format!("demand = \"2 Mb/s\"\n{when}")));
    put(&folder, "short.toml", &format!("{network}{silent}{late}{short}"));
    for (name, verdict) in [("silent", "No flow has a fair rate"), ("short", "No flow sends all the time")] {
        let said = fairwire_in(&folder, &["compare", &format!("{name}.toml"), "--out", name]).ends_with(0);
        assert!(!said.stdout.contains("never"), "{said}");
        let page = fs::read_to_string(folder.join(name).join("report.html")).expect("a report");
        assert!(page.contains(verdict), "{name}");
        for wrong in ["never", "NaN", "until 0"] {
            assert!(!page.contains(&format!(">{wrong}")) && !page.contains(&format!(", {wrong}")), "{name}: {wrong}");
        }
    }
}

#[test]
fn links_that_are_not_listed_are_counted() {
    let folder = folder("run-idle-links");
    put(
        &folder,
        "row.toml",
        r#"
schema = 1
[run]
duration = "100 ms"
[network]
nodes = ["a", "b", "c"]
link = [
    { name = "busy", from = "a", to = "b", capacity = "1 Mb/s", delay = "1 ms", duplex = true },
    { name = "half-idle", from = "b", to = "c", capacity = "10 Mb/s", delay = "1 ms" },
]
[[flow]]
name = "one"
from = "a"
to = "c"
"#,
    );
    let said = fairwire_in(&folder, &["run", "row.toml", "--no-folder"]).ends_with(0);
    // One of them carries a little, the way back nothing.
    assert!(said.stdout.contains("\n2 more links are used less.\n"), "{said}");
}

#[test]
fn a_scenario_can_come_from_stdin() {
    let folder = folder("run-stdin");
    let file = put(&folder, "small.toml", SMALL);
    let mut command = crate::common::command(&folder, &["run", "-", "--json", "--no-folder"]);
    command.stdin(fs::File::open(file).expect("the file is there"));
    let output = command.output().expect("it runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &answer["file"]), (Some(0), &Value::from("<stdin>")));
}

#[test]
fn a_checked_file_has_one_answer() {
    let folder = folder("check-json");
    let file = put(&folder, "bad.toml", "schema = 1\n");
    let answer = fairwire(&["scenario", "check", &file, "--json"]).ends_with(2).json();
    assert_eq!(answer["files"][0]["ok"], Value::from(false));
}

#[test]
fn quiet_leaves_the_answer_alone() {
    let folder = folder("run-quiet");
    let file = put(&folder, "small.toml", SMALL);
    let quiet = fairwire(&["--quiet", "run", &file, "--no-folder"]).ends_with(0);
    assert_eq!((quiet.stderr.as_str(), quiet.stdout), ("", fairwire(&["run", &file, "--no-folder"]).stdout));
}
