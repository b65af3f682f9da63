//! The page, and the numbers of every cut.

use super::cut::Found;
use super::tally::{self, Tally, outage_at_most};
use crate::error::CliError;
use std::fmt::Write;
use std::path::Path;

/// The page's file.
pub const PAGE: &str = "protection.html";
const NUMBERS: &str = "cuts.csv";
const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:36px auto;padding:0 24px}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:5px 12px;border-bottom:1px solid #8884;text-align:right;white-space:nowrap}\
th:first-child,td:first-child{text-align:left}p{white-space:pre-line;max-width:60em}svg{display:block;margin:6px 0 22px}";

/// Writes both into `folder`.
pub fn write(folder: &Path, tallies: &[Tally], found: &[Found]) -> Result<(), CliError> {
    let missing = |error: std::io::Error| CliError::Missing {
        message: format!("cannot write {}: {error}", folder.display()),
        help: "name another place with `--out DIR`".to_owned(),
    };
    std::fs::create_dir_all(folder).map_err(missing)?;
    std::fs::write(folder.join(PAGE), page(tallies, found)).map_err(missing)?;
    std::fs::write(folder.join(NUMBERS), numbers(found)).map_err(missing)
}

fn page(tallies: &[Tally], found: &[Found]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Cuts under load · fairwire</title>\
         <style>{STYLE}</style>\n<h1>Cuts under load</h1><p>{}</p>\n<table>",
        tally::ABOUT
    );
    let (header, rows) = tally::table(tallies);
    let cells =
        |tag: &str, cells: &[String]| cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect::<String>();
    let header: Vec<String> = header.iter().map(|name| name.trim_start_matches('>').to_owned()).collect();
    let _ = write!(html, "<tr>{}</tr>", cells("th", &header));
    rows.iter().for_each(|row| html.push_str(&format!("<tr>{}</tr>", cells("td", row))));
    html.push_str("</table>\n<h2>Outage of every cut</h2><p>A dot a cut; the line is 50 ms.</p>");
    for tally in tallies {
        let outages = found.iter().filter(|found| found.law == tally.law).map(outage_at_most);
        let _ = write!(html, "<div>{}</div>{}", tally.law, strip(outages));
    }
    html.push_str("</html>\n");
    html
}

/// Dots along 0 to 60 ms; what lies beyond stands at the end.
fn strip(outages: impl Iterator<Item = u64>) -> String {
    const MOST_MS: f64 = 60.0;
    const WIDTH: f64 = 900.0;
    let x = |ms: f64| 10.0 + ms.min(MOST_MS) / MOST_MS * WIDTH;
    let mut svg = r#"<svg width="930" height="34" role="img" aria-label="outages in ms">"#.to_owned();
    for ms in [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0] {
        let (at, wide) = (x(ms), if ms == 50.0 { 2 } else { 1 });
        let _ = write!(
            svg,
            r##"<path d="M{at} 2V18" stroke="#888" stroke-width="{wide}"/><text x="{at}" y="32" font-size="11" text-anchor="middle" fill="#888">{ms}</text>"##
        );
    }
    for ns in outages {
        let _ =
            write!(svg, r##"<circle cx="{:.1}" cy="10" r="3" fill="#0072b2" fill-opacity=".4"/>"##, x(ns as f64 / 1e6));
    }
    svg.push_str("</svg>");
    svg
}

fn numbers(found: &[Found]) -> String {
    let mut csv = "law,cut,event,at_ns,outage_ns,outage_flow,row_ns,steered,settled_ns,window_ns,fair_again_ns,ring_times,lost,dropped,violations\n".to_owned();
    let or_none = |ns: Option<u64>| ns.map_or(String::new(), |ns| ns.to_string());
    for Found { law, cut, event, lost, dropped, violations } in found {
        let fair = event.fair_again;
        let _ = writeln!(
            csv,
            "{law},{cut},{},{},{},{},{},{},{},{},{},{},{lost},{dropped},{}",
            event.event,
            event.at_ns,
            or_none(event.outage_ns),
            event.outage_flow.as_deref().unwrap_or_default(),
            event.row_ns,
            event.steered,
            or_none(event.settled_ns),
            fair.window_ns,
            or_none(fair.ns),
            fair.ring_times.map_or(String::new(), |times| times.to_string()),
            violations.len(),
        );
    }
    csv
}
