//! Runs that do not end where they were planned to: packets come from outside, or links are captured.

use fairwire_core::{Instant, Span};
use fairwire_net::{ArrivalsJournalWriter, Closing};
use fairwire_plan::Detail;
use fairwire_runs::{Batch, BroughtPacket, FinishedRun, Job, Others, Reference, Replay, RunHeader};
use fairwire_scenario::Scenario;
use fairwire_sim::Steps;

const RUN: &str = "schema = 1\ntitle = \"t\"\n[run]\nduration = \"100 ms\"\nwarmup = \"0 s\"\n";
const RING: &str = r#"
[ring]
stations = 3
capacity = "1 Gb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
[[flow]]
name = "own"
from = 0
to = 1
traffic = { kind = "cbr", rate = "1 Mb/s" }
"#;
const NETWORK: &str = r#"
[network]
nodes = ["a", "b"]
queue = { name = "droptail" }
link = [{ name = "line", from = "a", to = "b", capacity = "1 Gb/s", duplex = true }]
[[flow]]
name = "own"
from = "a"
to = "b"
traffic = { kind = "cbr", rate = "1 Mb/s" }
"#;
const JOB: Job = Job { law: 0, seed: 0, run: 0 };

fn batch(topology: &str) -> (Batch, Reference) {
    let text = format!("{RUN}{topology}");
    let scenario = Scenario::parse("t.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let reference = Reference::solve(&scenario, scenario.criterion(), false).expect("fair rates");
    let laws = vec![scenario.own_law().expect("a law")];
    let detail = Detail::Summary;
    (Batch { seeded: vec![scenario], laws, runs: 0..1, engine: None, detail, check: true }, reference)
}

/// The flows of plan and record, and how long both lasted.
fn extent(run: &FinishedRun) -> (usize, usize, Span) {
    let flows = run.outcome.summary.flows.len();
    match (run.plan.ring(), run.plan.network()) {
        (Some(plan), _) => (plan.flows.len(), flows, plan.duration),
        (None, Some(plan)) => (plan.flows.len(), flows, plan.duration),
        (None, None) => unreachable!("a plan of a ring or a network"),
    }
}

#[test]
fn what_others_send_is_told_apart_and_the_run_ends_where_it_stands() {
    for topology in [RING, NETWORK] {
        let (batch, reference) = batch(topology);
        let mut carried = batch.carried_open(JOB).expect("a plan that can be carried");
        for number in 1..=2 {
            let at = Instant::from_nanos(number * 1_000_000);
            let packet = BroughtPacket { number, size_bytes: 500, at, ..BroughtPacket::default() };
            carried.inject(1, packet).expect("a packet of the flow on the way back");
        }
        carried.advance(Instant::from_nanos(20_000_000));
        let (run, others) = batch.finish_carried(JOB, carried, &[], &reference, 0.0);
        assert_eq!(others, Some(Others { packets: 2, delivered: 2, rate_bps: 400e3 }), "1000 bytes in 20 ms");
        assert_eq!(extent(&run), (1, 1, Span::from_millis(20)));
    }
}

#[test]
fn where_nobody_else_may_send_nothing_is_told_of_others() {
    for topology in [RING, NETWORK] {
        let (batch, reference) = batch(topology);
        let carried = batch.carried(JOB).expect("a plan that can be carried");
        let (run, others) = batch.finish_carried(JOB, carried, &[], &reference, 0.0);
        assert_eq!((others, extent(&run)), (None, (1, 1, Span::ZERO)));
    }
}

#[test]
fn a_law_that_ran_often_is_named_once() {
    let folder = std::env::temp_dir().join(format!("fairwire-runs-laws-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (law, run) in [("dvsr", 0), ("dvsr", 1), ("fifo", 0), ("fifo", 1)] {
        let header = RunHeader { law: law.to_owned(), seed: 1, run, duration_ns: 1 };
        let journal = ArrivalsJournalWriter::begin(Vec::new(), &serde_json::to_string(&header).expect("a header"));
        let closing = Closing { reached_ns: 1, tcp: Vec::new(), cautions: Vec::new() };
        let bytes = journal.and_then(|journal| journal.end(&closing.to_note())).expect("bytes in memory");
        std::fs::write(folder.join(header.arrivals_name()), bytes).expect("a journal");
    }
    let replay = Replay::read(&folder);
    std::fs::remove_dir_all(&folder).expect("what was made");
    assert_eq!(replay.expect("journals").laws(), ["dvsr", "fifo"]);
}

#[test]
fn a_captured_run_tells_which_part_is_over() {
    let (batch, reference) = batch(RING);
    let links = batch.capture_links(&["all".to_owned()]).expect("links");
    let mut capture = batch.begin_capture(JOB, links.clone(), Box::new(std::io::sink())).expect("bytes in memory");
    let mut told = Vec::new();
    let mut watch = |part| {
        told.push(part);
        true
    };
    let run = batch.simulate_captured(JOB, &reference, &links, &mut capture, &mut watch).expect("a plan that runs");
    assert_eq!(extent(&run.expect("the whole run")), (1, 1, Span::from_millis(100)));
    let percent: Vec<_> = told.iter().map(|part| (part * 100.0).round()).collect();
    assert_eq!(percent, (0..20).map(|step| f64::from(5 * step)).collect::<Vec<_>>(), "a step takes 5 ms");
}
