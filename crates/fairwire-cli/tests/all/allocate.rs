//! `fairwire allocate`.

use crate::common::{all_shipped, fairwire, folder, has_keys, put, shipped};

#[test]
fn the_table_can_be_checked_by_hand() {
    insta::assert_snapshot!(fairwire(&["allocate", &shipped("papers/parallel-parking-lot.toml")]));
    insta::assert_snapshot!(fairwire(&["allocate", &shipped("teaching/triangle.toml")]));
    insta::assert_snapshot!(fairwire(&["allocate", &shipped("papers/two-exit.toml"), "--criterion", "max-min"]));
}

#[test]
fn every_shipped_scenario_has_fair_rates_that_pass_the_checker() {
    for file in all_shipped() {
        let answer = fairwire(&["allocate", &file, "--json"]).ends_with(0).json();
        has_keys(&answer, &["criterion", "unique", "flows", "links", "check"]);
        assert_eq!(answer["check"]["fair"], true, "{file}");
        let mut loads = std::collections::BTreeMap::new();
        for flow in answer["flows"].as_array().expect("flows") {
            has_keys(
                flow,
                &["id", "from", "to", "rate_bps", "rate_low_bps", "rate_high_bps", "demand_bps", "limited_by"],
            );
            has_keys(&flow["limited_by"], &["kind", "link", "why"]);
            let kind = flow["limited_by"]["kind"].as_str().expect("a kind");
            assert!(["link", "demand", "peak", "supported", "priority"].contains(&kind), "{file}: {kind}");
            assert_eq!(kind == "link", flow["limited_by"]["link"].is_string(), "{file}: {flow}");
            let rate = flow["rate_bps"].as_f64().expect("a rate");
            for link in flow["route"].as_array().expect("a route") {
                *loads.entry(link.as_str().expect("a name").to_owned()).or_insert(0.0) += rate;
            }
        }
        for link in answer["links"].as_array().expect("links") {
            has_keys(link, &["id", "capacity_bps", "load_bps"]);
            let (load, capacity) =
                (link["load_bps"].as_f64().expect("a load"), link["capacity_bps"].as_f64().expect("a capacity"));
            let sum: f64 = loads.get(link["id"].as_str().expect("a name")).copied().unwrap_or(0.0);
            assert!((load - sum).abs() <= 1e-6 * capacity, "{file}: {link} carries {sum}");
            assert!(load <= capacity * (1.0 + 1e-9), "{file}: {link}");
        }
    }
}

#[test]
fn the_criterion_depends_on_what_the_flows_run_on() {
    let criterion = |file: &str| fairwire(&["allocate", &shipped(file), "--json"]).json()["criterion"].clone();
    assert_eq!(criterion("papers/parking-lot.toml"), "rias");
    assert_eq!(criterion("teaching/triangle.toml"), "max-min");
}

#[test]
fn criteria_differ_where_they_should() {
    let rate = |criterion: &str| {
        let file = shipped("papers/two-exit.toml");
        let answer = fairwire(&["allocate", &file, "--criterion", criterion, "--json"]).ends_with(0).json();
        assert_eq!(answer["criterion"], criterion);
        answer["flows"][4]["rate_bps"].as_f64().expect("a rate")
    };
    // Station 4 has two of five flows: a half of its quarter, or a fifth.
    assert!((rate("rias") - 622e6 / 8.0).abs() < 1.0);
    assert!((rate("max-min") - 622e6 / 5.0).abs() < 1.0);
    for criterion in ["rias-iterative", "weighted-max-min", "ingress-egress", "inverse-hop"] {
        assert!(rate(criterion) > 0.0, "{criterion}");
    }
}

#[test]
fn a_peak_rate_is_told_apart_from_a_demand() {
    let folder = folder("allocate-peak");
    let text = r#"schema = 1
title = "A peak"
[network]
nodes = ["a", "b"]
link = [{ name = "ab", from = "a", to = "b", capacity = "10 Mb/s" }]
[[flow]]
name = "held"
from = "a"
to = "b"
peak-rate = "2 Mb/s"
[[flow]]
name = "modest"
from = "a"
to = "b"
demand = "1 Mb/s"
peak-rate = "2 Mb/s"
"#;
    let answer = fairwire(&["allocate", &put(&folder, "peak.toml", text), "--json"]).ends_with(0).json();
    assert_eq!(answer["flows"][0]["limited_by"]["kind"], "peak");
    assert_eq!(answer["flows"][0]["rate_bps"], 2e6);
    assert_eq!(answer["flows"][1]["limited_by"]["kind"], "demand");
}

