//! What a scenario means: defaults, flows, routes, plans, settings, sweeps.

use fairwire_alloc::Criterion;
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, Span};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::{EnginePath, Overflow, Shaper, StationQueues};
use fairwire_scenario::{Bound, FlowMeasure, Measure, Scenario, SettingError, Traffic, Unit, Way};

const RING: &str = r#"schema = 1

[run]
duration = "5 s"

[ring]
stations = 10
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
"#;

pub const NETWORK: &str = r#"schema = 1

[network]
nodes = ["a", "b", "c", "d"]
link = [
    { from = "a", to = "b", capacity = "10 Mb/s", duplex = true },
    { name = "up", from = "a", to = "c", capacity = "20 Mb/s" },
    { from = "c", to = "d", capacity = "30 Mb/s" },
    { from = "b", to = "d", capacity = "40 Mb/s", delay = "1 ms" },
]
"#;

pub fn parse(head: &str, rest: &str) -> Scenario {
    Scenario::parse("folder/name.toml", &format!("{head}\n{rest}")).unwrap_or_else(|errors| panic!("{errors}"))
}

pub fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.flows().iter().map(|flow| flow.name.as_str()).collect()
}

/// Rows count the bytes of every link in 32 bits: 100 Gb/s pass 2³² − 1 bytes in 343 ms, 1 Gb/s in 34 s.
#[test]
fn the_fastest_link_bounds_the_length_of_a_row() {
    let ring = |window: &str, links: &str| {
        let ring = RING.replace("622 Mb/s", "1 Gb/s").replace("\"5 s\"", &format!("\"5 s\"\nwindow = \"{window}\""));
        let flow = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n";
        Scenario::parse("ring.toml", &format!("{ring}\n{links}\n{flow}")).map(drop).map_err(|errors| errors.to_string())
    };
    let one_fast = "[[ring.link]]\nbetween = [3, 4]\ncapacity = \"100 Gb/s\"\n";
    let fast_later = "[[event]]\nat = \"1 s\"\nkind = \"capacity\"\nbetween = [3, 4]\ncapacity = \"100 Gb/s\"\n";
    assert_eq!(ring("400 ms", ""), Ok(()));
    for links in [one_fast, fast_later] {
        assert_eq!(ring("343 ms", links), Ok(()));
        assert!(
            ring("344 ms", links).is_err_and(|error| error.contains("fit into 32 bits")),
            "{:?}",
            ring("344 ms", links)
        );
    }
}

/// One of whatever is counted may be meant; half of it may not.
#[test]
fn a_bare_number_gets_the_unit_that_it_may_have() {
    let help = |limit: &str| {
        let network = NETWORK.replace("nodes =", &format!("limit = {limit}\nnodes ="));
        let flow = "[[flow]]\nname = \"a\"\nfrom = \"a\"\nto = \"b\"\n";
        Scenario::parse("network.toml", &format!("{network}\n{flow}")).unwrap_err().items[0].help.clone()
    };
    assert!(help("1").contains("limit = \"1 packets\""), "{}", help("1"));
    assert!(!help("0.5").contains("0.5 packets"), "{}", help("0.5"));
}

/// Without a peak rate of its own a flow is bounded by the link that it enters, however narrow those beyond are.
/// A lap of 1 ms would be longer than the run.
#[test]
fn a_window_may_be_as_long_as_the_run_and_is_never_longer() {
    let window = |run: &str| {
        let ring = RING.replace("duration = \"5 s\"", run);
        parse(&ring, "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n").ring_plan(0).unwrap().window
    };
    assert_eq!(window("duration = \"300 us\""), Span::from_micros(300));
    assert_eq!(window("duration = \"3 ms\"\nwindow = \"3 ms\""), Span::from_millis(3));
}

