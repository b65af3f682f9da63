//! The report as a page: complete, self-contained, small, and safe.

use crate::support::Played;
use fairwire_alloc::Uniqueness;
use fairwire_results::measures::LimitedBy;
use fairwire_results::{Record, ReportInput, render};

const SECTIONS: [&str; 8] = ["topology", "rates", "throughput", "queues", "control", "numbers", "why", "how"];

fn page(played: &Played, title: &str) -> String {
    render(&ReportInput {
        title,
        description: "a <b>test</b>",
        scenario_text: "title = \"<script>\"",
        scenario_sha256: "00ff",
        plan: &played.plan,
        allocation: &played.allocation,
        problem: &played.problem,
        runs: &played.runs,
        promises: &[],
    })
}

#[test]
fn all_parts_are_there_in_order() {
    let played = crate::support::play("parking-lot", 60);
    let page = page(&played, "A title");
    let at: Vec<_> = SECTIONS.iter().map(|id| page.find(&format!("<section id=\"{id}\">")).expect(id)).collect();
    assert!(at.is_sorted(), "{at:?}");
    for flow in &played.ring.flows {
        assert!(page.contains(&format!(">{}<", flow.name)), "{} is not named", flow.name);
    }
    for law in ["dvsr", "fifo"] {
        assert!(page.contains(&format!(">{law}</span>")), "{law} has no verdict");
    }
}

#[test]
fn nothing_is_fetched_and_nothing_breaks_out() {
    let played = crate::support::play("parking-lot", 20);
    let page = page(&played, "</title><script>alert(1)</script>");
    for outside in ["http:", "https:", "src=", "@import", "url(", "<link"] {
        assert!(!page.contains(outside), "{outside} points outside");
    }
    assert_eq!(page.matches("<script>").count(), 1, "only the page's own script");
    assert!(!page.contains("<b>test"));
}

#[test]
fn tags_are_balanced_and_numbers_are_numbers() {
    for (scene, duration_ms) in [("parking-lot", 60), ("both-ways", 260), ("crowded", 60), ("two-stations", 20)] {
        let played = crate::support::play(scene, duration_ms);
        let page = page(&played, scene);
        for tag in ["svg", "section", "div", "table", "tr", "td", "details", "ul", "li", "g", "text", "span", "p"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            let start = format!("<{tag} ");
            let alone = page
                .split(&start)
                .skip(1)
                .filter(|rest| rest.split_once('>').is_some_and(|(inside, _)| inside.ends_with('/')));
            assert_eq!(opened - alone.count(), page.matches(&format!("</{tag}>")).count(), "{tag} in {scene}");
        }
        let drawn = page.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>")).expect("a page").0;
        for word in ["NaN", "inf ", "inf\"", "-inf", "None", "Some("] {
            assert!(!drawn.contains(word), "{word} in {scene}");
        }
    }
}

#[test]
fn size_does_not_grow_with_the_run() {
    let short = page(&crate::support::play("parking-lot", 300), "short").len();
    let long = page(&crate::support::play("parking-lot", 3_000), "long").len();
    assert!(long < 2_000_000, "{long} bytes");
    assert!((long as f64) < 1.5 * short as f64, "{long} bytes after {short}");
    let crowded = page(&crate::support::play("crowded", 300), "crowded").len();
    assert!(crowded < 2_000_000, "{crowded} bytes");
}

#[test]
fn a_run_without_detail_still_has_a_report() {
    let mut played = crate::support::play("parking-lot", 20);
    for run in &mut played.runs {
        let Record::Ring(record) = &mut run.record else { panic!("a ring") };
        record.laws.clear();
        for link in &mut record.links {
            link.sent_bytes.clear();
            link.waiting_bytes.clear();
            link.deepest_bytes.clear();
        }
    }
    let plain = page(&played, "plain");
    assert!(!plain.contains("<section id=\"queues\">") && !plain.contains("<section id=\"control\">"));
    assert!(plain.contains("<section id=\"throughput\">"));
    played.runs.clear();
    assert!(page(&played, "nothing ran").contains("<section id=\"why\">"));
}

#[test]
fn a_window_that_all_laws_share_stands_in_the_heading() {
    let played = crate::support::play("parking-lot", 60);
    let page = page(&played, "windows");
    let numbers = page.split_once("<section id=\"numbers\">").expect("numbers").1;
    let (heading, rows) = numbers.split_once("</thead>").expect("a heading");
    assert!(heading.contains("fair within 5\u{a0}%<br>W ") && heading.contains("settled<br>W "), "{heading}");
    let rows = rows.split_once("</table>").expect("an end").0;
    assert!(!rows.contains(">W "), "{rows}");
}

#[test]
fn a_few_lost_packets_are_not_a_part_of_all() {
    let mut played = crate::support::play("two-stations", 20);
    let mut lost = |dropped: u64| {
        for run in &mut played.runs {
            run.summary.flows.iter_mut().for_each(|flow| (flow.dropped, flow.entered) = (dropped, 5_000_000));
        }
        page(&played, "A title")
    };
    assert!(
        lost(1).contains(" The ring drops a few packets.")
            && lost(50_000).contains(" The ring drops 1 % of the packets.")
    );
}

/// Ratios of 1 would otherwise tell that all is fair.
#[test]
fn a_verdict_tells_that_it_was_not_decided_what_is_fair() {
    let mut played = crate::support::play("parking-lot", 60);
    let told = |played: &Played| page(played, "A title").contains(" Which rates are fair was not decided");
    assert!(!told(&played));
    played.allocation.unique = Uniqueness::NotDecided;
    assert!(told(&played));
}

/// That a link is full is what a low rate means; any other reason is worth a word.
#[test]
fn who_is_held_back_otherwise_than_by_a_link_is_told() {
    let mut played = crate::support::play("parking-lot", 60);
    let mut held = |by: LimitedBy| {
        for flow in played.runs.iter_mut().flat_map(|run| &mut run.summary.flows) {
            flow.limited_by = Some(by);
        }
        page(&played, "A title").contains(" is held back by ")
    };
    assert!(held(LimitedBy::Law) && !held(LimitedBy::Link));
}