/// The rows of the table in docs/which-fairness.md: a criterion, then rates in Mb/s.
fn told_rates() -> Vec<(String, Vec<f64>)> {
    let page =
        std::fs::read_to_string(crate::common::root().join("docs/which-fairness.md")).expect("the page is there");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let row = |line: &str| {
        let cells = cells(line);
        let rates: Option<Vec<f64>> = cells.get(1..6)?.iter().map(|cell| cell.parse().ok()).collect();
        Some((cells[0].trim_matches('`').to_owned(), rates?))
    };
    page.lines().filter(|line| line.starts_with("| `")).filter_map(row).collect()
}

#[test]
fn the_table_that_compares_criteria_is_right() {
    let rows = told_rates();
    assert_eq!(rows.len(), 7, "every criterion but the iteration");
    for (criterion, told) in rows {
        let file = shipped("teaching/which-fairness.toml");
        let answer = fairwire(&["allocate", &file, "--criterion", &criterion, "--json"]).ends_with(0).json();
        let rate = |id: &str| {
            let flow = answer["flows"].as_array().unwrap().iter().find(|flow| flow["id"] == id).expect("a flow");
            flow["rate_bps"].as_f64().expect("a rate") / 1e6
        };
        for (id, told) in ["backup", "clinic", "camera-1", "camera-2", "sensor"].iter().zip(told) {
            assert!((rate(id) - told).abs() <= 5.1e-4, "{criterion}: {id} has {}, not {told}", rate(id));
        }
    }
}

