//! When the scenario's datagrams come to their stations.

use crate::common::desk::{Desk, possible};
use serde_json::Value;

/// A law whose cycles depend on every pause of what is sent: packets that came when senders were woken gave `up` rates up to
/// 2 % of the link away.
const TWO: &str = r#"
schema = 1
title = "A small sender downstream of a large one"
run = { duration = "1.5 s", warmup = "0.5 s" }

[ring]
stations = 8
capacity = "100 Mb/s"
span-delay = "0.5 ms"
law = { name = "rpr-conservative-enhanced" }
transit = { buffer = "200 kB" }

[[flow]]
name = "up"
from = 1
to = 3
start-jitter = "10 ms"
traffic = { kind = "cbr", rate = "100 Mb/s", packet = "1 kB", size-jitter = "5 %" }

[[flow]]
name = "down"
from = 2
to = 3
start-jitter = "10 ms"
traffic = { kind = "cbr", rate = "803859 b/s", packet = "1 kB", size-jitter = "5 %" }
"#;

#[test]
fn datagrams_come_when_they_are_due_and_not_when_senders_are_woken() {
    if !possible() {
        return;
    }
    let desk = Desk::new("due", TWO);
    let rate = |run: &Value| run["flows"][0]["rate_bps"].as_f64().unwrap();
    for run in ["0", "1", "2"] {
        let answer = desk.json(&["run", "file.toml", "--real", "--json", "--no-folder", "--run", run]);
        let (real, simulated) = (rate(&answer["runs"][0]), rate(&answer["simulated"][0]));
        if answer["real"][0]["fidelity"]["not_sent"] != 0 {
            println!("the machine is too busy: {}", answer["real"][0]["fidelity"]["why"]);
        } else {
            assert!((real - simulated).abs() < 0.3e6, "{real} and {simulated}: {}", answer["real"][0]["fidelity"]);
        }
    }
}
