//! `fairwire compare`.

use crate::common::{SMALL, fairwire, fairwire_in, folder, names_in, put};
use serde_json::Value;

fn laws(answer: &Value) -> Vec<&str> {
    answer["runs"].as_array().expect("runs").iter().filter_map(|run| run["law"].as_str()).collect()
}

#[test]
fn laws_stand_side_by_side() {
    let folder = folder("compare-table");
    let file = put(&folder, "small.toml", SMALL);
    insta::assert_snapshot!(
        fairwire(&["compare", &file, "--no-folder", "--law", "fifo", "--law", "dvsr"]).ends_with(0)
    );
}

#[test]
fn all_laws_are_compared_unless_the_file_or_the_call_names_some() {
    let folder = folder("compare-laws");
    let plain = put(&folder, "plain.toml", SMALL);
    let swept = put(&folder, "swept.toml", &format!("{SMALL}\n[sweep]\n\"ring.law.name\" = [\"fifo\", \"dvsr\"]\n"));
    let known = fairwire(&["laws", "--json"]).json();
    let of_rings = known["laws"].as_array().expect("laws").iter().filter(|law| law["kind"] == "ring");
    let known: Vec<&str> = of_rings.filter_map(|law| law["name"].as_str()).collect();
    let all = fairwire(&["compare", &plain, "--json", "--no-folder"]).ends_with(0).json();
    assert_eq!(laws(&all), known);
    assert_eq!(laws(&fairwire(&["compare", &swept, "--json", "--no-folder"]).ends_with(0).json()), ["fifo", "dvsr"]);
    let asked = ["compare", &swept, "--json", "--no-folder", "--law", "dvsr", "--law", "dvsr", "--replications", "2"];
    let answer = fairwire(&asked).ends_with(0).json();
    assert_eq!(laws(&answer), ["dvsr", "dvsr"], "a law is run once a replication");
}

#[test]
fn a_run_is_the_same_alone_and_in_company() {
    let folder = folder("compare-alone");
    let file = put(&folder, "small.toml", SMALL);
    let flows = |answer: &Value, at: usize| answer["runs"][at]["flows"].clone();
    let both = fairwire(&["compare", &file, "--json", "--no-folder", "--law", "dvsr", "--law", "fifo"]).json();
    for (at, law) in ["dvsr", "fifo"].into_iter().enumerate() {
        let alone = fairwire(&["run", &file, "--json", "--no-folder", "--law", law]).json();
        assert_eq!(flows(&both, at), flows(&alone, 0), "{law}");
    }
}

#[test]
fn parameters_of_the_scenarios_own_law_hold() {
    let folder = folder("compare-parameters");
    let own = SMALL.replace("{ name = \"dvsr\" }", "{ name = \"dvsr\", min-interval = \"20 ms\" }");
    let (file, usual) = (put(&folder, "own.toml", &own), put(&folder, "usual.toml", SMALL));
    let control = |file: &str, verb: &str| {
        let answer = fairwire(&[verb, file, "--json", "--no-folder", "--law", "dvsr"]).ends_with(0).json();
        answer["runs"][0]["control_hops"].as_u64().expect("a count")
    };
    assert_eq!(control(&file, "compare"), control(&file, "run"));
    assert!(control(&file, "compare") < control(&usual, "compare"), "a longer interval sends fewer frames");
}

#[test]
fn promises_are_about_the_scenarios_own_law() {
    let folder = folder("compare-promises");
    let text = format!("{SMALL}\n[expect]\njain = {{ min = 0.99 }}\n");
    let file = put(&folder, "promise.toml", &text);
    let answer = fairwire(&["compare", &file, "--json", "--no-folder"]).ends_with(0).json();
    let rows = answer["expect"].as_array().expect("promises");
    assert!(rows.len() == 1 && rows[0]["law"] == "dvsr", "{rows:?}");
    let others = fairwire(&["compare", &file, "--json", "--no-folder", "--law", "fifo"]).ends_with(0).json();
    assert_eq!(others["expect"], Value::Array(Vec::new()));
}

#[test]
fn one_folder_holds_all_laws() {
    let folder = folder("compare-folder");
    put(&folder, "small.toml", SMALL);
    let answer = fairwire_in(&folder, &["compare", "small.toml", "--json"]).ends_with(0).json();
    assert!(answer["folder"].as_str().is_some_and(|name| name.starts_with("runs/small-compare-")), "{answer:#}");
    assert_eq!(names_in(&folder.join("runs")).len(), 1);
    let report = std::fs::read_to_string(folder.join(answer["report"].as_str().expect("a report"))).expect("a page");
    assert!(report.contains("dvsr") && report.contains("fifo"));
}