#[test]
fn bad_input_is_told_with_its_mend_and_ends_with_2() {
    insta::assert_snapshot!(fairwire(&["allocate", "nowhere.toml"]).ends_with(2));
    let said = fairwire(&["allocate", &shipped("papers/parking-lot.toml"), "--criterion", "rais"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("rias"), "{said}");
}

#[test]
fn a_promise_under_another_criterion_says_so() {
    let file = shipped("operators/radio-chain.toml");
    let said = fairwire(&["allocate", &file, "--criterion", "max-min"]).ends_with(0);
    assert!(said.stdout.contains("60 Mb/s (church, weighted-max-min)"), "{said}");
    let said = fairwire(&["allocate", &file]).ends_with(0);
    assert!(said.stdout.contains("60 Mb/s (church)"), "{said}");
}

#[test]
fn a_misspelt_criterion_gets_a_proposal() {
    let file = shipped("papers/parking-lot.toml");
    let said = fairwire(&["allocate", &file, "--criterion", "maxmin"]).ends_with(2);
    assert!(said.stderr.contains("did you mean `max-min`?"), "{said}");
}

/// What is written of a flow must not grow with the number of flows that share its link.
#[test]
fn a_long_answer_says_who_shares_a_busy_link_once() {
    let folder = folder("allocate-many");
    let head = "schema = 1\ntitle = \"Many\"\n[network]\nnodes = [\"a\", \"b\"]\n\
                link = [{ name = \"ab\", from = \"a\", to = \"b\", capacity = \"1 Gb/s\" }]\n";
    let flow = |number: usize| format!("[[flow]]\nname = \"flow-{number}\"\nfrom = \"a\"\nto = \"b\"\n");
    let said = |flows: usize, criterion: &str| {
        let text = [head.to_owned()].into_iter().chain((0..flows).map(flow)).collect::<String>();
        let file = put(&folder, &format!("{flows}.toml"), &text);
        fairwire(&["allocate", &file, "--criterion", criterion, "--json"]).ends_with(0)
    };
    for criterion in ["max-min", "proportional", "rias"] {
        let many = said(3000, criterion);
        assert!(many.stdout.len() <= 600 * 3000, "{criterion}: {} bytes", many.stdout.len());
        assert_eq!(many.stdout.lines().count(), 1, "not indented");
        let answer = many.json();
        has_keys(&answer["flows"][0]["limited_by"], &["kind", "link", "why", "sharers"]);
        let why = answer["flows"][0]["limited_by"]["why"].as_str().expect("a sentence");
        assert!(why.starts_with("link ab is full"), "{why}");
        let told = answer["links"][0]["sharers"].as_array().expect("who shares it").len();
        assert_eq!(told, if criterion == "rias" { 1 } else { 64 }, "{criterion}");
    }
    let few = said(3, "max-min").json();
    assert_eq!(few["flows"][0]["limited_by"]["sharers"], few["links"][0]["sharers"]);
    assert!(few["flows"][0]["limited_by"]["why"].as_str().expect("a sentence").contains("hold 333.333 Mb/s each"));
}

/// Flows that want nothing, may have nothing or are promised nothing are allocated nothing, and can be run.
#[test]
fn rates_of_zero_are_answers_and_can_be_run() {
    let folder = folder("allocate-zero");
    let ring = "[ring]\nstations = 4\ncapacity = \"100 Mb/s\"\nspan-delay = \"0.1 ms\"\nlaw = { name = \"dvsr\" }\n";
    let network = "[network]\nnodes = [\"a\", \"b\"]\n\
                   link = [{ name = \"ab\", from = \"a\", to = \"b\", capacity = \"100 Mb/s\" }]\n";
    for (kind, place, ends) in
        [("ring", ring, "from = 0\nto = 2\n"), ("network", network, "from = \"a\"\nto = \"b\"\n")]
    {
        let ones = ["demand", "peak-rate", "supported-rate", "min-rate"];
        let flows: String =
            ones.iter().map(|key| format!("[[flow]]\nname = \"{key}\"\n{ends}{key} = \"0 b/s\"\n")).collect();
        let text = |engine: &str| {
            format!(
                "schema = 1\ntitle = \"Nothing\"\n[run]\nduration = \"20 ms\"\nwarmup = \"5 ms\"\nengine = \"{engine}\"\n\
                 {place}{flows}"
            )
        };
        let file = put(&folder, &format!("{kind}.toml"), &text("events"));
        for criterion in ["max-min", "weighted-max-min", "general-weighted", "ingress-egress", "proportional", "rias"] {
            let answer = fairwire(&["allocate", &file, "--criterion", criterion, "--json"]).ends_with(0).json();
            let flow = |number: usize| &answer["flows"][number];
            for (number, held_by) in ["demand", "peak", "supported"].iter().enumerate() {
                assert_eq!(flow(number)["rate_bps"], 0.0, "{kind} {criterion}");
                assert_eq!(flow(number)["limited_by"]["kind"], *held_by, "{kind} {criterion}");
            }
            assert_eq!(flow(3)["rate_bps"], 1e8, "promised nothing, it has all: {kind} {criterion}");
        }
        let ran = |engine: &str| {
            let file = put(&folder, &format!("{kind}-run.toml"), &text(engine));
            let said = fairwire(&["run", &file, "--json", "--no-folder"]).ends_with(0).stdout;
            let told = |line: &&str| !line.contains("wall_s") && !line.contains("\"engine\"");
            said.lines().filter(told).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(ran("events"), ran("windows"), "{kind}");
    }
}

#[test]
fn criteria_that_do_not_compare_by_weight_show_what_they_compare_by() {
    let folder = folder("allocate-compared-by");
    let flow = |name: &str, from: u8, to: u8| format!("[[flow]]\nname = \"{name}\"\nfrom = {from}\nto = {to}\n");
    let text = format!(
        "schema = 1\n[run]\nduration = \"1 ms\"\n[ring]\nstations = 5\ncapacity = \"1 Gb/s\"\nspan-delay = \"50 us\"\nlaw = {{ name = \"dvsr\" }}\n{}{}",
        flow("long", 0, 2),
        flow("short", 1, 2)
    );
    let file = put(&folder, "two.toml", &text);
    let shared = |criterion: &str| {
        let said = fairwire(&["allocate", &file, "--criterion", criterion]).ends_with(0).stdout;
        let table = said.split("who shares the links").nth(1).expect("a table");
        table.split("what the links carry").next().expect("its end").to_owned()
    };
    let row = |table: &str, flow: &str| {
        let line = table.lines().find(|line| line.contains(flow)).expect("a line");
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let hops = shared("inverse-hop");
    assert!(hops.contains("rate × hops") && !hops.contains("weight"), "{hops}");
    assert_eq!(row(&hops, "long")[2..], ["333.333 Mb/s", "2", "666.667 Mb/s"]);
    assert_eq!(row(&hops, "short")[1..], ["666.667 Mb/s", "1", "666.667 Mb/s"]);
    // Each pays its weight of 1: half a gigabit at 0.002 a Mb/s.
    let priced = shared("proportional");
    assert!(priced.contains("route costs a Mb/s") && !priced.contains("rate / weight"), "{priced}");
    assert_eq!(row(&priced, "short")[1..], ["500 Mb/s", "1", "0.002"]);
}
