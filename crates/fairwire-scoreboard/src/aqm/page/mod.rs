//! The page of the matrix: two pictures, the tables of every family, and how to read them.

mod ellipses;
mod labels;
mod lines;
mod scale;

use super::cases::{Case, Family};
use super::summary::Summary;
use super::tables::{family_tables, titled_case_list};
use crate::page::section;
use fairwire_results::{document, escape};
use std::fmt::Write;

const PICTURE_STYLE: &str = include_str!("picture.css");
/// Colours there are; with more laws than that they begin anew.
const COLOURS: usize = 14;
/// Width of both pictures in user units.
const WIDTH: f64 = 1120.0;

/// The matrix as one HTML page that needs nothing else.
pub fn page(cases: &[Case], summary: &Summary) -> String {
    let mut body = format!(
        "<header><h1>Which queue shares a link fairly, and at what delay?</h1><p class=\"lead\">{}</p></header>\n",
        lead(cases, summary)
    );
    body.push_str(&pictured("Delay and goodput", ELLIPSES, &ellipses::picture(cases, summary)));
    body.push_str(&pictured("Fair shares", LINES, &lines::picture(cases, summary)));
    for family in Family::ALL {
        family_tables(family, cases, summary).iter().for_each(|table| body.push_str(&section(table)));
    }
    body.push_str(HOW_TO_READ);
    body.push_str(&section(&titled_case_list(cases)));
    let _ = write!(
        body,
        "<p class=\"note\">fairwire {}. Made by <code>fairwire-bench aqm</code>; <code>fairwire-bench aqm --show lot-tcp-8</code> writes any case as a scenario file.</p>",
        env!("CARGO_PKG_VERSION")
    );
    document("Queue laws", &body)
}

/// A section with a picture; nothing without one.
fn pictured(title: &str, about: &str, picture: &str) -> String {
    if picture.is_empty() {
        return String::new();
    }
    format!("<section><h2>{title}</h2><p class=\"note\">{about}</p><div class=\"scroll\">{picture}</div></section>\n")
}

fn lead(cases: &[Case], summary: &Summary) -> String {
    let several = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "{}, packet by packet, on {} after RFC 7928 and the paper vrr-gateway, with {} each, against max-min fair rates.",
        several(summary.laws.len(), "queue law", "queue laws"),
        several(cases.len(), "case", "cases"),
        several(summary.seeds, "seed", "seeds"),
    )
}

const ELLIPSES: &str = "For each law the mean over seeds of queueing delay and goodput, and the curve one standard deviation around it (RFC 7928 §2.7). Better is up and to the left; a small ellipse is a law that does the same every time. A law far below the others stands at the lower border, with its goodput.";
const LINES: &str = "Goodput over max-min fair rate: 1 is fair. Bars are 95 % intervals over seeds.";
const HOW_TO_READ: &str = "<section><h2>How to read it</h2>\n<p class=\"note\">Numbers are means over seeds; ± is the 95 % interval (Student’s t). Utilisation and queueing delay are of the bottleneck, and means over several. Jain's index is taken over windows of a second, of goodput over max-min fair rate; a shortfall is what goodput misses of that rate over the whole measured time, for bulk and streams. All queues hold 200 packets and all laws have their defaults.</p></section>\n";

/// An SVG that stands by itself and follows the reader's light or dark mode.
fn svg(height: f64, name: &str, inside: &str) -> String {
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="aqm" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{}"><style>{PICTURE_STYLE}</style><rect class="bg" width="{WIDTH}" height="{height}"/>{inside}</svg>{}"#,
        escape(name),
        "\n"
    )
}

/// The place of a law in the palette.
fn colour(law: usize) -> usize {
    law % COLOURS
}
