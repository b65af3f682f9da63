//! The page around the parts.

use super::html::{escape, lead};
use super::input::ReportInput;
use super::verdict::{Mark, verdict};
use super::view::View;
use super::{
    bars, control, flow_tables, promises, protection, provenance, queues, throughput, topology, transfers, why, windows,
};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("hover.js");

/// The report as one HTML page that needs nothing else.
pub fn render(input: &ReportInput<'_>) -> String {
    let view = View::new(input);
    let mut body = header(&view);
    for section in [
        topology::section(&view.scene, &view.laws),
        bars::section(&view),
        promises::section(input.promises),
        throughput::section(&view),
        protection::section(&view),
        queues::section(&view),
        windows::section(&view),
        transfers::section(&view),
        control::section(&view),
        flow_tables::section(&view),
        why::section(&view.scene),
        provenance::section(&view),
    ] {
        body.push_str(&section);
        body.push('\n');
    }
    document(input.title, &body)
}

/// A page around `body`, which is safe HTML, in the style of all reports; it needs nothing else.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} · fairwire</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title)
    )
}

/// Title, description, and one sentence a law.
fn header(view: &View<'_>) -> String {
    let mut html = format!("<header><h1>{}</h1>", escape(view.input.title));
    html.push_str(&lead(view.input.description));
    html.push_str(r#"<ul class="verdicts">"#);
    for law in &view.laws {
        let verdict = verdict(view, law);
        let (class, word) = match verdict.mark {
            Mark::Fair => ("yes", "fair"),
            Mark::OnAverage => ("part", "on average"),
            Mark::Unfair => ("no", "not fair"),
            Mark::Unknown => ("open", "open"),
        };
        let _ = write!(
            html,
            r#"<li class="{class}"><span class="vl">{}</span><span class="vm">{word}</span><span class="vs">{}</span></li>"#,
            escape(law.law),
            escape(&verdict.sentence)
        );
    }
    html.push_str("</ul></header>\n");
    html
}
