//! Plans: what runs are known by, and that all points are looked at once.

use fairwire_scenario::Scenario;
use fairwire_sweep::{Plan, Point, RunLine, Store, SweepError, TaskAnswer, read_points};
use std::path::Path;

const RING: &str = r#"schema = 1
[run]
duration = "10 ms"
[ring]
stations = 6
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
[[flow]]
name = "a"
from = [0, 1]
to = 5
"#;

fn plan(sweep: &str) -> Result<Plan, SweepError> {
    let scenario = Scenario::parse("ring.toml", &format!("{RING}[sweep]\n{sweep}"))?;
    Plan::new(scenario.sweep_points()?)
}

#[test]
fn points_that_come_to_the_same_are_one() {
    // The same delay in two units, and a parameter at its default.
    let plan = plan("\"ring.span-delay\" = [\"0.1 ms\", \"100000 ns\", \"0.2 ms\"]").unwrap();
    assert_eq!((plan.points.len(), plan.slots), (3, 2));
    assert_eq!(plan.points[0].key, plan.points[1].key);
    let other = self::plan("\"run.seed\" = [1, 2]\n\"run.replications\" = [3, 4]").unwrap();
    assert_eq!((other.points.len(), other.slots), (4, 2), "how many runs there are changes none of them");
    assert_eq!(other.points[0].key, plan.points[0].key, "whatever is swept");
}

#[test]
fn the_first_wrong_point_is_told() {
    let error = plan("\"ring.stations\" = [6, 7, 5, 4]").unwrap_err().to_string();
    assert!(error.contains("with ring.stations = 5"), "{error}");
}

#[test]
fn what_is_measured_follows_the_flows() {
    let plan = plan("\"flow.a.name\" = [\"a\", \"b\"]\nmeasures = [\"flow.*.delay.p99\"]").unwrap();
    assert_eq!(plan.asked.len(), 2);
    let names =
        |point: usize| -> Vec<&str> { plan.columns(point).columns.iter().map(|column| column.name.as_str()).collect() };
    assert_eq!(names(0)[..2], ["flow.a-0.delay.p99_ns", "flow.a-1.delay.p99_ns"]);
    assert!(names(1).contains(&"flow.b-1.ratio") && names(1).contains(&"fair.5%"), "{:?}", names(1));
}

#[test]
fn fair_is_what_the_scenario_promises_or_within_5_percent() {
    for (expect, name) in [("", "fair.5%"), ("[expect]\nfair = { within = \"2 %\" }\n", "fair.2%")] {
        let plan = plan(&format!("\"run.seed\" = [1, 2]\n{expect}")).unwrap();
        let names = plan.columns(0).columns.iter().map(|column| column.name.as_str());
        assert_eq!(names.filter(|name| name.starts_with("fair.")).collect::<Vec<_>>(), [name]);
    }
}

/// A sweep that went over two points, and goes on with one.
#[test]
fn what_is_known_of_other_points_does_not_count() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fewer-points");
    let _ = std::fs::remove_dir_all(&folder);
    let two = plan("\"run.seed\" = [1, 2]").unwrap();
    let values = vec![Some(0.5); two.columns(0).columns.len()];
    let line = |point: &Point| {
        let (key, values) = (point.key, values.clone());
        RunLine { key, run: 0, broken: 0, warning: None, hops: 1, values }
    };
    let answer = TaskAnswer { wall_s: 0.0, lines: two.points.iter().map(line).collect(), series: Vec::new() };
    Store::open(&folder, &two, None).unwrap().keep_answer(&answer).unwrap();
    assert_eq!(Store::open(&folder, &two, None).unwrap().known(), 2);
    let one = plan("\"run.seed\" = [2]").unwrap();
    let store = Store::open(&folder, &one, None).unwrap();
    assert_eq!((store.known(), store.knows(one.points[0].key, 0..1)), (1, true));
}

#[test]
fn points_are_read_from_tables() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("points.csv");
    std::fs::write(&path, "ring.span-delay_ns, ring.law.name\n200000, dvsr\n1e6, fifo\n").unwrap();
    let scenario = Scenario::parse("ring.toml", RING).unwrap();
    let plan = Plan::new(scenario.sweep_points_of(&read_points(&path).unwrap()).unwrap()).unwrap();
    assert_eq!(plan.named(1), "ring.span-delay = 1 ms, ring.law.name = fifo");
    assert_eq!(plan.points[1].law, "fifo");
    for (text, wrong) in [
        ("ring.span-delay\n", "has no rows"),
        ("", "has no columns"),
        ("ring.span-delay,\n1 ms,2\n", "column 2 has no key"),
        ("a,b\n1,\n", "row 1 has nothing under `b`"),
        ("a,b\n1\n", "found record with 1 fields"),
    ] {
        std::fs::write(&path, text).unwrap();
        let read = read_points(&path).and_then(|table| Ok(scenario.sweep_points_of(&table)?));
        let error = read.unwrap_err().to_string();
        assert!(error.contains(wrong), "{text:?}: {error}");
    }
    let error = read_points(&folder.join("no-such.csv")).unwrap_err().to_string();
    assert!(error.contains("no-such.csv"), "{error}");
}
