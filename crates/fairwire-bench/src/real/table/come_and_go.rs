//! The table of senders that come and go: a row a change.

use crate::real::judge::Row;
use fairwire_terminal::TextTable;

pub fn show_come_and_go(rows: &[Row]) -> String {
    let mut table = TextTable::new(&[
        "law",
        "change",
        ">window, ms",
        ">fair again after, real",
        ">simulated",
        ">seeds",
        ">outside by",
        "holds",
        "how real",
    ]);
    let ms = |ns: u64| (ns as f64 * 1e-6).round().to_string();
    let time = |time: &Option<u64>| time.map_or("–".to_owned(), ms);
    for row in rows {
        for change in &row.changes {
            let list = |times: &[Option<u64>]| times.iter().map(time).collect::<Vec<_>>().join(" ");
            table.row([
                row.law.clone(),
                change.event.clone(),
                ms(change.window_ns),
                list(&change.real_ns),
                list(&change.simulated_ns),
                format!("{} to {}", time(&change.range_ns.0), time(&change.range_ns.1)),
                time(&change.outside_ns),
                if change.is_near() { "yes" } else { "no" }.to_owned(),
                row.verdict().to_owned(),
            ]);
        }
    }
    format!(
        "{table}\nms; a number a run, the real one and the simulated one of the same seed at the same place; –: not before the next \
         change\nasked: every run fair within 5 % for good not sooner than the first simulated seed and not later than the last, give \
         or take a window\n"
    )
}