#[test]
fn everything_left_out_has_its_default() {
    let scenario = parse(RING, "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n");
    assert_eq!(scenario.title(), "name");
    assert_eq!((scenario.seed(), scenario.replications()), (1, 1));
    let plan = scenario.ring_plan(7).unwrap();
    assert_eq!((plan.seed, plan.run, plan.warmup), (1, 7, Span::ZERO));
    assert_eq!(plan.window, Span::from_millis(1), "one lap, which is also a five-thousandth of the run");
    assert_eq!((plan.engine, plan.check), (EnginePath::Auto, false));
    assert_eq!((plan.transit.buffer, plan.transit.overflow), (Bytes::new(200_000), Overflow::Drop));
    assert_eq!((plan.station_buffer, plan.station_queues), (Bytes::new(200_000), StationQueues::PerDestination));
    assert!(plan.stations.iter().all(|station| station.weight.get() == 1.0));
    let flow = &plan.flows[0];
    let sizes = flow.offer.datagrams().map(|traffic| (traffic.packet_bytes, traffic.size_jitter));
    assert_eq!(sizes, Some((1_000, 0.0)));
    assert_eq!((flow.start, flow.stop), (Instant::ZERO, Instant::from_nanos(5_000_000_000)));
    assert_eq!(scenario.flows()[0].traffic, Traffic::GREEDY);
    assert_eq!(scenario.problem().flows[0].demand_bps, f64::INFINITY);
}

#[test]
fn one_table_stands_for_several_flows() {
    let scenario = parse(
        RING,
        r#"
[[flow]]
name = "to-hub"
from = [1, 2]
to = 5
start = "1 s"
stagger = "100 ms"

[[flow]]
name = "all"
from = [6, 7]
to = [6, 7]

[[flow]]
name = "spread"
from = 0
to = [1, 9]

[[flow]]
name = "ahead"
from = [8, 9]
to = "+3"

[[flow]]
name = "behind"
from = 0
to = "-2"
"#,
    );
    let expected =
        ["to-hub-1", "to-hub-2", "all-6-7", "all-7-6", "spread-0-1", "spread-0-9", "ahead-8", "ahead-9", "behind"];
    assert_eq!(names(&scenario), expected);
    let ends: Vec<(usize, usize)> = scenario.flows().iter().map(|flow| (flow.from.index, flow.to.index)).collect();
    assert_eq!(ends, [(1, 5), (2, 5), (6, 7), (7, 6), (0, 1), (0, 9), (8, 1), (9, 2), (0, 8)]);
    assert_eq!(scenario.flows()[0].start, Span::from_millis(1_000));
    assert_eq!(scenario.flows()[1].start, Span::from_millis(1_100));
}

#[test]
fn flows_take_the_shorter_way_and_ringlet_0_in_a_tie() {
    let ringlet = |rest: &str| match parse(RING, &format!("[[flow]]\nname = \"a\"\n{rest}\n")).flows()[0].way {
        Way::Ring { ringlet } => ringlet,
        Way::Network { .. } => unreachable!("a ring has no routes"),
    };
    assert_eq!(ringlet("from = 1\nto = 5"), Ringlet::Zero);
    assert_eq!(ringlet("from = 5\nto = 1"), Ringlet::One);
    assert_eq!(ringlet("from = 7\nto = 2"), Ringlet::Zero);
    assert_eq!(ringlet("from = 1\nto = 2\nringlet = 1"), Ringlet::One);
    assert_eq!(ringlet("from = 1\nto = 2\nringlet = \"shorter\""), Ringlet::Zero);
}

