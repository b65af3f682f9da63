//! What could be different: what is read, what is said, and that it is what a changed file gives.

use crate::common::shipped;
use fairwire_alloc::{Criterion, Holder, check_with_terms};
use fairwire_scenario::Scenario;

/// Three nodes in a row, two flows over one link, one over both.
const ROW: &str = r#"schema = 1
title = "A row"

[network]
nodes = ["a", "b", "c", "d"]

[[network.link]]
name = "ab"
from = "a"
to = "b"
capacity = "10 Mb/s"

[[network.link]]
name = "bc"
from = "b"
to = "c"
capacity = "6 Mb/s"

[[network.link]]
name = "bd"
from = "b"
to = "d"
capacity = "5 Mb/s"

[[network.link]]
name = "dc"
from = "d"
to = "c"
capacity = "4 Mb/s"

[[flow]]
name = "long"
from = "a"
to = "c"

[[flow]]
name = "short"
from = "a"
to = "b"
weight = 2

[[flow]]
name = "last"
from = "b"
to = "c"
demand = "3 Mb/s"
"#;

/// A ring with classes, so that what is guaranteed takes part.
const CLASSES: &str = r#"schema = 1
title = "Classes"

[ring]
stations = 6
capacity = "600 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
transit = { mode = "dual-queue" }

[[flow]]
name = "voice"
from = 1
to = 3
class = "A0"
min-rate = "60 Mb/s"
traffic = { kind = "cbr", rate = "80 Mb/s" }

[[flow]]
name = "leased"
from = 2
to = 4
class = "B"
min-rate = "100 Mb/s"

[[flow]]
name = "rest"
from = [1, 2, 3]
to = 4
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse("test.toml", text).unwrap()
}

/// Rates by flow, what classes guarantee included.
fn fresh(scenario: &Scenario, criterion: Criterion) -> Vec<(String, f64)> {
    let rates = scenario.fair_rates(criterion).unwrap().rates_bps;
    scenario.flows().iter().map(|flow| flow.name.clone()).zip(rates).collect()
}

/// Asks what `proposal` would do to `text`, and compares with the file in which each of
/// `edits` is made.
#[track_caller]
fn same_as_editing(text: &str, criterion: Criterion, proposal: &str, edits: &[(&str, &str)]) {
    let before = parse(text);
    let mut edited = text.to_owned();
    for (old, new) in edits {
        assert!(edited.contains(old), "{proposal}: no `{old}` to edit");
        edited = edited.replacen(old, new, 1);
    }
    let after = parse(&edited);
    let answer = before.proposal(proposal).unwrap().what_if(&before, criterion).unwrap();
    let told: Vec<(String, f64)> =
        answer.flows.iter().filter_map(|flow| Some((flow.id.clone(), flow.after_bps?))).collect();
    let mut wanted = fresh(&after, criterion);
    wanted.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sorted = told;
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(sorted.len(), wanted.len(), "{proposal}");
    for (told, wanted) in sorted.iter().zip(&wanted) {
        assert_eq!(told.0, wanted.0, "{proposal}");
        assert!((told.1 - wanted.1).abs() <= 10.0, "{proposal}: {told:?}, edited {wanted:?}");
    }
    let told: Vec<f64> = answer.flows.iter().filter_map(|flow| flow.before_bps).collect();
    for (told, wanted) in told.iter().zip(fresh(&before, criterion)) {
        assert!((told - wanted.1).abs() <= 10.0, "{proposal}: {told} before, {wanted:?}");
    }
    check_with_terms(&answer.problem, &answer.terms, criterion, &answer.rates.rates_bps, 1e-9).unwrap();
    // Links carry what the flows of the edited file put on them.
    let rates: std::collections::BTreeMap<String, f64> = wanted.into_iter().collect();
    for (link, told) in
        after.offered_problem().links.iter().zip(answer.links.iter().filter(|link| link.capacity_after_bps.is_some()))
    {
        assert_eq!(link.id, told.id, "{proposal}");
        assert_eq!(Some(link.capacity_bps), told.capacity_after_bps, "{proposal}: {}", link.id);
        let problem = after.offered_problem();
        let number = problem.links.iter().position(|known| known.id == link.id).unwrap();
        let load: f64 =
            problem.flows.iter().filter(|flow| flow.route.contains(&number)).map(|flow| rates[&flow.id]).sum();
        assert!(
            (told.after_bps - load).abs() <= 30.0,
            "{proposal}: {} carries {load}, not {}",
            link.id,
            told.after_bps
        );
    }
}

