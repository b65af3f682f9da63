//! Runs in which switches tell flows their rates: fair rates after each change, and promises about them.

use fairwire_plan::Detail;
use fairwire_results::RunSummary;
use fairwire_runs::{Batch, Cautions, FinishedRun, Promises, Reference, Verdict};
use fairwire_scenario::Scenario;

const EVENTS: &str = include_str!("../../../../scenarios/teaching/explicit-rate-events.toml");

fn scenario(expect: &str) -> Scenario {
    let text = EVENTS.split("[expect]").next().unwrap_or_default();
    Scenario::parse("events.toml", &format!("{text}\n[expect]\n{expect}\n")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// One run of the whole scenario under each of these laws.
pub fn batch(scenario: &Scenario, laws: &[&str]) -> Batch {
    Batch {
        seeded: vec![scenario.clone()],
        laws: laws.iter().map(|law| scenario.law_called(law).expect("a law")).collect(),
        runs: 0..1,
        engine: None,
        detail: Detail::Summary,
        check: true,
    }
}

fn run(scenario: &Scenario, law: &str) -> (RunSummary, Vec<Verdict>) {
    let batch = batch(scenario, &[law]);
    let reference = Reference::solve(scenario, scenario.criterion(), false).expect("fair rates");
    let promises = Promises::new(scenario).expect("fair rates");
    let judge = |run: FinishedRun| (promises.judge(&run), run.outcome.summary);
    let mut done = batch.simulate(&reference, |_, _| true, judge).expect("a plan that runs");
    let (verdicts, summary) = done.remove(0);
    (summary, verdicts)
}

#[test]
fn promises_are_held_after_every_change() {
    let promised = scenario(
        "\"fair.after-events\" = { within = \"1 %\" }\n\"flow.film.response\" = { max = \"1 us\" }\n\
         \"queue.line.max\" = { max = 1 }\n\"queue.line-back.max\" = { max = 0 }",
    );
    let (summary, verdicts) = run(&promised, "wmfqc");
    assert_eq!(
        verdicts.iter().map(|verdict| verdict.ok).collect::<Vec<_>>(),
        [true, false, false, true],
        "{verdicts:?}"
    );
    let longest = summary.flows[0].explicit_rate.unwrap().response_max_ns.unwrap();
    assert_eq!(verdicts[1].measured, Some(longest as f64));
    let line = summary.links.iter().find(|link| link.id == "line").unwrap().port.as_ref().unwrap();
    assert_eq!(verdicts[2].measured, Some(line.deepest_packets.into()));
}

/// The law that knows no minimums and weights shares alike, which is not what the terms say.
#[test]
fn a_law_without_weights_is_not_fair_after_events() {
    let (summary, verdicts) = run(&scenario("\"fair.after-events\" = { within = \"1 %\" }"), "max-min-marking");
    assert!(!verdicts[0].ok);
    let worst = summary.changes.iter().filter_map(|change| change.allowed.as_ref()?.error).fold(0.0, f64::max);
    assert!(worst > 1.0, "{worst}");
}

#[test]
fn what_is_fair_is_a_mean_where_something_changes_on_the_way() {
    let is_mean = |text: &str| {
        let scenario = Scenario::parse("events.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
        Reference::solve(&scenario, scenario.criterion(), false).expect("fair rates").is_mean()
    };
    let still = "schema = 1\n[network]\nnodes = [\"a\", \"b\"]\nrate = { name = \"wmfqc\" }\n\
                 link = [{ from = \"a\", to = \"b\", capacity = \"1 Gb/s\", duplex = true }]\n\
                 [[flow]]\nname = \"a\"\nfrom = \"a\"\nto = \"b\"\ntraffic = { kind = \"explicit-rate\" }\n";
    assert!(is_mean(EVENTS) && !is_mean(still));
}

#[test]
fn too_many_changes_of_too_many_flows_are_not_followed() {
    let flow = |number: usize| {
        format!(
            "[[flow]]\nname = \"f{number}\"\nfrom = \"a\"\nto = \"b\"\nstart = \"{number} us\"\n\
             traffic = {{ kind = \"explicit-rate\" }}\n\n"
        )
    };
    let text = |flows: usize| {
        let flows: String = (0..flows).map(flow).collect();
        format!(
            "schema = 1\n[run]\nduration = \"2 ms\"\n[network]\nnodes = [\"a\", \"b\"]\nrate = {{ name = \"wmfqc\" }}\n\
             link = [{{ from = \"a\", to = \"b\", capacity = \"1 Gb/s\", duplex = true }}]\n\n{flows}"
        )
    };
    for (flows, followed) in [(30, 30), (1001, 0)] {
        let scenario = Scenario::parse("many.toml", &text(flows)).unwrap_or_else(|errors| panic!("{errors}"));
        let reference = Reference::solve(&scenario, scenario.criterion(), false).expect("fair rates");
        assert_eq!(reference.changes.len(), followed);
        let batch = Batch {
            seeded: vec![scenario.clone()],
            laws: vec![scenario.own_law().expect("a law")],
            runs: 0..1,
            engine: None,
            detail: Detail::Summary,
            check: false,
        };
        let told = Cautions::of(&batch, &reference, []).all().iter().any(|caution| caution.contains("too many"));
        assert_eq!(told, followed == 0);
    }
}
