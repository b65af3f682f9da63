//! What happens to flows whose rates switches tell, and what is fair afterwards.

use fairwire_alloc::Criterion;
use fairwire_core::{BitRate, Instant, Ringlet, Span};
use fairwire_laws::rate::Terms;
use fairwire_plan::{FlowChange, FlowChangeKind, LinkChange};
use fairwire_scenario::Scenario;

const LINE: &str = r#"schema = 1
title = "A line"

[run]
duration = "1 s"

[network]
nodes = ["a", "b"]
rate = { name = "wmfqc" }
link = [
    { name = "line", from = "a", to = "b", capacity = "100 Mb/s", duplex = true, changes = [{ at = "500 ms", capacity = "50 Mb/s" }] },
]

[[flow]]
name = "f"
from = "a"
to = "b"
micro-flows = 2
min-rate = "20 Mb/s"
traffic = { kind = "explicit-rate" }

[[flow]]
name = "g"
from = "a"
to = "b"
start = "100 ms"
stop = "900 ms"
traffic = { kind = "explicit-rate" }
"#;

const EVENTS: &str = r#"
[[event]]
at = "200 ms"
kind = "min-rate"
flow = "f"
min-rate = "40 Mb/s"

[[event]]
at = "200 ms"
kind = "weight"
flow = "f"
weight = 2

[[event]]
at = "300 ms"
kind = "peak-rate"
flow = "g"
peak-rate = "5 Mb/s"

[[event]]
at = "400 ms"
kind = "stop"
flow = "f"

[[event]]
at = "600 ms"
kind = "start"
flow = "f"

[[event]]
at = "700 ms"
kind = "capacity"
link = "line"
capacity = "200 Mb/s"

