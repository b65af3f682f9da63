//! The table of rings: a row a law and speed, a column a scenario.

use super::told;
use crate::real::judge::Row;
use crate::real::rings;
use fairwire_terminal::TextTable;
use std::fmt::Write;

/// A row a law and speed, a column a scenario; below, how far from fair the two laws are whose business that is.
pub fn show_rings(rows: &[Row]) -> String {
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
         distances from fair rates are less what one packet more or less makes: counts of whole packets come no nearer\n\
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
            let how = told(found.iter().flatten().map(|row| row.verdict()));
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
