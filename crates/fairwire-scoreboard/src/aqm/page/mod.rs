//! The page of the matrix: two pictures, the tables of every family, and how to read them.

mod ellipses;
mod labels;
mod lines;
mod scale;

use super::cases::{Case, Family};
use super::summary::Summary;
use super::tables::{family_tables, titled_case_list};
use crate::page::section;
use fairwire_results::{document, scrolling};
use maud::{Markup, PreEscaped, html};
use std::ops::Range;

const PICTURE_STYLE: &str = include_str!("picture.css");
/// Colours there are; with more laws than that they begin anew.
const COLOURS: usize = 14;
/// Width of both pictures in user units.
const WIDTH: f64 = 1120.0;
/// Panels in a row.
const COLUMNS: usize = 2;

/// The matrix as one HTML page that needs nothing else.
pub fn page(cases: &[Case], summary: &Summary) -> String {
    let body = html! {
        header {
            h1 { "Which queue shares a link fairly, and at what delay?" }
            p.lead { (lead(cases, summary)) }
        }
        (pictured("Delay and goodput", ELLIPSES, ellipses::picture(cases, summary)))
        (pictured("Fair shares", LINES, lines::picture(cases, summary)))
        @for family in Family::ALL {
            @for table in family_tables(family, cases, summary) { (section(&table)) }
        }
        section {
            h2 { "How to read it" }
            p.note { (HOW_TO_READ) }
        }
        (section(&titled_case_list(cases)))
        p.note {
            "fairwire " (env!("CARGO_PKG_VERSION")) ". Made by " code { "fairwire-bench aqm" } "; "
            code { "fairwire-bench aqm --show lot-tcp-8" } " writes any case as a scenario file."
        }
    };
    document("Queue laws", &body)
}

/// A section with a picture; nothing without one.
fn pictured(title: &str, about: &str, picture: Option<Markup>) -> Markup {
    html! {
        @if let Some(picture) = picture {
            section {
                h2 { (title) }
                p.note { (about) }
                (scrolling(title, picture))
            }
        }
    }
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
const HOW_TO_READ: &str = "Numbers are means over seeds; ± is the 95 % interval (Student’s t). Utilisation and queueing delay are of the bottleneck, and means over several. Jain's index is taken over windows of a second, of goodput over max-min fair rate; a shortfall is what goodput misses of that rate over the whole measured time, for bulk and streams. All queues hold 200 packets and all laws have their defaults.";

/// An SVG that stands by itself and follows the reader's light or dark mode.
fn svg(height: f64, name: &str, inside: Markup) -> Markup {
    html! {
        svg.aqm
            xmlns="http://www.w3.org/2000/svg"
            viewBox={ "0 0 " (WIDTH) " " (height) }
            role="img"
            aria-label=(name)
        {
            style { (PreEscaped(PICTURE_STYLE)) }
            rect.bg width=(WIDTH) height=(height) {}
            (inside)
        }
    }
}

/// The place of a panel, row after row, `pitch` apart.
fn place(number: usize, pitch: (f64, f64), size: (f64, f64)) -> (Range<f64>, Range<f64>) {
    let left = 62.0 + pitch.0 * (number % COLUMNS) as f64;
    let top = 40.0 + pitch.1 * (number / COLUMNS) as f64;
    (left..left + size.0, top..top + size.1)
}

/// The height of a picture of so many panels.
fn height(panels: usize, pitch: (f64, f64)) -> f64 {
    pitch.1 * panels.div_ceil(COLUMNS) as f64
}

/// The place of a law in the palette.
fn colour(law: usize) -> usize {
    law % COLOURS
}
