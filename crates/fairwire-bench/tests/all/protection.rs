//! `fairwire-bench protection`: the ring and the cuts are as asked for, and what is told of them is so.

use crate::common::{bench, bench_in, folder};
use serde_json::Value;

/// The scenario of cut 3 on a ring of six with `options`.
fn shown(options: &[&str]) -> String {
    let ask = [&["protection", "--show", "3", "--stations", "6"], options].concat();
    bench(&ask).ends_with(0).stdout
}

/// The spans that are cut, by their western ends.
fn cuts(toml: &str) -> Vec<u16> {
    let between = toml.lines().filter_map(|line| line.strip_prefix("between = ["));
    between.map(|pair| pair.split(',').next().and_then(|west| west.parse().ok()).expect("two stations")).collect()
}

#[test]
fn a_cut_is_the_same_ring_whatever_is_done_about_it() {
    let one = shown(&[]);
    assert!(one.contains("stations = 6") && one.contains("mode = \"steer\""), "{one}");
    assert_eq!(one.matches("[[flow]]").count(), 6);
    assert_eq!(shown(&["--mode", "wrap"]), one.replace("steer", "wrap"));
    let held = shown(&["--overflow", "hold"]);
    assert_eq!(held, one.replace("\"200 kB\" }", "\"200 kB\", overflow = \"hold\" }"));
    let two = shown(&["--cuts-at-once", "2"]);
    let untitled = |toml: &str| toml.lines().skip(2).take_while(|line| *line != "[[event]]").collect::<String>();
    assert_eq!(untitled(&one), untitled(&two));
    let (first, both) = (cuts(&one), cuts(&two));
    assert_eq!((first.len(), both.len(), first[0]), (1, 2, both[0]));
    assert_ne!(both[0], both[1]);
    let at: Vec<&str> = two.lines().filter(|line| line.starts_with("at = ")).collect();
    assert_eq!(at[0], at[1], "in the same instant");
}

#[test]
fn larger_rings_have_their_times_in_proportion() {
    let of = |stations: &str| bench(&["protection", "--show", "0", "--stations", stations]).ends_with(0).stdout;
    let (usual, large) = (of("64"), of("96"));
    assert!(usual.contains("duration = \"350 ms\"") && usual.contains("{ mode = \"steer\" }"), "{usual}");
    assert!(large.contains("duration = \"525 ms\"") && large.contains("stability = \"15 ms\""), "{large}");
    assert!(of("8").contains("duration = \"350 ms\""));
}

#[test]
fn what_two_cuts_at_once_cut_off_is_told() {
    for mode in ["steer", "wrap"] {
        let folder = folder(&format!("two-cuts-{mode}"));
        let options = ["--stations", "5", "--cuts", "8", "--law", "dvsr-plus", "--load", "hub", "--mode", mode];
        let ask = [&["protection", "--cuts-at-once", "2", "--json"], &options[..]].concat();
        let answer = bench_in(&folder, &ask).ends_with(0).json();
        let found = answer["cuts"].as_array().expect("cuts");
        let cut_off: Vec<u64> = found.iter().filter_map(|cut| cut["cut_off"].as_u64()).collect();
        // One to three of the four that send to the hub are in the other part.
        assert!(cut_off.len() == 8 && cut_off.iter().all(|count| (1..4).contains(count)), "{cut_off:?}");
        for cut in found {
            assert!(cut["event"].as_str().is_some_and(|event| event.matches("cut ").count() == 2), "{cut}");
            assert!(cut["outage_ns"].is_u64() && cut["settled_ns"].is_u64(), "{cut}");
        }
        let law = &answer["laws"][0];
        let mean = cut_off.iter().sum::<u64>() as f64 / 8.0;
        assert_eq!((law["cut_off"].as_f64(), law["broken"].as_u64()), (Some(mean), Some(0)));
        let fair = |value: &&Value| value["fair_again"]["ns"].is_u64();
        assert_eq!(law["fair"].as_u64(), Some(found.iter().filter(fair).count() as u64));
        let numbers = std::fs::read_to_string(folder.join("protection/cuts.csv")).expect("numbers");
        let columns: Vec<usize> = numbers.lines().map(|line| line.split(',').count()).collect();
        assert!(columns.len() == 9 && columns.iter().all(|count| *count == columns[0]), "{numbers}");
    }
}

