//! Minimum, peak and supported rates of a file, and what becomes of those that do not fit.

use fairwire_alloc::{Ceiling, Criterion, Limit};
use fairwire_scenario::Scenario;

const LINE: &str = r#"schema = 1
title = "A line"

[network]
nodes = ["a", "b", "c"]
min-rates = { b = "4 Mb/s" }
link = [
    { name = "ab", from = "a", to = "b", capacity = "10 Mb/s" },
    { name = "bc", from = "b", to = "c", capacity = "10 Mb/s" },
]

[[flow]]
name = "x"
from = "a"
to = "c"
min-rate = "3 Mb/s"

[[flow]]
name = "y"
from = "a"
to = "c"

[[flow]]
name = "z"
from = "b"
to = "c"
weight = 2
peak-rate = "6 Mb/s"
supported-rate = "2 Mb/s"

[[flow]]
name = "w"
from = "b"
to = "c"
min-rate = "1 Mb/s"
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse("line.toml", text).unwrap()
}

#[test]
fn what_the_file_promises_becomes_terms() {
    let terms = parse(LINE).terms();
    assert_eq!(terms.min_rates_bps, [3e6, 0.0, 0.0, 1e6]);
    assert_eq!(terms.peak_rates_bps[2], 6e6);
    assert_eq!(terms.supported_rates_bps, [f64::INFINITY, f64::INFINITY, 2e6, f64::INFINITY]);
    assert_eq!(terms.ingress_min_rates_bps, [0.0, 4e6, 0.0]);
    let nothing = parse(&LINE.replace("min-rate = \"3 Mb/s\"", "").replace("min-rate = \"1 Mb/s\"", ""));
    assert!(nothing.terms().min_rates_bps.is_empty(), "nobody is promised anything");
}

#[test]
fn general_weighted_rates_begin_with_the_minimums() {
    // z may have 2; of 10 − 2 − (3 + 1) on bc, x, y and w have a third each beyond their minimums.
    let rates = parse(LINE).fair_rates(Criterion::GeneralWeighted).unwrap().rates_bps;
    let third = 4e6 / 3.0;
    for (rate, wanted) in rates.iter().zip([3e6 + third, third, 2e6, 1e6 + third]) {
        assert!((rate - wanted).abs() < 1.0, "{rates:?}");
    }
}

#[test]
fn rias_heeds_what_ingresses_are_promised() {
    // Ingress b has 4 and half of the other 6; z may have 2 of its 7.
    let rates = parse(LINE).fair_rates(Criterion::Rias).unwrap().rates_bps;
    for (rate, wanted) in rates.iter().zip([1.5e6, 1.5e6, 2e6, 5e6]) {
        assert!((rate - wanted).abs() < 1.0, "{rates:?}");
    }
}

#[test]
fn what_holds_a_flow_without_a_link_is_told() {
    let satisfied = parse(LINE).why_satisfied(2);
    assert_eq!((satisfied.ceiling, satisfied.kind(), satisfied.rate_bps), (Ceiling::Supported, "supported", 2e6));
    assert!(satisfied.why().contains("2 Mb/s"));
}

#[test]
fn minimums_count_where_there_are_any() {
    assert_eq!(parse(LINE).criterion(), Criterion::GeneralWeighted);
    assert_eq!(parse(LINE).unheeded_promise(Criterion::MaxMin), Some("min-rate"));
    assert_eq!(parse(LINE).unheeded_promise(Criterion::GeneralWeighted), Some("min-rates"));
}

