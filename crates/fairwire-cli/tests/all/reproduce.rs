//! `fairwire reproduce`.

use crate::common::{fairwire, fairwire_in, folder, has_keys, names_in, put, root};
use serde_json::Value;
use std::fs;

/// Ids in the catalogue, read as text and not with the code under test.
fn ids() -> Vec<String> {
    let files = std::fs::read_dir(root().join("claims")).expect("the catalogue is there");
    let texts = files.flatten().filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let mut ids: Vec<String> = Vec::new();
    for text in texts {
        let lines = text.lines().filter_map(|line| line.strip_prefix("id = \""));
        ids.extend(lines.filter_map(|line| line.split('"').next()).map(str::to_owned));
    }
    ids.sort();
    ids.dedup();
    assert!(ids.len() > 50);
    ids
}

#[test]
fn every_claim_has_a_row_and_only_what_was_asked_for_is_checked() {
    let all = ids();
    let answer = fairwire(&["reproduce", &all[0], "--json"]).ends_with(0).json();
    let rows = answer["claims"].as_array().expect("claims");
    let mut told: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, all);
    for row in rows {
        has_keys(row, &["id", "paper", "where", "expected", "measured", "tolerance", "verdict", "note"]);
        has_keys(row, &["reading", "readings", "readings_tried"]);
        let verdict = row["verdict"].as_str().expect("a verdict");
        assert!(["reproduced", "reading", "differs", "not-run", "not-applicable"].contains(&verdict), "{row}");
        assert!(row["id"] == all[0].as_str() || verdict == "not-run", "{row}");
        let has_reason = row["note"].as_str().is_some_and(|note| !note.is_empty());
        let is_measured = ["reproduced", "reading", "differs"].contains(&verdict);
        assert!(has_reason || is_measured, "{row}");
        assert!(is_measured || row["measured"] == Value::Null, "{row}");
        assert_eq!(verdict == "reading", row["reading"].is_string(), "{row}");
    }
}

#[test]
fn strict_fails_exactly_where_a_claim_differs() {
    // Two that are measured quickly: one comes out, the other does not.
    for (claim, verdict) in [("dvsr-fig5-rias", "reproduced"), ("dvsr-fig20-convergence-dvsr", "differs")] {
        let answer = fairwire(&["reproduce", claim, "--json"]).ends_with(0).json();
        let rows = answer["claims"].as_array().expect("claims");
        assert!(rows.iter().any(|row| row["id"] == claim && row["verdict"] == verdict), "{claim}: not {verdict}");
        fairwire(&["reproduce", claim, "--strict"]).ends_with(i32::from(verdict == "differs"));
    }
}

/// VRR's rules hold whether it waits between drops or not: no simulation, and a reading that is told.
#[test]
fn a_reading_is_told_with_its_reason_beside_what_came_out_as_printed() {
    let said = fairwire(&["reproduce", "vrr-algorithm"]).ends_with(0).stdout;
    for line in [
        "  as printed: ",
        "  reading: `wait` on in RED, FRED and VRR (",
        "a default of fairwire): comes out",
        "    measured: ",
    ] {
        assert!(said.contains(line), "no `{line}` in\n{said}");
    }
    assert!(
        said.contains("  tried beside as printed: 1\n") && said.contains("1 reproduced, 0 reading, 0 differs"),
        "{said}"
    );
    let row = fairwire(&["reproduce", "vrr-algorithm", "--json"]).ends_with(0).json();
    let row = row["claims"]
        .as_array()
        .expect("claims")
        .iter()
        .find(|row| row["id"] == "vrr-algorithm")
        .expect("a row")
        .clone();
    assert_eq!((&row["reading"], &row["readings_tried"]), (&Value::Null, &1.into()), "it comes out as printed");
    has_keys(&row["readings"][0], &["name", "why", "ground", "measured", "holds", "breaks"]);
}

