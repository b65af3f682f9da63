//! `fairwire analyse`.

use crate::common::{all_shipped, fairwire, folder, has_keys, put, shipped};

/// Fig. 7 of the DVSR paper.
const UNBALANCED: &str = r#"schema = 1
title = "A small sender downstream"

[ring]
stations = 10
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }

[[flow]]
name = "far"
from = 1
to = 3
traffic = { kind = "cbr", rate = "622 Mb/s", packet = "1 kB" }

[[flow]]
name = "near"
from = 2
to = 3
traffic = { kind = "cbr", rate = "5 Mb/s", packet = "1 kB" }
"#;

#[test]
fn the_tables_can_be_checked_by_hand() {
    insta::assert_snapshot!(fairwire(&["analyse", &shipped("papers/upstream-parallel.toml")]));
}

#[test]
fn a_small_sender_downstream_is_told_with_its_cycle() {
    let file = put(&folder("analyse-unbalanced"), "unbalanced.toml", UNBALANCED);
    let answer = fairwire(&["analyse", &file, "--json", "--trace"]).ends_with(0).json();
    has_keys(&answer, &["scenario", "unique", "parameters", "links", "notes", "compare"]);
    let link = answer["links"].as_array().expect("links").iter().find(|link| link["id"] == "r0:2").expect("r0:2");
    assert_eq!(link["aggressive"]["oscillates"], true);
    let far = &link["aggressive"]["flows"][0];
    assert_eq!((far["ids"][0].as_str(), far["oscillates"].as_bool()), (Some("far"), Some(true)));
    assert_eq!((far["low_bps"].as_f64(), far["high_bps"].as_f64()), (Some(5e6), Some(617e6)));
    let cycle = &far["cycle"];
    let rates = cycle["rates_bps"].as_array().expect("a trace");
    // One rate an aging interval of 0.1 ms.
    assert_eq!(cycle["period_ns"].as_f64().expect("a period").round(), rates.len() as f64 * 1e5);
    assert_eq!(rates[0].as_f64(), Some(5e6));
    let bound = &link["feedback_bound"];
    assert_eq!((bound["bound_bytes"].as_f64(), bound["window_ns"].as_u64()), (Some(38_875.0), Some(1_000_000)));
    let faster = fairwire(&["analyse", &file, "--json", "--rampcoef", "16"]).ends_with(0).json();
    assert_ne!(faster["links"][1]["aggressive"]["flows"][0]["cycle"]["period_ns"], cycle["period_ns"]);
}

#[test]
fn both_ringlets_are_looked_at() {
    let answer = fairwire(&["analyse", &shipped("teaching/both-ringlets.toml"), "--json"]).ends_with(0).json();
    let links = answer["links"].as_array().expect("links");
    for ringlet in ["r0:", "r1:"] {
        assert!(links.iter().any(|link| link["id"].as_str().expect("a name").starts_with(ringlet)), "{ringlet}");
    }
}

/// Two flows over r0:2, of which one is of a class whose rate is granted before modes share the rest.
const RESERVED: &str = r#"schema = 1
title = "A reserved rate upstream"

[ring]
stations = 6
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "rpr-conservative" }

[[flow]]
name = "reserved"
from = 1
to = 4
ringlet = 0
traffic = { kind = "cbr", rate = "300 Mb/s", packet = "1 kB" }
class = "A0"
min-rate = "100 Mb/s"

[[flow]]
name = "greedy"
from = 2
to = 4
ringlet = 0
traffic = { kind = "greedy" }
"#;

