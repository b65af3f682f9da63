//! The columns of every table, in one place.

/// One column of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The table: the file's name without its ending.
    pub table: &'static str,
    /// The column's name; its unit is the last part where it has one.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: ColumnType,
    /// Whether a cell may be empty.
    pub nullable: bool,
    /// The unit, or nothing.
    pub unit: &'static str,
    /// What it tells.
    pub meaning: &'static str,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number, 64 bits with sign.
    Integer,
    /// A whole number, 64 bits without sign.
    Unsigned,
    /// A 64-bit floating-point number.
    Real,
    /// UTF-8 text.
    Text,
}

impl ColumnType {
    /// The type's name for documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "int64",
            Self::Unsigned => "uint64",
            Self::Real => "float64",
            Self::Text => "utf8",
        }
    }
}

/// Every column of every table, in the order of the files.
pub fn columns() -> Vec<Column> {
    TABLES.iter().flat_map(|table| columns_of(table)).collect()
}

/// The tables, in the order in which they are documented.
pub(crate) const TABLES: [&str; 6] = ["flows", "links", "queues", "laws", "summary", "runs"];

/// The columns of one table: the run's key first.
pub(crate) fn columns_of(table: &'static str) -> Vec<Column> {
    let own = match table {
        "flows" => FLOWS,
        "links" => LINKS,
        "queues" => QUEUES,
        "laws" => LAWS,
        "summary" => SUMMARY,
        "runs" => RUNS,
        _ => &[],
    };
    KEY.iter()
        .chain(own)
        .map(|&(name, kind, nullable, unit, meaning)| Column { table, name, kind, nullable, unit, meaning })
        .collect()
}

type Row = (&'static str, ColumnType, bool, &'static str, &'static str);

use ColumnType::{Integer, Real, Text, Unsigned};

/// What tells the runs of a folder apart.
const KEY: &[Row] = &[
    ("law", Text, false, "", "the control law that ran"),
    ("seed", Unsigned, false, "", "the experiment"),
    ("run", Unsigned, false, "", "the replication"),
];

const ROW_START: Row = ("t_ns", Integer, false, "ns", "start of the row; it lasts until the next one, or the end");

const FLOWS: &[Row] = &[
    ("flow", Text, false, "", "the flow's id"),
    ROW_START,
    ("rate_bps", Real, false, "bit/s", "mean rate delivered at the egress during the row"),
];

const LINKS: &[Row] = &[
    ("link", Text, false, "", "the link: ringlet and the station it leaves, as in r0:4"),
    ROW_START,
    ("rate_bps", Real, false, "bit/s", "mean rate sent during the row, control frames included"),
];

const QUEUES: &[Row] = &[
    ("link", Text, false, "", "the link that the queue stands in front of"),
    ROW_START,
    ("waiting_bytes", Integer, false, "B", "bytes waiting at the end of the row"),
    ("deepest_bytes", Integer, false, "B", "most bytes that waited at any time of the row"),
];

const LAWS: &[Row] = &[
    ("ringlet", Integer, false, "", "the ringlet that the law controls, 0 or 1"),
    ("station", Integer, false, "", "the station where the law stands"),
    ("name", Text, false, "", "what the law showed, its unit as the last part of the name"),
    ("about", Integer, false, "", "the station the value speaks of: an egress, or the law's own"),
    ("t_ns", Integer, false, "ns", "when it was shown"),
    ("value", Real, false, "as `name` says", "the value, valid until the next one of the same name"),
];

const SUMMARY: &[Row] = &[
    ("flow", Text, false, "", "the flow's id"),
    ("ringlet", Integer, false, "", "the ringlet that the flow takes, 0 or 1"),
    ("from_station", Integer, false, "", "where the flow enters"),
    ("to_station", Integer, false, "", "where the flow leaves"),
    ("rate_bps", Real, false, "bit/s", "mean rate delivered after the warm-up"),
    ("fair_rate_bps", Real, false, "bit/s", "the reference rate"),
    ("fair_rate_low_bps", Real, false, "bit/s", "smallest fair rate, where several sets of rates are fair"),
    ("fair_rate_high_bps", Real, false, "bit/s", "largest fair rate, where several sets of rates are fair"),
    ("ratio", Real, true, "", "rate over fair rate, 1 inside the interval; empty where the fair rate is 0"),
    ("loss", Real, false, "", "packets dropped on the ring over packets that entered it, after the warm-up"),
    ("delay_mean_ns", Real, true, "ns", "mean delay from source to egress after the warm-up"),
    ("delay_p50_ns", Integer, true, "ns", "median of the delay"),
    ("delay_p95_ns", Integer, true, "ns", "95th percentile of the delay"),
    ("delay_p99_ns", Integer, true, "ns", "99th percentile of the delay"),
    ("delay_max_ns", Integer, true, "ns", "largest delay"),
    ("oscillation", Real, false, "", "range of the windowed rate after the warm-up over the route's capacity"),
    ("offered_packets", Integer, false, "packets", "made by the source, over the whole run"),
    ("refused_packets", Integer, false, "packets", "of these, refused by a full station queue"),
    ("entered_packets", Integer, false, "packets", "of these, let onto the ring"),
    ("dropped_packets", Integer, false, "packets", "of these, dropped on the ring"),
    ("delivered_packets", Integer, false, "packets", "of these, delivered at the egress"),
];

const RUNS: &[Row] = &[
    ("criterion", Text, false, "", "the criterion behind the fair rates"),
    ("event_ns", Integer, false, "ns", "the last start or stop of a flow, from which the times below count"),
    ("fair_5_percent_window_ns", Integer, false, "ns", "window of the time to fair within 5 %"),
    ("time_to_fair_5_percent_ns", Integer, true, "ns", "time to fair within 5 %; empty if never"),
    ("fair_1_percent_window_ns", Integer, false, "ns", "window of the time to fair within 1 %"),
    ("time_to_fair_1_percent_ns", Integer, true, "ns", "time to fair within 1 %; empty if never"),
    ("settling_window_ns", Integer, false, "ns", "window of the settling time"),
    ("settling_ns", Integer, true, "ns", "time until all rates stay within 5 % of their final means; empty if never"),
    ("oscillation", Real, false, "", "the largest of the flows"),
    ("jain", Real, false, "", "Jain's index of the flows' ratios"),
    ("utilisation", Real, false, "", "used part of the busiest link's capacity after the warm-up"),
    ("busiest_link", Text, true, "", "that link"),
    ("packet_hops", Integer, false, "packets", "packets sent over one link each, data and control"),
    ("control_hops", Integer, false, "packets", "of these, control frames"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_their_units_and_are_unique_in_their_table() {
        let columns = columns();
        for column in &columns {
            let suffix = match column.unit {
                "bit/s" => "_bps",
                "ns" => "_ns",
                "B" => "_bytes",
                "packets" if column.name.ends_with("_hops") => "_hops",
                "packets" => "_packets",
                _ => "",
            };
            assert!(column.name.ends_with(suffix), "{column:?}");
            let same = columns.iter().filter(|other| (other.table, other.name) == (column.table, column.name));
            assert_eq!(same.count(), 1, "{column:?}");
        }
    }
}
