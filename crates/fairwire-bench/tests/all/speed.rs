//! `fairwire-bench` itself: speed, what the machine lacks, help.

use crate::common::{bench, build_fairwire, command, folder, has_keys};
use serde_json::Value;
use std::sync::LazyLock;

/// What a short call answers; two tests look at it.
pub static QUICK: LazyLock<Value> = LazyLock::new(|| {
    build_fairwire();
    bench(&["--quick", "--work", "w1", "--work", "w3", "--work", "w5-", "--json"]).ends_with(0).json()
});

#[test]
fn bench_tells_prices_and_ratios_and_never_judges() {
    let answer = &*QUICK;
    has_keys(answer, &["rounds", "ns2", "works", "ratios"]);
    let works = answer["works"].as_array().expect("works");
    assert!(
        works.iter().all(|work| work["id"].as_str().is_some_and(|id| !id.starts_with("w2") && !id.starts_with("w9")))
    );
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
fn works_that_are_not_there_end_with_2() {
    let said = bench(&["--quick", "--work", "w1", "--work", "w7"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("no work begins with `w7`"), "{said}");
    assert!(said.stderr.contains("w2b-long"), "they are listed: {said}");
    bench(&["--work", "w1", "--page", "docs/speed.md"]).ends_with(2);
}

#[test]
fn an_environment_that_lacks_something_ends_with_3() {
    build_fairwire();
    let folder = folder("lacking");
    let output = command(&folder, &["--quick"]).env("TMPDIR", folder.join("nowhere")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("TMPDIR"));
    let program = folder.join("fairwire-bench");
    std::fs::hard_link(env!("CARGO_BIN_EXE_fairwire-bench"), &program).expect("a binary can be linked");
    let output = std::process::Command::new(&program).arg("--quick").env("PATH", "").output().expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("no fairwire to measure") && words.contains("crates/fairwire-cli"), "{words}");
}

#[test]
fn version_and_help_are_there() {
    assert!(bench(&["--version"]).ends_with(0).stdout.starts_with("fairwire-bench 0."));
    let help = bench(&["--help"]).ends_with(0).stdout;
    for what in ["speed", "fairness", "aqm", "protection", "solvers", "validate"] {
        assert!(help.contains(what), "{help}");
        bench(&[what, "--help"]).ends_with(0);
    }
    bench(&["fastness"]).ends_with(2);
}
