//! What tables say, worked out again from the runs in them.

use crate::sweeps::{SCENARIO, folder, go_on, plan};
use fairwire_sweep::{Answer, Frame, Rounds, Store, binomial, finish, paired, read_frames, unpaired};
use std::fs;
use std::path::Path;

/// So many runs of each point, of which some are fair within 5 % and some are not.
fn replicated() -> String {
    let text = SCENARIO.replace("warmup = \"10 ms\"", "warmup = \"10 ms\"\nreplications = 8");
    // A law that tells flows apart, unlike a queue that is never full.
    let text = text.replace("\"red\"", "\"drr\"");
    let until = text.find("until = ").unwrap();
    text[..until].to_owned()
}

fn table(folder: &Path, name: &str) -> Frame {
    let mut frames = read_frames(&folder.join(name)).unwrap();
    assert_eq!(frames.len(), 1);
    frames.remove(0)
}

fn number(frame: &Frame, column: &str, row: usize) -> Option<f64> {
    frame.get(column).unwrap_or_else(|| panic!("{column}")).number(row)
}

fn text(frame: &Frame, column: &str, row: usize) -> String {
    frame.get(column).unwrap().text(row).unwrap().to_string()
}

/// A measure of the runs of a point, run by run.
fn sample(runs: &Frame, point: f64, measure: &str) -> Vec<Option<f64>> {
    let rows = (0..runs.len()).filter(|row| number(runs, "point", *row) == Some(point));
    rows.map(|row| number(runs, measure, row)).collect()
}

#[test]
fn shares_have_wilsons_interval_and_pairs_are_differences_run_by_run() {
    let folder = folder("statistics");
    go_on(&plan(&replicated()), &folder, None, u64::MAX);
    let [runs, points, pairs] = ["runs.parquet", "points.parquet", "pairs.parquet"].map(|name| table(&folder, name));
    let (mut mixed, mut checked) = (0, 0);
    for row in (0..points.len()).filter(|row| text(&points, "measure", *row).starts_with("fair.")) {
        let found = sample(&runs, number(&points, "point", row).unwrap(), &text(&points, "measure", row));
        let yes = found.iter().filter(|value| **value == Some(1.0)).count();
        let share = binomial(yes, found.len());
        let told = ["mean", "low", "high"].map(|column| number(&points, column, row));
        assert_eq!(told, [share.mean, share.low, share.high]);
        assert!(told[1] >= Some(0.0) && told[2] <= Some(1.0));
        mixed += usize::from(yes > 0 && yes < found.len());
    }
    assert!(mixed > 0, "at some point some runs are fair, and some are not");
    for row in 0..pairs.len() {
        let point = |column| number(&pairs, column, row).unwrap();
        let [one, base] =
            ["point", "base_point"].map(|column| sample(&runs, point(column), &text(&pairs, "measure", row)));
        let expected = paired(&one, &base);
        assert_eq!(number(&pairs, "difference", row), expected.mean);
        assert_eq!(number(&pairs, "half_width", row), expected.half_width);
        assert_eq!(number(&pairs, "unpaired_half_width", row), unpaired(&one, &base));
        checked += usize::from(expected.half_width.is_some_and(|half| half > 0.0));
    }
    assert!(checked > 10, "{checked} differences have an interval");
}

/// A sweep whose journal says that run 2 of point 0 broke an invariant, and that run 3 has a warning.
fn doctored() -> (std::path::PathBuf, Answer) {
    let (plan, folder) = (plan(&replicated()), folder("statistics-broken"));
    let mut rounds = Rounds::new(&plan, None);
    let journal = folder.join("journal.jsonl");
    {
        let store = Store::open(&folder, &plan, None).unwrap();
        let jobs = rounds.next(&plan, &store).unwrap();
        assert!(fairwire_sweep::fill(&plan, &jobs, &store, &|_, _| true).unwrap());
    }
    let key = plan.points[0].key.to_string();
    let line = |line: &str| match line.contains(&key) {
        true if line.contains("\"run\":2,") => line.replace("\"broken\":0", "\"broken\":1"),
        true if line.contains("\"run\":3,") => line.replace("\"warning\":null", "\"warning\":\"few packets\""),
        _ => line.to_owned(),
    };
    let text: Vec<String> = fs::read_to_string(&journal).unwrap().lines().map(line).collect();
    fs::write(&journal, text.join("\n") + "\n").unwrap();
    let store = Store::open(&folder, &plan, None).unwrap();
    assert!(rounds.next(&plan, &store).unwrap().is_empty());
    let finished = finish(&plan, &rounds, store, 1.0).unwrap();
    (folder, finished.answer)
}

#[test]
fn broken_runs_are_marked_and_in_no_mean_and_warned_ones_are_counted() {
    let (folder, answer) = doctored();
    assert_eq!((answer.broken_runs, answer.warnings.get("few packets")), (1, Some(&1)));
    let first = &answer.points[0];
    assert_eq!((first.runs, first.broken, first.warned), (8, 1, 1));
    let jain = first.measures.iter().find(|measure| measure.measure == "jain").unwrap().estimate;
    assert_eq!((jain.n, jain.missing), (7, 1));
    let runs = table(&folder, "runs.parquet");
    let values = sample(&runs, 0.0, "jain");
    assert!(values.len() == 8 && values[2].is_some(), "what it came to stands there");
    let others: Vec<f64> =
        values.iter().enumerate().filter(|(run, _)| *run != 2).map(|(_, value)| value.unwrap()).collect();
    assert!((jain.mean.unwrap() - others.iter().sum::<f64>() / 7.0).abs() < 1e-12);
    assert_eq!(number(&runs, "broken", 2), Some(1.0));
    assert_eq!(text(&runs, "warning", 3), "few packets");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("1 run broke an invariant") && page.contains("8, 1 broken, 1 warned"), "the report says so");
    assert!(
        page.contains("(1 without)") && page.contains("Means are over the others"),
        "and what its means are without"
    );
}