#[test]
fn a_proposal_gives_what_the_changed_file_gives() {
    use Criterion::{GeneralWeighted, MaxMin, Proportional, Rias, WeightedMaxMin};
    let long = "name = \"long\"\nfrom = \"a\"\nto = \"c\"\n";
    let add = |key: &str| format!("{long}{key}\n");
    for criterion in [MaxMin, WeightedMaxMin, GeneralWeighted, Proportional, Rias] {
        for (proposal, edits) in [
            ("link ab +10%", vec![("\"10 Mb/s\"", "\"11 Mb/s\"")]),
            ("link ab capacity -2.5 Mb/s", vec![("\"10 Mb/s\"", "\"7.5 Mb/s\"")]),
            ("link bc = 9Mb/s", vec![("\"6 Mb/s\"", "\"9 Mb/s\"")]),
            ("link a* 5 Mb/s; link bc +1 Mb/s", vec![("\"10 Mb/s\"", "\"5 Mb/s\""), ("\"6 Mb/s\"", "\"7 Mb/s\"")]),
            ("flow short weight = 5", vec![("weight = 2", "weight = 5")]),
            ("flow short weight +50%", vec![("weight = 2", "weight = 3")]),
            ("flow last demand -1 Mb/s", vec![("demand = \"3 Mb/s\"", "demand = \"2 Mb/s\"")]),
            ("flow last demand none", vec![("demand = \"3 Mb/s\"", "")]),
            ("flow long demand = 1 Mb/s", vec![(long, &*add("demand = \"1 Mb/s\""))]),
            ("flow long peak-rate 1500 kb/s", vec![(long, &*add("peak-rate = \"1.5 Mb/s\""))]),
            ("flow long supported-rate 1500 kb/s", vec![(long, &*add("supported-rate = \"1.5 Mb/s\""))]),
            ("flow long min-rate 5 Mb/s", vec![(long, &*add("min-rate = \"5 Mb/s\""))]),
            ("flow long weight 3 min-rate 4 Mb/s", vec![(long, &*add("weight = 3\nmin-rate = \"4 Mb/s\""))]),
            ("flow long over ab bd dc", vec![(long, &*add("route = [\"ab\", \"bd\", \"dc\"]"))]),
            (
                "flow new from b to d weight 2 demand 4 Mb/s",
                vec![(
                    long,
                    &*format!(
                        "name = \"new\"\nfrom = \"b\"\nto = \"d\"\nweight = 2\ndemand = \"4 Mb/s\"\n[[flow]]\n{long}"
                    ),
                )],
            ),
            (
                "flow 'by way' from a to c over ab bd dc",
                vec![(
                    long,
                    &*format!(
                        "name = \"by way\"\nfrom = \"a\"\nto = \"c\"\nroute = [\"ab\", \"bd\", \"dc\"]\n[[flow]]\n{long}"
                    ),
                )],
            ),
            ("flow short removed", vec![("[[flow]]\nname = \"short\"\nfrom = \"a\"\nto = \"b\"\nweight = 2\n", "")]),
            ("node a weight 2", vec![("nodes =", "weights = { a = 2 }\nnodes =")]),
            ("node b min-rate 2 Mb/s", vec![("nodes =", "min-rates = { b = \"2 Mb/s\" }\nnodes =")]),
        ] {
            let edits: Vec<(&str, &str)> = edits;
            same_as_editing(ROW, criterion, proposal, &edits);
        }
    }
}

#[test]
fn what_classes_guarantee_takes_part_in_a_proposal() {
    for criterion in [Criterion::Rias, Criterion::MaxMin] {
        for (proposal, edits) in [
            ("link 3 +10%", vec![("law =", "link = [{ ringlet = 0, from = 3, capacity = \"660 Mb/s\" }]\nlaw =")]),
            ("flow voice min-rate 30 Mb/s", vec![("\"60 Mb/s\"", "\"30 Mb/s\"")]),
            ("flow voice demand 40 Mb/s", vec![("\"80 Mb/s\"", "\"40 Mb/s\"")]),
            ("flow leased min-rate +100%", vec![("\"100 Mb/s\"", "\"200 Mb/s\"")]),
            (
                "flow voice removed",
                vec![(
                    "[[flow]]\nname = \"voice\"\nfrom = 1\nto = 3\nclass = \"A0\"\nmin-rate = \"60 Mb/s\"\ntraffic = { kind = \"cbr\", rate = \"80 Mb/s\" }\n",
                    "",
                )],
            ),
            ("station 2 weight 3", vec![("law =", "weights = { 2 = 3 }\nlaw =")]),
        ] {
            same_as_editing(CLASSES, criterion, proposal, &edits);
        }
    }
}

#[test]
fn a_flow_can_go_the_other_way_around() {
    let before = parse(CLASSES);
    let answer = before.proposal("flow rest-1 ringlet 1").unwrap().what_if(&before, Criterion::Rias).unwrap();
    let rest = answer.flows.iter().find(|flow| flow.id == "rest-1").unwrap();
    // Nobody else uses ringlet 1, which reserves nothing.
    assert_eq!(rest.after_bps, Some(600e6));
}

