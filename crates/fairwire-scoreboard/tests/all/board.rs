//! A scoreboard goes on where it ended, and tells fair from unfair.

use crate::kept::same_tables;
use fairwire_laws::ring::RingLawChoice;
use fairwire_scenario::Scenario;
use fairwire_scoreboard::{Board, Case, Group, Score, Store, Summary, page, picture, tables, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A ring of four with two senders to one exit, short enough for a test.
fn tiny(id: &str, flows: &str) -> Case {
    let toml = format!(
        "schema = 1\n[run]\nduration = \"4 s\"\nwindow = \"8 ms\"\n[ring]\nstations = 4\ncapacity = \"100 Mb/s\"\n\
         span-delay = \"2 ms\"\nlaw = {{ name = \"dvsr\" }}\n{flows}"
    );
    Case { id: id.to_owned(), group: Group::RandomRing, scenario: Scenario::parse(id, &toml).unwrap(), toml }
}

const GREEDY: &str = "traffic = { kind = \"greedy\", packet = \"1 kB\", size-jitter = \"5 %\" }";

fn board(laws: &[&str]) -> Board {
    let one = format!("[[flow]]\nname = \"alone\"\nfrom = 0\nto = 1\n{GREEDY}\n");
    let two = format!("[[flow]]\nname = \"to-2\"\nfrom = [0, 1]\nto = 2\nringlet = 0\n{GREEDY}\n");
    let laws = laws.iter().map(|name| RingLawChoice::by_name(name).unwrap()).collect();
    Board { cases: vec![tiny("ring-one", &one), tiny("ring-two", &two)], laws, build: "a build".to_owned() }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn keep_on(_: usize, _: f64) -> bool {
    true
}

#[test]
fn a_flow_alone_is_fair_under_every_law_and_dvsr_is_fair_to_two() {
    let folder = folder("fair");
    let scores = board(&["dvsr", "fifo"]).fill(&Store::open(&folder, false).unwrap(), &keep_on).unwrap();
    let names: Vec<_> = scores.iter().map(|score| (score.case.as_str(), score.law.as_str())).collect();
    assert_eq!(names, [("ring-one", "dvsr"), ("ring-one", "fifo"), ("ring-two", "dvsr"), ("ring-two", "fifo")]);
    for alone in &scores[..2] {
        let measured = &alone.measured;
        assert!(measured.largest_error < 0.005 && measured.swing < 0.01, "{alone:?}");
        assert!(measured.utilisation_lost < 0.005 && measured.transit_loss == 0.0, "{alone:?}");
        assert!(measured.laps_to_fair_5.unwrap() < 20.0, "{alone:?}");
    }
    let (dvsr, fifo) = (&scores[2].measured, &scores[3].measured);
    assert!(dvsr.largest_error < 0.01 && dvsr.laps_to_fair_5.unwrap() < 100.0, "{dvsr:?}");
    assert!(dvsr.control > 0.0 && dvsr.control < 0.01, "{dvsr:?}");
    // Twice what the last link holds is sent, and without control half of it is lost.
    assert_eq!(fifo.control, 0.0);
    assert!((fifo.transit_loss - 0.5).abs() < 0.01 && dvsr.transit_loss < 0.01, "{fifo:?}");
    assert!(fifo.delay_p50_laps > dvsr.delay_p50_laps.map(|laps| laps * 0.9));
}

#[test]
fn what_was_interrupted_goes_on_and_ends_in_the_same_scores() {
    let (folder, whole) = (folder("resume"), folder("whole"));
    let board = board(&["dvsr", "fifo"]);
    let expected = board.fill(&Store::open(&whole, false).unwrap(), &keep_on).unwrap();

    // The run that is under way when the second one has begun is given up.
    let begun = AtomicUsize::new(0);
    let stop_soon = |_: usize, fraction: f64| fraction > 0.0 || begun.fetch_add(1, Ordering::SeqCst) < 2;
    let first = board.fill(&Store::open(&folder, false).unwrap(), &stop_soon).unwrap();
    assert_eq!(first.len(), 2);

    // The machine stopped in the middle of a line.
    let journal = folder.join("results.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &text[..text.len() - 10]).unwrap();

    let ran = AtomicUsize::new(0);
    let count = |_: usize, fraction: f64| {
        ran.fetch_add(usize::from(fraction == 0.0), Ordering::SeqCst);
        true
    };
    let second = board.fill(&Store::open(&folder, false).unwrap(), &count).unwrap();
    assert_eq!(second, expected);
    assert!(ran.load(Ordering::SeqCst) >= 3, "the torn line is run again");

    let nothing_left = |position: usize, fraction: f64| {
        assert!(fraction == 1.0, "run {position} has a score");
        true
    };
    assert_eq!(board.fill(&Store::open(&folder, false).unwrap(), &nothing_left).unwrap(), expected);
    for (folder, scores) in [(&whole, &expected), (&folder, &second)] {
        write(folder, &Summary::of(scores), scores).unwrap();
    }
    same_tables(&whole, &folder);
}

#[test]
fn a_store_of_another_build_is_left_alone_and_two_boards_do_not_write_one() {
    let folder = folder("builds");
    let mut board = board(&["fifo"]);
    let own = board.fill(&Store::open(&folder, false).unwrap(), &keep_on).unwrap();
    let before = fs::read(folder.join("results.jsonl")).unwrap();
    board.build = "another".to_owned();
    let others = board.fill(&Store::open(&folder, false).unwrap(), &keep_on).unwrap();
    assert!(own.iter().zip(&others).all(|(own, other)| own.key != other.key && own.measured == other.measured));
    assert!(fs::read(folder.join("results.jsonl")).unwrap().starts_with(&before), "nothing is lost");
    board.build = "a build".to_owned();
    let nothing_left = |_: usize, fraction: f64| fraction == 1.0;
    let store = Store::open(&folder, false).unwrap();
    assert_eq!(board.fill(&store, &nothing_left).unwrap(), own);
    let busy = Store::open(&folder, true).expect_err("it is written").to_string();
    assert!(busy.starts_with("another process works in"), "{busy}");
}

#[test]
fn another_build_law_or_order_runs_anew() {
    let folder = folder("anew");
    let mut board = board(&["fifo"]);
    let count = |board: &Board, fresh: bool| {
        let ran = AtomicUsize::new(0);
        let watch = |_: usize, fraction: f64| {
            ran.fetch_add(usize::from(fraction < 1.0), Ordering::SeqCst);
            true
        };
        board.fill(&Store::open(&folder, fresh).unwrap(), &watch).unwrap();
        ran.into_inner()
    };
    assert!(count(&board, false) > 0);
    assert_eq!(count(&board, false), 0);
    assert!(count(&board, true) > 0, "asked to forget");
    board.build = "another".to_owned();
    assert!(count(&board, false) > 0);
    board.laws = vec![RingLawChoice::by_name("dvsr").unwrap()];
    assert!(count(&board, false) > 0);
}

/// Scores without a run, so that tables can be read off by hand.
fn scores() -> Vec<Score> {
    let score = |case: &str, group: &str, law: &str, error: f64, laps: &str| -> Score {
        serde_json::from_str(&format!(
            r#"{{"key": "{case} {law}", "case": "{case}", "group": "{group}", "law": "{law}", "stations": 4, "flows": 2,
                 "unique": "yes", "largest_error": {error}, "p95_error": {error}, "laps_to_fair_5": {laps},
                 "laps_to_fair_1": null, "swing": 0.02, "utilisation_lost": 0.001, "transit_loss": 0.0,
                 "delay_p50_laps": 0.5, "delay_p95_laps": 1.5, "delay_p99_laps": 12.0, "control": 0.00105}}"#
        ))
        .unwrap()
    };
    vec![
        score("lot-2", "parking-lot", "a", 0.0002, "3.0"),
        score("lot-2", "parking-lot", "b", 0.5, "null"),
        score("ring-0", "random-ring", "a", 0.004, "10.0"),
        score("ring-0", "random-ring", "b", 0.7, "null"),
        score("ring-1", "random-ring", "a", 0.004, "10.0"),
        score("ring-1", "random-ring", "b", 0.7, "null"),
        // Not all laws have run this one.
        score("ring-2", "random-ring", "a", 9.0, "null"),
    ]
}

#[test]
fn tables_say_what_the_scores_come_to() {
    let scores = scores();
    let summary = Summary::of(&scores);
    assert_eq!((summary.rings, summary.rings_not_decided), (2, 0));
    let shown: Vec<String> = tables(&summary, &scores)
        .iter()
        .map(|table| {
            let rows = table.rows.iter().map(|row| row.join(" | "));
            std::iter::once(table.title.clone())
                .chain([table.header.join(" | ")])
                .chain(rows)
                .collect::<Vec<_>>()
                .join("\n")
        })
        .collect();
    assert_eq!(
        shown.join("\n"),
        "2 random rings: how fair, how fast\n\
         law | >within 5 % | >within 1 % | >quiet | >largest error | >p95 error | >laps to 5 % | >laps to 1 %\n\
         a | 100 % | 100 % | 100 % | 0.40 % | 0.40 % | 10 | never\n\
         b | 0 % | 0 % | 100 % | 70 % | 70 % | never | never\n\
         2 random rings: at what price\n\
         law | >swing | >utilisation lost | >transit loss | >delay p50, laps | >p95 | >p99 | >control\n\
         a | 2.0 % | 0.10 % | 0 % | 0.50 | 1.5 | 12 | 0.10 %\n\
         b | 2.0 % | 0.10 % | 0 % | 0.50 | 1.5 | 12 | 0.10 %\n\
         Parking lots: largest error by hops\n\
         law | >2\n\
         a | 0.020 %\n\
         b | 50 %\n\
         Cases of 3 where another law is better than a: how fair, how fast\n\
         law | >largest error | >p95 error | >laps to 5 % | >laps to 1 % | >swing\n\
         b | – | – | – | – | –\n\
         Cases of 3 where another law is better than a: at what price\n\
         law | >utilisation lost | >transit loss | >delay p50, laps | >p95 | >p99 | >control\n\
         b | – | – | – | – | – | –"
    );
}

#[test]
fn where_another_law_is_better_it_is_said() {
    let mut scores = scores();
    {
        let [lot_a, lot_b, ring_a, ring_b, _, other_b, alone] = scores.as_mut_slice() else { unreachable!() };
        (lot_a.measured.laps_to_fair_5, lot_b.measured.laps_to_fair_5) = (None, Some(5.0));
        (ring_b.measured.delay_p50_laps, other_b.measured.delay_p50_laps) = (Some(0.45), Some(0.2));
        (ring_a.measured.delay_p95_laps, ring_b.measured.delay_p95_laps) = (None, Some(0.1));
        (ring_b.measured.swing, other_b.measured.swing) = (0.0175, 0.02 - 1e-9);
        // Nobody to compare with.
        alone.measured.control = 9.0;
    }
    let summary = Summary::of(&scores);
    let lead = summary.lead.as_ref().unwrap();
    assert_eq!((lead.law.as_str(), lead.cases, lead.nearest), ("a", 3, 3));
    let better: Vec<_> = lead.others.iter().filter(|other| other.better > 0).collect();
    let said: Vec<_> =
        better.iter().map(|other| (other.measure, other.better, other.case.as_deref().unwrap())).collect();
    assert_eq!(said, [("laps_to_fair_5", 1, "lot-2"), ("swing", 2, "ring-0"), ("delay_p50_laps", 2, "ring-1")]);
    assert_eq!(better[0].most, Some(f64::INFINITY));
    assert!((better[2].most.unwrap() - 0.3).abs() < 1e-12 && lead.others.len() == 11);
    let rows: Vec<_> =
        tables(&summary, &scores).into_iter().rev().take(2).map(|table| table.rows[0].join(" | ")).collect();
    assert_eq!(rows, ["b | – | – | 2 (by 0.30) | – | – | –", "b | – | – | 1 (a never) | – | 2 (by 0.25 %)"]);
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["lead"]["others"][2]["most"], serde_json::Value::Null);
    assert_eq!(json["lead"]["others"][2]["better"], 1);

    // The one that is nearest more often leads, whichever comes first; of equals the first.
    let swap = |score: &mut Score| score.law = if score.law == "a" { "b".to_owned() } else { "a".to_owned() };
    scores.iter_mut().for_each(swap);
    assert_eq!(Summary::of(&scores).lead.unwrap().law, "b");
    scores.iter_mut().for_each(|score| score.measured.largest_error = 0.1);
    assert_eq!(Summary::of(&scores).lead.unwrap().law, "b", "it comes first here");
    scores[4].measured.largest_error = 0.2;
    assert_eq!(Summary::of(&scores).lead.map(|lead| (lead.law, lead.nearest)), Some(("a".to_owned(), 3)));
    scores.retain(|score| score.law == "a");
    assert_eq!(Summary::of(&scores).lead, None);
}