#[test]
fn a_ring_problem_names_its_links_by_ringlet_and_station() {
    let scenario = parse(
        RING,
        r#"
[[ring.link]]
between = [0, 9]
capacity = "1 Gb/s"

[[ring.link]]
ringlet = 1
from = 3
delay = "2 ms"

[[flow]]
name = "up"
from = 8
to = 1

[[flow]]
name = "down"
from = 1
to = 8
demand = "10 Mb/s"
weight = 3
"#,
    );
    let problem = scenario.problem();
    assert_eq!(problem.links.len(), 20);
    let ids = |flow: usize| -> Vec<&str> {
        problem.flows[flow].route.iter().map(|&link| problem.links[link].id.as_str()).collect()
    };
    assert_eq!(ids(0), ["r0:8", "r0:9", "r0:0"]);
    assert_eq!(ids(1), ["r1:1", "r1:0", "r1:9"]);
    let capacity = |id: &str| problem.links.iter().find(|link| link.id == id).unwrap().capacity_bps;
    assert_eq!([capacity("r0:9"), capacity("r1:0"), capacity("r0:0"), capacity("r1:9")], [1e9, 1e9, 622e6, 622e6]);
    assert_eq!((problem.flows[1].demand_bps, problem.flows[1].weight), (10e6, 3.0));
    assert_eq!((problem.flows[1].ingress, problem.flows[1].egress), (1, 8));
    let plan = scenario.ring_plan(0).unwrap();
    assert_eq!(plan.links[0][9].capacity, BitRate::from_mbps(1_000));
    assert_eq!((plan.links[1][3].delay, plan.links[0][3].delay), (Span::from_millis(2), Span::from_micros(100)));
    assert_eq!(plan.window, Span::from_millis(5), "one lap of the slower ringlet is 2.9 ms");
}

