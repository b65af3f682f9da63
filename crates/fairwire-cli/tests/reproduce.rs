//! `fairwire reproduce`.

mod common;

use common::{fairwire, has_keys, root};
use serde_json::Value;

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
    // Claims that need no simulation are quick to check.
    let answer = fairwire(&["reproduce", "rias-benchmark-slides", "--json"]).ends_with(0).json();
    let differs = answer["claims"].as_array().expect("claims").iter().any(|row| row["verdict"] == "differs");
    fairwire(&["reproduce", "rias-benchmark-slides", "--strict"]).ends_with(i32::from(differs));
}

#[test]
fn what_is_neither_paper_nor_claim_ends_with_2() {
    let said = fairwire(&["reproduce", "dvsr-nonsense"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("dvsr"), "{said}");
    let said = fairwire(&["reproduce", "dvsr", "--html", "no-such-folder/claims.html"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("cannot write no-such-folder/claims.html"), "{said}");
}
