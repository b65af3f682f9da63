//! Networks of others become scenarios, and limits go back.

use crate::common::{fairwire_in, folder, names_in, put};

const LINKS: &str = "from,to,capacity\ngateway,hill,50 Mb/s\nhill,farm,10 Mb/s\n";
const TREE: &str = r#"{"hill": {"downloadBandwidthMbps": 100, "uploadBandwidthMbps": 20, "children": {
    "farm": {"downloadBandwidthMbps": 60, "uploadBandwidthMbps": 10}}}}"#;
const GRAPH: &str = r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "edges": [
    {"source": "a", "target": "b", "dist": 10}, {"source": "b", "target": "c", "dist": 10}]}"#;

#[test]
fn what_is_imported_can_be_allocated_run_and_exported() {
    let folder = folder("import");
    put(&folder, "links.csv", LINKS);
    put(&folder, "network.json", TREE);
    put(&folder, "graph.json", GRAPH);
    for (args, name) in [
        (&["import", "csv", "links.csv", "--all-pairs"][..], "csv.toml"),
        (&["import", "libreqos", "network.json"], "libreqos.toml"),
        (&["import", "graph", "graph.json", "--capacity", "10 Mb/s", "--from", "a"], "graph.toml"),
    ] {
        let said = fairwire_in(&folder, &[args, &["--output", name]].concat()).ends_with(0);
        assert!(said.stdout.is_empty() && said.stderr.contains(name), "{said}");
        fairwire_in(&folder, &["scenario", "fmt", "--check", name]).ends_with(0);
        fairwire_in(&folder, &["allocate", name]).ends_with(0);
        fairwire_in(&folder, &["run", name, "--duration", "50 ms", "--no-folder"]).ends_with(0);
        let tree = fairwire_in(&folder, &["export", "libreqos", name]).ends_with(0).stdout;
        put(&folder, "again.json", &tree);
        // Ways that nobody takes keep their capacity, so the tree is one again.
        fairwire_in(&folder, &["import", "libreqos", "again.json"]).ends_with(0);
    }
    let sites = fairwire_in(&folder, &["export", "sites", "csv.toml"]).ends_with(0).stdout;
    assert!(sites.starts_with("site,download_mbps,upload_mbps\n") && sites.lines().count() == 4, "{sites}");
    let flows = fairwire_in(&folder, &["export", "flows", "graph.toml", "--criterion", "proportional"]).ends_with(0);
    assert!(flows.stdout.contains("b,a,b,5\n"), "{flows}");
}

#[test]
fn a_mistake_leaves_nothing_behind_and_names_its_line() {
    let folder = folder("import-mistakes");
    put(&folder, "links.csv", &LINKS.replace("10 Mb/s", "10"));
    put(&folder, "good.csv", LINKS);
    put(&folder, "kept.toml", "mine\n");
    let before = names_in(&folder);
    let said =
        fairwire_in(&folder, &["import", "csv", "links.csv", "--all-pairs", "--output", "made.toml"]).ends_with(2);
    assert!(said.stderr.contains("links.csv:3:11") && said.stderr.contains("10 Mb/s"), "{said}");
    let said =
        fairwire_in(&folder, &["import", "csv", "good.csv", "--all-pairs", "--output", "kept.toml"]).ends_with(2);
    assert!(said.stderr.contains("does not exist yet"), "{said}");
    let maps = ["--map", "speed=capacity", "--map", "Speed=capacity_mbps"];
    let said = fairwire_in(&folder, &[&["import", "csv", "good.csv", "--all-pairs"], &maps[..]].concat()).ends_with(2);
    assert!(said.stderr.contains("calls `Speed` both `capacity` and `capacity_mbps`"), "{said}");
    let said = fairwire_in(&folder, &["import", "csv", "good.csv"]).ends_with(2);
    assert!(said.stderr.contains("--all-pairs"), "{said}");
    assert_eq!(names_in(&folder), before);
    assert_eq!(std::fs::read_to_string(folder.join("kept.toml")).expect("it is there"), "mine\n");
}

#[test]
fn a_ring_has_no_limits_of_sites() {
    let folder = folder("export-ring");
    put(&folder, "ring.toml", crate::common::SMALL);
    let said = fairwire_in(&folder, &["export", "sites", "ring.toml"]).ends_with(2);
    assert!(said.stderr.contains("`export` is for networks, and this scenario is a ring"), "{said}");
}

#[test]
fn what_limits_cannot_be_set_in_is_named() {
    let folder = folder("export-into");
    put(&folder, "graph.json", GRAPH);
    let made = ["import", "graph", "graph.json", "--capacity", "1G", "--from", "a", "-o", "made.toml"];
    fairwire_in(&folder, &made).ends_with(0);
    for (text, message) in [
        ("{", "kept.json: no JSON to set limits in"),
        ("{}", "kept.json: it names no site"),
        (r#"{"b": {}, "b": {}}"#, "kept.json: `b` stands twice"),
    ] {
        put(&folder, "kept.json", text);
        let said = fairwire_in(&folder, &["export", "libreqos", "made.toml", "--into", "kept.json"]).ends_with(2);
        assert!(said.stderr.contains(message), "{said}");
    }
}

#[test]
fn a_capacity_is_written_as_in_tables() {
    let folder = folder("import-rates");
    put(&folder, "graph.json", GRAPH);
    for rate in ["1G", "1Gbit", "1000mbit", "1 Gb/s"] {
        let said = fairwire_in(&folder, &["import", "graph", "graph.json", "--capacity", rate, "--from", "a"]);
        assert!(said.ends_with(0).stdout.contains("capacity = \"1 Gb/s\""), "{rate}");
    }
}

#[test]
fn of_a_long_line_only_what_is_around_the_mistake_is_shown() {
    let folder = folder("import-long");
    let nodes: Vec<String> = (0..2_000).map(|node| format!("{{\"id\": {node}}}")).collect();
    let edge = "{\"source\": 0, \"target\": 1}";
    put(&folder, "big.json", &format!("{{\"nodes\": [{}], \"edges\": [{edge}]}}", nodes.join(", ")));
    put(&folder, "big.toml", &format!("schema = 1\ntitle = \"{}\"\ncolour = 1\n", "x".repeat(100_000)));
    let json = fairwire_in(&folder, &["import", "graph", "big.json", "--from", "0"]).ends_with(2).stderr;
    let column = "{\"nodes\": [], \"edges\": [".len() + nodes.join(", ").len() + 1;
    assert!(json.contains(&format!("big.json:1:{column}]")) && json.contains(edge), "{json}");
    let toml = fairwire_in(&folder, &["scenario", "check", "big.toml"]).ends_with(2).stderr;
    assert!(toml.contains("has no key `colour`"), "{toml}");
    for said in [json, toml] {
        assert!(said.contains('…') && said.lines().all(|line| line.chars().count() < 130), "{said}");
    }
}