#[test]
fn what_is_neither_paper_nor_claim_ends_with_2() {
    let said = fairwire(&["reproduce", "dvsr-nonsense"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("dvsr"), "{said}");
}

/// Of the paper's testbed: with real packets where they can be had, and with the way to them without.
#[test]
fn claims_on_the_testbed_are_measured_with_real_packets() {
    let claim = "dvsr-sec8-two-flow";
    let row = |arguments: &[&str]| {
        let answer = fairwire(&[&["reproduce", claim, "--json"], arguments].concat()).ends_with(0).json();
        let rows = answer["claims"].as_array().expect("claims").clone();
        rows.into_iter().find(|row| row["id"] == claim).expect("a row")
    };
    let without = row(&[]);
    assert_eq!((&without["verdict"], &without["measured"]), (&"not-run".into(), &Value::Null));
    assert!(without["note"].as_str().is_some_and(|note| note.contains("fairwire reproduce --real dvsr")), "{without}");
    if fairwire(&["doctor"]).code != Some(0) {
        println!("no real packets here, as `fairwire doctor` says: nothing is measured");
        return;
    }
    let real = row(&["--real"]);
    if real["verdict"] == "not-run" {
        assert!(real["note"].as_str().is_some_and(|note| note.contains("too busy")), "{real}");
        return println!("the machine is too busy: {}", real["note"]);
    }
    let byte = |measured: &Value| measured["feedback_byte_node2"].as_f64().expect("a byte");
    let long = &real["readings"][0];
    assert!((byte(&long["measured"]) - 127.0).abs() <= 1.0 && long["holds"] == true, "{real}");
    let printed = byte(&real["measured"]);
    assert_eq!(real["verdict"] == "reproduced", (printed - 127.0).abs() <= 1.0, "{real}");
    has_keys(&real["measured"], &["derived_rate_mbps", "throughput_mbps", "real"]);
}

/// One claim of the ring's paper, drawn as a curve, and one of the gateway's, drawn as bars: both are measured at once.
const DRAWN: [&str; 2] = ["dvsr-fig13-aggregated-feedback", "vrr-fig3-vrr"];

#[test]
fn papers_become_pages_with_the_papers_numbers_where_they_belong() {
    let folder = folder("papers");
    fairwire_in(&folder, &["reproduce", DRAWN[0], DRAWN[1], "--html", "deep/papers"]).ends_with(0);
    assert_eq!(names_in(&folder.join("deep")), ["papers"]);
    assert_eq!(names_in(&folder.join("deep/papers")), ["dvsr.html", "index.html", "vrr-gateway.html"]);
    let page = |name: &str| fs::read_to_string(folder.join("deep/papers").join(name)).expect("a page");
    let curve = figure(&page("dvsr.html"), DRAWN[0]);
    // Fig. 13: virtual time has grown by 6 at the end of the period of 10. Places in a picture tell values by its frame.
    let frame: Vec<f64> =
        attribute(&curve, "data-frame").split(' ').map(|part| part.parse().expect("a number")).collect();
    let [left, right, top, bottom, start, end, most] = frame[..] else { panic!("{frame:?}") };
    let circle = curve.split("<circle class=\"printed\"").nth(1).expect("a number of the paper");
    let at = |key| attribute(circle, key).parse::<f64>().expect("a place");
    let place = start + (at("cx") - left) / (right - left) * (end - start);
    let value = (bottom - at("cy")) / (bottom - top) * most;
    assert!((place - 10.0).abs() < 0.05 && (value - 6.0).abs() < 0.05, "the paper's number is at {place}, {value}");
    // Fig. 3: 1 Mb/s for each of ten flows.
    let bars = figure(&page("vrr-gateway.html"), DRAWN[1]);
    assert_eq!(bars.matches("<title>the paper: 1 Mb/s").count(), 10, "{bars}");
    // What differs or is reproduced is so on the index, too.
    assert!(page("index.html").contains("2 reproduced") && page("index.html").contains("dvsr.html#dvsr-fig13"));
}

/// The figures in the section of a claim.
fn figure(page: &str, id: &str) -> String {
    let section = page.split(&format!("<section id=\"{id}\">")).nth(1).expect("a section");
    let section = section.split("</section>").next().unwrap_or_default();
    section.split("<figure>").nth(1).expect("a figure").split("</figure>").next().unwrap_or_default().to_owned()
}

fn attribute<'a>(text: &'a str, key: &str) -> &'a str {
    let rest = text.split(&format!("{key}=\"")).nth(1).expect("the attribute is there");
    rest.split('"').next().unwrap_or_default()
}

#[test]
fn pages_take_no_place_of_anything_else_and_that_is_found_out_before_anything_is_measured() {
    let folder = folder("papers-elsewhere");
    fs::create_dir(folder.join("papers")).expect("a folder");
    put(&folder.join("papers"), "thesis.tex", "mine");
    put(&folder, "file", "mine");
    for place in ["papers", "file", "file/papers", ".."] {
        // All claims together would take minutes.
        let said = fairwire_in(&folder, &["reproduce", "--html", place]).ends_with(2);
        assert!(said.stdout.is_empty() && said.stderr.contains(place), "{said}");
    }
    assert_eq!(
        (names_in(&folder), names_in(&folder.join("papers"))),
        (vec!["file".into(), "papers".into()], vec!["thesis.tex".into()])
    );
}
