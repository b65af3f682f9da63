//! How the command behaves among other processes: pipes, signals, places that are not there.

mod common;

use common::{SMALL, command, fairwire, folder, has_keys, names_in, put};
use serde_json::Value;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let folder = folder("pipe");
    let file = put(&folder, "small.toml", SMALL);
    for args in
        [&["run", &file, "--json", "--no-folder"][..], &["allocate", &file], &["scenario", "schema"], &["--help"]]
    {
        let mut child = command(&folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut said).expect("text");
        let code = child.wait().expect("it ends").code();
        assert!(!said.contains("panic"), "{args:?}: {said}");
        assert_eq!(code, Some(0), "{args:?}: {said}");
    }
}

#[test]
fn ctrl_c_keeps_what_is_finished() {
    let folder = folder("interrupt");
    put(&folder, "small.toml", SMALL);
    let args = ["run", "small.toml", "--json", "--out", "kept", "--replications", "200000"];
    let mut child = command(&folder, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let mut said = String::new();
    child.stdout.take().expect("stdout").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let answer: Value = serde_json::from_str(&said).expect("the answer is whole");
    assert_eq!(answer["interrupted"], true);
    let runs = answer["runs"].as_array().expect("runs").len();
    assert!(runs < 200_000, "it was stopped");
    assert_eq!(folder.join("kept/manifest.json").is_file(), runs > 0, "{runs} finished runs");
    assert!(names_in(&folder).iter().all(|name| !name.starts_with('.')), "nothing half-written is left behind");
}

#[test]
fn a_run_is_cut_short_in_its_middle() {
    let folder = folder("interrupt-middle");
    let file = put(&folder, "small.toml", SMALL);
    let stopped = |args: &[&str]| {
        let piped = || Stdio::piped();
        let mut child = command(&folder, args).stdout(piped()).stderr(piped()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(500));
        let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let (mut said, mut words) = (String::new(), String::new());
        child.stdout.take().expect("stdout").read_to_string(&mut said).expect("text");
        child.stderr.take().expect("stderr").read_to_string(&mut words).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        (said, words)
    };
    let args = ["run", &file, "--json", "--no-folder", "--duration", "3000 s"];
    let answer: Value = serde_json::from_str(&stopped(&args).0).expect("the answer is whole");
    assert_eq!(answer["runs"], Value::Array(Vec::new()), "half a run is none");
    let (said, words) = stopped(&["run", &file, "--no-folder", "--duration", "3000 s"]);
    assert!(said.is_empty(), "there is nothing to show: {said}");
    assert!(words.contains("stopped after 0 of 1 run") && !words.contains("packet-hops"), "{words}");
}

/// Of which a hundredth would take minutes: connections that begin every nanosecond, and packets as often.
#[test]
fn ctrl_c_is_heard_however_crowded_a_run_is() {
    let folder = folder("interrupt-crowded");
    let crowds = [
        r#"{ kind = "transfers", mean-interval = "1 ns", size = "1 B" }"#,
        r#"{ kind = "poisson", rate = "1 Tb/s", packet = "64 B" }"#,
    ];
    for traffic in crowds {
        let ring = "[ring]\nstations = 4\ncapacity = \"100 Mb/s\"\nspan-delay = \"50 ms\"\nlaw = { name = \"dvsr\" }\n";
        let flow = format!("[[flow]]\nname = \"crowd\"\nfrom = 0\nto = 2\ntraffic = {traffic}\n");
        let file = put(&folder, "crowd.toml", &format!("schema = 1\n{ring}{flow}"));
        let mut child = command(&folder, &["run", &file, "--no-folder", "--duration", "1000 s"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        std::thread::sleep(Duration::from_millis(700));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let hears = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            child.try_wait().expect("it can be asked").is_some()
        });
        if !hears {
            child.kill().expect("it can be killed");
        }
        assert_eq!((hears, child.wait().expect("it ends").code()), (true, Some(130)), "{traffic}");
    }
}

#[test]
fn bench_tells_prices_and_ratios_and_never_judges() {
    let answer = fairwire(&["bench", "--quick", "--json"]).ends_with(0).json();
    has_keys(&answer, &["rounds", "ns2", "works", "ratios"]);
    let works = answer["works"].as_array().expect("works");
    for work in works {
        has_keys(work, &["id", "cpu_s", "wall_s", "peak_bytes", "packet_hops", "ns_per_hop"]);
        assert!(work["cpu_s"].as_f64().is_some_and(|cpu| cpu >= 0.0));
        assert!(work["peak_bytes"].as_u64().is_some_and(|peak| peak > 100_000));
    }
    let hops = |id: &str| works.iter().find(|work| work["id"] == id).and_then(|work| work["packet_hops"].as_u64());
    assert_eq!(hops("w1-windows"), hops("w1-events"), "both engine paths do the same work");
    assert!(hops("w3").is_some_and(|hops| hops > 4_000_000));
    let ratios: Vec<&str> =
        answer["ratios"].as_array().expect("ratios").iter().filter_map(|ratio| ratio["id"].as_str()).collect();
    assert!(ratios.contains(&"w5-w1-windows") && ratios.contains(&"w5-w1-events"), "{ratios:?}");
    assert_eq!(ratios.contains(&"w1-ns2"), answer["ns2"] == true, "a peer that is not there has no ratio");
}

#[test]
fn an_environment_that_lacks_something_ends_with_3() {
    let folder = folder("lacking");
    let output =
        command(&folder, &["bench", "--quick"]).env("TMPDIR", folder.join("nowhere")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("TMPDIR"));
}

#[test]
fn version_help_and_completions_are_there() {
    assert!(fairwire(&["--version"]).ends_with(0).stdout.starts_with("fairwire 0."));
    let help = fairwire(&["--help"]).ends_with(0).stdout;
    for verb in ["allocate", "run", "compare", "reproduce", "laws", "scenario", "bench", "completions"] {
        assert!(help.contains(verb), "{help}");
        fairwire(&[verb, "--help"]).ends_with(0);
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(fairwire(&["completions", shell]).ends_with(0).stdout.contains("fairwire"), "{shell}");
    }
    fairwire(&[]).ends_with(2);
    fairwire(&["simulate"]).ends_with(2);
}
