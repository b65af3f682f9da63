//! `run` on networks.

use crate::common::{fairwire, folder, has_keys, names_in, put};
use std::fs;

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
