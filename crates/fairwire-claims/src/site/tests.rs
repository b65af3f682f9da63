//! What the pages hold, whatever is measured.

use super::*;
use crate::catalogue::catalogue;
use crate::reading::Reading;
use crate::row::Finding;
use fairwire_results::{Curve, Figure, Mark};
use serde_json::json;

fn measured(note: &str) -> Vec<Row> {
    let row = |claim| Row::of(claim, Verdict::Differs, json!({ "a<b": [1.5, true] }), note.to_owned());
    catalogue().iter().map(row).collect()
}

fn find<'a>(pages: &'a [Page], name: &str) -> &'a str {
    &pages.iter().find(|page| page.name == name).expect("a page").html
}

#[test]
fn every_claim_has_its_place_on_the_page_of_its_paper_and_nowhere_else() {
    let rows = measured("why & how");
    let pages = site(&rows, |_| true);
    assert_eq!(pages.iter().map(|page| page.name.clone()).collect::<Vec<_>>(), page_names());
    for row in &rows {
        let section = format!(r#"<section id="{}">"#, row.id);
        for page in &pages {
            let is_own = page.name == format!("{}.html", row.paper);
            assert_eq!(page.html.matches(&section).count(), usize::from(is_own), "{} on {}", row.id, page.name);
        }
        assert!(find(&pages, "index.html").contains(&format!(r#"href="{}.html#{}""#, row.paper, row.id)), "it differs");
    }
    assert!(find(&pages, "dvsr.html").contains("a&lt;b") && find(&pages, "dvsr.html").contains("Why &amp; how."));
}

#[test]
fn links_lead_to_pages_and_sections_that_are_there() {
    let pages = site(&measured(""), |row| row.paper != "wmfqc");
    assert!(pages.iter().all(|page| page.name != "wmfqc.html"));
    for page in &pages {
        for link in page.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { &page.name } else { file };
            let target = pages.iter().find(|page| page.name == file);
            let target = target.unwrap_or_else(|| panic!("{} links to {link}", page.name));
            assert!(
                place.is_empty() || target.html.contains(&format!("id=\"{place}\"")),
                "{} links to {link}",
                page.name
            );
        }
    }
}

#[test]
fn heads_of_tables_are_never_empty() {
    for page in site(&measured("note"), |_| true) {
        let heads = page.html.split("<th").skip(1).filter(|rest| !rest.starts_with("ead"));
        for head in heads {
            let text = head.split_once('>').and_then(|(_, rest)| rest.split("</th>").next()).expect("a head ends");
            assert!(!text.trim().is_empty(), "{}: <th{}", page.name, &head[..40.min(head.len())]);
        }
    }
}

#[test]
fn the_index_counts_verdicts_paper_by_paper() {
    let mut rows = measured("");
    rows.iter_mut().filter(|row| row.paper == "wmfqc").take(5).for_each(|row| row.verdict = Verdict::Reproduced);
    let pages = site(&rows, |_| true);
    let index = find(&pages, "index.html");
    let card = index.split(r#"<section id="wmfqc">"#).nth(1).and_then(|rest| rest.split("</section>").next());
    let card = card.expect("a card");
    assert!(card.contains("5 reproduced") && card.contains("32 differ") && card.contains("Y.-J. Chen"), "{card}");
}

#[test]
fn papers_that_were_not_asked_for_have_no_page_and_claims_left_out_are_told() {
    let rows = measured("");
    let pages = site(&rows, |row| row.id == "vrr-fig3-vrr");
    assert_eq!(pages.iter().map(|page| page.name.as_str()).collect::<Vec<_>>(), ["index.html", "vrr-gateway.html"]);
    assert!(find(&pages, "vrr-gateway.html").contains("22 more claims were left out"));
}

#[test]
fn a_reading_stands_beside_what_was_printed() {
    let reading = Reading::argued("whole & more", "links send whole packets")
        .found(json!({ "rate": 7.5 }), true)
        .breaks("dvsr-fig5-rias");
    let row = Finding::new(json!({ "rate": 6 }), false, "").tried(reading).into_row(&catalogue()[0]);
    let pages = site(&[row], |_| true);
    let html = find(&pages, "dvsr.html");
    for part in ["1 under a reading", "whole &amp; more", "Links send whole packets.", "dvsr-fig5-rias", "7.5"] {
        assert!(html.contains(part), "{part}");
    }
    assert!(html.contains(r#"<li class="part">"#));
}

/// The row of a claim with these expectations, measured so.
fn shown(expected: serde_json::Value, measured: serde_json::Value) -> String {
    let mut row = Row::of(&catalogue()[0], Verdict::Reproduced, measured, String::new());
    row.expected = expected;
    beside::tables(&row, &row.measured, false).into_string()
}

#[test]
fn what_a_paper_prints_stands_beside_what_was_measured_and_how_far_that_is_off() {
    let html = shown(json!({ "rate": 5, "rule": "x" }), json!({ "rate": 4.9, "runs": 3 }));
    assert!(html.contains("<td>5</td><td>4.9</td><td>-2 %</td>"), "{html}");
    assert!(html.contains("<td>x</td><td>–</td>") && html.contains("<td>3</td>"), "{html}");
    let html = shown(json!({ "derived_rate": 5.1, "rate": 5 }), json!({ "rate": 4 }));
    assert!(html.contains("<td>5</td><td>4</td><td>-20 %</td>"), "{html}");
    // A bound is nothing to be off from.
    let html = shown(json!({ "range_at_least": 0.9 }), json!({ "range": 0.99 }));
    assert!(html.contains("<td>0.9</td><td>0.99</td>") && !html.contains("off by"), "{html}");
}

#[test]
fn lists_and_tables_of_a_paper_are_tables() {
    let html = shown(
        json!({ "tests": ["LQCX", "LQC93"], "lost_cells": [0, 44], "sent": [10, 20] }),
        json!({ "tests": ["LQCX", "LQC93"], "lost_cells": [1, 22], "sent": [10, 20] }),
    );
    assert_eq!(html.matches("<table").count(), 1, "{html}");
    for part in [
        "lost cells, the paper",
        r#"<th scope="row">LQC93</th><td class="n">44</td><td class="n">22</td><td class="n">-50 %</td>"#,
    ] {
        assert!(html.contains(part), "no {part} in {html}");
    }
    let html = shown(json!({ "us": [[0.0, null], [5.0, 8.0]] }), json!({ "us": [[0.0, null], [5.0, 10.0]] }));
    assert!(html.contains(r#"10<br><span class="dim">8</span>"#) && html.contains("+25 %"), "{html}");
}

#[test]
fn what_a_paper_does_not_print_itself_is_told_so_and_gaps_stay_gaps() {
    let html = shown(
        json!({ "derived_ar": [[60.0, null], [58.0, 59.0]], "derived_rate": 2 }),
        json!({ "ar_of_those_that_send": [[60.0], [58.0, 59.5]], "rate": 2 }),
    );
    assert!(
        html.contains("what is worked out from the paper") && html.contains(r#"59.5<br><span class="dim">59</span>"#)
    );
    assert!(html.contains("(worked out)") && html.contains(r#"<td class="n">–</td>"#), "{html}");
}

#[test]
fn figures_have_the_papers_numbers_and_ours() {
    let figure = Figure {
        title: "Fig. <1>".to_owned(),
        curves: vec![Curve::counted("here", 1, &[1.0, 2.0])],
        printed: vec![Curve::counted("the paper", 1, &[1.5])],
        levels: vec![Mark::new("the paper, in the end", 1.25)],
        ..Figure::default()
    };
    let row = Finding::new(json!({}), true, "").drawn(figure).into_row(&catalogue()[0]);
    let pages = site(&[row], |_| true);
    let html = find(&pages, "dvsr.html");
    assert!(html.contains("Fig. &lt;1&gt;") && html.contains("the paper, in the end: 1.25"));
    assert!(find(&pages, "index.html").contains("Drawn again"));
}

#[test]
fn a_figure_without_numbers_in_its_paper_says_so() {
    let figure = Figure { curves: vec![Curve::counted("here", 1, &[1.0, 2.0])], ..Figure::default() };
    let page = |expected: serde_json::Value| {
        let row = Finding::new(json!({}), true, "").drawn(figure.clone()).into_row(&catalogue()[0]);
        find(&site(&[Row { expected, ..row }], |_| true), "dvsr.html").to_owned()
    };
    let said = "prints no number for this figure";
    assert!(page(json!({ "ordering": "VRR < FRED" })).contains(said));
    assert!(!page(json!({ "shares": [{ "share": 0.5 }] })).contains(said));
}
