//! Runs of a scenario: their order, their end, and what they are held against.

use fairwire_alloc::{Criterion, Uniqueness};
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

/// Where the search was cut short, its bounds also hold rates that are not fair.
#[test]
fn what_is_not_decided_is_not_told_as_known() {
    let scenario = scenario("");
    let mut reference = reference(&scenario);
    reference.allocation.unique = Uniqueness::NotDecided;
    let told = Cautions::of(&batch(&scenario, &["dvsr"], &[1], 0..1), &reference, []).runs;
    let said = "any rate that is not known to be unfair for its flow has ratio 1";
    assert!(told.iter().any(|caution| caution.ends_with(said)), "{told:?}");
}

/// No law can tell them apart; whoever sees their ratios alone would blame it.
#[test]
fn flows_that_share_a_queue_unevenly_are_told() {
    let told = |to: u16| {
        let text = format!(
            "schema = 1\n[ring]\nstations = 5\ncapacity = \"100 Mb/s\"\nspan-delay = \"0.1 ms\"\nlaw = {{ name = \"dvsr\" }}\n\
             [[flow]]\nname = \"all\"\nfrom = 0\nto = 2\n[[flow]]\nname = \"some\"\nfrom = 0\nto = {to}\ndemand = \"30 Mb/s\"\n\
             [[flow]]\nname = \"other\"\nfrom = 1\nto = 2\n"
        );
        let scenario = Scenario::parse("queue.toml", &text).expect("a scenario");
        let (batch, reference) = (batch(&scenario, &["dvsr"], &[1], 0..1), reference(&scenario));
        let runs = batch.simulate(&reference, |_, _| true, |run| run.outcome.summary).expect("a plan that runs");
        Cautions::of(&batch, &reference, &runs).runs
    };
    let said = "all and 1 other flow wait in one queue, that of station 0 toward 2";
    assert!(told(2).iter().any(|caution| caution.starts_with(said)), "{:?}", told(2));
    assert_eq!(told(1), Vec::<String>::new());
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

/// The scenario with other flows instead of its own.
fn with_flows(flows: &str, expect: &str) -> Scenario {
    let text = TWO_FLOWS.split("[[flow]]").next().unwrap_or_default();
    Scenario::parse("flows.toml", &format!("{text}\n{flows}\n[expect]\n{expect}\n")).expect("a scenario")
}

fn flow(name: &str, from: u32, traffic: &str, times: &str) -> String {
    format!("[[flow]]\nname = \"{name}\"\nfrom = {from}\nto = 3\n{traffic}\n{times}\n")
}

#[test]
fn of_several_flows_the_one_farthest_below_the_least_speaks() {
    let slow = flow("slow", 0, r#"traffic = { kind = "cbr", rate = "100 Mb/s" }"#, "");
    let flows = [slow.as_str(), &flow("fast", 1, "", "")].concat();
    let scenario = with_flows(&flows, r#""flow.*.rate.mean" = { min = "950 Mb/s" }"#);
    let verdicts = judged(&batch(&scenario, &["dvsr"], &[1], 0..1));
    assert_eq!((verdicts[0].ok, verdicts[0].flow.as_deref()), (false, Some("slow")), "{verdicts:?}");
}

#[test]
fn runs_under_another_law_are_not_judged() {
    let scenario = scenario("jain = { min = 0.5 }");
    let batch = batch(&scenario, &["fifo", "dvsr"], &[1], 0..1);
    let promises = Promises::new(batch.scenario()).expect("fair rates");
    let judge = |run: FinishedRun| promises.judge_own(&batch, &run).len();
    let judged = batch.simulate(&reference(batch.scenario()), |_, _| true, judge);
    assert_eq!(judged.expect("plans that run"), [0, 1]);
}

#[test]
fn a_promise_names_its_criterion_where_the_tables_have_another() {
    let verdicts = judged(&batch(&scenario(r#"fair = { criterion = "rias", within = "5 %" }"#), &["dvsr"], &[1], 0..1));
    let told = |tables: &str| in_words(&verdicts, tables)[0].measured.clone();
    assert!(
        told("max-min").ends_with(", rias)") && !told("rias").contains("rias"),
        "{} {}",
        told("max-min"),
        told("rias")
    );
}

/// Tables tell times to fair within 5 and 1 %; others are worked out from the same flows, those that are there.
#[test]
fn who_is_gone_before_the_last_start_is_in_no_time_to_fair() {
    let flows = ["far", "near"].map(|name| flow(name, u32::from(name == "near"), "", "start = \"150 ms\""));
    let gone = flow("gone", 4, "", "stop = \"100 ms\"");
    let expect = "\"time-to-fair.7%\" = { max = \"150 ms\" }\n\"time-to-fair.5%\" = { max = \"150 ms\" }";
    let scenario = with_flows(&[gone.as_str(), &flows[0], &flows[1]].concat(), expect);
    let verdicts = judged(&batch(&scenario, &["dvsr"], &[1], 0..1));
    assert!(verdicts.iter().all(|verdict| verdict.ok), "{verdicts:?}");
}

/// What to know of a run, told as if its first flow were `starved`.
fn cautions(scenario: &Scenario, starved: bool) -> String {
    let batch = batch(scenario, &["dvsr"], &[1], 0..1);
    let reference = reference(batch.scenario());
    let mut runs = batch.simulate(&reference, |_, _| true, |run| run.outcome.summary).expect("a plan that runs");
    if starved {
        (runs[0].flows[0].dropped, runs[0].flows[0].loss) = (1_000, 1.0);
    }
    Cautions::of(&batch, &reference, &runs).all().join("\n")
}

#[test]
fn sources_meet_in_step_only_where_all_are_even() {
    let even = |name: &str, from: u32| flow(name, from, r#"traffic = { kind = "cbr", rate = "100 Mb/s" }"#, "");
    let uneven = flow("uneven", 2, r#"traffic = { kind = "poisson", rate = "100 Mb/s" }"#, "");
    let two = [even("one", 0), even("two", 1)].concat();
    assert!(cautions(&with_flows(&two, ""), true).contains("in step again and again"));
    assert!(!cautions(&with_flows(&two, ""), false).contains("in step"));
    assert!(!cautions(&with_flows(&[two.as_str(), &uneven].concat(), ""), true).contains("in step"));
}

#[test]
fn where_nobody_offers_anything_nothing_is_missed() {
    let late = flow("late", 0, "", "start = \"1.9 s\"");
    assert!(!cautions(&with_flows(&late, ""), false).contains("no packet arrived"));
}

const TRANSFERS: &str = r#"schema = 1
run = { duration = "1 s" }
[network]
nodes = ["a", "b"]
link = [{ from = "a", to = "b", capacity = "10 Mb/s", delay = "1 ms", duplex = true }]
[[flow]]
name = "files"
from = "a"
to = "b"
traffic = { kind = "transfers", size = "20 kB", mean-interval = "50 ms" }
[expect]
"flow.files.transfer.mean" = { max = "1 s" }
"#;

#[test]
fn times_of_transfers_are_measured_in_nanoseconds() {
    let scenario = Scenario::parse("files.toml", TRANSFERS).expect("a scenario");
    let law = scenario.own_law().expect("a law").about().name;
    let batch = Batch { seeded: vec![scenario.clone()], ..batch(&scenario, &[law], &[1], 0..1) };
    let promises = Promises::new(batch.scenario()).expect("fair rates");
    let judge = |run: FinishedRun| (promises.judge(&run).remove(0), run.outcome.summary.flows[0].transfers);
    let runs = batch.simulate(&reference(batch.scenario()), |_, _| true, judge).expect("a plan that runs");
    let (verdict, transfers) = &runs[0];
    let mean_ns = transfers.and_then(|transfers| transfers.mean_s).expect("transfers") * 1e9;
    assert!((verdict.measured.expect("a time") - mean_ns).abs() < 1.0 && mean_ns > 16e6, "{mean_ns} {verdict:?}");
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
        ended: std::time::UNIX_EPOCH,
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
