//! The matrix of gateways: its cases read, its measures are what they say, and it goes on
//! where it ended.

use crate::kept::{same_tables, tear};
use fairwire_core::Instant;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_scenario::{Scenario, format};
use fairwire_scoreboard::aqm::{
    Case, Family, Group, Matrix, Measured, Reference, Run, Runs, Summary, page, tables, write,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn seconds(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

fn reference(case: &Case) -> Reference {
    Reference::of(&case.id, &case.scenario.network_plan(0).unwrap()).unwrap()
}

/// A case with one bottleneck of 10 Mb/s from a to b.
fn tiny(id: &str, flows: &str) -> Case {
    let toml = format!(
        "schema = 1\n[run]\nduration = \"4 s\"\nwarmup = \"1 s\"\nwindow = \"100 ms\"\n[network]\nnodes = [\"a\", \"b\"]\n\
         [[network.link]]\nname = \"bottleneck\"\nfrom = \"a\"\nto = \"b\"\ncapacity = \"10 Mb/s\"\ndelay = \"5 ms\"\n\
         duplex = true\nlimit = \"20 packets\"\n{flows}"
    );
    let scenario = Scenario::parse(id, &toml).unwrap();
    Case {
        id: id.to_owned(),
        family: Family::Mix,
        section: "–",
        title: format!("Case {id}"),
        asks: "?".to_owned(),
        scenario,
        toml,
    }
}

fn stream(name: &str, rate: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\ntraffic = {{ kind = \"poisson\", rate = \"{rate}\" }}\n"
    )
}

fn matrix(cases: Vec<Case>, laws: &[&str]) -> Matrix {
    let laws = laws.iter().map(|name| QueueLawChoice::by_name(name).unwrap()).collect();
    Matrix { cases, laws, seeds: 2, build: "a build".to_owned() }
}

fn two_streams() -> Case {
    tiny("streams", &(stream("much", "15 Mb/s") + &stream("little", "2 Mb/s")))
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
fn every_case_is_a_scenario_without_warnings_written_as_the_formatter_writes() {
    let cases = Case::all().unwrap();
    for case in &cases {
        assert_eq!(case.scenario.warnings().len(), 0, "{}", case.id);
        assert_eq!(format(&case.toml).unwrap(), case.toml, "{}", case.id);
        let plan = case.scenario.network_plan(0).unwrap();
        plan.validate().unwrap();
        assert!(plan.links.iter().any(|link| link.name.starts_with("bottleneck")), "{}", case.id);
        // Laws are compared at the bottleneck, not in front of it.
        let other = case.scenario.with_queue_law(QueueLawChoice::by_name("red").unwrap()).network_plan(0).unwrap();
        for link in &other.links {
            assert_eq!(
                link.queue.about().name == "red",
                link.name.starts_with("bottleneck"),
                "{}: {}",
                case.id,
                link.name
            );
        }
    }
    for family in Family::ALL {
        assert!(cases.iter().any(|case| case.family == family), "{family:?}");
        assert!(Case::quick().unwrap().iter().any(|case| case.family == family), "{family:?}");
    }
    assert_eq!(Case::names().len(), cases.len());
    assert!(Case::named("rtt-21").is_err());
}

#[test]
fn every_flow_of_a_lot_has_the_same_round_trip() {
    for case in Case::all().unwrap().iter().filter(|case| case.family == Family::Lot) {
        let plan = case.scenario.network_plan(0).unwrap();
        for flow in &plan.flows {
            let delay: u64 = flow.route.iter().map(|&link| plan.links[link as usize].delay.as_nanos()).sum();
            assert_eq!(delay, 25_000_000, "{}: {}", case.id, flow.name);
        }
    }
}

#[test]
fn the_reference_follows_who_is_there_and_what_the_link_carries() {
    let waves = reference(&Case::named("load-waves").unwrap());
    let stays = |from, until| waves.bits(0, seconds(from), seconds(until)) / 1e6;
    assert!((stays(2, 10) - 80.0).abs() < 1e-6, "alone");
    assert!((stays(12, 20) - 8.0).abs() < 1e-6, "one of ten");
    assert!((stays(22, 30) - 1.6).abs() < 1e-6, "one of fifty");
    assert!((stays(42, 50) - 80.0).abs() < 1e-6, "alone again");

    let slow = reference(&Case::named("capacity-slow").unwrap());
    assert!((slow.bits(3, seconds(12), seconds(14)) / 1e6 - 0.4).abs() < 1e-6, "a tenth of 2 Mb/s");
    assert!((slow.bits(3, seconds(18), seconds(22)) / 1e6 - 2.4).abs() < 1e-6, "across the change");

    // A stream of a tenth of its share leaves the rest to nine.
    let stream = reference(&Case::named("unresponsive-10").unwrap());
    assert!((stream.bits(0, seconds(12), seconds(13)) / 1e6 - 1.1).abs() < 1e-6);
    assert!((stream.bits(9, seconds(12), seconds(13)) / 1e6 - 0.1).abs() < 1e-6);

    // Nine cross each bottleneck as one flow of the scenario.
    let lot = reference(&Case::named("lot-udp-4").unwrap());
    assert!((lot.bits(0, seconds(12), seconds(13)) / 1e6 - 1.0).abs() < 1e-6);
    assert!((lot.bits(4, seconds(12), seconds(13)) / 1e6 - 9.0).abs() < 1e-6);
}

#[test]
fn two_streams_through_one_queue_measure_as_worked_out_by_hand() {
    let matrix = matrix(vec![two_streams()], &["droptail"]);
    let runs = matrix.fill(&Runs::open(&folder("aqm-measure"), false).unwrap(), &keep_on).unwrap();
    let Measured {
        goodput_bps,
        utilisation,
        jain,
        largest_shortfall,
        mean_shortfall,
        queue_p50_ns,
        loss,
        groups,
        flows_bps,
        ..
    } = &runs[0].measured;
    // 17 Mb/s arrive at 10: 7/17 are lost, of both alike. The fair rates are 8 and 2.
    assert!((goodput_bps / 1e7 - 1.0).abs() < 0.01 && (utilisation - 1.0).abs() < 0.005, "{runs:?}");
    assert!((loss - 7.0 / 17.0).abs() < 0.01);
    let little = 10.0 / 17.0;
    assert!((flows_bps[1] / 2e6 - little).abs() < 0.05);
    assert!((largest_shortfall - (1.0 - little)).abs() < 0.05 && (mean_shortfall - (1.0 - little) / 2.0).abs() < 0.03);
    let ratios = [15.0 * little / 8.0, little];
    let index = (ratios[0] + ratios[1]).powi(2) / 2.0 / (ratios[0].powi(2) + ratios[1].powi(2));
    assert!((jain - index).abs() < 0.02, "{jain} is not {index}");
    // Twenty packets of 0.8 ms wait, or nearly so.
    assert!((14e6..16.8e6).contains(queue_p50_ns), "{queue_p50_ns}");
    let Group { name, ratio, delay_p50_ns, transfers, .. } = &groups[1];
    assert!(name == "little" && (ratio - little).abs() < 0.05 && transfers.is_none());
    assert!((14e6..17.6e6).contains(delay_p50_ns), "beyond propagation: {delay_p50_ns}");
}

#[test]
fn under_every_law_two_streams_get_what_the_link_sends() {
    let laws: Vec<&str> = QueueLawChoice::ALL.iter().map(|about| about.name).collect();
    let runs = matrix(vec![two_streams()], &laws).fill(&Runs::open(&folder("aqm-laws"), false).unwrap(), &keep_on);
    for run in runs.unwrap() {
        let Measured { goodput_bps, utilisation, flows_bps, .. } = &run.measured;
        assert!((goodput_bps / 1e7 / utilisation - 1.0).abs() < 0.01, "{run:?}");
        assert!(flows_bps.iter().all(|rate| *rate > 1e6), "{run:?}");
    }
}

/// Alone on a link that carries its peak a film loses nothing, whatever it offered in three seconds.
#[test]
fn a_film_is_due_what_it_offered() {
    let film = "[[flow]]\nname = \"film\"\nfrom = \"a\"\nto = \"b\"\ntraffic = { kind = \"pareto-on-off\", peak = \"3 Mb/s\", \
                mean-on = \"100 ms\", mean-off = \"200 ms\", shape = 1.5 }\n";
    let matrix = matrix(vec![tiny("film", film)], &["droptail"]);
    let runs = matrix.fill(&Runs::open(&folder("aqm-film"), false).unwrap(), &keep_on).unwrap();
    for Run { measured, .. } in &runs {
        let off = measured.goodput_bps / 1e6 - 1.0;
        assert!(off.abs() > 0.02, "it offered what was expected, so that nothing is tested: {off}");
        // A few packets are under way at either end.
        assert!((measured.groups[0].ratio - 1.0).abs() < 0.03 && measured.largest_shortfall < 0.03, "{measured:?}");
    }
}

#[test]
fn transfers_alone_take_what_slow_start_takes() {
    let flow = "[[flow]]\nname = \"short-1\"\nfrom = \"a\"\nto = \"b\"\ntraffic = { kind = \"transfers\", profile = \"ns-2\", control = \"newreno\", \
                initial-window = \"10 packets\", size = \"10 kB\", mean-interval = \"100 ms\" }\n";
    let matrix = matrix(vec![tiny("short", flow)], &["droptail"]);
    let runs = matrix.fill(&Runs::open(&folder("aqm-transfers"), false).unwrap(), &keep_on).unwrap();
    let group = &runs[0].measured.groups[0];
    let transfers = group.transfers.as_ref().unwrap();
    assert_eq!(group.name, "short");
    // Ten packets of 0.8 ms in one burst, and a round trip of 10 ms: 18 ms and an acknowledgement.
    assert!((17.9e6..18.3e6).contains(&transfers.p50_ns), "{transfers:?}");
    assert!(transfers.finished > 10 && transfers.p95_ns >= transfers.p50_ns);
}

#[test]
fn laws_that_can_mark_do_so_for_connections_that_understand() {
    let flow = |ecn: bool| {
        format!(
            "[[flow]]\nname = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nmicro-flows = 5\ntraffic = {{ kind = \"tcp\", profile = \"ns-2\", control = \"newreno\", ecn = {ecn} }}\n"
        )
    };
    let cases = [true, false].map(|ecn| {
        let case = tiny(&format!("ecn-{ecn}"), &flow(ecn));
        assert_eq!(case.uses_ecn(), ecn);
        case
    });
    let matrix = matrix(cases.into(), &["droptail", "codel"]);
    let runs = matrix.fill(&Runs::open(&folder("aqm-marks"), false).unwrap(), &keep_on).unwrap();
    let marked = |case: &str, law: &str| {
        let run = runs.iter().find(|run| run.case == case && run.law == law);
        run.map(|run| run.measured.marked > 0.0)
    };
    assert_eq!(marked("ecn-true", "codel"), Some(true));
    assert_eq!(marked("ecn-false", "codel"), Some(false));
    assert_eq!(marked("ecn-true", "droptail"), Some(false));
}

#[test]
fn what_was_interrupted_goes_on_and_ends_in_the_same_runs() {
    let (whole, torn) = (folder("aqm-whole"), folder("aqm-torn"));
    let matrix = matrix(vec![two_streams(), tiny("one", &stream("alone", "4 Mb/s"))], &["droptail", "red"]);
    let expected = matrix.fill(&Runs::open(&whole, false).unwrap(), &keep_on).unwrap();
    let names: Vec<_> = expected.iter().map(|run| (run.case.as_str(), run.law.as_str(), run.seed)).collect();
    assert_eq!(&names[..3], [("streams", "droptail", 0), ("streams", "droptail", 1), ("streams", "red", 0)]);
    assert_eq!(names.len(), matrix.len());
    assert_ne!(expected[0].measured, expected[1].measured, "seeds differ");

    let begun = AtomicUsize::new(0);
    let stop_soon = |_: usize, fraction: f64| fraction > 0.0 || begun.fetch_add(1, Ordering::SeqCst) < 3;
    let first = matrix.fill(&Runs::open(&torn, false).unwrap(), &stop_soon).unwrap();
    assert!(first.len() <= 3);
    tear(&torn);
    assert_eq!(matrix.fill(&Runs::open(&torn, false).unwrap(), &keep_on).unwrap(), expected);
    let nothing_left = |_: usize, fraction: f64| {
        assert!(fraction == 1.0);
        true
    };
    let again = matrix.fill(&Runs::open(&torn, false).unwrap(), &nothing_left).unwrap();
    for (folder, runs) in [(&whole, &expected), (&torn, &again)] {
        write(folder, &matrix.cases, &Summary::of(runs), runs).unwrap();
    }
    same_tables(&whole, &torn);
}

/// Runs without a simulation, so that tables can be read off by hand.
fn made_up() -> Vec<Run> {
    let run = |case: &str, law: &str, seed: u64, ratio: f64| -> Run {
        serde_json::from_str(&format!(
            r#"{{"key": "{case} {law} {seed}", "case": "{case}", "family": "lot", "law": "{law}", "seed": {seed},
                 "goodput_bps": 9.5e6, "utilisation": 0.95, "jain": 0.9, "largest_shortfall": {}, "mean_shortfall": 0.01,
                 "queue_mean_ns": {}, "queue_p50_ns": 5e6, "queue_p95_ns": 20e6, "queue_p99_ns": 30e6, "loss": 0.01, "marked": 0.0,
                 "groups": [{{"name": "long", "goodput_bps": 1e6, "ratio": {ratio}, "loss": 0.02, "delay_p50_ns": 1e6,
                 "delay_p95_ns": 2e6, "delay_p99_ns": 3e6, "transfers": null}}], "flows_bps": [1e6, 8.5e6]}}"#,
            1.0 - ratio,
            5e6 + ratio * 1e6,
        ))
        .unwrap()
    };
    ["lot-tcp-2", "lot-tcp-4"]
        .into_iter()
        .flat_map(|case| {
            [
                run(case, "droptail", 0, 0.5),
                run(case, "droptail", 1, 0.7),
                run(case, "red", 0, 0.9),
                run(case, "red", 1, 0.9),
            ]
        })
        .collect()
}

#[test]
fn tables_and_files_say_what_the_runs_come_to() {
    let runs = made_up();
    let cases = vec![Case::named("lot-tcp-2").unwrap(), Case::named("lot-tcp-4").unwrap()];
    let summary = Summary::of(&runs);
    assert_eq!((summary.seeds, summary.laws.as_slice()), (2, &["droptail".to_owned(), "red".to_owned()][..]));
    let tables = tables(&cases, &summary);
    let shown: Vec<String> = tables.iter().flat_map(|table| &table.rows).map(|row| row.join(" | ")).collect();
    assert_eq!(
        shown,
        [
            "droptail | 95 % | 0.900 | 40 % ± 127 | 1.0 % | 5.00 | 20.0 | 30.0 | 1.0 %",
            "red | 95 % | 0.900 | 10 % | 1.0 % | 5.00 | 20.0 | 30.0 | 1.0 %",
            "droptail | 0.60 ± 1.27 | 0.60 ± 1.27",
            "red | 0.90 | 0.90",
        ]
    );
    let folder = folder("aqm-files");
    fs::create_dir_all(&folder).unwrap();
    write(&folder, &cases, &summary, &runs).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let html = read("aqm.html");
    assert_eq!(html, page(&cases, &summary));
    assert!(html.contains("A connection over 2 bottlenecks: goodput in Mb/s") && !html.contains("lot-tcp-2: "));
    assert!(html.contains("Parking lots: mean over 2 cases") && html.matches("<svg").count() == 2);
    assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("http"), "needs nothing else");
    assert_eq!(read("runs.csv").lines().count(), runs.len() + 1);
    assert!(read("flows.csv").starts_with("case,law,seed,flow,goodput_bps\nlot-tcp-2,droptail,0,long,1000000.0\n"));
    let json: serde_json::Value = serde_json::from_str(&read("aqm.json")).unwrap();
    assert_eq!(json["results"][0]["groups"]["long"]["ratio"]["mean"], 0.6);
    assert_eq!(json["results"][1]["ellipse"]["goodput_bps"], 9.5e6);
}