#[test]
fn minimums_that_do_not_fit_are_told_with_the_fewest_flows_and_their_lines() {
    let text = LINE.replace("\"3 Mb/s\"", "\"7 Mb/s\"").replace("weight = 2\n", "min-rate = \"2 Mb/s\"\n");
    let text = text.replace("min-rate = \"1 Mb/s\"", "min-rate = \"6 Mb/s\"");
    let scenario = parse(&text);
    let error = scenario.fair_rates(Criterion::GeneralWeighted).unwrap_err();
    let placed = scenario.place(&error).unwrap();
    assert_eq!(
        placed.to_string(),
        "line.toml:16:1: link bc carries 10 Mb/s, but `min-rate` promises more: flows x 7 Mb/s (line 16) and w 6 Mb/s \
         (line 35), together 13 Mb/s — promise 3 Mb/s less, or give link bc more capacity; without any one of them the \
         others would fit"
    );
    let alone = parse(&LINE.replace("\"3 Mb/s\"", "\"11 Mb/s\""));
    let error = alone.fair_rates(Criterion::GeneralWeighted).unwrap_err();
    assert!(alone.place(&error).unwrap().to_string().contains("flow x 11 Mb/s (line 16) — promise 1 Mb/s less"));
}

#[test]
fn the_same_for_ingresses() {
    let scenario = parse(&LINE.replace("{ b = \"4 Mb/s\" }", "{ a = \"5 Mb/s\", b = \"6 Mb/s\" }"));
    let error = scenario.fair_rates(Criterion::Rias).unwrap_err();
    let placed = scenario.place(&error).unwrap().to_string();
    assert!(
        placed.contains("`min-rates` promises more: ingresses a 5 Mb/s (line 6) and b 6 Mb/s (line 6)"),
        "{placed}"
    );
}

#[test]
fn a_ring_takes_them_too() {
    let text = r#"schema = 1
[ring]
stations = 4
capacity = "100 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
min-rates = ["0 b/s", "50 Mb/s", "0 b/s", "0 b/s"]
[[flow]]
name = "in"
from = [0, 1, 2]
to = 3
ringlet = 0
min-rate = "20 Mb/s"
peak-rate = "40 Mb/s"
"#;
    let scenario = parse(text);
    // Station 1 is promised 50 of the last link; the other 50 are three times 16.67, and peaks are 40.
    let rias = scenario.fair_rates(Criterion::Rias).unwrap().rates_bps;
    assert!((rias[1] - 40e6).abs() < 1.0 && (rias[0] - 30e6).abs() < 1.0, "{rias:?}");
    let weighted = scenario.fair_rates(Criterion::GeneralWeighted).unwrap().rates_bps;
    assert!(weighted.iter().all(|rate| (rate - 100e6 / 3.0).abs() < 1.0), "{weighted:?}");
    // No law keeps a promise to class C, and none is told of it; sources heed peaks.
    let plan = scenario.ring_plan(0).unwrap();
    assert!(plan.flows.iter().all(|flow| flow.guaranteed.as_bps() == 0));
    assert_eq!(plan.flows[0].offer.mean_rate().map(|rate| rate.as_bps()), Some(40_000_000));
}

/// One link of 100 Mb/s, two flows with minimums of 20 Mb/s, and one that goes before them.
fn urgent(rate: &str) -> Scenario {
    let ends = "from = \"a\"\nto = \"b\"\n";
    let promised = |name: &str| format!("[[flow]]\nname = \"{name}\"\n{ends}min-rate = \"20 Mb/s\"\n");
    parse(&format!(
        "schema = 1\n[network]\nnodes = [\"a\", \"b\"]\nlink = [{{ from = \"a\", to = \"b\", capacity = \"100 Mb/s\" }}]\n{}{}\
         [[flow]]\nname = \"urgent\"\n{ends}priority = \"high\"\ntraffic = {{ kind = \"cbr\", rate = \"{rate}\" }}\n",
        promised("one"),
        promised("two"),
    ))
}

#[test]
fn high_priority_goes_first_but_for_the_minimums_of_others() {
    for (asked, fair, kind) in [("30 Mb/s", [35e6, 35e6, 30e6], "demand"), ("90 Mb/s", [20e6, 20e6, 60e6], "priority")]
    {
        let scenario = urgent(asked);
        let allocation = scenario.fair_allocation(Criterion::GeneralWeighted).unwrap();
        let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
        assert!(rates.iter().zip(fair).all(|(rate, fair)| (rate - fair).abs() < 2.0), "{rates:?}");
        assert_eq!(scenario.fair_rates(Criterion::GeneralWeighted).unwrap().rates_bps, rates);
        assert!((allocation.links[0].load_bps - 100e6).abs() < 2.0);
        assert_eq!(scenario.why_satisfied(2).kind(), kind);
    }
}

