//! The tables for people.

use super::answer::{Answer, PeerAnswer, RowAnswer};
use fairwire_terminal::{TextTable, text};

/// Our rows against their targets, the peers beside us, and the machine.
pub fn show(answer: &Answer, machine: &str) -> String {
    let rounds = text::count(answer.rounds as usize, "round");
    let mut shown = format!("processor time of one solve, its index included; medians of {rounds}\n\n");
    shown.push_str(&ours(answer).to_string());
    if answer.rows.iter().any(|row| !row.peers.is_empty()) {
        shown.push_str(&format!("\n{}", peers(answer)));
    }
    for row in answer.rows.iter().filter_map(|row| Some(format!("{}: {}", row.id, row.note.as_ref()?))) {
        shown.push_str(&format!("\n{row}"));
    }
    if answer.rows.iter().any(|row| row.note.is_some()) {
        shown.push('\n');
    }
    shown.push_str(&format!("\n{machine}\n"));
    shown
}

fn ours(answer: &Answer) -> TextTable {
    let mut table =
        TextTable::new(&["row", "what", ">time", ">target", "met", ">problem", ">peak memory", ">overload"]);
    for row in &answer.rows {
        table.row([
            row.id.to_owned(),
            row.what.to_owned(),
            milliseconds(row.ms),
            target(row),
            text::or_dash(row.met, |met| if met { "yes" } else { "no" }.to_owned()),
            if row.problem_bytes == 0 { "–".to_owned() } else { mebibytes(row.problem_bytes as u64) },
            text::or_dash(row.peak_bytes, mebibytes),
            text::or_dash(
                row.overload,
                |overload| if overload <= 0.0 { "0".into() } else { format!("{overload:.0e}") },
            ),
        ]);
    }
    table
}

/// `6.3 ms`; where it depends on this run, how.
fn target(row: &RowAnswer) -> String {
    let ms = row.target_ms.map(milliseconds);
    match ms {
        Some(ms) if ms != row.target => format!("{ms} ({})", row.target),
        Some(ms) => ms,
        None => row.target.clone(),
    }
}

fn peers(answer: &Answer) -> TextTable {
    let mut table = TextTable::new(&[
        "row",
        "beside",
        ">its time",
        ">times ours",
        ">range",
        ">wanted",
        ">its peak memory",
        ">rates differ by",
    ]);
    for (row, peer) in answer.rows.iter().flat_map(|row| row.peers.iter().map(move |peer| (row, peer))) {
        table.row([
            row.id.to_owned(),
            peer.peer.name().to_owned(),
            milliseconds(peer.ms),
            text::number(peer.ratio, 3),
            range(peer),
            text::or_dash(peer.ratio_wanted, |wanted| text::number(wanted, 3)),
            mebibytes(peer.peak_bytes),
            format!("{:.0e}{}", peer.difference, if peer.is_exact { "" } else { " (not exact)" }),
        ]);
    }
    table
}

fn range(peer: &PeerAnswer) -> String {
    format!("{} to {}", text::number(peer.ratio_low, 3), text::number(peer.ratio_high, 3))
}

fn milliseconds(ms: f64) -> String {
    text::time(ms * 1e6)
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", text::number(bytes as f64 / f64::from(1 << 20), 3))
}
