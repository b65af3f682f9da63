//! Cuts and mends under real packets.

#![cfg(target_os = "linux")]

mod common;

use common::answer_keys::{keys, told};
use common::desk::{Desk, possible};
use serde_json::Value;
use std::collections::BTreeSet;

/// A wrapping ring whose span between 1 and 2 is cut and mended: connections and datagrams cross it.
const CUT: &str = r#"
schema = 1
title = "A cut under TCP"
run = { duration = "3 s", warmup = "300 ms" }

[ring]
stations = 5
capacity = "40 Mb/s"
span-delay = "0.3 ms"
law = { name = "dvsr-plus" }
protection = { mode = "MODE", wait-to-restore = "50 ms" }

[[flow]]
name = "files"
from = 0
to = 2
micro-flows = 3
traffic = { kind = "tcp", control = "cubic", segment = "1 kB" }

[[flow]]
name = "stream"
from = 1
to = 3
traffic = { kind = "cbr", rate = "10 Mb/s", packet = "1 kB" }

[[event]]
at = "1 s"
kind = "cut"
between = [1, 2]

[[event]]
at = "2 s"
kind = "restore"
between = [1, 2]
"#;

fn rate(runs: &Value, flow: usize) -> f64 {
    runs[0]["flows"][flow]["rate_bps"].as_f64().unwrap()
}

fn a_cut_under(mode: &str) {
    if !possible() {
        return;
    }
    let desk = Desk::new(mode, &CUT.replace("MODE", mode));
    let answer = desk.json(&["run", "file.toml", "--real", "--json", "--no-folder"]);
    let real = &answer["real"][0];
    let pauses = real["pauses"].as_array().unwrap();
    let of = |event: &str| pauses.iter().filter(|pause| pause["event"] == event).collect::<Vec<_>>();
    let mut found = BTreeSet::new();
    keys(&answer, "", &mut found);
    let of_pauses = |key: &String| key.starts_with("real[].pauses");
    let told: BTreeSet<_> = told("run.md").into_iter().filter(of_pauses).collect();
    assert_eq!(found.into_iter().filter(of_pauses).collect::<BTreeSet<_>>(), told, "docs/reference/run.md");
    for pause in pauses {
        assert_eq!(pause["flow"], "files");
    }
    let verdict = &real["fidelity"]["verdict"];
    if verdict == "invalid" {
        println!("the machine is too busy: {}", real["fidelity"]["why"]);
        return;
    }
    // Every connection is told of, and lives on.
    assert_eq!((of("cut 1-2").len(), of("restore 1-2").len()), (3, 3), "{pauses:?}");
    for pause in of("cut 1-2") {
        assert_eq!(pause["resumed"], true, "{pause}");
        assert!(pause["pause_ns"].as_u64().unwrap() < 900_000_000, "{pause}");
    }
    let (stream, simulated) = (rate(&answer["runs"], 1), rate(&answer["simulated"], 1));
    assert!((stream / simulated - 1.0).abs() < 0.05, "{stream} where {simulated} is simulated");
    // What kernels' timers make of a stalled machine is theirs.
    if verdict == "undisturbed" {
        let (files, simulated) = (rate(&answer["runs"], 0), rate(&answer["simulated"], 0));
        assert!((files / simulated - 1.0).abs() < 0.2, "{files} where {simulated} is simulated");
    }
    let shown = desk.run(&["run", "file.toml", "--real", "--no-simulation", "--no-folder"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("connections stood still") && shown.contains("cut 1-2 at 1 s"), "{shown}");
}

#[test]
fn stations_that_steer() {
    a_cut_under("steer");
}

#[test]
fn stations_that_wrap() {
    a_cut_under("wrap");
}
