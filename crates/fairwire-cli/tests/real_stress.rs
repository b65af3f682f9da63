//! Real packets where something goes wrong, and the same packets once more. Where a system lacks what they need, tests say so
//! and pass; what takes minutes is ignored and run by name.

#![cfg(target_os = "linux")]

mod common;

use common::desk::possible;
use common::{command, fairwire_in, folder, names_in, put};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::ring::RingLawChoice;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Datagrams from two stations and connections from a third; LAW and MORE are filled in.
const RING: &str = r#"
schema = 1
run = { duration = "1 s", warmup = "200 ms" }

[ring]
stations = 6
capacity = "40 Mb/s"
span-delay = "0.5 ms"
law = { name = "LAW" }
protection = { mode = "steer" }

[[flow]]
name = "udp"
from = [0, 1]
to = 3
traffic = { kind = "cbr", rate = "30 Mb/s", packet = "1 kB", size-jitter = "5 %" }

[[flow]]
name = "tcp"
from = 2
to = 3
micro-flows = 3
traffic = { kind = "tcp", control = "cubic" }
MORE
"#;

/// A span that is cut and mended.
const CUT: &str = r#"
[[event]]
at = "400 ms"
kind = "cut"
between = [2, 3]

[[event]]
at = "700 ms"
kind = "restore"
between = [2, 3]
"#;

const GATEWAY: &str = r#"
schema = 1
run = { duration = "1 s", warmup = "200 ms", window = "20 ms" }

[network]
nodes = ["a", "b", "c", "d"]
queue = { name = "LAW" }
link = [
    { from = "a", to = "c", capacity = "100 Mb/s", delay = "1 ms", duplex = true },
    { from = "b", to = "c", capacity = "100 Mb/s", delay = "1 ms", duplex = true },
    { from = "c", to = "d", capacity = "10 Mb/s", delay = "2 ms", duplex = true },
]

[[flow]]
name = "tcp"
from = "a"
to = "d"
micro-flows = 3
traffic = { kind = "tcp", control = "reno" }

[[flow]]
name = "udp"
from = "b"
to = "d"
traffic = { kind = "poisson", rate = "4 Mb/s", packet = "500 B" }
"#;

fn signal(child: &Child, name: &str) {
    let told = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(told.is_ok_and(|status| status.success()));
}

/// Carries a scenario, stopped for 0.2 s in its middle if it is to be, and brings its packets once more: all tables are the same
/// to the byte.
fn replays(desk: &Path, name: &str, scenario: &str, is_stopped: bool) {
    let file = put(desk, &format!("{name}.toml"), scenario);
    let (one, two) = (format!("{name}-one"), format!("{name}-two"));
    let ask = ["run", &file, "--real", "--no-simulation", "--json", "--out", &one, "--format", "csv"];
    let child = command(desk, &ask).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    if is_stopped {
        sleep(Duration::from_millis(900));
        signal(&child, "-STOP");
        sleep(Duration::from_millis(200));
        signal(&child, "-CONT");
    }
    let said = child.wait_with_output().expect("it ends");
    let words = String::from_utf8_lossy(&said.stderr);
    let answer: Value = serde_json::from_slice(&said.stdout).unwrap_or_else(|error| panic!("{name}: {error}: {words}"));
    // Whether it is to be believed does not matter here.
    let again = fairwire_in(desk, &["replay", &one, "--json", "--out", &two, "--format", "csv"]).json();
    assert_eq!(answer["runs"][0]["flows"], again["runs"][0]["flows"], "{name}");
    let mut tables = 0;
    for table in names_in(&desk.join(&one)).iter().filter(|name| name.ends_with(".csv") || name.ends_with(".fwa")) {
        let [first, second] = [&one, &two].map(|folder| fs::read(desk.join(folder).join(table)).expect("a table"));
        assert!(first == second, "{name}: {table} is the same to the byte");
        tables += 1;
    }
    assert!(tables > 4, "{name}: {tables} tables");
}

/// With connections, cuts and a stop: as often as there is something to combine.
#[test]
fn a_cut_and_a_stopped_run_replay_to_the_byte() {
    if possible() {
        let desk = folder("real-replays");
        let ring = RING.replace("LAW", "dvsr-plus").replace("MORE", CUT);
        replays(&desk, "cut-and-stopped", &ring, true);
    }
}

#[test]
#[ignore = "four real runs a law of rings, one a law of queues: some minutes"]
fn real_runs_under_every_law_replay_to_the_byte() {
    if !possible() {
        return;
    }
    let desk = folder("real-replays-of-all");
    let mut runs = 0;
    for law in RingLawChoice::ALL.iter().map(|about| about.name) {
        for (name, more, is_stopped) in
            [("plain", "", false), ("cut", CUT, false), ("stopped", "", true), ("both", CUT, true)]
        {
            let ring = RING.replace("LAW", law).replace("MORE", more);
            replays(&desk, &format!("{law}-{name}"), &ring, is_stopped);
            runs += 1;
        }
    }
    for law in QueueLawChoice::ALL.iter().map(|about| about.name) {
        replays(&desk, law, &GATEWAY.replace("LAW", law), runs % 2 == 0);
        runs += 1;
    }
    println!("{runs} runs, all the same to the byte");
}

/// Links of the host, and how many network namespaces there are.
fn surroundings() -> (String, usize) {
    let links = fs::read_to_string("/proc/net/dev").expect("links");
    let links: Vec<&str> = links.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
    let networks = fs::read_dir("/proc")
        .expect("processes")
        .filter_map(|entry| fs::read_link(entry.ok()?.path().join("ns/net")).ok());
    let mut networks: Vec<_> = networks.collect();
    networks.sort();
    networks.dedup();
    (links.join(" "), networks.len())
}

/// At twenty moments of set-up, run and end.
#[test]
#[ignore = "twenty real runs: half a minute"]
fn ctrl_c_twenty_times_leaves_whole_folders_and_nothing_else() {
    if !possible() {
        return;
    }
    let desk = folder("real-interrupts");
    let file = put(&desk, "ring.toml", &RING.replace("LAW", "dvsr-plus").replace("MORE", ""));
    let before = surroundings();
    let mut kept = 0;
    for round in 0..20u64 {
        let out = format!("out-{round}");
        let ask = ["run", &file, "--real", "--no-simulation", "--out", &out];
        let mut child = command(&desk, &ask).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        sleep(Duration::from_millis(round * 97));
        signal(&child, "-INT");
        let code = child.wait().expect("it ends").code();
        // Before it listens a signal ends it at once; after its end it is too late for one.
        assert!([None, Some(130), Some(0), Some(1)].contains(&code), "round {round}: {code:?}");
        let there = desk.join(&out);
        if there.exists() {
            assert!(there.join("manifest.json").is_file(), "round {round}: a folder that is there is whole");
            fairwire_in(&desk, &["replay", &out, "--json"]).json();
            kept += 1;
        }
    }
    assert!(kept > 3, "{kept} of twenty were kept as far as they came");
    assert!(names_in(&desk).iter().all(|name| !name.starts_with('.')), "nothing half-written is left");
    let patience = Instant::now() + Duration::from_secs(10);
    while surroundings().0 != before.0 && Instant::now() < patience {
        sleep(Duration::from_millis(50));
    }
    assert_eq!(surroundings().0, before.0, "no link more on the host");
}