#[test]
fn who_shares_nothing_is_no_sender() {
    let folder = folder("analyse-reserved");
    let committed = RESERVED.replace("\"A0\"", "\"B\"").replace("300 Mb/s", "100 Mb/s");
    for (name, text) in [("a0.toml", RESERVED), ("b.toml", &committed)] {
        let answer = fairwire(&["analyse", &put(&folder, name, text), "--json"]).ends_with(0).json();
        let links = answer["links"].as_array().expect("links");
        let ids: Vec<&str> = links.iter().filter_map(|link| link["id"].as_str()).collect();
        assert_eq!(ids, ["r0:2", "r0:3"], "nobody shares r0:1");
        for link in links {
            assert_eq!((link["ingresses"].as_u64(), link["conservative"]["active"].as_u64()), (Some(1), Some(1)));
            assert_eq!(link["conservative"]["oscillates"], false, "{link}");
            assert_eq!(link["capacity_bps"].as_f64(), Some(522e6));
            assert_eq!(link["feedback_bound"]["bound_bytes"].as_f64(), Some(0.0), "alone there is nothing to share");
        }
        assert!(answer["notes"][0].as_str().expect("a note").contains("counted as no sender"), "{answer}");
    }
    let answer = fairwire(&["analyse", &shipped("papers/ecm-classes.toml"), "--json"]).ends_with(0).json();
    let last = answer["links"].as_array().expect("links").iter().find(|link| link["id"] == "r0:18");
    assert_eq!(
        last.map(|link| (&link["aggressive"]["oscillates"], &link["ingresses"])),
        Some((&false.into(), &18.into()))
    );
}

#[test]
fn what_the_propositions_do_not_see_is_noted() {
    let notes = |file: &str| {
        let answer = fairwire(&["analyse", &shipped(file), "--json"]).ends_with(0).json();
        answer["notes"].as_array().expect("notes").iter().map(|note| note.to_string()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(notes("papers/parking-lot.toml"), "", "constant demands, equal weights");
    for (file, told) in [
        ("papers/parking-lot-pareto.toml", "Pareto on-off traffic"),
        ("papers/tcp-among-greedy.toml", "TCP"),
        ("papers/ecm-classes.toml", "class A0, B"),
    ] {
        assert!(notes(file).contains(told), "{file}: {}", notes(file));
    }
    let poisson = UNBALANCED.replace("kind = \"cbr\", rate = \"5 Mb/s\"", "kind = \"poisson\", rate = \"5 Mb/s\"");
    let file = put(&folder("analyse-poisson"), "poisson.toml", &poisson);
    let said = fairwire(&["analyse", &file]).ends_with(0).to_string();
    assert!(
        said.contains("note: demands are not constant: Poisson traffic is taken at its mean rate (near)"),
        "{said}"
    );
}

#[test]
fn every_shipped_ring_has_an_answer_that_adds_up() {
    for file in all_shipped() {
        let said = fairwire(&["analyse", &file, "--json"]);
        if said.code == Some(2) {
            assert!(said.stderr.contains("[network]"), "{file}: {said}");
            continue;
        }
        let answer = said.ends_with(0).json();
        let fair = fairwire(&["allocate", &file, "--criterion", "rias", "--json"]).json();
        if std::fs::read_to_string(&file).expect("a scenario").contains("\nclass = ") {
            continue; // What classes guarantee is granted before modes share the rest.
        }
        for link in answer["links"].as_array().expect("links") {
            let id = &link["id"];
            let same = fair["links"].as_array().expect("links").iter().find(|other| other["id"] == *id).expect("it");
            let (load, capacity) =
                (link["load_bps"].as_f64().expect("a load"), link["capacity_bps"].as_f64().expect("C"));
            assert!((load - same["load_bps"].as_f64().expect("a load")).abs() <= 1e-6 * capacity, "{file}: {id}");
            for mode in ["aggressive", "conservative"] {
                let (of, mode) = (&link[mode], if mode == "aggressive" { "flows" } else { "ingresses" });
                let swings =
                    of[mode].as_array().expect("flows").iter().filter(|flow| flow["oscillates"] == true).count();
                assert_eq!(of["oscillates"] == true, swings > 0, "{file}: {id}");
                assert!(of["congested"] == true || swings == 0, "{file}: {id}");
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_told_with_its_mend() {
    let ring = shipped("papers/parking-lot.toml");
    for (option, value) in
        [("--rampcoef", "1"), ("--low-threshold", "1.5"), ("--lpcoef", "0"), ("--aging-interval", "0 s")]
    {
        let said = fairwire(&["analyse", &ring, option, value]).ends_with(2);
        assert!(said.stderr.contains("has to be"), "{said}");
    }
    let network = fairwire(&["analyse", &shipped("teaching/triangle.toml")]).ends_with(2);
    assert!(network.stderr.contains("about rings"), "{network}");
}
