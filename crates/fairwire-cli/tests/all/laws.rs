//! `fairwire laws`.

use crate::common::{fairwire, has_keys};

#[test]
fn every_law_is_listed_with_its_source() {
    let answer = fairwire(&["laws", "--json"]).ends_with(0).json();
    let laws = answer["laws"].as_array().expect("laws");
    assert!(laws.iter().any(|law| law["name"] == "dvsr") && laws.iter().any(|law| law["name"] == "fifo"));
    for (kind, name) in [("ring", "dvsr"), ("queue", "vrr"), ("queue", "red"), ("control", "cubic")] {
        assert!(laws.iter().any(|law| law["kind"] == kind && law["name"] == name), "{kind} {name}");
    }
    let said = fairwire(&["laws"]).ends_with(0);
    for law in laws {
        has_keys(law, &["kind", "name", "summary", "source", "parameters"]);
        let name = law["name"].as_str().expect("a name");
        assert!(said.stdout.lines().any(|line| line.starts_with(name)), "{said}");
        fairwire(&["laws", name]).ends_with(0);
        for parameter in law["parameters"].as_array().expect("parameters") {
            has_keys(parameter, &["name", "type", "default", "range", "meaning"]);
            assert!(parameter["meaning"].as_str().is_some_and(|text| !text.is_empty()), "{name}: {parameter}");
            assert!(!parameter["default"].is_null(), "{name}: {parameter}");
        }
    }
}

#[test]
fn every_paper_in_brackets_is_told_at_the_end() {
    let said = fairwire(&["laws", "--width", "300"]).ends_with(0);
    let (tables, papers) = said.stdout.split_once("\nPapers").expect("papers at the end");
    let cited = ["dvsr", "rpr-enhanced-conservative", "rias-benchmark-slides", "vrr-gateway", "wmfqc"];
    for name in cited.map(|name| format!("[{name}]")) {
        assert!(tables.contains(&name), "{name} is cited");
        assert!(papers.lines().any(|line| line.starts_with(&format!("  {name} "))), "{name}: {papers}");
    }
}

#[test]
fn a_law_shows_what_can_be_set_in_it() {
    let answer = fairwire(&["laws", "dvsr", "--json"]).ends_with(0).json();
    let parameters = answer["laws"][0]["parameters"].as_array().expect("parameters");
    let kind = |name: &str| {
        parameters.iter().find(|parameter| parameter["name"] == name).map(|parameter| parameter["type"].clone())
    };
    assert_eq!(kind("min-interval"), Some("time".into()));
    assert_eq!(kind("suballocation"), Some("demand | equal".into()));
    insta::assert_snapshot!(fairwire(&["laws", "fifo"]).ends_with(0));
}

#[test]
fn a_law_that_is_not_there_ends_with_2() {
    let said = fairwire(&["laws", "dsvr"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("dvsr, dvsr-plus, fifo"), "{said}");
    assert!(said.stderr.contains("did you mean `dvsr`?"), "{said}");
}