#[test]
fn a_lost_link_takes_its_flows_along() {
    let before = parse(ROW);
    let answer = before.proposal("link bc lost").unwrap().what_if(&before, Criterion::MaxMin).unwrap();
    let after: Vec<Option<f64>> = answer.flows.iter().map(|flow| flow.after_bps).collect();
    assert_eq!(after, [None, Some(10e6), None]);
    assert_eq!(answer.links[1].capacity_after_bps, None);
    assert!(matches!(answer.flows[1].held_after, Some(Holder::Link(0))));
}

#[test]
fn on_a_ring_a_station_names_the_link_that_leaves_it() {
    let (name, text) = shipped().into_iter().find(|(name, _)| name.ends_with("operators/metro-ring.toml")).unwrap();
    let scenario = Scenario::parse(&name, &text).unwrap();
    let said = |text: &str| scenario.proposal(text).map(|proposal| proposal.said().join("; "));
    assert_eq!(said("link 4 +10%").unwrap(), "link r0:4 carries 2.75 Gb/s instead of 2.5 Gb/s");
    assert_eq!(said("link 1 lost").unwrap(), "link r1:1 is lost, and the 2 flows over it");
    assert!(said("link 9 +10%").unwrap_err().help.contains("0 to 5"));
}

#[test]
fn mistakes_say_what_to_write() {
    let scenario = parse(ROW);
    for (text, wrong, mend) in [
        ("", "nothing is proposed", "link NAME +10%"),
        ("lonk ab +10%", "about a \"lonk\"", "`link`"),
        ("link", "which link", "link NAME +10%"),
        ("link aab +10%", "no link \"aab\"", "`ab`"),
        ("link ab", "nothing is said", "+10%"),
        ("link ab 10%", "more, or less?", "`+10%` or `-10%`"),
        ("link ab +10", "no unit", "10 Mb/s"),
        ("link ab -10 Mb/s", "cannot carry", "lost"),
        ("link ab none", "cannot carry", "up to"),
        ("link ab lost; link ab +10%", "lost already", "lose it"),
        ("link ab lost; flow short weight 3", "gone already", "before"),
        ("flow shirt weight 2", "no flow \"shirt\"", "`short`"),
        ("flow short wieght 2", "no \"wieght\"", "`weight`"),
        ("flow short weight 0", "weight", "above zero"),
        ("flow short weight -3", "below zero", "less"),
        ("flow short demand +10%", "no limit yet", "= 10 Mb/s"),
        ("flow short", "nothing is said", "weight 2"),
        ("flow short removed now", "goes on with \"now\"", ";"),
        ("flow short from a to b", "a flow short already", "another name"),
        ("flow new from a to e", "no node \"e\"", "`a`"),
        ("flow new from a to a", "goes nowhere", "two different"),
        ("flow new from c to a", "no way leads", "links between"),
        ("flow new from a", "where it leaves", "from A to B"),
        ("flow long over ab", "ends at b, not at c", "every link"),
        ("flow long over bc ab", "leaves b, not a", "in order"),
        ("flow long ringlet 1", "no ring", "over hop-1"),
        ("flow long min-rate 5 Mb/s peak-rate 4 Mb/s", "promised 5 Mb/s", "min-rate"),
        ("node e weight 2", "no node", "`a`"),
        ("node a colour 2", "no \"colour\"", "weight"),
        ("flow \"long weight 2", "quote", "close"),
    ] {
        let error = scenario.proposal(text).map(|proposal| proposal.said().join("; ")).expect_err(text);
        assert!(error.message.contains(wrong), "{text}: {}", error.message);
        assert!(error.help.contains(mend), "{text}: {}", error.help);
    }
    let classes = parse(CLASSES);
    let error = classes.proposal("link 2 = 160 Mb/s").unwrap_err();
    assert!(error.message.contains("leave nothing to share"), "{error}");
}

#[test]
fn a_way_with_a_loop_is_refused() {
    let row = ROW.replacen("capacity = \"10 Mb/s\"", "capacity = \"10 Mb/s\"\nduplex = true", 1);
    let scenario = Scenario::parse("row.toml", &row).unwrap();
    let error = scenario.proposal("flow long over ab ab-back ab bc").map(|_| ()).unwrap_err();
    assert!(error.message.contains("comes to a twice, over link ab-back"), "{}", error.message);
    assert!(scenario.proposal("flow long over ab bc").is_ok());
}

/// As in the file, demand is what each micro-flow asks for.
#[test]
fn the_demand_of_several_micro_flows_is_that_of_each() {
    let row = ROW.replacen("name = \"long\"", "name = \"long\"\nmicro-flows = 4", 1);
    let scenario = Scenario::parse("row.toml", &row).unwrap();
    let proposal = scenario.proposal("flow long demand = 2 Mb/s").unwrap();
    assert!(
        proposal.said()[0].starts_with("each of the 4 micro-flows of flow long asks for 2 Mb/s"),
        "{:?}",
        proposal.said()
    );
    let answer = proposal.what_if(&scenario, Criterion::MaxMin).unwrap();
    let asked = answer.problem.flows.iter().find(|flow| flow.id == "long").unwrap().demand_bps;
    assert_eq!(asked, 8e6);
}
