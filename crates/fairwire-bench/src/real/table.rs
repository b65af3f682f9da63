//! What came out, for people: a table a part.

use super::case::{Limit, Part};
use super::command::{How, VERDICTS};
use super::judge::Row;
use super::rings;
use fairwire_terminal::{TextTable, text};
use std::fmt::Write;

/// The table of a part.
pub fn show(part: Part, rows: &[Row]) -> String {
    let shown = match part {
        Part::Rings => show_rings(rows),
        Part::Tcp => show_tcp(rows),
        Part::Gateways => show_gateways(rows),
        Part::Protection => show_protection(rows),
        Part::Disturbed => show_disturbed(rows),
        Part::Idle => String::new(),
    };
    format!("{shown}\n{}", sum(rows))
}

/// A row a law and speed, a column a scenario; below, how far from fair the two laws are whose business that is.
fn show_rings(rows: &[Row]) -> String {
    let apart = |row: &Row| row.apart;
    let mut shown =
        format!("farthest a flow is from its simulation, % of a link\n\n{}", ring_table(rows, &apart, &|_| true));
    let off_fair = |row: &Row| Some(row.off_fair);
    let is_fair = |law: &str| law.starts_with("dvsr");
    if rows.iter().any(|row| is_fair(&row.law)) {
        let _ = write!(
            shown,
            "\nfarthest a flow is from its RIAS fair rate, % of that\n\n{}",
            ring_table(rows, &off_fair, &is_fair)
        );
    }
    shown.push_str(
        "\n~: the simulated seeds differ among themselves by more than 1 % of a link: the distance is that from their range, under fifo \
         that of means\n\
         !: farther than the limit of 1 % (fifo 2 %; RIAS: dvsr-plus 0.5 %, dvsr 1 %)   *: disturbed   ?: invalid\n",
    );
    shown
}

fn ring_table(rows: &[Row], value: &dyn Fn(&Row) -> Option<f64>, law: &dyn Fn(&str) -> bool) -> TextTable {
    let mut header = vec!["law".to_owned(), "links".to_owned()];
    header.extend(rings::names().map(|name| format!(">{name}")));
    header.push("how real".to_owned());
    let mut table = TextTable::new(&header);
    let mut laws: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| law(&row.law)) {
        if !laws.contains(&row.law.as_str()) {
            laws.push(&row.law);
        }
    }
    for name in laws {
        for (speed, _) in rings::SPEEDS {
            let find = |scenario: &str| {
                let case = format!("{scenario} at {speed}");
                rows.iter().find(|row| row.law == name && row.case == case)
            };
            let found: Vec<Option<&Row>> = rings::names().map(find).collect();
            if found.iter().all(Option::is_none) {
                continue;
            }
            let cell = |row: &Option<&Row>| {
                row.map_or_else(String::new, |row| {
                    let value = value(row).map_or_else(|| "–".to_owned(), |part| format!("{:.2}", part * 100.0));
                    format!("{value}{}", signs(row))
                })
            };
            let cells = found.iter().map(cell);
            let how = how_real(found.iter().flatten().copied());
            table.row([name.to_owned(), speed.to_owned()].into_iter().chain(cells).chain([how]));
        }
    }
    table
}

/// What a number's reader has to know.
fn signs(row: &Row) -> String {
    let mut signs = String::new();
    let says = [(!row.rests, '~'), (row.holds == Some(false), '!')];
    signs.extend(says.into_iter().filter(|(is_so, _)| *is_so).map(|(_, sign)| sign));
    match row.verdict() {
        "invalid" => signs.push('?'),
        "disturbed" => signs.push('*'),
        _ => {}
    }
    signs
}

/// Who says what of itself, counted.
fn how_real<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let all: Vec<&str> = rows.map(Row::verdict).collect();
    let count = |verdict: &str| all.iter().filter(|one| **one == verdict).count();
    let told = VERDICTS.map(|verdict| (count(verdict), verdict));
    let told: Vec<String> =
        told.into_iter().filter(|(count, _)| *count > 0).map(|(count, verdict)| format!("{count} {verdict}")).collect();
    told.join(", ")
}

fn show_tcp(rows: &[Row]) -> String {
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
        let real = |flow: &super::judge::FlowRow| Some(flow.real_bps);
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
         the simulated one, but for bbr, which is not simulated\n"
    )
}

fn show_gateways(rows: &[Row]) -> String {
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

fn show_protection(rows: &[Row]) -> String {
    let mut table =
        TextTable::new(&["case", "law", ">real, Mb/s", ">simulated", ">farthest apart", "holds", "how real"]);
    for row in rows {
        let list = |value: &dyn Fn(&super::judge::FlowRow) -> Option<f64>| {
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

fn show_disturbed(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "machine",
        "law",
        ">runs",
        ">farthest apart of any",
        ">clock stood still for, at most",
        "holds",
        "how real",
    ]);
    for row in rows {
        let still = row.real.iter().map(|how| how.stood_still_ns).max().unwrap_or(0);
        let count = |verdict: &str| row.real.iter().filter(|how| how.verdict == verdict).count();
        let told = VERDICTS.map(|verdict| (count(verdict), verdict));
        let told =
            told.into_iter().filter(|(count, _)| *count > 0).map(|(count, verdict)| format!("{count} {verdict}"));
        table.row([
            row.case.clone(),
            row.law.clone(),
            row.real.len().to_string(),
            format!("{}{}", text::or_dash(row.apart, text::percent), if row.rests { "" } else { " ~" }),
            text::time(still as f64),
            holds(row),
            told.collect::<Vec<_>>().join(", "),
        ]);
    }
    format!(
        "{table}\nasked: every flow of every run within 1 % of a link of its simulation, under fifo within 2 % of the range of its seeds \
         (~); or the run says that it is invalid\n"
    )
}

fn holds(row: &Row) -> String {
    match row.holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "–",
    }
    .to_owned()
}

/// How many hold, and what their machine was busy with.
fn sum(rows: &[Row]) -> String {
    let judged = rows.iter().filter(|row| row.holds.is_some()).count();
    let held = rows.iter().filter(|row| row.holds == Some(true)).count();
    let runs = || rows.iter().flat_map(|row| &row.real);
    let count = |verdict: &str| runs().filter(|how| how.verdict == verdict).count();
    let repeated: u32 = runs().map(|how| how.repeated).sum();
    let late = runs().map(|how: &How| how.lateness_p99_ns).max().unwrap_or(0);
    let still = runs().map(|how| how.stood_still_ns).max().unwrap_or(0);
    format!(
        "{held} of {judged} that were judged hold. {}: {} undisturbed, {} disturbed, {} invalid, {repeated} repeated. Latest 99th percentile {}; clocks stood still for {} at most.\n",
        text::count(runs().count(), "real run"),
        count("undisturbed"),
        count("disturbed"),
        count("invalid"),
        text::time(late as f64),
        text::time(still as f64)
    )
}