#[test]
fn the_folder_holds_a_page_a_picture_and_the_numbers() {
    let folder = folder("files");
    fs::create_dir_all(&folder).unwrap();
    let scores = scores();
    let summary = Summary::of(&scores);
    write(&folder, &summary, &scores).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let html = read("scoreboard.html");
    assert_eq!(html, page(&summary, &scores));
    assert!(html.contains("2 random rings: how fair, how fast") && html.contains(read("scoreboard.svg").trim_end()));
    assert!(!html.contains("http://") || !html.replace("http://www.w3.org/2000/svg", "").contains("http://"));
    let csv = read("scores.csv");
    assert_eq!(csv.lines().count(), scores.len() + 1);
    assert!(csv.starts_with("case,group,law,stations,flows,unique,largest_error,p95_error,laps_to_fair_5,"));
    assert!(csv.contains("\nring-0,random-ring,b,4,2,yes,0.7,0.7,,,0.02,"));
    let json: serde_json::Value = serde_json::from_str(&read("scoreboard.json")).unwrap();
    assert_eq!(json["laws"][1]["laps_to_fair_5"]["value"], serde_json::Value::Null, "never");
    assert_eq!(json["laws"][0]["within_1"]["value"], 1.0);
}

#[test]
fn panels_without_anything_to_show_are_left_out() {
    let panels = |scores: &[Score]| {
        let svg = picture(&Summary::of(scores), scores);
        (svg.matches("class=\"ct\"").count(), svg)
    };
    let mut lots = scores();
    lots.retain(|score| score.group == Group::ParkingLot);
    assert_eq!(panels(&scores()).0, 3, "a single lot is no line");
    lots.extend(lots.clone().into_iter().map(|lot| Score { case: "lot-4".to_owned(), ..lot }));
    let (count, svg) = panels(&lots);
    assert!(count == 1 && svg.contains("Parking lots"), "{svg}");
    assert_eq!(panels(&[scores(), lots[2..].to_vec()].concat()).0, 4);

    let folder = folder("no-picture");
    fs::create_dir_all(&folder).unwrap();
    let svg = folder.join("scoreboard.svg");
    let mut papers = lots[..2].to_vec();
    papers.iter_mut().for_each(|score| score.group = Group::Paper);
    for (scores, drawn) in [(&lots, true), (&papers, false), (&papers, false)] {
        write(&folder, &Summary::of(scores), scores).unwrap();
        assert_eq!(svg.exists(), drawn);
        assert_eq!(fs::read_to_string(folder.join("scoreboard.html")).unwrap().contains("<svg"), drawn);
    }
}

#[test]
fn a_few_scenarios_have_a_column_each_and_many_a_row_each() {
    let papers = |count: usize| {
        let of = |number: usize| scores()[..2].to_vec().into_iter().map(move |score| (number, score));
        let paper =
            |(number, score): (usize, Score)| Score { case: format!("p{number}"), group: Group::Paper, ..score };
        let scores: Vec<Score> = (0..count).flat_map(of).map(paper).collect();
        tables(&Summary::of(&scores), &scores)[0].clone()
    };
    assert_eq!(papers(2).rows, [["a", "0.020 %", "0.020 %"], ["b", "50 %", "50 %"]]);
    assert_eq!(papers(4).rows[3], ["p3", "0.020 %", "50 %"]);
}