/// A minimum of 20 Mb/s of which 5 are asked for keeps 5 from who goes first.
#[test]
fn high_priority_goes_before_what_minimums_do_not_use() {
    let text = |one: &str| {
        let ends = "from = \"a\"\nto = \"b\"\n";
        format!(
            "schema = 1\n[network]\nnodes = [\"a\", \"b\"]\n\
             link = [{{ from = \"a\", to = \"b\", capacity = \"100 Mb/s\" }}]\n\
             [[flow]]\nname = \"one\"\n{ends}min-rate = \"20 Mb/s\"\n{one}\
             [[flow]]\nname = \"urgent\"\n{ends}priority = \"high\"\n"
        )
    };
    for (one, granted) in [("", 80e6), ("demand = \"5 Mb/s\"\n", 95e6)] {
        let bps = parse(&text(one)).guaranteed_bps();
        assert!((bps[1] - granted).abs() < 2.0 && bps[0] == 0.0, "{bps:?}");
    }
}

#[test]
fn what_high_priority_leaves_of_a_link_is_shared_and_told() {
    let told = |urgent: &str| {
        let ends = "from = \"a\"\nto = \"b\"\n";
        let scenario = parse(&format!(
            "schema = 1\n[network]\nnodes = [\"a\", \"b\"]\n\
             link = [{{ name = \"ab\", from = \"a\", to = \"b\", capacity = \"10 Mb/s\" }}]\n\
             [[flow]]\nname = \"urgent\"\n{ends}priority = \"high\"\n{urgent}\
             [[flow]]\nname = \"other\"\n{ends}demand = \"9 Mb/s\"\n"
        ));
        let rates = scenario.fair_rates(Criterion::MaxMin).unwrap();
        let allocation = scenario.fair_allocation(Criterion::MaxMin).unwrap();
        assert_eq!(allocation.flows.iter().map(|flow| flow.rate_bps).collect::<Vec<_>>(), rates.rates_bps);
        let Limit::Link { why, sharers, .. } = &allocation.flows[1].limited_by else { panic!("{allocation:?}") };
        let sharers: Vec<_> = sharers.iter().map(|sharer| sharer.name.clone()).collect();
        (rates.rates_bps, allocation.links[0].load_bps, why.clone(), sharers)
    };
    let (rates, load, why, sharers) = told("demand = \"4 Mb/s\"\n");
    assert_eq!((rates, load, sharers), (vec![4e6, 6e6], 10e6, vec!["other".to_owned()]));
    assert_eq!(
        why,
        "link ab is full (6 Mb/s); flow other has it alone; 4 Mb/s of the link's 10 Mb/s are granted first"
    );
    let (rates, load, why, sharers) = told("");
    assert_eq!((rates, load, sharers), (vec![10e6, 0.0], 10e6, Vec::new()));
    assert_eq!(why, "link ab is full: all of its 10 Mb/s are granted first to others");
}

/// To the last bit: two minimums of half a link each.
#[test]
fn switches_may_promise_all_of_a_link() {
    let text = |second: &str| {
        let flow = |name: &str, rate: &str| {
            format!(
                "[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\nmin-rate = \"{rate}\"\n\
                 traffic = {{ kind = \"explicit-rate\" }}\n"
            )
        };
        format!(
            "schema = 1\n[network]\nnodes = [\"a\", \"b\"]\nrate = {{ name = \"wmfqc\" }}\n\
             link = [{{ from = \"a\", to = \"b\", capacity = \"10 Mb/s\", duplex = true }}]\n{}{}",
            flow("one", "5 Mb/s"),
            flow("two", second)
        )
    };
    assert_eq!(Scenario::parse("all.toml", &text("5 Mb/s")).map(|_| ()).map_err(|errors| errors.to_string()), Ok(()));
    let error = Scenario::parse("more.toml", &text("5000001 b/s")).unwrap_err().to_string();
    assert!(error.contains("promise 1 b/s less"), "{error}");
}