#[test]
fn demand_is_the_mean_rate() {
    let demand = |traffic: &str| {
        let scenario = parse(RING, &format!("[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\ntraffic = {traffic}\n"));
        scenario.problem().flows[0].demand_bps
    };
    assert_eq!(demand(r#"{ kind = "cbr", rate = "700 Mb/s", interval-jitter = "50 %" }"#), 700e6);
    assert_eq!(demand(r#"{ kind = "poisson", rate = "7 Mb/s" }"#), 7e6);
    assert_eq!(demand(r#"{ kind = "pareto-on-off", peak = "80 Mb/s", mean-on = "1 ms", mean-off = "3 ms" }"#), 20e6);
    assert_eq!(demand(r#"{ kind = "greedy", packet = "64 B" }"#), f64::INFINITY);
}

/// A flow that asks for nothing is a flow all the same, by either word.
#[test]
fn a_rate_may_be_zero() {
    for wish in [
        r#"demand = "0 b/s""#,
        r#"traffic = { kind = "cbr", rate = "0 b/s" }"#,
        r#"traffic = { kind = "poisson", rate = "0 Mb/s" }"#,
    ] {
        let scenario = parse(RING, &format!("[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n{wish}\n"));
        assert_eq!(scenario.problem().flows[0].demand_bps, 0.0, "{wish}");
        let again = Scenario::parse("resolved.toml", &scenario.resolved_toml()).expect("a resolved file is valid");
        assert_eq!(again.ring_plan(0), scenario.ring_plan(0), "{wish}");
    }
}

#[test]
fn buffers_may_be_counted_in_the_largest_packets() {
    let flow = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\ntraffic = { kind = \"greedy\", size-jitter = \"5 %\" }\n";
    let ring = RING.replace("law =", "station-buffer = \"1_000 packets\"\ntransit = { buffer = \"1 MiB\" }\nlaw =");
    let plan = parse(&ring, flow).ring_plan(0).unwrap();
    assert_eq!((plan.station_buffer, plan.transit.buffer), (Bytes::new(1_050_000), Bytes::new(1_048_576)));
}

#[test]
fn what_the_shaper_holds_is_read_and_told_as_it_was_written() {
    let flow = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n";
    let usual = parse(RING, flow).ring_plan(0).unwrap().transit.shaper;
    assert_eq!(usual, Shaper::AddAndTransit);
    let written = [("true", Shaper::AddAndTransit), ("false", Shaper::None), ("\"add-only\"", Shaper::AddOnly)];
    for (text, shaper) in written {
        let ring = RING.replace("law =", &format!("transit = {{ shaped = {text} }}\nlaw ="));
        let scenario = parse(&ring, flow);
        assert_eq!(scenario.ring_plan(0).unwrap().transit.shaper, shaper);
        let told = serde_json::to_string(&scenario.ring().unwrap().transit).unwrap();
        assert!(told.contains(&format!("\"shaped\":{text}")), "{told}");
    }
}

/// Stations with two transit queues, and those with one under any scheduler.
#[test]
fn what_transit_queues_are_resolved_to_can_be_read_again() {
    let flow = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n";
    let written = [
        (r#"mode = "dual-queue""#, Datapath::DualQueue),
        (r#"mode = "dual-queue", scheduler = "by-law""#, Datapath::DualQueue),
        (r#"mode = "single-queue""#, Datapath::Merged),
        (r#"mode = "by-law", scheduler = "by-law""#, Datapath::Merged),
        (r#"scheduler = "transit-first""#, Datapath::TransitFirst),
        (r#"scheduler = "alternating""#, Datapath::Alternating),
    ];
    for (text, datapath) in written {
        let scenario = parse(&RING.replace("law =", &format!("transit = {{ {text} }}\nlaw =")), flow);
        assert_eq!(scenario.ring_plan(0).unwrap().transit.datapath, datapath, "{text}");
        let resolved = scenario.resolved_toml();
        let again = Scenario::parse("resolved.toml", &resolved).unwrap_or_else(|errors| panic!("{text}: {errors}"));
        assert_eq!(again.ring_plan(0), scenario.ring_plan(0), "{text}");
        assert_eq!(again.resolved_toml(), resolved, "{text}");
    }
}

#[test]
fn weights_are_a_list_or_a_table() {
    let flow = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n";
    let weights =
        |text: &str| parse(&RING.replace("law =", &format!("weights = {text}\nlaw =")), flow).problem().ingress_weights;
    assert_eq!(weights("{ 2 = 2.5, 0 = 3 }"), [3.0, 1.0, 2.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(weights("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]")[9], 10.0);
}

#[test]
fn settings_change_what_they_say_and_nothing_else() {
    let scenario = parse(RING, "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n");
    let fifo = RingLawChoice::by_name("fifo").unwrap();
    let changed = scenario.with_law(fifo.clone()).with_seed(9).unwrap().with_replications(3).unwrap();
    assert_eq!((changed.law(), changed.seed(), changed.replications()), (Some(&fifo), 9, 3));
    assert_eq!(changed.ring_plan(0).unwrap().flows, scenario.ring_plan(0).unwrap().flows);
    let long = scenario.with_duration(Span::from_secs_f64(50.0)).unwrap();
    assert_eq!((long.run().duration, long.run().window), (Span::from_millis(50_000), Span::from_millis(10)));
    assert_eq!(long.with_duration(Span::from_millis(5_000)).unwrap().ring_plan(0), scenario.ring_plan(0));
    assert_eq!(scenario.with_replications(0), Err(SettingError::NoReplications));
    assert_eq!(scenario.with_replications(1_000_001), Err(SettingError::TooManyReplications(1_000_001)));
    assert_eq!(scenario.with_duration(Span::ZERO), Err(SettingError::TooShort(Span::ZERO)));
    assert!(scenario.with_seed(u64::MAX).is_err());
    let warm = parse(&RING.replace("[ring]", "warmup = \"1 s\"\n[ring]"), "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n");
    let error = warm.with_duration(Span::from_millis(1_000)).unwrap_err();
    assert!(error.to_string().contains("warm-up of 1 s"), "{error}");
}

#[test]
fn tables_over_time_stay_below_what_memory_holds() {
    let ring = |stations: u32, window: &str| {
        let text = format!(
            "schema = 1\n[run]\nduration = \"1 s\"\n{window}\n[ring]\nstations = {stations}\ncapacity = \"622 Mb/s\"\n\
             span-delay = \"1 us\"\nlaw = {{ name = \"dvsr\" }}\n[[flow]]\nname = \"a\"\nfrom = [0, 1]\nto = 2\n"
        );
        Scenario::parse("ring.toml", &text)
    };
    let network = |links: usize, flows: usize, window: &str| {
        let links: String = (0..links)
            .map(|link| format!("[[network.link]]\nname = \"l{link}\"\nfrom = \"a\"\nto = \"b\"\ncapacity = \"1 Gb/s\"\ndelay = \"1 ms\"\n"))
            .collect();
        let flows: String = (0..flows)
            .map(|flow| format!("[[flow]]\nname = \"f{flow}\"\nfrom = \"a\"\nto = \"b\"\nroute = [\"l0\"]\n"))
            .collect();
        let text = format!(
            "schema = 1\n[run]\nduration = \"1 s\"\n{window}\n[network]\nnodes = [\"a\", \"b\"]\n{links}{flows}"
        );
        Scenario::parse("network.toml", &text)
    };
    // A few series may have a row a microsecond.
    ring(10, "window = \"1 us\"").unwrap();
    network(50, 40, "window = \"1 us\"").unwrap();
    // What is refused names a window that is accepted, the shortest there is.
    let shortest = |errors: fairwire_scenario::Diagnostics| {
        assert_eq!(errors.items.len(), 1, "{errors}");
        errors.items[0].help.split('"').nth(1).unwrap().to_owned()
    };
    let just_below = |window: &str| {
        let nanos = window.parse::<Span>().unwrap().as_nanos();
        format!("window = \"{}\"", Span::from_nanos(nanos - 1))
    };
    let window = shortest(ring(255, "window = \"1 us\"").unwrap_err());
    ring(255, &format!("window = \"{window}\"")).unwrap();
    ring(255, &just_below(&window)).unwrap_err();
    for (links, flows) in [(300, 1), (1, 300)] {
        let window = shortest(network(links, flows, "window = \"1 us\"").unwrap_err());
        network(links, flows, &format!("window = \"{window}\"")).unwrap();
        network(links, flows, &just_below(&window)).unwrap_err();
    }
    // A window that is left out grows instead.
    assert_eq!(network(1, 300, "").unwrap().run().window, "0.2 ms".parse().unwrap());
    assert_eq!(network(1, 50_000, "").unwrap().run().window, "0.5 ms".parse().unwrap());
    // A longer run beside the file is told the same, unless it has rows of its own.
    let short_rows = ring(10, "window = \"1 us\"").unwrap();
    assert_eq!(
        short_rows.without_window().with_duration(Span::from_millis(5_000)).unwrap().run().window,
        Span::from_millis(1)
    );
    let error = short_rows.with_duration(Span::from_millis(5_000)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("more than 3225806 rows of 1 us") && text.contains("to \"1.55 us\""), "{text}");
}

#[test]
fn a_sweep_is_the_product_of_its_values_in_the_order_of_the_file() {
    let scenario = parse(
        RING,
        r#"
[[flow]]
name = "to-hub"
from = [1, 2]
to = 5

[sweep]
"flow.to-hub.weight" = [1, 2]
"ring.law.name" = ["fifo", "dvsr"]
run.seed = [4, 5]
"#,
    );
    let keys: Vec<&str> = scenario.sweep().iter().map(|axis| axis.key.as_str()).collect();
    assert_eq!(keys, ["flow.to-hub.weight", "ring.law.name", "run.seed"]);
    let points = scenario.with_seed(99).unwrap().with_duration(Span::from_millis(100)).unwrap().expand_sweep().unwrap();
    assert_eq!(points.len(), 8);
    let (labels, third) = &points[2];
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(labels, ["flow.to-hub.weight=1", "ring.law.name=dvsr", "run.seed=4"]);
    assert_eq!((third.seed(), third.law().unwrap().about().name), (4, "dvsr"));
    assert_eq!(points[7].1.flows()[1].weight, 2.0);
    assert!(points.iter().all(|(_, point)| point.run().duration == Span::from_millis(100)), "settings carry over");
    assert!(points.iter().all(|(_, point)| point.sweep().is_empty()));
}

#[test]
fn another_law_in_a_sweep_starts_from_its_own_defaults() {
    let ring = RING.replace("{ name = \"dvsr\" }", "{ name = \"dvsr\", suballocation = \"equal\" }");
    let flow = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n[sweep]\n";
    let scenario = parse(&ring, &format!("{flow}\"ring.law.name\" = [\"fifo\", \"dvsr\"]\n"));
    let points = scenario.expand_sweep().unwrap();
    assert_eq!(points[0].1.law(), Some(&RingLawChoice::by_name("fifo").unwrap()));
    assert_eq!(points[1].1.law(), scenario.law(), "its own parameters stay");
    let whole = parse(
        &ring,
        &format!("{flow}\"ring.law\" = [{{ name = \"fifo\" }}, {{ name = \"dvsr\", min-interval = \"1 ms\" }}]\n"),
    );
    let points = whole.expand_sweep().unwrap();
    assert_eq!(points[1].0[0].1, "{ name = \"dvsr\", min-interval = \"1 ms\" }");
}

#[test]
fn a_setting_that_a_sweep_forbids_is_told_where_it_is_swept() {
    let text = "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n[sweep]\n\"run.warmup\" = [\"0 s\", \"3 s\"]\n";
    let scenario = parse(RING, text);
    assert_eq!(scenario.expand_sweep().unwrap().len(), 2);
    let errors = scenario.with_duration(Span::from_millis(1_000)).unwrap().expand_sweep().unwrap_err();
    assert!(
        errors.to_string().contains("with run.warmup = 3 s: a run of 1 s ends before its warm-up of 3 s"),
        "{errors}"
    );
}

#[test]
fn without_a_sweep_the_scenario_is_its_only_point() {
    let scenario = parse(RING, "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\n");
    assert_eq!(scenario.expand_sweep().unwrap(), [(Vec::new(), scenario)]);
}

#[test]
fn promises_have_units_and_bounds() {
    let scenario = parse(
        RING,
        r#"
[[flow]]
name = "to-hub"
from = [1, 2]
to = 5

[expect]
flow.to-hub-1.delay.p99 = { max = "5 ms" }
"flow.*.rate.mean" = { value = "100 Mb/s", within = "2 %" }
"flow.*-2.loss" = { max = "0.1 %" }
jain = { value = 0.9, within = 0.05 }
"time-to-fair.5%" = { min = "1 ms", max = "10 ms" }
fair = { within = "1 %" }
"#,
    );
    let all = scenario.expectations();
    assert_eq!(all[0].key, "flow.to-hub-1.delay.p99");
    assert_eq!(all[0].measure, Measure::Flow { flows: vec![0], what: FlowMeasure::DelayP99 });
    assert_eq!(all[0].bound, Bound::Between { min: f64::NEG_INFINITY, max: 5e6 });
    assert_eq!(all[1].measure, Measure::Flow { flows: vec![0, 1], what: FlowMeasure::MeanRate });
    assert_eq!(all[1].bound, Bound::Near { value: 100e6, tolerance: 2e6 });
    assert_eq!((all[1].measure.unit(), Unit::Rate.text(100e6)), (Unit::Rate, "100 Mb/s".to_owned()));
    assert_eq!(all[2].measure, Measure::Flow { flows: vec![1], what: FlowMeasure::Loss });
    assert_eq!(all[2].bound, Bound::Between { min: f64::NEG_INFINITY, max: 0.001 });
    assert_eq!(all[3].bound, Bound::Near { value: 0.9, tolerance: 0.05 });
    assert_eq!(all[4].measure, Measure::TimeToFair { within: 0.05 });
    assert_eq!(all[4].bound, Bound::Between { min: 1e6, max: 1e7 });
    assert_eq!(all[5].measure, Measure::Fair { criterion: scenario.criterion() });
    assert_eq!(all[5].bound, Bound::Near { value: 1.0, tolerance: 0.01 });
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    let scenario = parse(RING, "[[flow]]\nname = \"a\"\nfrom = 1\nto = 5\nstart = \"6 s\"\n");
    let [warning] = scenario.warnings() else { panic!("{:?}", scenario.warnings()) };
    assert!(warning.message.contains("starts at 6 s, but the run ends at 5 s"), "{warning:?}");
    assert_eq!(warning.line, 16);
    let flow = &scenario.ring_plan(0).unwrap().flows[0];
    assert_eq!(flow.start, flow.stop);
}

pub const DUPLEX: &str = r#"schema = 1

[run]
duration = "100 s"

[network]
nodes = ["s", "g", "h", "d"]
queue = { name = "red", min-th = 20 }
limit = "100 packets"
link = [
    { from = "s", to = "g", capacity = "100 Mb/s", delay = "4 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { name = "L", from = "g", to = "h", capacity = "10 Mb/s", delay = "5 ms", duplex = true, back-queue = { name = "droptail" }, back-limit = "50 kB", changes = [{ at = "60 s", capacity = "20 Mb/s" }, { at = "30 s", capacity = "5 Mb/s" }] },
    { from = "h", to = "d", capacity = "100 Mb/s", delay = "1 ms", duplex = true, random-loss = "1 %", reordering = "5 ms" },
]
"#;

#[test]
fn another_queue_law_in_a_sweep_starts_from_its_own_defaults() {
    let flow =
        "[[flow]]\nname = \"a\"\nfrom = \"s\"\nto = \"d\"\n[sweep]\n\"network.queue.name\" = [\"red\", \"vrr\"]\n";
    let scenario = parse(DUPLEX, flow);
    let points = scenario.expand_sweep().unwrap();
    assert_eq!(points[0].1.queue_law(), scenario.queue_law(), "its own parameters stay");
    assert_eq!(points[1].1.queue_law(), Some(&QueueLawChoice::by_name("vrr").unwrap()));
    let droptail = QueueLawChoice::by_name("droptail").unwrap();
    let points = scenario.with_queue_law(droptail).expand_sweep().unwrap();
    assert_eq!(points[1].1.queue_law().unwrap().about().name, "vrr", "a sweep over laws wins");
}

#[test]
fn a_weight_with_nobody_to_weigh_it_against_is_told() {
    let ring = |more: &str| {
        let text = format!(
            "schema = 1\n[ring]\nstations = 4\ncapacity = \"1 Gb/s\"\nspan-delay = \"0.1 ms\"\nlaw = {{ name = \"dvsr\" }}\n\
             [[flow]]\nname = \"heavy\"\nfrom = 1\nto = 3\nweight = 3\n{more}"
        );
        Scenario::parse("ring.toml", &text).unwrap().warnings().to_vec()
    };
    let alone = ring("[[flow]]\nname = \"other\"\nfrom = 2\nto = 3\n");
    assert_eq!((alone.len(), alone[0].line), (1, 11));
    assert!(alone[0].help.contains("weights = { 1 = 3 }"), "{}", alone[0].help);
    assert_eq!(ring("[[flow]]\nname = \"other\"\nfrom = 1\nto = 2\n"), []);
}

/// Every default of both profiles, as docs/transport.md has them.
/// `[fair]` decides, for promises too, and is written again.
#[test]
fn a_file_may_say_what_fair_means() {
    let rest = "[fair]\ncriterion = \"proportional\"\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n\
                [expect]\nfair = { within = \"1 %\" }\n";
    let scenario = parse(NETWORK, rest);
    assert_eq!(scenario.criterion(), Criterion::Proportional);
    assert_eq!(scenario.expectations()[0].measure, Measure::Fair { criterion: Criterion::Proportional });
    let again = Scenario::parse("again", &scenario.resolved_toml()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(again.criterion(), Criterion::Proportional);
    assert_eq!(parse(NETWORK, &rest["[fair]\ncriterion = \"proportional\"\n".len()..]).criterion(), Criterion::MaxMin);
}
