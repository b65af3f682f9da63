//! The scoreboard as tables, for the terminal and the page alike.

use crate::summary::{LawSummary, Summary};
use crate::{Estimate, Group, Lead, Score};

/// A table of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Names of the columns; `>` in front aligns to the right, and a line may end after each `\n`.
    pub header: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// Hops of the lots that have a column of their own.
const SHOWN_LOTS: [&str; 5] = ["lot-2", "lot-4", "lot-8", "lot-16", "lot-32"];

type Column = (&'static str, fn(&LawSummary) -> Option<Estimate>, fn(f64) -> String);

const FAIRNESS: &[Column] = &[
    (">within 5 %", |law| law.within_5, percent),
    (">within 1 %", |law| law.within_1, percent),
    (">quiet", |law| law.quiet, percent),
    (">largest error", |law| law.largest_error, percent),
    (">p95 error", |law| law.p95_error, percent),
    (">laps to 5 %", |law| law.laps_to_fair_5, laps),
    (">laps to 1 %", |law| law.laps_to_fair_1, laps),
];

const PRICE: &[Column] = &[
    (">swing", |law| law.swing, percent),
    (">utilisation lost", |law| law.utilisation_lost, percent),
    (">transit loss", |law| law.transit_loss, percent),
    (">delay p50, laps", |law| law.delay_p50_laps, laps),
    (">p95", |law| law.delay_p95_laps, laps),
    (">p99", |law| law.delay_p99_laps, laps),
    (">control", |law| law.control, percent),
];

/// Title, name in scores and unit of a measure.
type Led = (&'static str, &'static str, fn(f64) -> String);

const LED_FAIRNESS: &[Led] = &[
    (">largest error", "largest_error", percent),
    (">p95 error", "p95_error", percent),
    (">laps to 5 %", "laps_to_fair_5", laps),
    (">laps to 1 %", "laps_to_fair_1", laps),
    (">swing", "swing", percent),
];

const LED_PRICE: &[Led] = &[
    (">utilisation lost", "utilisation_lost", percent),
    (">transit loss", "transit_loss", percent),
    (">delay p50, laps", "delay_p50_laps", laps),
    (">p95", "delay_p95_laps", laps),
    (">p99", "delay_p99_laps", laps),
    (">control", "control", percent),
];

/// All tables, those without rows left out.
pub fn tables(summary: &Summary, scores: &[Score]) -> Vec<Table> {
    let rings = if summary.rings == 1 { "1 random ring".to_owned() } else { format!("{} random rings", summary.rings) };
    let over_rings = |what: &str, columns: &[Column]| {
        let header = std::iter::once("law").chain(columns.iter().map(|column| column.0)).map(str::to_owned).collect();
        let row = |law: &LawSummary| {
            let cells = columns.iter().map(|(_, value, text)| with_interval(value(law), *text));
            std::iter::once(law.law.clone()).chain(cells).collect()
        };
        let rows = if summary.rings == 0 { Vec::new() } else { summary.laws.iter().map(row).collect() };
        Table { title: format!("{rings}: {what}"), header, rows }
    };
    let all = [
        over_rings("how fair, how fast", FAIRNESS),
        over_rings("at what price", PRICE),
        papers(summary, scores),
        lots(summary, scores),
    ];
    let beside = summary
        .lead
        .iter()
        .flat_map(|lead| [others(lead, "how fair, how fast", LED_FAIRNESS), others(lead, "at what price", LED_PRICE)]);
    all.into_iter().chain(beside).filter(|table| !table.rows.is_empty()).collect()
}

/// Scenarios that have a column each; of more than that each has a row.
const MOST_ACROSS: usize = 3;

/// The largest error of every law in each scenario of the papers.
fn papers(summary: &Summary, scores: &[Score]) -> Table {
    let mut cases: Vec<&str> = Vec::new();
    for score in scores.iter().filter(|score| score.group == Group::Paper) {
        if !cases.contains(&score.case.as_str()) {
            cases.push(&score.case);
        }
    }
    let title = "Papers' scenarios: largest error".to_owned();
    if (1..=MOST_ACROSS).contains(&cases.len()) {
        let row = |law: &LawSummary| {
            let cells = cases.iter().map(|case| largest_error(scores, &law.law, case));
            std::iter::once(law.law.clone()).chain(cells).collect()
        };
        let names = cases.iter().map(|case| format!(">{case}"));
        return Table {
            title,
            header: std::iter::once("law".to_owned()).chain(names).collect(),
            rows: summary.laws.iter().map(row).collect(),
        };
    }
    let name = |law: &LawSummary| format!(">{}", law.law.replace('-', "-\n"));
    let row = |case: &&str| {
        let cells = summary.laws.iter().map(|law| largest_error(scores, &law.law, case));
        std::iter::once((*case).to_owned()).chain(cells).collect()
    };
    Table {
        title,
        header: std::iter::once("scenario".to_owned()).chain(summary.laws.iter().map(name)).collect(),
        rows: cases.iter().map(row).collect(),
    }
}

/// The largest error of every law in some of the parking lots.
fn lots(summary: &Summary, scores: &[Score]) -> Table {
    let shown: Vec<&str> = SHOWN_LOTS.into_iter().filter(|lot| scores.iter().any(|score| score.case == *lot)).collect();
    let name = |lot: &&str| format!(">{}", lot.strip_prefix("lot-").unwrap_or(lot));
    let row = |law: &LawSummary| {
        let cells = shown.iter().map(|lot| largest_error(scores, &law.law, lot));
        std::iter::once(law.law.clone()).chain(cells).collect()
    };
    Table {
        title: "Parking lots: largest error by hops".to_owned(),
        header: std::iter::once("law".to_owned()).chain(shown.iter().map(name)).collect(),
        rows: if shown.is_empty() { Vec::new() } else { summary.laws.iter().map(row).collect() },
    }
}

/// On how many cases each other law is better than the one that leads, and by how much at most.
fn others(lead: &Lead, what: &str, columns: &[Led]) -> Table {
    let mut laws: Vec<&str> = lead.others.iter().map(|other| other.law.as_str()).collect();
    laws.dedup();
    let row = |law: &str| {
        let cells = columns.iter().map(|(_, measure, text)| better(lead, law, measure, *text));
        std::iter::once(law.to_owned()).chain(cells).collect()
    };
    Table {
        title: format!("Cases of {} where another law is better than {}: {what}", lead.cases, lead.law),
        header: std::iter::once("law").chain(columns.iter().map(|column| column.0)).map(str::to_owned).collect(),
        rows: laws.into_iter().map(row).collect(),
    }
}

/// `58 (by 11)`: on 58 cases, by 11 at most.
fn better(lead: &Lead, law: &str, measure: &str, text: fn(f64) -> String) -> String {
    let Some((cases, most)) = lead.other(law, measure).and_then(|other| Some((other.better, other.most?))) else {
        return "–".to_owned();
    };
    match text(most) {
        _ if most.is_infinite() => format!("{cases} ({} never)", lead.law),
        most if most == "0 %" => format!("{cases} (by < 0.001 %)"),
        most => format!("{cases} (by {most})"),
    }
}

fn largest_error(scores: &[Score], law: &str, case: &str) -> String {
    let found = scores.iter().find(|score| score.law == law && score.case == case);
    found.map_or_else(|| "–".to_owned(), |score| percent(score.measured.largest_error))
}

/// `94 % (90–97)`: the interval in the unit of the value.
pub fn with_interval(estimate: Option<Estimate>, text: fn(f64) -> String) -> String {
    let Some(Estimate { value, low, high }) = estimate else { return "–".to_owned() };
    let (value, low, high) = (text(value), text(low), text(high));
    if low == high {
        return value;
    }
    format!("{value} ({}–{})", low.trim_end_matches(" %"), high.trim_end_matches(" %"))
}

/// A part of one in per cent, to two digits that count.
pub fn percent(part: f64) -> String {
    let percent = part * 100.0;
    match percent.abs() {
        size if !size.is_finite() => "never".to_owned(),
        size if size >= 9.95 => format!("{percent:.0} %"),
        size if size >= 0.995 => format!("{percent:.1} %"),
        size if size >= 0.0995 => format!("{percent:.2} %"),
        size if size >= 0.0005 => format!("{percent:.3} %"),
        _ => "0 %".to_owned(),
    }
}

/// Laps of the ring, without the word.
pub fn laps(laps: f64) -> String {
    match laps {
        laps if !laps.is_finite() => "never".to_owned(),
        laps if laps >= 9.95 => format!("{laps:.0}"),
        laps if laps >= 0.995 => format!("{laps:.1}"),
        laps => format!("{laps:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_two_digits_and_their_interval() {
        let cell = |value, low, high| with_interval(Some(Estimate { value, low, high }), percent);
        assert_eq!(cell(0.94, 0.9, 0.97), "94 % (90–97)");
        assert_eq!(cell(1.0, 1.0, 1.0), "100 %");
        assert_eq!(cell(0.0123, 0.00987, 0.1), "1.2 % (0.99–10)");
        assert_eq!(with_interval(None, laps), "–");
        assert_eq!(laps(f64::INFINITY), "never");
        assert_eq!((laps(12.4), laps(3.12), laps(0.25)), ("12".to_owned(), "3.1".to_owned(), "0.25".to_owned()));
        assert_eq!(
            (percent(0.0), percent(1e-9), percent(0.00012)),
            ("0 %".to_owned(), "0 %".to_owned(), "0.012 %".to_owned())
        );
    }
}
