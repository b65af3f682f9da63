//! Runs of a scenario: their order, their end, and what they are held against.

use fairwire_alloc::Criterion;
use fairwire_plan::{Detail, EnginePath};
use fairwire_results::TableFormat;
use fairwire_runs::{Batch, Cautions, FinishedRun, Folder, Promises, Reference, Verdict, in_words, worst};
use fairwire_scenario::Scenario;

const TWO_FLOWS: &str = include_str!("../../../../scenarios/teaching/two-flows.toml");

fn scenario(expect: &str) -> Scenario {
    let text = TWO_FLOWS.split("[expect]").next().unwrap_or_default();
    Scenario::parse("two-flows.toml", &format!("{text}\n[expect]\n{expect}\n")).expect("a scenario")
}

fn batch(scenario: &Scenario, laws: &[&str], seeds: &[u64], runs: std::ops::Range<u64>) -> Batch {
    let short = scenario.with_duration("0.3 s".parse().expect("a time")).expect("longer than the warm-up");
    Batch {
        seeded: seeds.iter().map(|&seed| short.with_seed(seed).expect("a seed")).collect(),
        laws: laws.iter().map(|law| scenario.law_called(law).expect("a law")).collect(),
        runs,
        engine: None,
        detail: Detail::Summary,
        check: true,
    }
}

fn reference(scenario: &Scenario) -> Reference {
    Reference::solve(scenario, Criterion::Rias, true).expect("fair rates")
}

fn judged(batch: &Batch) -> Vec<Verdict> {
    let promises = Promises::new(batch.scenario()).expect("fair rates");
    let judge = |run: FinishedRun| promises.judge(&run);
    worst(batch.simulate(&reference(batch.scenario()), |_, _| true, judge).expect("a plan that runs"))
}

#[test]
fn answers_are_in_order_of_law_seed_and_replication() {
    let batch = batch(&scenario(""), &["dvsr", "fifo"], &[7, 3], 1..3);
    let key = |run: FinishedRun| {
        let summary = run.outcome.summary;
        (run.law, summary.law, summary.seed, summary.run)
    };
    let keys = batch.simulate(&reference(batch.scenario()), |_, _| true, key).expect("plans that run");
    let all = [(0, "dvsr"), (1, "fifo")]
        .into_iter()
        .flat_map(|(at, law)| [7, 3].map(|seed| [1, 2].map(|run| (at, law.to_owned(), seed, run))));
    assert_eq!(keys, all.flatten().collect::<Vec<_>>());
    assert_eq!(keys.len(), batch.len());
}

#[test]
fn a_run_that_is_cut_short_is_left_out_and_the_others_stand() {
    let batch = batch(&scenario(""), &["dvsr"], &[1, 2, 3], 0..1);
    let seed = |run: FinishedRun| run.outcome.summary.seed;
    let at_once = batch.simulate(&reference(batch.scenario()), |run, _| run != 1, seed);
    assert_eq!(at_once.expect("plans that run"), [1, 3]);
    let half_way = batch.simulate(&reference(batch.scenario()), |run, part| run != 0 || part < 0.5, seed);
    assert_eq!(half_way.expect("plans that run"), [2, 3]);
}

#[test]
fn the_way_through_time_changes_no_number() {
    let summaries = |engine| {
        let batch = Batch { engine: Some(engine), ..batch(&scenario(""), &["dvsr"], &[1], 0..1) };
        let summary = |run: FinishedRun| {
            let summary = run.outcome.summary;
            (summary.packet_hops, format!("{:?}", summary.flows))
        };
        batch.simulate(&reference(batch.scenario()), |_, _| true, summary).expect("a plan that runs")
    };
    assert_eq!(summaries(EnginePath::Events), summaries(EnginePath::Windows));
}

#[test]
fn promises_are_about_the_scenarios_own_law() {
    let scenario = scenario("jain = { min = 0.5 }");
    let own = scenario.own_law().expect("a law").about().name;
    assert_eq!(batch(&scenario, &["fifo", own], &[1], 0..1).judged(), Some(1));
    let others = batch(&scenario, &["fifo"], &[1], 0..1);
    assert_eq!(others.judged(), None);
    let cautions = Cautions::of(&others, &reference(&scenario), []);
    assert!(cautions.all().iter().any(|caution| caution.contains("none was checked")), "{cautions:?}");
    let under = Batch { seeded: vec![scenario.under(&others.laws[0])], ..others };
    assert_eq!(under.judged(), Some(0), "asked for alone, a law is the scenario's own");
}

#[test]
fn of_several_runs_the_worst_speaks_and_says_which_it_was() {
    let rates = |seed: u64| {
        let batch = batch(&scenario(""), &["dvsr"], &[seed], 0..1);
        let rate = |run: FinishedRun| run.outcome.summary.flows[0].rate_bps;
        batch.simulate(&reference(batch.scenario()), |_, _| true, rate).expect("a plan that runs")[0]
    };
    let (first, second) = (rates(1), rates(2));
    assert!(first != second, "the seeds make no difference");
    let scenario = scenario(r#""flow.far.rate.mean" = { min = "1 Gb/s" }"#);
    let verdicts = judged(&batch(&scenario, &["dvsr"], &[1, 2], 0..1));
    let [verdict] = &verdicts[..] else { panic!("one promise, one verdict: {verdicts:?}") };
    assert_eq!(verdict.measured, Some(first.min(second)));
    assert_eq!(verdict.seed, if first < second { 1 } else { 2 });
    assert!(!verdict.ok && verdict.flow.as_deref() == Some("far"));
    assert!(!in_words(&verdicts, "rias")[0].kept);
}

#[test]
fn a_folder_holds_what_was_promised_and_what_came_of_it() {
    let place = std::env::temp_dir().join(format!("fairwire-runs-{}", std::process::id()));
    let batch = batch(&scenario("jain = { min = 0.5 }"), &["dvsr"], &[1], 0..1);
    let reference = reference(batch.scenario());
    let runs = batch.simulate(&reference, |_, _| true, |run| run.outcome).expect("a plan that runs");
    let folder = Folder {
        batch: &batch,
        text: TWO_FLOWS,
        reference: &reference,
        runs: &runs,
        promises: &in_words(&judged(&batch), reference.criterion()),
        format: TableFormat::Csv,
        warnings: &["a warning".to_owned()],
        wall_s: 0.5,
        driver: None,
        real: &[],
        files: &[],
    };
    folder.write(&place, false).expect("a new folder");
    assert!(folder.write(&place, false).is_err(), "an older result stays");
    folder.write(&place, true).expect("an older result gives way");
    let report = std::fs::read_to_string(place.join("report.html")).expect("a report");
    std::fs::remove_dir_all(&place).expect("it was just made");
    assert!(report.contains("jain") && report.contains("kept"), "the promise is not in the report");
}
