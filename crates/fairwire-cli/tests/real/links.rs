//! The check of the links before a run.

use crate::common::desk::{Desk, GATEWAY, LOT, possible};

/// On a busy machine some streams come late.
const TRIES: usize = 6;

/// Under a law that tells what stations want by their last packets the next station's stream met the last one's share: on slow
/// rings each run was told as disturbed.
#[test]
fn streams_over_links_of_a_slow_ring_arrive_as_they_are_sent() {
    if !possible() {
        return;
    }
    let slow = LOT.replace("50 Mb/s", "20 Mb/s").replace("48 Mb/s", "19 Mb/s").replace("1.2 s", "600 ms");
    let desk = Desk::new("slow", &slow);
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let answer = desk.json(&["run", "file.toml", "--real", "--json", "--no-simulation", "--no-folder"]);
        let links = &answer["real"][0]["fidelity"]["links"];
        assert_eq!(links["ways"], 3, "{links}");
        let [due, arrived] = ["stream_sent_bps", "stream_arrived_bps"].map(|key| links[key].as_f64().unwrap());
        if (arrived / due - 1.0).abs() < 0.05 && links["stream_arrived"] == links["stream_sent"] {
            return;
        }
        seen.push(links.to_string());
    }
    panic!("{seen:?}");
}

/// The check ended before it came to its streams where packets are long on their way.
#[test]
fn ways_are_checked_to_the_end_however_long_they_are() {
    if !possible() {
        return;
    }
    let long = GATEWAY.replace("delay = \"2 ms\"", "delay = \"40 ms\"");
    let desk = Desk::new("long", &long);
    let answer = desk.json(&["run", "file.toml", "--real", "--json", "--no-simulation", "--no-folder"]);
    let links = &answer["real"][0]["fidelity"]["links"];
    let count = |key: &str| links[key].as_u64().unwrap();
    assert_eq!((count("ways"), count("sent")), (2, 18), "{links}");
    assert!(count("stream_sent") >= 24 && links["stream_flow"].is_string(), "{links}");
}