[[event]]
at = "800 ms"
kind = "supported-rate"
flow = "f"
supported-rate = "60 Mb/s"
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse("line.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

#[test]
fn events_are_changes_of_the_plan() {
    let scenario = parse(&format!("{LINE}{EVENTS}"));
    let plan = scenario.network_plan(0).unwrap();
    assert_eq!(plan.validate(), Ok(()));
    // Each of two micro-flows has half; without a peak rate it is the most that the first link ever carries.
    let terms = |minimum: f64, peak: f64, supported: f64, weight: f64| {
        FlowChangeKind::Terms(Terms {
            minimum_bps: minimum * 1e6,
            peak_bps: peak * 1e6,
            supported_bps: supported * 1e6,
            weight,
        })
    };
    let change = |at: u64, flow: usize, kind: FlowChangeKind| FlowChange { at: ms(at), flow, kind };
    let expected = [
        change(200, 0, terms(20.0, 100.0, 100.0, 2.0)),
        change(300, 1, terms(0.0, 5.0, 5.0, 1.0)),
        change(400, 0, FlowChangeKind::Stop),
        change(600, 0, FlowChangeKind::Start),
        change(800, 0, terms(20.0, 100.0, 30.0, 2.0)),
    ];
    assert_eq!(plan.flow_changes, expected);
    let capacity = |at: u64, mbps: u64| LinkChange { at: ms(at), capacity: BitRate::from_mbps(mbps) };
    assert_eq!(plan.links[0].changes, [capacity(500, 50), capacity(700, 200)]);
    assert_eq!(plan.flows[0].offer.rate().map(|rate| rate.terms.peak_bps), Some(100e6));
}

#[test]
fn fair_rates_are_those_of_flows_that_are_on_under_their_terms() {
    let scenario = parse(&format!("{LINE}{EVENTS}"));
    let steps = scenario.changes();
    let told: Vec<(Instant, String)> = steps.iter().map(|step| (step.at, step.events.join(", "))).collect();
    let expected = [
        (0, "start of f"),
        (100, "start of g"),
        (200, "min-rate of f 40 Mb/s, weight of f 2"),
        (300, "peak-rate of g 5 Mb/s"),
        (400, "stop of f"),
        (500, "capacity of line 50 Mb/s, capacity of line-back 50 Mb/s"),
        (600, "start of f"),
        (700, "capacity of line 200 Mb/s"),
        (800, "supported-rate of f 60 Mb/s"),
        (900, "stop of g"),
    ];
    assert_eq!(told, expected.map(|(at, words)| (ms(at), words.to_owned())));
    assert_eq!(steps[6].starts, [0]);
    // By hand: minimums first, the rest by weight once for each micro-flow, up to peak and supported rates.
    let fair = [
        [100.0, 0.0],
        [20.0 + 80.0 * 2.0 / 3.0, 80.0 / 3.0],
        [40.0 + 60.0 * 4.0 / 5.0, 60.0 / 5.0],
        [95.0, 5.0],
        [0.0, 5.0],
        [0.0, 5.0],
        [40.0 + 10.0 * 4.0 / 5.0, 10.0 / 5.0],
        [195.0, 5.0],
        [60.0, 5.0],
        [60.0, 0.0],
    ];
    for (step, fair) in steps.iter().zip(fair) {
        let rates = scenario.changed_by(step.at).fair_rates(Criterion::GeneralWeighted).unwrap().rates_bps;
        for (rate, fair) in rates.iter().zip(fair) {
            assert!((rate - fair * 1e6).abs() < 1.0, "{step:?}: {rates:?}");
        }
    }
}

#[test]
fn allocation_and_runs_mean_the_same_by_fair_where_switches_tell_rates() {
    for text in [LINE.to_owned(), LINE.replace("min-rate = \"20 Mb/s\"\n", "").replace("micro-flows = 2\n", "")] {
        let scenario = parse(&text);
        assert_eq!(scenario.criterion(), Criterion::GeneralWeighted);
    }
}

#[test]
fn a_resolved_file_says_the_same() {
    let scenario = parse(&format!("{LINE}{EVENTS}"));
    let again = parse(&scenario.resolved_toml());
    assert_eq!(again.network_plan(0), scenario.network_plan(0));
    let told = |scenario: &Scenario| scenario.events().iter().map(|event| event.in_words()).collect::<Vec<_>>();
    assert_eq!(told(&again), told(&scenario));
}

#[test]
fn other_networks_and_rings_change_by_their_events_alone() {
    let text = LINE
        .replace("traffic = { kind = \"explicit-rate\" }", "demand = \"80 Mb/s\"")
        .replace("min-rate = \"20 Mb/s\"\n", "");
    let text = format!("{text}\n[[event]]\nat = \"600 ms\"\nkind = \"demand\"\nflow = \"g\"\ndemand = \"10 Mb/s\"\n");
    let scenario = parse(&text);
    assert_eq!(scenario.criterion(), Criterion::WeightedMaxMin);
    let steps = scenario.changes();
    assert_eq!(steps.len(), 1);
    let capacity = scenario.changed_by(steps[0].at).problem().links[0].capacity_bps;
    assert_eq!(capacity, 50e6, "what the link writes itself has happened before");
}

const RING: &str = r#"schema = 1
title = "A ring"

[run]
duration = "1 s"

[ring]
stations = 4
capacity = "100 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
link = [{ ringlet = 0, from = 1, capacity = "80 Mb/s" }]

[[flow]]
name = "f"
from = 0
to = 2

[[event]]
at = "600 ms"
kind = "capacity"
link = "r0:1"
capacity = "70 Mb/s"

[[event]]
at = "200 ms"
kind = "capacity"
capacity = "50 Mb/s"

[[event]]
at = "400 ms"
kind = "capacity"
between = [1, 0]
capacity = "20 Mb/s"
"#;

#[test]
fn links_of_a_ring_change_one_by_one_as_spans_or_all_together() {
    let scenario = parse(RING);
    let plan = scenario.ring_plan(0).unwrap();
    assert_eq!(plan.validate(), Ok(()));
    let changes = |ringlet: Ringlet, from: usize| -> Vec<(u64, u64)> {
        let changes = plan.changes_of_link(ringlet, from).into_iter();
        changes.map(|change| (change.at.as_nanos() / 1_000_000, change.capacity.as_bps() / 1_000_000)).collect()
    };
    assert_eq!(changes(Ringlet::Zero, 0), [(200, 50), (400, 20)]);
    assert_eq!(changes(Ringlet::One, 1), [(200, 50), (400, 20)]);
    assert_eq!(changes(Ringlet::Zero, 1), [(200, 50), (600, 70)]);
    assert_eq!(changes(Ringlet::One, 3), [(200, 50)]);
    let told: Vec<String> = scenario.changes().into_iter().flat_map(|step| step.events).collect();
    assert_eq!(told, ["capacity of the ring 50 Mb/s", "capacity of span 0-1 20 Mb/s", "capacity of r0:1 70 Mb/s"]);
    let fair = |at: u64| scenario.changed_by(ms(at)).fair_rates(Criterion::Rias).unwrap().rates_bps[0];
    assert_eq!([0, 200, 400, 600].map(fair), [80e6, 50e6, 20e6, 20e6]);
    let again = parse(&scenario.resolved_toml());
    assert_eq!(again.ring_plan(0), Some(plan));
}

#[test]
fn ratios_say_little_where_flows_come_and_go_and_nobody_tells_them_rates() {
    let warned = |text: &str| {
        let scenario = Scenario::parse("line.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
        scenario.cautions(&[]).iter().any(|caution| caution.starts_with("g sends for part of the measured time"))
    };
    let untold = LINE.replace("rate = { name = \"wmfqc\" }\n", "").replace("min-rate = \"20 Mb/s\"\n", "");
    let untold = untold.replace("explicit-rate", "greedy");
    let stays = untold.replace("start = \"100 ms\"\nstop = \"900 ms\"\n", "");
    assert_eq!([LINE, &untold, &stays].map(warned), [false, true, false]);
}
