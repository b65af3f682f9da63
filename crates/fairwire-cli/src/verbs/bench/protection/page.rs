//! The page, and the numbers of every cut.

use super::cut::Found;
use super::tally::{self, Tally, outage_at_most};
use crate::error::CliError;
use fairwire_results::{document, escape};
use std::fmt::Write;
use std::path::Path;

/// The page's file.
pub const PAGE: &str = "protection.html";
const NUMBERS: &str = "cuts.csv";
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
    let mut body = format!(
        r#"<h1>Cuts under load</h1><p class="note">{}</p><section><h2>Law by law</h2><div class="scroll"><table><thead>"#,
        escape(tally::ABOUT)
    );
    let (header, rows) = tally::table(tallies);
    let row = |tag: &str, cells: &[String]| {
        let cell = |(at, cell): (usize, &String)| {
            let class = if at > 0 { r#" class="n""# } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escape(cell))
        };
        format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let header: Vec<String> = header.iter().map(|name| name.trim_start_matches('>').to_owned()).collect();
    let _ = write!(body, "{}</thead><tbody>", row("th", &header));
    rows.iter().for_each(|cells| body.push_str(&row("td", cells)));
    body.push_str("</tbody></table></div></section>");
    let outages = Strip { unit: "ms", most: 60.0, step: 10.0, limit: 50.0 };
    let laps = Strip { unit: "laps", most: 30.0, step: 5.0, limit: 10.0 };
    section(&mut body, "Outage of every cut", &outages, tallies, |law| {
        found.iter().filter(|found| found.law == law).map(|found| outage_at_most(found) as f64 / 1e6).collect()
    });
    section(&mut body, "Time to fair again beside the window", &laps, tallies, |law| {
        let own = found.iter().filter(|found| found.law == law);
        own.map(|found| found.event.fair_again.ring_times.unwrap_or(f64::INFINITY)).collect()
    });
    document("Cuts under load", &body)
}

/// A strip a law, of what `values` has of it.
fn section(html: &mut String, title: &str, strip: &Strip, tallies: &[Tally], values: impl Fn(&str) -> Vec<f64>) {
    let Strip { unit, most, limit, .. } = strip;
    let _ = write!(
        html,
        r#"<section><h2>{title}</h2><p class="note">A dot a cut, in {unit}; the heavy line is {limit} {unit}, and what lies beyond {most} stands at the end.</p>"#
    );
    for tally in tallies {
        let _ = write!(html, "<h3>{}</h3>{}", escape(&tally.law), strip.svg(&values(&tally.law)));
    }
    html.push_str("</section>");
}

/// An axis from zero on.
struct Strip {
    unit: &'static str,
    most: f64,
    step: f64,
    limit: f64,
}

impl Strip {
    fn svg(&self, values: &[f64]) -> String {
        const WIDTH: f64 = 900.0;
        let x = |value: f64| 10.0 + value.min(self.most) / self.most * WIDTH;
        let mut svg = format!(r#"<svg viewBox="0 0 930 34" role="img" aria-label="{} of every cut">"#, self.unit);
        for tick in 0..=(self.most / self.step) as u32 {
            let value = f64::from(tick) * self.step;
            let (at, wide) = (x(value), if value == self.limit { 2 } else { 1 });
            let _ = write!(
                svg,
                r##"<path d="M{at} 2V18" stroke="#888" stroke-width="{wide}"/><text x="{at}" y="32" font-size="11" text-anchor="middle" fill="#888">{value}</text>"##
            );
        }
        for &value in values {
            let at = x(value);
            let _ = write!(svg, r##"<circle cx="{at:.1}" cy="10" r="3" fill="#0072b2" fill-opacity=".4"/>"##);
        }
        svg.push_str("</svg>");
        svg
    }
}

fn numbers(found: &[Found]) -> String {
    let mut csv = "law,cut,event,at_ns,outage_ns,outage_flow,row_ns,steered,wrapped,settled_ns,window_ns,fair_again_ns,ring_times,lost,dropped,throughput,violations\n".to_owned();
    let or_none = |ns: Option<u64>| ns.map_or(String::new(), |ns| ns.to_string());
    for Found { law, cut, event, lost, dropped, throughput, violations } in found {
        let fair = event.fair_again;
        let _ = writeln!(
            csv,
            "{law},{cut},{},{},{},{},{},{},{},{},{},{},{},{lost},{dropped},{throughput},{}",
            event.event,
            event.at_ns,
            or_none(event.outage_ns),
            event.outage_flow.as_deref().unwrap_or_default(),
            event.row_ns,
            event.steered,
            event.wrapped,
            or_none(event.settled_ns),
            fair.window_ns,
            or_none(fair.ns),
            fair.ring_times.map_or(String::new(), |times| times.to_string()),
            violations.len(),
        );
    }
    csv
}
