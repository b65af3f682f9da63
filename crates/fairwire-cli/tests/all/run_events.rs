//! What `run` tells of cuts and mends.

use crate::common::{SMALL, fairwire, fairwire_in, folder, put};
use serde_json::Value;
use std::fs;

/// A ring that is cut and mended, with a flow that stays in order and one that does not.
const CUT: &str = r#"schema = 1
title = "A ring is cut and mended"

[run]
duration = "150 ms"

[ring]
stations = 8
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "fifo" }
protection = { mode = "steer", wait-to-restore = "20 ms" }

[[flow]]
name = "relaxed"
from = 1
to = 4
traffic = { kind = "cbr", rate = "200 Mb/s", packet = "1 kB" }

[[flow]]
name = "strict"
from = 0
to = 3
order = "strict"
traffic = { kind = "cbr", rate = "200 Mb/s", packet = "1 kB" }

[[event]]
at = "40 ms"
kind = "cut"
between = [2, 3]

[[event]]
at = "70 ms"
kind = "restore"
between = [2, 3]
"#;

#[test]
fn what_cuts_and_steering_do_to_packets_is_told_everywhere() {
    let folder = folder("run-astray");
    let file = put(&folder, "cut.toml", CUT);
    let run = ["run", &file, "--out", "cut", "--format", "csv"];
    let said = fairwire_in(&folder, &run).ends_with(0);
    let answer = fairwire(&["run", &file, "--no-folder", "--json"]).ends_with(0).json();
    let counts = |flow: &Value| {
        ["entered", "delivered", "dropped", "lost", "discarded", "reordered"].map(|key| flow[key].as_u64().expect(key))
    };
    let flows = answer["runs"][0]["flows"].as_array().expect("flows");
    let [relaxed, strict] = &flows.iter().map(counts).collect::<Vec<_>>()[..] else { panic!("two flows") };
    for [entered, delivered, dropped, lost, discarded, _] in [relaxed, strict] {
        let under_way = entered - (delivered + dropped + lost + discarded);
        assert!(under_way < 50, "{under_way} packets are on three spans of 0.1 ms");
        assert!(*lost > 0);
    }
    let ([.., 0, overtaken], [.., discarded, 0]) = (relaxed, strict) else {
        panic!("{relaxed:?} and {strict:?}: a strict order is kept, and nothing relaxed is discarded for it")
    };
    assert!(*overtaken > 0 && *discarded > 0, "both have their price");

    let lost = relaxed[3] + strict[3];
    for row in [
        format!("packets lost on cut links {lost}"),
        format!("packets delivered after later ones {overtaken}"),
        format!("packets discarded to keep order {discarded}"),
    ] {
        let told = said.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(told.into_iter().any(|line| line == row), "`{row}` is missing in {said}");
    }

    let table = fs::read_to_string(folder.join("cut/summary.csv")).expect("a table of flows");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|column| *column == name).expect(name);
    let of =
        |row: usize| ["lost_packets", "discarded_packets", "reordered_packets"].map(|name| rows[row][column(name)]);
    assert_eq!(of(1), [relaxed[3].to_string(), "0".to_owned(), overtaken.to_string()]);
    assert_eq!(of(2), [strict[3].to_string(), discarded.to_string(), "0".to_owned()]);

    let page = fs::read_to_string(folder.join("cut/report.html")).expect("a report");
    let cells = |counts: [u64; 3]| counts.map(|count| format!(r#"<td class="n">{count}</td>"#)).concat();
    assert!(page.contains(&cells([relaxed[3], *overtaken, 0])) && page.contains(&cells([strict[3], 0, *discarded])));

    let intact = fairwire(&["run", &put(&folder, "intact.toml", SMALL), "--no-folder", "--json"]).json();
    assert!(intact["runs"][0]["flows"][0].get("reordered").is_none(), "nothing overtakes on a ring without protection");
}

/// Why an event has nothing to tell: no flow has a way any more, nothing comes of it, or nobody noticed.
#[test]
fn an_event_without_an_outage_says_why() {
    let folder = folder("run-untold");
    let events = CUT.find("[[event]]").expect("events");
    let down = |station: u8| format!("[[event]]\nat = \"40 ms\"\nkind = \"station-down\"\nstation = {station}\n");
    let lost = [CUT[..events].to_owned(), down(3), down(4)].concat();
    let short = CUT.replace("70 ms", "41 ms");
    let told = |text: &str| text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let says = |lines: &Vec<String>, row: &str| assert!(lines.iter().any(|line| line == row), "`{row}` in {lines:#?}");

    let file = put(&folder, "lost.toml", &lost);
    let lines: Vec<String> = told(&fairwire_in(&folder, &["run", &file, "--out", "lost"]).ends_with(0).stdout);
    says(&lines, "station-down 3 at 40 ms: longest silence no flow has a way left");
    assert!(lines.iter().any(|line| line.starts_with("station-down 3 at 40 ms: fair") && line.ends_with(" –")));
    let page = fs::read_to_string(folder.join("lost/report.html")).expect("a report");
    assert!(page.contains("no flow has a way left"));

    let file = put(&folder, "short.toml", &short);
    let lines: Vec<String> = told(&fairwire(&["run", &file, "--no-folder"]).ends_with(0).stdout);
    says(&lines, "cut 2-3 at 40 ms: topology settled not noticed");
    says(&lines, "restore 2-3 at 41 ms: longest silence no effect in the run");
    let answer = fairwire(&["run", &file, "--no-folder", "--json"]).ends_with(0).json();
    let [cut, mend] = &answer["runs"][0]["protection"].as_array().expect("events")[..] else { panic!("two events") };
    assert_eq!((&cut["noticed"], &cut["steered"]), (&Value::from(false), &Value::from(0)));
    assert_eq!((&cut["settled_ns"], &mend["acts_ns"]), (&Value::from(0), &Value::Null));
    assert!(cut["fair_again"]["ns"].is_u64(), "judged as the intact ring: {cut}");
}

/// Means over times in which different rates are fair would tell that nothing is.
#[test]
fn a_report_judges_a_run_by_what_is_fair_after_each_change() {
    const EVENTS: &str = r#"schema = 1
run = { duration = "6 s" }

[network]
nodes = ["office", "exchange"]
queue = { name = "fq-codel" }

[[network.link]]
name = "line"
from = "office"
to = "exchange"
capacity = "10 Mb/s"

[[flow]]
name = "backup"
from = "office"
to = "exchange"
demand = "8 Mb/s"

[[flow]]
name = "call"
from = "office"
to = "exchange"
demand = "1 Mb/s"

[[event]]
at = "2 s"
kind = "demand"
flow = "call"
demand = "4 Mb/s"

[[event]]
at = "4 s"
kind = "capacity"
link = "line"
capacity = "6 Mb/s"
"#;
    let folder = folder("run-changes");
    let file = put(&folder, "changes.toml", EVENTS);
    let page = |out: &str, extra: &[&str]| {
        let run = [&["run", &file, "--out", out], extra].concat();
        fairwire_in(&folder, &run).ends_with(0);
        fs::read_to_string(folder.join(out).join("report.html")).expect("a report")
    };
    let fair = page("fair", &[]);
    assert!(fair.contains("All flows are within 5 % of their max-min rates") && !fair.contains(">not fair<"));
    assert!(fair.contains("Fair rates are those of the start; events change them"));
    let table =
        fair.split_once(r#"<section id="changes">"#).expect("a section").1.split_once("</section>").expect("an end").0;
    for told in ["demand of call 4 Mb/s", "6 Mb/s", "3 Mb/s", "(W "] {
        assert!(table.contains(told), "`{told}` in {table}");
    }
    assert!(fair.contains("Around the slowest change, at "), "the close view shows a change");

    let unfair = page("unfair", &["--law", "droptail"]);
    assert!(unfair.contains(">not fair<") && unfair.contains(" of 2 changes not all flows come within"));

    let short = page("short", &["--set", "event.0.at=5990 ms", "--set", "event.1.at=5995 ms"]);
    assert!(short.contains("none leaves time enough to tell how soon rates follow"));
}
