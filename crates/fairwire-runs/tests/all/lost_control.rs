//! Sources that are told their rates, whatever becomes of control packets.

use crate::explicit_rates::batch;
use fairwire_results::RunSummary;
use fairwire_runs::{Batch, Cautions, Reference};
use fairwire_scenario::Scenario;

/// A run of a scenario under each of these laws.
fn simulated(text: &str, laws: &[&str]) -> (Batch, Reference, Vec<RunSummary>) {
    let scenario = Scenario::parse("rates.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let reference = Reference::solve(&scenario, scenario.criterion(), true).expect("fair rates");
    let batch = batch(&scenario, laws);
    let runs = batch.simulate(&reference, |_, _| true, |run| run.outcome.summary).expect("a plan that runs");
    (batch, reference, runs)
}

/// Else the law is blamed for what queues did.
#[test]
fn control_packets_that_are_lost_are_told() {
    let told = |initial: &str| {
        let text = format!(
            r#"schema = 1
run = {{ duration = "100 ms" }}
[network]
nodes = ["a", "b", "c"]
rate = {{ name = "s-perc" }}
limit = "5 packets"
link = [
    {{ from = "a", to = "b", capacity = "1 Gb/s", duplex = true }},
    {{ from = "b", to = "c", capacity = "10 Mb/s", delay = "5 ms", duplex = true }},
]
[[flow]]
name = "f"
from = ["a", "b"]
to = "c"
traffic = {{ kind = "explicit-rate", initial = "{initial}" }}
"#
        );
        let (batch, reference, runs) = simulated(&text, &["s-perc"]);
        Cautions::of(&batch, &reference, &runs).runs
    };
    assert!(told("peak").iter().any(|caution| caution.contains("of the control packets under s-perc were lost")));
    assert_eq!(told("ask"), Vec::<String>::new());
}

/// A control packet that comes back against a flow takes a part of its link. Was each counted as it came, the flow's rate moved for
/// ever, as did control packets, which leave sooner where rates move.
#[test]
fn control_packets_of_others_let_rates_rest() {
    let text = r#"schema = 1
run = { duration = "3 s" }
[network]
nodes = ["a", "b"]
rate = { name = "s-perc" }
link = [{ from = "a", to = "b", capacity = "10 Mb/s", delay = "5 ms", duplex = true }]
[[flow]]
name = "there"
from = "a"
to = "b"
peak-rate = "4 Mb/s"
traffic = { kind = "explicit-rate", initial = "ask" }
[[flow]]
name = "back"
from = "b"
to = "a"
traffic = { kind = "explicit-rate", initial = "ask" }
"#;
    let laws = ["s-perc", "wmfqc", "wmfqc-plus", "max-min-marking"];
    let (_, _, runs) = simulated(text, &laws);
    assert_eq!(runs.len(), laws.len());
    for run in runs {
        let back = run.flows[1].explicit_rate.as_ref().expect("it is told its rate");
        let rests = back.response_max_ns.is_some_and(|response| response < 200_000_000);
        assert!(rests && back.allowed_rate_bps > 9.9e6, "{}: {back:?}", run.law);
    }
}

/// All begin at their peak rates, queues overflow, and what would tell sources to slow down is lost as well. That went on for ever.
#[test]
fn who_hears_nothing_sends_nothing_until_it_is_heard() {
    let mut text = r#"schema = 1
run = { duration = "4 s" }
[network]
nodes = ["a", "b", "c", "d", "e"]
rate = { name = "s-perc" }
limit = "20 packets"
link = [
    { from = "a", to = "b", capacity = "10 Mb/s", delay = "1 ms", duplex = true },
    { from = "b", to = "c", capacity = "4 Mb/s", delay = "1 ms", duplex = true },
    { from = "c", to = "d", capacity = "10 Mb/s", delay = "1 ms", duplex = true },
    { from = "d", to = "e", capacity = "4 Mb/s", delay = "1 ms", duplex = true },
]
"#
    .to_owned();
    for (from, to) in "abcde".chars().flat_map(|from| "abcde".chars().map(move |to| (from, to))) {
        if from != to {
            text += &format!("[[flow]]\nname = \"{from}{to}\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
            text += "traffic = { kind = \"explicit-rate\", initial = \"peak\" }\n";
        }
    }
    let (_, _, runs) = simulated(&text, &["s-perc"]);
    assert_eq!(runs[0].flows.len(), 20);
    for flow in &runs[0].flows {
        let told = flow.explicit_rate.as_ref().expect("it is told its rate");
        let off = told.allowed_rate_bps / flow.fair_rate_bps - 1.0;
        assert!(off.abs() < 0.05, "{}: {} for {}", flow.id, told.allowed_rate_bps, flow.fair_rate_bps);
    }
}
