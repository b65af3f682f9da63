//! Tables for people: the points with what was asked of them, and laws beside each other.

use fairwire_scenario::Scenario;
use fairwire_sweep::{Answer, Estimate, Kind, MeasureAnswer, Pair, Plan, PointAnswer, value_text};
use fairwire_terminal::{TextTable, text};
use std::collections::BTreeSet;

/// Measures that have a column; the folder has all.
const MOST_MEASURES: usize = 4;
/// Rows that are printed; the folder has all.
const MOST_ROWS: usize = 60;

/// What `without` means in the table.
const WITHOUT: &str =
    "without: so many runs have no such value, as they were never fair for good or broke an invariant\n";

/// All there is to print.
pub fn tables(plan: &Plan, answer: &Answer) -> String {
    let measures = measures(answer);
    format!("{}{}", points(plan, answer, &measures), pairs(plan, answer, &measures))
}

/// The first measures that are shown anywhere.
fn measures(answer: &Answer) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let all = answer.points.iter().flat_map(|point| &point.measures).map(|measure| measure.measure.as_str());
    all.filter(|name| seen.insert(*name)).take(MOST_MEASURES).collect()
}

fn points(plan: &Plan, answer: &Answer, measures: &[&str]) -> String {
    let keys = plan.sweep.axes().iter().map(|axis| axis.key.clone());
    let mut header: Vec<String> = keys.collect();
    for measure in measures {
        let interval = if is_share(plan, measure) { "+>95 %" } else { "+>± 95 %" };
        header.extend([format!(">{}", plain(measure)), interval.to_owned()]);
    }
    header.extend([">runs".to_owned(), "stopped by".to_owned()]);
    let mut rows = Vec::new();
    for point in answer.points.iter().take(MOST_ROWS) {
        let mut row: Vec<String> = plan.sweep.labels(point.point).into_iter().map(|(_, value)| value).collect();
        for measure in measures {
            let found = point.measures.iter().find(|known| known.measure == *measure);
            row.extend(cells(found, is_share(plan, measure)));
        }
        let marked = point.broken + point.warned;
        let mark = if marked > 0 { format!(" ({marked} marked)") } else { String::new() };
        row.extend([format!("{}{mark}", point.runs), point.stopped.to_owned()]);
        rows.push(row);
    }
    let table = filled(&header, rows, plan.sweep.axes().len());
    let is_missing = |point: &PointAnswer| {
        let mut shown = point.measures.iter().filter(|known| measures.contains(&known.measure.as_str()));
        shown.any(|known| known.estimate.missing > 0)
    };
    let without = if answer.points.iter().any(is_missing) { WITHOUT } else { "" };
    format!("{table}{}{without}", left_out(answer.points.len(), "point"))
}

/// A table without columns that hold only dashes, as intervals do where a point has one run.
fn filled(header: &[String], rows: Vec<Vec<String>>, named_by: usize) -> TextTable {
    let is_filled = |&column: &usize| rows.is_empty() || rows.iter().any(|row| row[column] != "–");
    let columns: Vec<usize> = (0..header.len()).filter(is_filled).collect();
    let pick = |row: &[String]| columns.iter().map(|&column| row[column].clone()).collect::<Vec<_>>();
    let mut table = TextTable::new(&pick(header)).named_by(named_by);
    rows.iter().for_each(|row| table.row(pick(row)));
    table
}

/// Whether a measure is a share of runs, whose interval lies unevenly around it.
fn is_share(plan: &Plan, measure: &str) -> bool {
    let mut columns = plan.asked.iter().flat_map(|asked| &asked.columns);
    columns.any(|column| column.name == measure && column.kind == Kind::Share)
}

/// A mean and half of its interval, or a share and both ends of it; of values that are missing how many are.
fn cells(measure: Option<&MeasureAnswer>, is_share: bool) -> [String; 2] {
    let Some(measure) = measure else { return ["–".to_owned(), "–".to_owned()] };
    let Estimate { missing, mean, half_width, low, high, .. } = measure.estimate;
    let words = |value: f64| value_text(measure.unit, value);
    let missing = match missing {
        0 => String::new(),
        missing => format!(" ({missing} without)"),
    };
    let interval = match low.zip(high).filter(|_| is_share) {
        Some((low, high)) => format!("{} to {}", text::number(low, 2), text::number(high, 2)),
        None => text::or_dash(half_width, words),
    };
    [text::or_dash(mean, words) + &missing, interval]
}

fn pairs(plan: &Plan, answer: &Answer, measures: &[&str]) -> String {
    // Where no run of both has a value there is nothing to tell.
    let is_shown = |pair: &&Pair| pair.difference.is_some() && measures.contains(&pair.measure.as_str());
    let shown: Vec<&Pair> = answer.pairs.iter().filter(is_shown).collect();
    let Some(first) = shown.first() else { return String::new() };
    let is_other = |key: &str| !Scenario::LAW_KEYS.contains(&key);
    let others: Vec<&str> =
        plan.sweep.axes().iter().map(|axis| axis.key.as_str()).filter(|key| is_other(key)).collect();
    let mut header: Vec<String> = others.iter().map(|key| (*key).to_owned()).collect();
    header.extend(["law", "measure"].map(str::to_owned));
    header.push(format!(">less {}", first.base));
    header.extend(["+>± paired", "+>± if independent", ">runs"].map(str::to_owned));
    let row = |pair: &&Pair| {
        let words = |value: f64| value_text(pair.unit, value);
        let labels = plan.sweep.labels(pair.base_point).into_iter();
        let mut row: Vec<String> = labels.filter(|(key, _)| is_other(key)).map(|(_, value)| value).collect();
        row.extend([
            pair.law.to_owned(),
            plain(&pair.measure).to_owned(),
            text::or_dash(pair.difference, words),
            text::or_dash(pair.half_width, words),
            text::or_dash(pair.unpaired_half_width, words),
            pair.n.to_string(),
        ]);
        row
    };
    let table = filled(&header, shown.iter().take(MOST_ROWS).map(row).collect(), others.len() + 2);
    format!("\n{table}{}", left_out(shown.len(), "pair"))
}

/// A column without its unit: cells have theirs.
fn plain(measure: &str) -> &str {
    ["_ns", "_bps"].iter().find_map(|end| measure.strip_suffix(end)).unwrap_or(measure)
}

fn left_out(all: usize, what: &str) -> String {
    match all {
        all if all > MOST_ROWS => {
            format!("{} more in the report and in the tables\n", text::count(all - MOST_ROWS, what))
        }
        _ => String::new(),
    }
}
