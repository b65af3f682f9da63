//! The columns of every table, in one place.

use crate::plan::Plan;

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
const TABLES: [&str; 13] = [
    "flows",
    "links",
    "queues",
    "laws",
    "summary",
    "runs",
    "link_summary",
    "transfers",
    "windows",
    "explicit_rates",
    "allowed_rates",
    "responses",
    "ports",
];
/// How many of them a ring has, too.
const OF_RINGS: usize = 6;
/// How many a network has whose switches tell nobody a rate.
const OF_NETWORKS: usize = 9;

/// The tables that a run of `plan` fills.
pub(crate) fn tables_of(plan: &Plan) -> &'static [&'static str] {
    match plan {
        Plan::Ring(_) => &TABLES[..OF_RINGS],
        Plan::Network(plan) if plan.flows.iter().any(|flow| flow.offer.rate().is_some()) => &TABLES,
        Plan::Network(_) => &TABLES[..OF_NETWORKS],
    }
}

/// The tables of any run.
pub(crate) fn every_table() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter()
}

/// The columns of one table: the run's key first.
pub(crate) fn columns_of(table: &'static str) -> Vec<Column> {
    let own = match table {
        "flows" => FLOWS,
        "links" => LINKS,
        "queues" => QUEUES,
        "laws" => LAWS,
        "summary" => SUMMARY,
        "runs" => RUNS,
        "link_summary" => LINK_SUMMARY,
        "transfers" => TRANSFERS,
        "windows" => WINDOWS,
        "explicit_rates" => EXPLICIT_RATES,
        "allowed_rates" => ALLOWED_RATES,
        "responses" => RESPONSES,
        "ports" => PORTS,
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
    (
        "rate_bps",
        Real,
        false,
        "bit/s",
        "mean rate delivered at the egress during the row; of TCP what came to be in order, which may be more than a link carries",
    ),
    (
        "left_bps",
        Real,
        false,
        "bit/s",
        "the same bytes when they left the narrowest link of their way, which is what charts draw; as `rate_bps` where that cannot be told",
    ),
];

const LINKS: &[Row] = &[
    ("link", Text, false, "", "the link: on a ring the ringlet and the station it leaves, as in r0:4"),
    ROW_START,
    ("rate_bps", Real, false, "bit/s", "mean rate sent during the row, control frames included"),
];

const QUEUES: &[Row] = &[
    ("link", Text, false, "", "the link that the queue stands in front of"),
    ROW_START,
    ("waiting_bytes", Integer, true, "B", "bytes waiting at the end of the row; empty in a network"),
    ("deepest_bytes", Integer, true, "B", "most bytes that waited at any time of the row; empty in a network"),
    ("waiting_packets", Integer, true, "packets", "packets waiting at the end of the row; empty on a ring"),
    ("dropped_packets", Integer, true, "packets", "packets dropped and marked during the row; empty on a ring"),
];

const LAWS: &[Row] = &[
    ("ringlet", Integer, true, "", "the ringlet that the law controls, 0 or 1; empty in a network"),
    ("station", Integer, true, "", "the station where the law stands; empty in a network"),
    ("name", Text, false, "", "what the law showed, its unit as the last part of the name"),
    (
        "about",
        Integer,
        false,
        "",
        "what the value speaks of: on a ring a station (an egress, or the law's own), in a network mostly a micro-flow",
    ),
    ("t_ns", Integer, false, "ns", "when it was shown"),
    ("value", Real, false, "as `name` says", "the value, valid until the next one of the same name"),
    ("link", Text, false, "", "the link that the law controls"),
];

const SUMMARY: &[Row] = &[
    ("flow", Text, false, "", "the flow's id"),
    ("ringlet", Integer, true, "", "the ringlet that the flow takes, 0 or 1; empty in a network"),
    ("from_station", Integer, false, "", "where the flow enters: a station, or the number of a node"),
    ("to_station", Integer, false, "", "where the flow leaves: a station, or the number of a node"),
    ("rate_bps", Real, false, "bit/s", "mean rate delivered after the warm-up"),
    ("fair_rate_bps", Real, false, "bit/s", "the reference rate"),
    ("fair_rate_low_bps", Real, false, "bit/s", "smallest fair rate, where several sets of rates are fair"),
    ("fair_rate_high_bps", Real, false, "bit/s", "largest fair rate, where several sets of rates are fair"),
    (
        "ratio",
        Real,
        true,
        "",
        "rate over fair rate (over `offered_bps` where all of it is due), 1 inside the interval; empty where the fair rate is 0",
    ),
    ("loss", Real, false, "", "packets dropped or lost on the way over packets sent, after the warm-up"),
    ("delay_mean_ns", Real, true, "ns", "mean delay from source to egress after the warm-up"),
    ("delay_p50_ns", Integer, true, "ns", "median of the delay"),
    ("delay_p95_ns", Integer, true, "ns", "95th percentile of the delay"),
    ("delay_p99_ns", Integer, true, "ns", "99th percentile of the delay"),
    ("delay_max_ns", Integer, true, "ns", "largest delay"),
    (
        "oscillation",
        Real,
        false,
        "",
        "range of the windowed rate after the warm-up, as bytes left the narrowest link, over its capacity",
    ),
    ("offered_packets", Integer, false, "packets", "made by the source, over the whole run"),
    ("refused_packets", Integer, false, "packets", "of these, refused by a full station queue"),
    ("entered_packets", Integer, false, "packets", "of these, let onto the ring or into the network"),
    ("dropped_packets", Integer, false, "packets", "of these, dropped or (in a network) lost on the way"),
    ("delivered_packets", Integer, false, "packets", "of these, delivered at the egress"),
    ("retransmitted_packets", Integer, true, "packets", "sent again; empty on a ring without TCP"),
    ("marked_packets", Integer, true, "packets", "marked by queues; empty on a ring"),
    ("timeouts", Integer, true, "", "retransmission timeouts; empty on a ring without TCP"),
    ("lost_packets", Integer, true, "packets", "lost on links that were cut; empty where no ring protects itself"),
    ("discarded_packets", Integer, true, "packets", "discarded to keep a strict order; empty likewise"),
    ("reordered_packets", Integer, true, "packets", "delivered after one that was made later; empty likewise"),
    (
        "offered_bps",
        Real,
        true,
        "bit/s",
        "mean rate offered by datagrams that are on and off by chance; empty for others",
    ),
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
    ("jain_windows_window_ns", Integer, true, "ns", "length of the stretches of the next column"),
    (
        "jain_windows_mean",
        Real,
        true,
        "",
        "mean over stretches of Jain's index of the active flows' rates; empty on a ring",
    ),
];

const LINK_SUMMARY: &[Row] = &[
    ("link", Text, false, "", "the link"),
    ("utilisation", Real, false, "", "used part of its capacity after the warm-up"),
    ("mean_queue_packets", Real, false, "packets", "packets waiting on average over time after the warm-up"),
    ("mean_queue_bytes", Real, false, "B", "bytes waiting on average over time after the warm-up"),
    ("deepest_queue_packets", Integer, false, "packets", "most packets that ever waited"),
    ("waiting_mean_ns", Real, true, "ns", "mean time in the queue after the warm-up"),
    ("waiting_p50_ns", Integer, true, "ns", "median of that time"),
    ("waiting_p95_ns", Integer, true, "ns", "its 95th percentile"),
    ("waiting_p99_ns", Integer, true, "ns", "its 99th percentile"),
    ("arrived_packets", Integer, false, "packets", "came to the queue, over the whole run"),
    ("dropped_full_packets", Integer, false, "packets", "of these, dropped as the queue was full"),
    ("dropped_early_packets", Integer, false, "packets", "of these, dropped to tell of congestion to come"),
    ("dropped_unfair_packets", Integer, false, "packets", "of these, dropped as more than their flow's share"),
    ("marked_packets", Integer, false, "packets", "marked in place of being dropped"),
    ("lost_packets", Integer, false, "packets", "lost on the link"),
];

const TRANSFERS: &[Row] = &[
    ("flow", Text, false, "", "the flow's id"),
    ("t_ns", Integer, false, "ns", "when the first segment was sent"),
    ("end_ns", Integer, false, "ns", "when the last segment was acknowledged"),
    ("size_bytes", Integer, false, "B", "bytes on the wire that it needs without loss"),
    ("sent_packets", Integer, false, "packets", "segments sent, again or not"),
    ("retransmitted_packets", Integer, false, "packets", "of these, sent again"),
];

const WINDOWS: &[Row] = &[
    ("flow", Text, false, "", "the flow's id"),
    ("micro_flow", Integer, false, "", "which of its micro-flows"),
    ("t_ns", Integer, false, "ns", "when: the end of a row"),
    ("cwnd_packets", Real, false, "packets", "the sender's congestion window"),
    ("ssthresh_packets", Real, false, "packets", "its slow-start threshold"),
    ("srtt_ns", Integer, true, "ns", "its smoothed round-trip time; empty before the first sample"),
    ("state", Text, false, "", "what it is doing: slow-start, congestion-avoidance, fast-recovery or loss"),
    ("congestion_window_packets", Real, false, "packets", "the former name of `cwnd_packets`, in this version only"),
    (
        "slow_start_threshold_packets",
        Real,
        false,
        "packets",
        "the former name of `ssthresh_packets`, in this version only",
    ),
    ("smoothed_rtt_ns", Integer, true, "ns", "the former name of `srtt_ns`, in this version only"),
];

const EXPLICIT_RATES: &[Row] = &[
    ("flow", Text, false, "", "the flow's id; only of flows whose rates switches tell"),
    ("allowed_rate_bps", Real, false, "bit/s", "its allowed rate at the end; 0 if it is off then"),
    (
        "response_max_ns",
        Integer,
        true,
        "ns",
        "its longest response to any change; empty if nothing changed while it was on",
    ),
    ("control_sent_packets", Integer, false, "packets", "control packets that its sources sent, over the whole run"),
    ("control_returned_packets", Integer, false, "packets", "of these, come back and heeded"),
    ("control_lost_packets", Integer, false, "packets", "of these, dropped by full queues or lost on lossy links"),
    ("control_refused_packets", Integer, false, "packets", "of these, refused by ports, the destination or the source"),
    (
        "control_noticed_packets",
        Integer,
        false,
        "packets",
        "control packets that ports sent to its sources by themselves",
    ),
    ("control_bytes", Integer, false, "B", "bytes of control packets that its sources sent"),
    ("control_share", Real, false, "", "part of its packets that were control packets"),
    ("arrived_while_on_packets", Integer, false, "packets", "data packets that arrived while it was on"),
];

const ALLOWED_RATES: &[Row] = &[
    ("flow", Text, false, "", "the flow's id"),
    ("micro_flow", Integer, false, "", "which of its micro-flows"),
    ("t_ns", Integer, false, "ns", "from when on"),
    ("rate_bps", Real, false, "bit/s", "its allowed rate until the next row of the same micro-flow; 0 while it is off"),
];

const RESPONSES: &[Row] = &[
    ("change", Integer, false, "", "which of the changes of the run, from 0"),
    ("t_ns", Integer, false, "ns", "when it was"),
    ("events", Text, false, "", "what changed"),
    ("flow", Text, false, "", "a flow that is on then and told its rate"),
    ("fair_rate_bps", Real, false, "bit/s", "what it should have from then on"),
    ("allowed_rate_bps", Real, false, "bit/s", "its allowed rate right before the next change"),
    (
        "response_ns",
        Integer,
        false,
        "ns",
        "from the change to the last change of its allowed rate before the next one; 0 if there is none",
    ),
    ("held_by", Text, true, "", "the link that holds it at what is fair; empty if it has all it may have"),
];

const PORTS: &[Row] = &[
    ("link", Text, false, "", "the link whose port tells flows their rates"),
    ("port_law", Text, false, "", "the law of the port"),
    (
        "deepest_packets",
        Integer,
        false,
        "packets",
        "most packets that one found when it came, the one in transmission included",
    ),
    (
        "dropped_too_long_packets",
        Integer,
        false,
        "packets",
        "data packets that the law dropped as the queue was too long",
    ),
    (
        "dropped_above_allowed_packets",
        Integer,
        false,
        "packets",
        "data packets that it dropped as their flow sent more than it may",
    ),
    ("control_packets", Integer, false, "packets", "control packets that it rewrote"),
    ("refused_packets", Integer, false, "packets", "control packets that it refused"),
    ("flows", Integer, false, "", "for how many flows it kept state at the end"),
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
