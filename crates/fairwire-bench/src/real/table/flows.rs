//! Tables of connections and gateways: a row a case.

use super::holds;
use crate::real::case::Limit;
use crate::real::judge::{FlowRow, Row};
use fairwire_terminal::{TextTable, text};

pub fn show_tcp(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "traffic",
        "law",
        ">fair, Mb/s",
        ">TCP, real",
        ">simulated",
        ">UDP, real",
        ">simulated",
        ">farthest off fair",
        ">runs",
        "holds",
        "how real",
    ]);
    for row in rows {
        let udp = || row.flows.iter().filter(|flow| flow.id.starts_with("udp"));
        let tcp = || row.flows.iter().filter(|flow| flow.id.starts_with("tcp"));
        let real = |flow: &FlowRow| Some(flow.real_bps);
        let list = |flows: &mut dyn Iterator<Item = Option<f64>>| {
            let texts: Vec<String> = flows.map(|bps| text::or_dash(bps, |bps| format!("{:.2}", bps * 1e-6))).collect();
            texts.join(" ")
        };
        table.row([
            row.case.clone(),
            row.law.clone(),
            list(&mut row.flows.first().map(|flow| Some(flow.fair_bps)).into_iter()),
            list(&mut tcp().map(real)),
            list(&mut tcp().map(|flow| flow.simulated_bps)),
            list(&mut udp().map(real)),
            list(&mut udp().map(|flow| flow.simulated_bps)),
            text::percent(row.off_fair),
            row.real.len().to_string(),
            holds(row),
            row.verdict().to_owned(),
        ]);
    }
    format!(
        "{table}\nasked: dvsr-plus, dvsr: every flow within 2 % of its fair rate (1 % at 1 Gb/s); fifo: TCP's share within 3 % of a link of \
         the simulated one, but for bbr, as the kernel has another version\n"
    )
}

pub fn show_gateways(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "gateway",
        "law",
        ">Jain, real",
        ">simulated",
        "farthest flow",
        ">real, Mb/s",
        ">simulated",
        ">seeds",
        ">marked",
        ">runs",
        "holds",
        "how real",
    ]);
    for row in rows {
        let Some(flow) = row.farthest() else { continue };
        let mbps = |bps: f64| format!("{:.2}", bps * 1e-6);
        let range = |(low, high): (f64, f64)| format!("{} to {}", mbps(low), mbps(high));
        table.row([
            row.case.clone(),
            row.law.clone(),
            text::or_dash(row.jain_real, |jain| text::number(jain, 3)),
            text::or_dash(row.jain_simulated, |jain| text::number(jain, 3)),
            flow.id.clone(),
            mbps(flow.real_bps),
            text::or_dash(flow.simulated_bps, mbps),
            text::or_dash(flow.range_bps, range),
            text::grouped(row.marked),
            row.real.len().to_string(),
            holds(row),
            row.verdict().to_owned(),
        ]);
    }
    let (part, least) = Limit::FLOW;
    format!(
        "{table}\nasked: Jain's index within {}, each flow within {} or {}, means of the runs; where connections can be marked laws that \
         mark do\n",
        Limit::JAIN,
        text::percent(part),
        text::rate(least)
    )
}

/// The kernel's Reno beside one simulated TCP after another.
pub fn show_kernel(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "simulated TCP",
        "law",
        ">connections, real",
        ">simulated",
        ">streams, real",
        ">simulated",
        ">Jain, real",
        ">simulated",
        "how real",
    ]);
    for row in rows {
        let mbps = |tcp: bool, value: &dyn Fn(&FlowRow) -> f64| {
            let own = row.flows.iter().filter(|flow| flow.id.starts_with("tcp") == tcp);
            format!("{:.2}", own.map(value).sum::<f64>() * 1e-6)
        };
        let simulated = |flow: &FlowRow| flow.simulated_bps.unwrap_or(f64::NAN);
        table.row([
            row.case.clone(),
            row.law.clone(),
            mbps(true, &|flow| flow.real_bps),
            mbps(true, &simulated),
            mbps(false, &|flow| flow.real_bps),
            mbps(false, &simulated),
            text::or_dash(row.jain_real, |jain| text::number(jain, 3)),
            text::or_dash(row.jain_simulated, |jain| text::number(jain, 3)),
            row.verdict().to_owned(),
        ]);
    }
    format!("{table}\nMb/s of all connections, and of all streams, together; real is the kernel's Reno in every row\n")
}
