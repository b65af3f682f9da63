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

#[test]
fn a_folder_is_kept_and_named_after_the_question() {
    let folder = folder("run-folder");
    put(&folder, "small.toml", SMALL);
    let answer = fairwire_in(&folder, &["run", "small.toml", "--json"]).ends_with(0).json();
    let kept = folder.join(answer["folder"].as_str().expect("a folder"));
    assert!(answer["folder"].as_str().is_some_and(|name| name.starts_with("runs/small-dvsr-")));
    let names = names_in(&kept);
    for name in ["manifest.json", "report.html", "scenario.toml", "flows.parquet", "links.parquet", "summary.parquet"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing in {names:?}");
    }
    let again = fairwire_in(&folder, &["run", "small.toml", "--json"]).ends_with(0).json();
    assert_eq!(answer["folder"], again["folder"], "the same question has the same place");
    let other = fairwire_in(&folder, &["run", "small.toml", "--json", "--seed", "2"]).ends_with(0).json();
    assert_ne!(answer["folder"], other["folder"], "another question has another one");
    let said = fairwire_in(&folder, &["run", "small.toml"]).ends_with(0);
    assert!(said.stderr.contains("report: runs/small-dvsr-"), "{said}");
    assert_eq!(names_in(&folder.join("runs")).len(), 2, "nothing half-written is left behind");
}

#[test]
fn tables_can_be_csv() {
    let folder = folder("run-csv");
    put(&folder, "small.toml", SMALL);
    fairwire_in(&folder, &["run", "small.toml", "--out", "deep/er", "--format", "csv"]).ends_with(0);
    let table = fs::read_to_string(folder.join("deep/er/summary.csv")).expect("the table is text");
    assert!(table.lines().count() > 1, "{table}");
}

