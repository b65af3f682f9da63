//! Tables of rings that are cut, and of machines that are disturbed.

use super::{holds, told};
use crate::real::judge::{FlowRow, Row};
use fairwire_terminal::{TextTable, text};

pub fn show_protection(rows: &[Row]) -> String {
    let mut table =
        TextTable::new(&["case", "law", ">real, Mb/s", ">simulated", ">farthest apart", "holds", "how real"]);
    for row in rows {
        let list = |value: &dyn Fn(&FlowRow) -> Option<f64>| {
            let texts: Vec<String> =
                row.flows.iter().map(|flow| text::or_dash(value(flow), |bps| format!("{:.2}", bps * 1e-6))).collect();
            texts.join(" ")
        };
        table.row([
            row.case.clone(),
            row.law.clone(),
            list(&|flow| Some(flow.real_bps)),
            list(&|flow| flow.simulated_bps),
            format!("{}{}", text::or_dash(row.apart, text::percent), if row.rests { "" } else { " ~" }),
            holds(row),
            row.verdict().to_owned(),
        ]);
    }
    format!("{table}\nasked: every flow within 1 % of a link of its simulation; flows: tcp, udp-1, udp-2, udp-3\n")
}

pub fn show_disturbed(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "machine",
        "law",
        ">runs",
        ">farthest apart of any",
        ">of undisturbed ones",
        ">clock stood still for, at most",
        "holds",
        "how real",
    ]);
    for row in rows {
        let still = row.real.iter().map(|how| how.stood_still_ns).max().unwrap_or(0);
        table.row([
            row.case.clone(),
            row.law.clone(),
            row.real.len().to_string(),
            format!("{}{}", text::or_dash(row.apart, text::percent), if row.rests { "" } else { " ~" }),
            text::or_dash(row.apart_undisturbed, text::percent),
            text::time(still as f64),
            holds(row),
            told(row.real.iter().map(|how| how.verdict.as_str())),
        ]);
    }
    format!(
        "{table}\nasked: every flow of every run within 1 % of a link of its simulation, under fifo within 2 % of the range of its seeds \
         (~); or the run says that it is invalid\n"
    )
}
