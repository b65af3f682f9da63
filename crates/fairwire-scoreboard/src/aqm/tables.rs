//! The matrix as tables, for the terminal and the page alike.

use super::cases::{Case, Family};
use super::measure::{Group, Measured};
use super::summary::{Summary, named};
use crate::tables::{Table, percent};
use fairwire_results::measures::Interval;

/// A column over all cases of a family.
type Overview = (&'static str, fn(&Measured) -> f64, fn(f64) -> String);

const OVERVIEW: [Overview; 8] = [
    (">utilisation", |m| m.utilisation, percent),
    (">Jain's index", |m| m.jain, index),
    (">largest shortfall", |m| m.largest_shortfall, percent),
    (">mean shortfall", |m| m.mean_shortfall, percent),
    (">queue p50, ms", |m| m.queue_p50_ns, milliseconds),
    (">p95, ms", |m| m.queue_p95_ns, milliseconds),
    (">p99, ms", |m| m.queue_p99_ns, milliseconds),
    (">loss", |m| m.loss, percent),
];

/// A number of a run that a column shows.
#[derive(Clone, Copy)]
enum Shown {
    /// Of the run.
    Whole(fn(&Measured) -> f64),
    /// Of the flows of a name.
    Of(&'static str, fn(&Group) -> Option<f64>),
}

/// A table with a column a case, or several.
struct View {
    title: &'static str,
    text: fn(f64) -> String,
    /// Case, column, number.
    columns: &'static [(&'static str, &'static str, Shown)],
}

const RATIO: fn(&Group) -> Option<f64> = |group| Some(group.ratio);
const JAIN: Shown = Shown::Whole(|m| m.jain);
const P95: Shown = Shown::Whole(|m| m.queue_p95_ns);
const UTILISATION: Shown = Shown::Whole(|m| m.utilisation);
const FAR: Shown = Shown::Of("far", RATIO);
const LONG: Shown = Shown::Of("long", RATIO);
const TCP: Shown = Shown::Of("tcp", RATIO);
const STREAM: Shown = Shown::Of("stream", RATIO);
const HALF_DONE: fn(&Group) -> Option<f64> = |group| Some(group.transfers.as_ref()?.p50_ns);
const MOST_DONE: fn(&Group) -> Option<f64> = |group| Some(group.transfers.as_ref()?.p95_ns);
const LOSS: fn(&Group) -> Option<f64> = |group| Some(group.loss);
const LATE: fn(&Group) -> Option<f64> = |group| Some(group.delay_p95_ns);

const MIX: &[View] = &[
    View {
        title: "Jain's index by transport",
        text: index,
        columns: &[
            ("mix-reno", ">Reno", JAIN),
            ("mix-newreno", ">NewReno", JAIN),
            ("mix-sack", ">SACK", JAIN),
            ("mix-cubic", ">CUBIC", JAIN),
            ("mix-all", ">all four", JAIN),
            ("mix-windows", ">windows", JAIN),
            ("mix-sizes", ">sizes", JAIN),
            ("mix-ecn", ">ECN", JAIN),
            ("mix-cubic-ecn", ">CUBIC, ECN", JAIN),
            ("mix-half-ecn", ">half ECN", JAIN),
            ("mix-two-way", ">two ways", JAIN),
        ],
    },
    View {
        title: "who gets how much of the fair rate",
        text: ratio,
        columns: &[
            ("mix-all", ">all: Reno", Shown::Of("reno", RATIO)),
            ("mix-all", ">NewReno", Shown::Of("newreno", RATIO)),
            ("mix-all", ">SACK", Shown::Of("sack", RATIO)),
            ("mix-all", ">CUBIC", Shown::Of("cubic", RATIO)),
            ("mix-sizes", ">sizes: 500 B", Shown::Of("small", RATIO)),
            ("mix-sizes", ">1500 B", Shown::Of("large", RATIO)),
            ("mix-half-ecn", ">half ECN: with", Shown::Of("ecn", RATIO)),
            ("mix-half-ecn", ">without", Shown::Of("plain", RATIO)),
        ],
    },
    View {
        title: "losses, and marks instead",
        text: percent,
        columns: &[
            ("mix-newreno", ">NewReno: lost", Shown::Whole(|m| m.loss)),
            ("mix-ecn", ">with ECN: lost", Shown::Whole(|m| m.loss)),
            ("mix-ecn", ">marked", Shown::Whole(|m| m.marked)),
            ("mix-half-ecn", ">half ECN: lost", Shown::Whole(|m| m.loss)),
            ("mix-half-ecn", ">marked", Shown::Whole(|m| m.marked)),
        ],
    },
];

const RTT: &[View] = &[View {
    title: "what the far ones get of their fair rate, by their round trip",
    text: ratio,
    columns: &[
        ("rtt-20", ">20 ms", FAR),
        ("rtt-50", ">50 ms", FAR),
        ("rtt-100", ">100 ms", FAR),
        ("rtt-200", ">200 ms", FAR),
        ("rtt-500", ">500 ms", FAR),
    ],
}];

const BURST: &[View] = &[
    View {
        title: "completion times, ms",
        text: milliseconds,
        columns: &[
            ("burst-short-3", ">10 kB, window 3: p50", Shown::Of("short", HALF_DONE)),
            ("burst-short-3", ">p95", Shown::Of("short", MOST_DONE)),
            ("burst-short-10", ">window 10: p50", Shown::Of("short", HALF_DONE)),
            ("burst-short-10", ">p95", Shown::Of("short", MOST_DONE)),
            ("burst-web", ">web: p50", Shown::Of("web", HALF_DONE)),
            ("burst-web", ">p95", Shown::Of("web", MOST_DONE)),
        ],
    },
    View {
        title: "loss of calls and films",
        text: percent,
        columns: &[
            ("burst-voice", ">calls", Shown::Of("voice", LOSS)),
            ("burst-video", ">film", Shown::Of("video", LOSS)),
            ("burst-all", ">call among all", Shown::Of("voice", LOSS)),
            ("burst-all", ">film among all", Shown::Of("video", LOSS)),
        ],
    },
    View {
        title: "delay of their packets, p95, ms",
        text: milliseconds,
        columns: &[
            ("burst-voice", ">calls", Shown::Of("voice", LATE)),
            ("burst-video", ">film", Shown::Of("video", LATE)),
            ("burst-all", ">call among all", Shown::Of("voice", LATE)),
            ("burst-all", ">film among all", Shown::Of("video", LATE)),
        ],
    },
];

const LOAD: &[View] = &[
    View {
        title: "queueing delay p95 by connections, ms",
        text: milliseconds,
        columns: &[
            ("load-1", ">1", P95),
            ("load-5", ">5", P95),
            ("load-20", ">20", P95),
            ("load-50", ">50", P95),
            ("load-waves", ">waves", P95),
        ],
    },
    View {
        title: "utilisation by connections",
        text: percent,
        columns: &[
            ("load-1", ">1", UTILISATION),
            ("load-5", ">5", UTILISATION),
            ("load-20", ">20", UTILISATION),
            ("load-50", ">50", UTILISATION),
            ("load-waves", ">waves", UTILISATION),
        ],
    },
];

const CAPACITY: &[View] = &[
    View {
        title: "queueing delay p95, ms",
        text: milliseconds,
        columns: &[("capacity-drop", ">drop", P95), ("capacity-slow", ">slow", P95), ("capacity-fast", ">fast", P95)],
    },
    View {
        title: "utilisation",
        text: percent,
        columns: &[
            ("capacity-drop", ">drop", UTILISATION),
            ("capacity-slow", ">slow", UTILISATION),
            ("capacity-fast", ">fast", UTILISATION),
        ],
    },
];

const UNRESPONSIVE: &[View] = &[
    View {
        title: "what the connections get of their fair rate, by what the stream sends",
        text: ratio,
        columns: &[
            ("unresponsive-10", ">10 %", TCP),
            ("unresponsive-50", ">50 %", TCP),
            ("unresponsive-100", ">100 %", TCP),
            ("unresponsive-150", ">150 %", TCP),
            ("unresponsive-200", ">200 %", TCP),
            ("unresponsive-1000", ">1000 %", TCP),
        ],
    },
    View {
        title: "what the stream gets of its fair rate",
        text: ratio,
        columns: &[
            ("unresponsive-10", ">10 %", STREAM),
            ("unresponsive-50", ">50 %", STREAM),
            ("unresponsive-100", ">100 %", STREAM),
            ("unresponsive-150", ">150 %", STREAM),
            ("unresponsive-200", ">200 %", STREAM),
            ("unresponsive-1000", ">1000 %", STREAM),
        ],
    },
];

const LOT: &[View] = &[
    View {
        title: "what a connection among connections gets of its fair rate, by bottlenecks",
        text: ratio,
        columns: &[
            ("lot-tcp-2", ">2", LONG),
            ("lot-tcp-4", ">4", LONG),
            ("lot-tcp-8", ">8", LONG),
            ("lot-tcp-16", ">16", LONG),
            ("lot-tcp-32", ">32", LONG),
        ],
    },
    View {
        title: "what a stream at its share gets among streams at twice theirs",
        text: ratio,
        columns: &[
            ("lot-udp-2", ">2", LONG),
            ("lot-udp-4", ">4", LONG),
            ("lot-udp-8", ">8", LONG),
            ("lot-udp-16", ">16", LONG),
            ("lot-udp-32", ">32", LONG),
        ],
    },
    View {
        title: "what a connection gets among such streams",
        text: ratio,
        columns: &[
            ("lot-tcp-udp-2", ">2", LONG),
            ("lot-tcp-udp-4", ">4", LONG),
            ("lot-tcp-udp-8", ">8", LONG),
            ("lot-tcp-udp-16", ">16", LONG),
            ("lot-tcp-udp-32", ">32", LONG),
        ],
    },
];

/// The tables of every family that has runs, in its order.
pub fn tables(cases: &[Case], summary: &Summary) -> Vec<Table> {
    Family::ALL.into_iter().flat_map(|family| family_tables(family, cases, summary)).collect()
}

/// The tables of one family.
pub fn family_tables(family: Family, cases: &[Case], summary: &Summary) -> Vec<Table> {
    let own: Vec<&Case> = cases.iter().filter(|case| case.family == family).collect();
    let views = match family {
        Family::Mix => MIX,
        Family::Rtt => RTT,
        Family::Burst => BURST,
        Family::Load => LOAD,
        Family::Capacity => CAPACITY,
        Family::Unresponsive => UNRESPONSIVE,
        Family::Lot => LOT,
    };
    let tables = std::iter::once(overview(family, &own, summary));
    let tables = tables.chain(views.iter().map(|view| by_case(family, view, &own, summary)));
    tables.filter(|table| table.header.len() > 1 && !table.rows.is_empty()).collect()
}

fn overview(family: Family, cases: &[&Case], summary: &Summary) -> Table {
    let over = if cases.len() == 1 { cases[0].title.clone() } else { format!("mean over {} cases", cases.len()) };
    let row = |law: &String| {
        let cells = OVERVIEW.iter().map(|(_, value, text)| {
            with_interval(summary.over_cases(cases, law, &|measured| Some(value(measured))), *text)
        });
        std::iter::once(law.clone()).chain(cells).collect()
    };
    let header = std::iter::once("law").chain(OVERVIEW.iter().map(|column| column.0)).map(str::to_owned).collect();
    let rows = if cases.is_empty() { Vec::new() } else { summary.laws.iter().map(row).collect() };
    Table { title: format!("{}: {over}", family.title()), header, rows }
}

fn by_case(family: Family, view: &View, cases: &[&Case], summary: &Summary) -> Table {
    let columns: Vec<_> = view.columns.iter().filter(|column| cases.iter().any(|case| case.id == column.0)).collect();
    let row = |law: &String| {
        let cells = columns.iter().map(|(case, _, shown)| with_interval(shown.mean(summary, case, law), view.text));
        std::iter::once(law.clone()).chain(cells).collect()
    };
    Table {
        title: format!("{}: {}", family.title(), view.title),
        header: std::iter::once("law").chain(columns.iter().map(|column| column.1)).map(str::to_owned).collect(),
        rows: summary.laws.iter().map(row).collect(),
    }
}

impl Shown {
    fn mean(self, summary: &Summary, case: &str, law: &str) -> Option<Interval> {
        match self {
            Self::Whole(value) => summary.mean(case, law, &|measured| Some(value(measured))),
            Self::Of(name, value) => summary.mean(case, law, &|measured| value(named(measured, name)?)),
        }
    }
}

/// Every case with its heading, the section it follows and what it asks.
pub fn titled_case_list(cases: &[Case]) -> Table {
    let mut table = case_list(cases);
    table.header.insert(1, "heading".to_owned());
    for (row, case) in table.rows.iter_mut().zip(cases) {
        row.insert(1, case.title.clone());
    }
    table
}

/// Every case with the section it follows and what it asks.
pub fn case_list(cases: &[Case]) -> Table {
    let row = |case: &Case| vec![case.id.clone(), case.section.to_owned(), case.asks.clone()];
    Table {
        title: "Cases".to_owned(),
        header: ["case", "RFC 7928", "asks"].map(str::to_owned).into(),
        rows: cases.iter().map(row).collect(),
    }
}

/// `98.7 % ± 0.1`: half of the interval in the unit of the mean.
fn with_interval(interval: Option<Interval>, text: fn(f64) -> String) -> String {
    let Some(Interval { mean, half_width }) = interval else { return "–".to_owned() };
    match half_width.map(text) {
        Some(half) if half != text(0.0) => format!("{} ± {}", text(mean), half.trim_end_matches(" %")),
        _ => text(mean),
    }
}

/// Nanoseconds as milliseconds, without the unit.
fn milliseconds(ns: f64) -> String {
    let ms = ns / 1e6;
    match ms {
        ms if ms >= 99.5 => format!("{ms:.0}"),
        ms if ms >= 9.95 => format!("{ms:.1}"),
        ms => format!("{ms:.2}"),
    }
}

/// Jain's index: the last digits tell.
fn index(index: f64) -> String {
    format!("{index:.3}")
}

/// A rate over the fair rate.
fn ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_shows_a_case_that_there_is() {
        let names = Case::names();
        let views = [MIX, RTT, BURST, LOAD, CAPACITY, UNRESPONSIVE, LOT];
        for (case, column, _) in views.into_iter().flatten().flat_map(|view| view.columns) {
            assert!(names.iter().any(|name| name == case), "column {column}: {case}");
        }
    }

    #[test]
    fn numbers_keep_the_digits_that_count() {
        assert_eq!([milliseconds(1.234e6), milliseconds(12.34e6), milliseconds(160.4e6)], ["1.23", "12.3", "160"]);
        let interval = |mean, half| Some(Interval { mean, half_width: half });
        assert_eq!(with_interval(interval(0.987, Some(0.0012)), percent), "99 % ± 0.12");
        assert_eq!(with_interval(interval(0.5, Some(0.001)), ratio), "0.50");
        assert_eq!(with_interval(interval(5e6, None), milliseconds), "5.00");
        assert_eq!(with_interval(None, ratio), "–");
        assert_eq!((index(0.9876), ratio(0.456)), ("0.988".to_owned(), "0.46".to_owned()));
    }
}
