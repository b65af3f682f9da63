//! The board as tables, for the terminal and the page alike.

use super::summary::{EntrantSummary, Price, Summary};
use crate::tables::{Table, laps, percent, with_interval};

type Column = (&'static str, fn(&EntrantSummary) -> String);

const TIMES: [Column; 8] = [
    (">within 1 %", |entrant| with_interval(entrant.within_1, share)),
    (">loops p50", |entrant| with_interval(entrant.loops_p50, laps)),
    (">p95", |entrant| with_interval(entrant.loops_p95, laps)),
    (">ms p50", |entrant| with_interval(entrant.ms_p50, laps)),
    (">p95", |entrant| with_interval(entrant.ms_p95, laps)),
    (">exact", |entrant| with_interval(entrant.exact, share)),
    (">exact, lossy", |entrant| with_interval(entrant.exact_lossy, share)),
    (">error at the end", |entrant| with_interval(entrant.error_p50, percent)),
];

const PRICES: [Column; 12] = [
    (">queue p95", |entrant| queue(&entrant.steady)),
    (">most", |entrant| most(&entrant.steady)),
    (">lost", |entrant| lost(&entrant.steady)),
    (">in networks", |entrant| lossy(&entrant.steady)),
    (">falling: queue p95", |entrant| queue(&entrant.falling)),
    (">most", |entrant| most(&entrant.falling)),
    (">lost", |entrant| lost(&entrant.falling)),
    (">in networks", |entrant| lossy(&entrant.falling)),
    (">control", |entrant| with_interval(entrant.control, percent)),
    (">in all", |entrant| part(entrant.control_in_all)),
    (">most", |entrant| part(entrant.control_max)),
    (">above 6 %", |entrant| {
        format!("{} of {}", entrant.control_above_6, entrant.steady.networks + entrant.falling.networks)
    }),
];

const PAPER: [Column; 8] = [
    (">within 1 %", |entrant| with_interval(entrant.within_1, share)),
    (">loops p50", |entrant| value(entrant.loops_p50.map(|loops| loops.value))),
    (">p95", |entrant| value(entrant.loops_p95.map(|loops| loops.value))),
    (">ms p95", |entrant| value(entrant.ms_p95.map(|ms| ms.value))),
    (">exact", |entrant| entrant.exact.map_or_else(dash, |exact| share(exact.value))),
    (">queue", |entrant| most(&entrant.steady)),
    (">lost", |entrant| lost(&entrant.steady)),
    (">control", |entrant| entrant.control.map_or_else(dash, |control| percent(control.value))),
];

/// All tables, those without rows left out.
pub fn tables(summary: &Summary) -> Vec<Table> {
    let networks = if summary.networks == 1 {
        "1 random network".to_owned()
    } else {
        format!("{} random networks", summary.networks)
    };
    let random = [
        table(format!("{networks}: how fast, how exactly"), &TIMES, &summary.entrants),
        table(format!("{networks}: at what price"), &PRICES, &summary.entrants),
    ];
    let paper = summary.paper.chunk_by(|one, other| one.case == other.case).map(|entrants| {
        let case = entrants[0].case.clone().unwrap_or_default();
        table(format!("The network of the paper: {case}"), &PAPER, entrants)
    });
    random.into_iter().chain(paper).filter(|table| !table.rows.is_empty()).collect()
}

fn table(title: String, columns: &[Column], entrants: &[EntrantSummary]) -> Table {
    let row = |entrant: &EntrantSummary| {
        std::iter::once(entrant.entrant.clone()).chain(columns.iter().map(|(_, cell)| cell(entrant))).collect()
    };
    let header = std::iter::once("law, first rate").chain(columns.iter().map(|(name, _)| *name));
    Table { title, header: header.map(str::to_owned).collect(), rows: entrants.iter().map(row).collect() }
}

fn dash() -> String {
    "–".to_owned()
}

fn value(value: Option<f64>) -> String {
    value.map_or_else(dash, laps)
}

/// A part of one in per cent; 100 % is all of it.
fn share(part: f64) -> String {
    if (0.995..1.0).contains(&part) { format!("{:.1} %", (part * 1e3).floor() / 10.0) } else { percent(part) }
}

fn queue(price: &Price) -> String {
    with_interval(price.queue_p95, packets)
}

fn most(price: &Price) -> String {
    price.queue_max.map_or_else(dash, packets)
}

fn lost(price: &Price) -> String {
    part(price.lost)
}

fn part(part: Option<f64>) -> String {
    part.map_or_else(dash, percent)
}

fn lossy(price: &Price) -> String {
    if price.networks == 0 { dash() } else { format!("{} of {}", price.lossy_networks, price.networks) }
}

fn packets(packets: f64) -> String {
    format!("{packets:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_a_hundred_per_cent() {
        assert_eq!([1.0, 0.9999, 0.995, 0.5, 0.0].map(share), ["100 %", "99.9 %", "99.5 %", "50 %", "0 %"]);
    }
}
