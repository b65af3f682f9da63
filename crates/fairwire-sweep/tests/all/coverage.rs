//! What stopping does to intervals: a thousand sweeps of traffic whose true mean is known.

use fairwire_scenario::Scenario;
use fairwire_sweep::{Kind, Plan, Rounds, Store, estimate, fill};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const SWEEPS: u64 = 1_000;
const PAGE: &str = "../../docs/how-many-runs.md";
/// A link that is never full, so that the mean rate is what is offered.
const OFFERED_BPS: f64 = 2e6;

/// Traffic below capacity: its name, what the file says, and the half-width to know its mean by.
const TRAFFIC: [(&str, &str, &str); 2] = [
    ("Poisson", "{ kind = \"poisson\", rate = \"2 Mb/s\", packet = \"500 B\" }", "10 %"),
    (
        "on and off, Pareto of shape 3",
        "{ kind = \"pareto-on-off\", peak = \"4 Mb/s\", mean-on = \"2 ms\", mean-off = \"2 ms\", shape = 3, packet = \"500 B\" }",
        "7 %",
    ),
];

/// A thousand points that differ in their seeds alone: each is a sweep of its own.
fn scenario(traffic: &str, half_width: &str, first: u64) -> Scenario {
    let text = format!(
        r#"schema = 1
[run]
duration = "60 ms"
warmup = "20 ms"
[network]
nodes = ["a", "b"]
queue = {{ name = "droptail" }}
[[network.link]]
from = "a"
to = "b"
capacity = "100 Mb/s"
delay = "0 ms"
[[flow]]
name = "a"
from = "a"
to = "b"
traffic = {traffic}
[sweep]
"run.seed" = {{ from = 1, to = {SWEEPS}, steps = {SWEEPS} }}
until = {{ measure = "flow.a.rate.mean", half-width = "{half_width}", first = {first}, most = 200 }}
"#
    );
    Scenario::parse("coverage.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The part of intervals that hold the true mean, and how many runs each took on average.
fn measured(name: &str, scenario: &Scenario) -> (f64, f64) {
    let plan = Plan::new(scenario.sweep_points().unwrap()).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let store = Store::open(&folder, &plan, None).unwrap();
    let mut rounds = Rounds::new(&plan, None);
    loop {
        let jobs = rounds.next(&plan, &store).unwrap();
        if jobs.is_empty() {
            break;
        }
        assert!(fill(&plan, &jobs, &store, &|_, _| true).unwrap());
    }
    let (mut held, mut runs) = (0, 0);
    for point in 0..plan.points.len() {
        let (count, _) = rounds.ended(point).unwrap();
        let column = plan.columns(point).deciding[0];
        let lines = store.lines(plan.points[point].key, 0..count).unwrap();
        let values: Vec<Option<f64>> = lines.iter().map(|line| line.values[column]).collect();
        let found = estimate(Kind::Mean, &values);
        held += u64::from(found.low.unwrap() <= OFFERED_BPS && OFFERED_BPS <= found.high.unwrap());
        runs += count;
    }
    (held as f64 / SWEEPS as f64, runs as f64 / SWEEPS as f64)
}

#[test]
fn intervals_hold_what_they_claim_and_the_page_says_how_often() {
    let mut table = String::from(
        "\n| traffic | first look | sweeps whose \"95 %\" interval holds the true mean | runs a sweep |\n| --- | --- | --- | --- |\n",
    );
    for (name, traffic, half_width) in TRAFFIC {
        for first in [3, 10] {
            let scenario = scenario(traffic, half_width, first);
            let (held, runs) = measured(&format!("coverage-{first}-{}", &name[..2]), &scenario);
            assert!(first < 10 || held >= 0.92, "{name}: {held}");
            let _ = writeln!(table, "| {name} | after {first} runs | {:.1} % | {runs:.1} |", held * 100.0);
        }
    }
    table.push('\n');
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- generated: coverage -->\n").unwrap();
    let (shown, after) = rest.split_once("<!-- end -->").unwrap();
    if std::env::var_os("FAIRWIRE_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, format!("{before}<!-- generated: coverage -->\n{table}<!-- end -->{after}")).unwrap();
    } else {
        assert_eq!(shown, table, "FAIRWIRE_BLESS=1 writes the page anew");
    }
}