#[test]
fn an_older_result_may_be_replaced_and_nothing_else() {
    let folder = folder("run-replace");
    put(&folder, "small.toml", SMALL);
    fairwire_in(&folder, &["run", "small.toml", "--out", "kept"]).ends_with(0);
    fairwire_in(&folder, &["run", "small.toml", "--out", "kept", "--seed", "2"]).ends_with(0);
    let manifest = fs::read_to_string(folder.join("kept/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["seed"], 2);
    fs::create_dir(folder.join("mine")).expect("a folder");
    put(&folder, "mine/letter.txt", "dear");
    insta::assert_snapshot!(fairwire_in(&folder, &["run", "small.toml", "--out", "mine"]).ends_with(2));
    assert_eq!(names_in(&folder.join("mine")), ["letter.txt"]);
    // Below a file there is no room for anybody, not even for root.
    let said = fairwire_in(&folder, &["run", "small.toml", "--out", "small.toml/results"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("--no-folder"), "{said}");
    assert_eq!(names_in(&folder), ["kept", "mine", "small.toml"]);
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

/// Before anything is simulated: a link is something else than a folder, wherever it leads.
#[cfg(unix)]
#[test]
fn links_in_the_place_of_a_folder_are_found_before_a_run() {
    let folder = folder("run-links");
    put(&folder, "small.toml", SMALL);
    put(&folder, "swept.toml", &format!("{SMALL}\n[sweep]\nring.span-delay = [\"0.1 ms\", \"0.2 ms\"]\n"));
    fs::create_dir(folder.join("there")).expect("a folder");
    for (link, to) in [("nowhere", "gone"), ("somewhere", "there")] {
        std::os::unix::fs::symlink(to, folder.join(link)).expect("a link");
    }
    let before = names_in(&folder);
    for verb in [&["run", "small.toml", "--out"][..], &["compare", "small.toml", "--out"]] {
        for link in ["nowhere", "somewhere"] {
            let said = fairwire_in(&folder, &[verb, &[link]].concat()).ends_with(2);
            assert!(said.stderr.contains(&format!("{link} is a symbolic link")), "{said}");
            assert!(!said.stderr.contains("packet-hops"), "nothing is run: {said}");
        }
    }
    for more in [&[][..], &["--dry-run"]] {
        let said = fairwire_in(&folder, &[&["sweep", "swept.toml", "--out", "nowhere"], more].concat()).ends_with(2);
        assert!(said.stderr.contains("nowhere") && said.stderr.contains("--out DIR"), "{said}");
    }
    fairwire_in(&folder, &["sweep", "swept.toml", "--out", "somewhere", "--dry-run"]).ends_with(0);
    let said = fairwire_in(&folder, &["reproduce", "--html", "nowhere"]).ends_with(2);
    assert!(said.stderr.contains("nowhere is a symbolic link"), "{said}");
    assert_eq!(names_in(&folder), before);
}

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

/// Nine connections against one stream, for four seconds.
const GATEWAY: &str = r#"
schema = 1
title = "One stream against nine connections"

[run]
duration = "4 s"
warmup = "1 s"
replications = 2

[network]
nodes = ["a", "b", "c"]
queue = { name = "vrr" }
link = [
    { from = "a", to = "b", capacity = "100 Mb/s", delay = "4 ms", duplex = true, queue = { name = "droptail" } },
    { name = "bottleneck", from = "b", to = "c", capacity = "10 Mb/s", delay = "5 ms", duplex = true },
]

[[flow]]
name = "ftp"
from = "a"
to = "c"
micro-flows = 9
traffic = { kind = "tcp", profile = "ns-2" }

[[flow]]
name = "stream"
from = "a"
to = "c"
demand = "5 Mb/s"

[[flow]]
name = "fetch"
from = "a"
to = "c"
traffic = { kind = "transfers", mean-interval = "200 ms", size = "10 kB", profile = "ns-2", min-timeout = "1 s" }

[expect]
"flow.stream.ratio" = { max = 2.5 }
utilisation = { min = "90 %" }
"#;

#[test]
fn a_network_answers_in_the_same_shape_and_tells_more() {
    let folder = folder("run-network");
    let file = put(&folder, "gateway.toml", GATEWAY);
    let answer = fairwire(&["run", &file, "--json", "--no-folder", "--check"]).ends_with(0).json();
    let run = &answer["runs"][0];
    has_keys(
        run,
        &["law", "seed", "run", "flows", "time_to_fair", "oscillation", "jain", "utilisation", "packet_hops"],
    );
    assert_eq!((run["law"].as_str(), run["criterion"].as_str()), (Some("vrr"), Some("weighted-max-min")));
    let [ftp, stream, fetch] = &run["flows"].as_array().expect("flows")[..] else { panic!("three flows") };
    has_keys(ftp, &["id", "rate_bps", "fair_rate_bps", "ratio", "loss", "delay_p50_ns", "retransmitted", "timeouts"]);
    // Fetching takes 0.4 Mb/s; the rest is shared in ten parts, one a connection.
    assert!((stream["fair_rate_bps"].as_f64().unwrap() - 0.96e6).abs() < 1e3, "{stream}");
    assert!(ftp["retransmitted"].as_u64() > Some(0) && stream["retransmitted"] == 0);
    has_keys(&fetch["transfers"], &["count", "unfinished", "mean_s", "std_s", "p50_s", "p90_s", "p99_s"]);
    assert!(ftp["transfers"].is_null() && fetch["transfers"]["count"].as_u64() > Some(5));
    let links = run["links"].as_array().expect("links");
    let bottleneck = links.iter().find(|link| link["id"] == "bottleneck").expect("the bottleneck");
    has_keys(
        bottleneck,
        &["utilisation", "mean_queue_packets", "waiting_p50_ns", "waiting_p95_ns", "dropped", "marked"],
    );
    assert_eq!(bottleneck["utilisation"], run["utilisation"]);
    assert_eq!(run["jain_windows"]["indices"].as_array().map(Vec::len), Some(3), "whole seconds after the warm-up");
    let summary = &answer["summary"][0];
    assert_eq!((summary["law"].as_str(), summary["runs"].as_u64()), (Some("vrr"), Some(2)));
    let rate = |run: usize| answer["runs"][run]["flows"][0]["rate_bps"].as_f64().unwrap();
    let told = &summary["flows"][0]["rate_bps"];
    assert_eq!(told["mean"].as_f64(), Some((rate(0) + rate(1)) / 2.0));
    // t(0.975, 1) = 12.706 times half the difference over the root of two, twice.
    let half = 12.706_204_736 * (rate(0) - rate(1)).abs() / 2.0;
    assert!((told["half_width"].as_f64().unwrap() - half).abs() < 1e-6 * half.max(1.0));
}

#[test]
fn a_network_has_its_tables_and_its_report() {
    let folder = folder("run-network-tables");
    let file = put(&folder, "gateway.toml", GATEWAY);
    insta::assert_snapshot!(fairwire(&["run", &file, "--no-folder"]));
    let out = folder.join("results");
    let out_text = out.to_str().expect("a path");
    fairwire(&["compare", &file, "--laws", "red,vrr", "--out", out_text, "--format", "csv"]).ends_with(0);
    let mut names = names_in(&out);
    names.retain(|name| name.ends_with(".csv"));
    let all = ["flows", "laws", "link_summary", "links", "queues", "runs", "summary", "transfers", "windows"];
    assert_eq!(names, all.map(|name| format!("{name}.csv")));
    for name in all {
        let text = fs::read_to_string(out.join(format!("{name}.csv"))).expect("a table");
        assert!(text.lines().count() > 4, "{name} is empty");
        assert!(text.contains("\nred,1,0,") && text.contains("\nvrr,1,1,"), "{name} has both laws and runs");
    }
    let report = fs::read_to_string(out.join("report.html")).expect("a report");
    for section in ["topology", "rates", "throughput", "queues", "windows", "transfers", "control", "numbers", "why"] {
        assert!(report.contains(&format!("<section id=\"{section}\">")), "{section} is missing");
    }
    for word in ["NaN", "inf ", "None", "Some("] {
        assert!(!report.contains(word), "{word} in the report");
    }
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

/// A ring that is cut and mended, with a flow that stays in order and one that does not.
const CUT: &str = r#"schema = 1
title = "A ring is cut and mended"

[run]
duration = "150 ms"

[ring]
stations = 8
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "fifo" }
protection = { mode = "steer", wait-to-restore = "20 ms" }

[[flow]]
name = "relaxed"
from = 1
to = 4
traffic = { kind = "cbr", rate = "200 Mb/s", packet = "1 kB" }

[[flow]]
name = "strict"
from = 0
to = 3
order = "strict"
traffic = { kind = "cbr", rate = "200 Mb/s", packet = "1 kB" }

[[event]]
at = "40 ms"
kind = "cut"
between = [2, 3]

[[event]]
at = "70 ms"
kind = "restore"
between = [2, 3]
"#;

#[test]
fn what_cuts_and_steering_do_to_packets_is_told_everywhere() {
    let folder = folder("run-astray");
    let file = put(&folder, "cut.toml", CUT);
    let run = ["run", &file, "--out", "cut", "--format", "csv"];
    let said = fairwire_in(&folder, &run).ends_with(0);
    let answer = fairwire(&["run", &file, "--no-folder", "--json"]).ends_with(0).json();
    let counts = |flow: &Value| {
        ["entered", "delivered", "dropped", "lost", "discarded", "reordered"].map(|key| flow[key].as_u64().expect(key))
    };
    let flows = answer["runs"][0]["flows"].as_array().expect("flows");
    let [relaxed, strict] = &flows.iter().map(counts).collect::<Vec<_>>()[..] else { panic!("two flows") };
    for [entered, delivered, dropped, lost, discarded, _] in [relaxed, strict] {
        let under_way = entered - (delivered + dropped + lost + discarded);
        assert!(under_way < 50, "{under_way} packets are on three spans of 0.1 ms");
        assert!(*lost > 0);
    }
    let ([.., 0, overtaken], [.., discarded, 0]) = (relaxed, strict) else {
        panic!("{relaxed:?} and {strict:?}: a strict order is kept, and nothing relaxed is discarded for it")
    };
    assert!(*overtaken > 0 && *discarded > 0, "both have their price");

    let lost = relaxed[3] + strict[3];
    for row in [
        format!("packets lost on cut links {lost}"),
        format!("packets delivered after later ones {overtaken}"),
        format!("packets discarded to keep order {discarded}"),
    ] {
        let told = said.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(told.into_iter().any(|line| line == row), "`{row}` is missing in {said}");
    }

    let table = fs::read_to_string(folder.join("cut/summary.csv")).expect("a table of flows");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|column| *column == name).expect(name);
    let of =
        |row: usize| ["lost_packets", "discarded_packets", "reordered_packets"].map(|name| rows[row][column(name)]);
    assert_eq!(of(1), [relaxed[3].to_string(), "0".to_owned(), overtaken.to_string()]);
    assert_eq!(of(2), [strict[3].to_string(), discarded.to_string(), "0".to_owned()]);

    let page = fs::read_to_string(folder.join("cut/report.html")).expect("a report");
    let cells = |counts: [u64; 3]| counts.map(|count| format!(r#"<td class="n">{count}</td>"#)).concat();
    assert!(page.contains(&cells([relaxed[3], *overtaken, 0])) && page.contains(&cells([strict[3], 0, *discarded])));

    let intact = fairwire(&["run", &put(&folder, "intact.toml", SMALL), "--no-folder", "--json"]).json();
    assert!(intact["runs"][0]["flows"][0].get("reordered").is_none(), "nothing overtakes on a ring without protection");
}

/// Why an event has nothing to tell: no flow has a way any more, nothing comes of it, or nobody noticed.
#[test]
fn an_event_without_an_outage_says_why() {
    let folder = folder("run-untold");
    let events = CUT.find("[[event]]").expect("events");
    let down = |station: u8| format!("[[event]]\nat = \"40 ms\"\nkind = \"station-down\"\nstation = {station}\n");
    let lost = [CUT[..events].to_owned(), down(3), down(4)].concat();
    let short = CUT.replace("70 ms", "41 ms");
    let told = |text: &str| text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let says = |lines: &Vec<String>, row: &str| assert!(lines.iter().any(|line| line == row), "`{row}` in {lines:#?}");

    let file = put(&folder, "lost.toml", &lost);
    let lines: Vec<String> = told(&fairwire_in(&folder, &["run", &file, "--out", "lost"]).ends_with(0).stdout);
    says(&lines, "station-down 3 at 40 ms: longest silence no flow has a way left");
    assert!(lines.iter().any(|line| line.starts_with("station-down 3 at 40 ms: fair") && line.ends_with(" –")));
    let page = fs::read_to_string(folder.join("lost/report.html")).expect("a report");
    assert!(page.contains("no flow has a way left"));

    let file = put(&folder, "short.toml", &short);
    let lines: Vec<String> = told(&fairwire(&["run", &file, "--no-folder"]).ends_with(0).stdout);
    says(&lines, "cut 2-3 at 40 ms: topology settled not noticed");
    says(&lines, "restore 2-3 at 41 ms: longest silence no effect in the run");
    let answer = fairwire(&["run", &file, "--no-folder", "--json"]).ends_with(0).json();
    let [cut, mend] = &answer["runs"][0]["protection"].as_array().expect("events")[..] else { panic!("two events") };
    assert_eq!((&cut["noticed"], &cut["steered"]), (&Value::from(false), &Value::from(0)));
    assert_eq!((&cut["settled_ns"], &mend["acts_ns"]), (&Value::from(0), &Value::Null));
    assert!(cut["fair_again"]["ns"].is_u64(), "judged as the intact ring: {cut}");
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

/// A disk that takes no byte, as `ulimit -f 0` makes it.
#[cfg(unix)]
#[test]
fn a_full_disk_does_not_take_the_answer_away() {
    let folder = folder("run-full-disk");
    let file = put(&folder, "small.toml", SMALL);
    let shown = fairwire(&["run", &file, "--no-folder"]).stdout;
    let script = r#"trap '' XFSZ; ulimit -f 0; exec "$0" "$@""#;
    let program = crate::common::command(&folder, &[]);
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(program.get_program())
        .args(["run", &file])
        .current_dir(&folder)
        .output()
        .expect("there is a shell");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-folder"));
    assert!(names_in(&folder.join("runs")).is_empty(), "nothing is left half-written");
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