#[test]
fn a_station_may_fail_in_place_of_a_span() {
    let lost = shown(&["--station-down"]);
    let station = lost.lines().find_map(|line| line.strip_prefix("station = ")).expect("a station").to_owned();
    assert!(
        lost.contains(&format!("kind = \"station-down\"\nstation = {station}")) && cuts(&lost).is_empty(),
        "{lost}"
    );
    let folder = folder("stations-down");
    let options = ["--stations", "6", "--cuts", "6", "--law", "dvsr-plus", "--load", "hub", "--station-down", "--json"];
    let answer = bench_in(&folder, &[&["protection"], &options[..]].concat()).ends_with(0).json();
    for found in answer["cuts"].as_array().expect("failures") {
        // What the lost station sends has no way left; all else goes on.
        assert_eq!(found["cut_off"], 1, "{found}");
        assert!(found["outage_ns"].as_u64().is_some_and(|outage| outage < 50_000_000), "{found}");
        assert_eq!(found["violations"], serde_json::json!([]), "{found}");
    }
    let said = bench(&["protection", "--station-down", "--cuts-at-once", "2"]).ends_with(2).stderr;
    assert!(said.contains("cannot be used with"), "{said}");
}

#[test]
fn numbers_too_small_or_too_large_are_refused() {
    for (option, value, range) in [
        ("--stations", "3", "4..=127"),
        ("--stations", "128", "4..=127"),
        ("--cuts-at-once", "3", "1..=2"),
        ("--cuts", "0", "1..=100000"),
    ] {
        let said = bench(&["protection", option, value]).ends_with(2).stderr;
        assert!(said.contains(&format!("{value} is not in {range}")), "{said}");
    }
}

#[test]
fn rings_of_several_sizes_loads_and_modes_each_have_a_row() {
    let folder = folder("several-rings");
    let page = folder.join("page.md");
    let named = "fairwire-bench protection --law dvsr-plus --cuts 2 --stations 5,6 --load mesh,hub --mode wrap";
    std::fs::write(&page, format!("before\n<!-- generated: {named} -->\n<!-- end -->\nafter\n")).expect("a page");
    let options = ["--law", "dvsr-plus", "--cuts", "2", "--stations", "5,6,5", "--load", "mesh,hub", "--mode", "wrap"];
    let ask = [&["protection"], &options[..], &["--json"]].concat();
    let answer = bench_in(&folder, &ask).ends_with(0).json();
    let of = |key: &str| -> Vec<(u64, String, String)> {
        let rows = answer[key].as_array().expect("rows").iter();
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        rows.map(|row| (row["stations"].as_u64().expect("a size"), text(&row["load"]), text(&row["mode"]))).collect()
    };
    let ring = |stations: u64, load: &str| (stations, load.to_owned(), "wrap".to_owned());
    let rings = [ring(5, "mesh"), ring(5, "hub"), ring(6, "mesh"), ring(6, "hub")];
    assert_eq!(of("laws"), rings, "what is named twice counts once");
    assert_eq!(of("cuts"), rings.iter().flat_map(|ring| [ring.clone(), ring.clone()]).collect::<Vec<_>>());
    // The same cuts as each ring by itself.
    let alone = [&["protection"], &options[..4], &["--stations", "6", "--load", "hub", "--mode", "wrap", "--json"]];
    let alone = bench_in(&folder, &alone.concat()).ends_with(0).json();
    assert_eq!(alone["laws"][0], answer["laws"][3]);

    let said = bench_in(&folder, &[&["protection"], &options[..], &["--page", "page.md"]].concat()).ends_with(2).stderr;
    assert!(said.contains("has no part between"), "the part names 5,6, what was typed 5,6,5: {said}");
    let typed: Vec<&str> = named.split(' ').skip(1).chain(["--page", "page.md"]).collect();
    let printed = bench_in(&folder, &typed).ends_with(0).stdout;
    let written = std::fs::read_to_string(&page).expect("the page");
    let part =
        format!("<!-- generated: {named} -->\n\n```text\n$ {named}\n{}\n```\n\n<!-- end -->\n", printed.trim_end());
    assert_eq!(written, format!("before\n{part}after\n"));
    let header = printed.lines().find(|line| line.starts_with("law ")).expect("a header");
    assert!(header.contains("stations   load") && !header.contains("mode"), "{header}");
    let said = bench(&["protection", "--show", "0", "--mode", "steer,wrap"]).ends_with(2).stderr;
    assert!(said.contains("a cut of which of 2 rings?"), "{said}");
}