#[test]
fn a_law_that_is_not_there_ends_with_2() {
    let folder = folder("compare-unknown");
    let file = put(&folder, "small.toml", SMALL);
    put(&folder, "swept.toml", &format!("{SMALL}\n[sweep]\n\"ring.law.name\" = [\"fifo\", \"rpr\"]\n"));
    fairwire(&["compare", &file, "--law", "rpr"]).ends_with(2);
    let said = fairwire_in(&folder, &["compare", "swept.toml"]).ends_with(2);
    assert!(said.stderr.contains("swept.toml:22:"), "{said}");
    assert_eq!(names_in(&folder), ["small.toml", "swept.toml"]);
}

/// What an answer leaves out or cannot mean stands in it.
#[test]
fn what_is_not_checked_not_run_or_not_swept_is_told() {
    let folder = folder("compare-told");
    let promised = format!("{SMALL}\n[expect]\njain = {{ min = 0.1 }}\n\n[sweep]\n\"ring.span-delay\" = [\"50 us\"]\n");
    let ring = put(&folder, "ring.toml", &promised);
    let said = fairwire(&["compare", &ring, "--law", "fifo", "--no-folder", "--json"]).ends_with(0);
    assert!(said.stderr.contains("over `ring.span-delay`"), "{said}");
    assert!(said.json()["warnings"][0].as_str().expect("a warning").contains("none was checked"), "{said}");
    let network = "schema = 1\n[run]\nduration = \"1 s\"\n[network]\nnodes = [\"a\", \"b\"]\n\
        [[network.link]]\nfrom = \"a\"\nto = \"b\"\ncapacity = \"1 Mb/s\"\nqueue = { name = \"red\" }\n\
        changes = [{ at = \"0.5 s\", capacity = \"2 Mb/s\" }]\n\
        [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n";
    let network = put(&folder, "network.toml", network);
    let answer = fairwire(&["compare", &network, "--law", "codel", "--no-folder", "--json"]).ends_with(0).json();
    let warnings = answer["warnings"].to_string();
    assert!(
        warnings.contains("nothing runs under codel") && warnings.contains("the capacity of a-b changes"),
        "{warnings}"
    );
}

/// Stations with weights and promises, on a ring whose second link is slow.
const UNEQUAL: &str = r#"schema = 1

[ring]
stations = 4
capacity = "100 Mb/s"
span-delay = "50 us"
law = { name = "dvsr-plus" }
weights = [1, 0.4, 1, 1]
min-rates = { 0 = "10 Mb/s" }
transit = { mode = "dual-queue", buffer = "16 kB" }

[[ring.link]]
ringlet = 0
from = 1
capacity = "20 Mb/s"

[[flow]]
name = "f"
from = [0, 1]
to = 3
ringlet = 0

[run]
duration = "40 ms"
"#;

#[test]
fn what_laws_take_no_notice_of_and_what_is_lost_is_told() {
    let folder = folder("compare-cautions");
    let file = put(&folder, "unequal.toml", UNEQUAL);
    let cautions = |laws: &[&str]| {
        let asked = ["compare", &file, "--json", "--no-folder"].into_iter();
        let asked: Vec<&str> = asked.chain(laws.iter().flat_map(|law| ["--law", law])).collect();
        let answer = fairwire(&asked).ends_with(0).json();
        let cautions = answer["warnings"].as_array().expect("a list").clone();
        cautions.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let none = cautions(&["dvsr-plus"]);
    assert!(none.iter().all(|text| !text.contains("weights") && !text.contains("min-rates")), "{none:?}");
    let all = cautions(&["dvsr-plus", "fifo", "rpr-aggressive", "rpr-2004-aggressive"]);
    for part in [
        "different weights, which do not count under fifo, rpr-aggressive",
        "count in proportion under rpr-2004-aggressive",
        "`min-rates` are promised to stations, but not kept under fifo, rpr-aggressive, rpr-2004-aggressive",
        "in transit found no room",
    ] {
        assert!(all.iter().any(|text| text.contains(part)), "{part}: {all:?}");
    }
}
