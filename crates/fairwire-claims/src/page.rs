//! Claims and what came out as a page to read, with figures.

use crate::reading::Reading;
use crate::row::{Row, Verdict};
use fairwire_alloc::text;
use fairwire_results::{broken, document, table};
use maud::{Markup, html};
use serde_json::Value;

/// The rows as one HTML page that needs nothing else.
pub fn page(rows: &[&Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let counts = Verdict::ALL.map(|verdict| (count(verdict), word(verdict)));
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let body = html! {
        header {
            h1 { "What the papers claim, and what comes out" }
            p.lead {
                (counts.join(", ")) ". Each claim is measured anew by " code { "fairwire reproduce" }
                "; circles in figures are numbers that the paper prints."
            }
            (index(rows))
        }
        @for row in rows { (section(row)) }
        p.note { "fairwire " (env!("CARGO_PKG_VERSION")) "." }
    };
    document("Claims", &body)
}

/// What so many claims do.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Reading => "under a reading",
        Verdict::Differs => "differ",
        Verdict::NotRun => "not run",
        Verdict::NotApplicable => "not applicable",
    }
}

/// Every claim as a link to its section, in the colour of its verdict; nothing where there is little to find.
fn index(rows: &[&Row]) -> Markup {
    const FEW: usize = 4;
    html! {
        @if rows.len() > FEW {
            ul.index {
                @for row in rows {
                    li class=(class(row.verdict)) { a href={ "#" (row.id) } title=(row.title) { (row.id) } }
                }
            }
        }
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "yes",
        Verdict::Reading => "part",
        Verdict::Differs => "no",
        Verdict::NotRun | Verdict::NotApplicable => "open",
    }
}

fn section(row: &Row) -> Markup {
    let tolerance = tolerance(&fields(&row.tolerance));
    html! {
        section id=(row.id) {
            h2 { (row.title) }
            ul.verdicts {
                li class=(class(row.verdict)) {
                    span.vl { (row.id) }
                    span.vm { (row.verdict.name()) }
                    span.vs { (row.paper) ", " (row.place) }
                }
            }
            div."pair claim" {
                @for figure in &row.figures { (figure.draw()) }
                div {
                    @if !row.note.is_empty() {
                        p.note { (row.note) }
                    }
                    (numbers(&fields(&row.expected), &fields(&row.measured)))
                    @for reading in &row.readings { (tried(reading)) }
                    @if !tolerance.is_empty() {
                        p.note { "Tolerance: " (tolerance) "." }
                    }
                }
            }
        }
    }
}

/// A reading, why it is one, and what came out under it.
fn tried(reading: &Reading) -> Markup {
    let outcome = if reading.holds { "comes out" } else { "does not come out" };
    html! {
        h3 { "Under the reading: " (in_code(&reading.name)) }
        p.note {
            (reading.why) ": " (reading.ground.words()) ". It " (outcome) "."
            @if !reading.breaks.is_empty() { " What else does not any more: " (reading.breaks.join(", ")) "." }
        }
        (numbers(&[], &fields(&reading.measured)))
    }
}

/// Text in which what stands between backticks is code.
fn in_code(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// How far a measured value may be off, in words.
fn tolerance(fields: &[Field]) -> String {
    let told = fields.iter().map(|(name, value)| match (name.as_str(), value.as_str(), value.parse::<f64>()) {
        ("text", value, _) => value.to_owned(),
        ("abs", "0", _) => "none".to_owned(),
        ("abs", value, _) => format!("± {value}"),
        ("rel", _, Ok(part)) => format!("{} %", text::number(part * 100.0, 4)),
        (name, "yes", _) => name.replace('_', " "),
        (name, value, _) => format!("{} {value}", name.replace('_', " ")),
    });
    told.collect::<Vec<_>>().join(", ").trim().to_owned()
}

/// A named value.
type Field = (String, String);

/// The fields of an object; anything else is one without a name.
fn fields(value: &Value) -> Vec<Field> {
    match value {
        Value::Null => Vec::new(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        other => vec![(String::new(), plain(other))],
    }
}

/// What is expected beside what was measured where they speak of the same, else one after the other.
fn numbers(expected: &[Field], measured: &[Field]) -> Markup {
    let find =
        |fields: &[Field], name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    if !expected.iter().any(|(name, _)| find(measured, name).is_some()) {
        let one = |(name, value): &Field| (name.clone(), vec![value.clone()]);
        return html! {
            @for (title, fields) in [("expected", expected), ("measured", measured)] {
                @if !fields.is_empty() {
                    (values(&[title], &fields.iter().map(one).collect::<Vec<_>>()))
                }
            }
        };
    }
    let beyond = measured.iter().filter(|(name, _)| find(expected, name).is_none());
    let both = |(name, _): &Field| {
        let values = [expected, measured].map(|fields| find(fields, name).unwrap_or_else(|| "–".to_owned()));
        (name.clone(), values.to_vec())
    };
    values(&["expected", "measured"], &expected.iter().chain(beyond).map(both).collect::<Vec<_>>())
}

/// A line a name; longer values are folded away.
fn values(header: &[&str], rows: &[(String, Vec<String>)]) -> Markup {
    /// Longer text is not read at a glance.
    const MOST_AT_A_GLANCE: usize = 160;
    let header = html! {
        th { "quantity" }
        @for name in header { th { (name) } }
    };
    let rows = html! {
        @for (name, values) in rows {
            tr {
                // Names are long and break at their underscores only.
                th { (broken(name, "_")) }
                @for text in values {
                    td {
                        @if text.len() <= MOST_AT_A_GLANCE {
                            (text)
                        } @else {
                            details { summary { "all numbers" } (text) }
                        }
                    }
                }
            }
        }
    };
    table(Some("said"), header, rows)
}

/// JSON as people write it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key} {}", plain(value))).collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole}"),
            _ => number.to_string(),
        },
        Value::Null => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_row_is_on_the_page() {
        let rows: Vec<Row> = catalogue()
            .iter()
            .map(|claim| {
                Row::of(claim, Verdict::Differs, serde_json::json!({ "a<b": [1.5, true] }), "why & how".to_owned())
            })
            .collect();
        let html = page(&rows.iter().collect::<Vec<_>>());
        assert!(rows.iter().all(|row| html.contains(&format!(r#"<section id="{}">"#, row.id))));
        assert!(html.contains("a&lt;b") && html.contains("1.5, yes") && html.contains("why &amp; how"));
        assert!(rows.iter().all(|row| html.contains(&format!(r##"<a href="#{}""##, row.id))));
    }

    #[test]
    fn a_reading_stands_beside_what_was_printed() {
        let reading = Reading::argued("whole & more", "links send whole packets")
            .found(serde_json::json!({ "rate": 7.5 }), true)
            .breaks("dvsr-fig5-rias");
        let finding = crate::row::Finding::new(serde_json::json!({ "rate": 6 }), false, "").tried(reading);
        let html = page(&[&finding.into_row(&catalogue()[0])]);
        for part in ["1 under a reading", "whole &amp; more", "links send whole packets", "dvsr-fig5-rias", "7.5"] {
            assert!(html.contains(part), "{part}");
        }
        assert!(html.contains(r#"<li class="part">"#));
    }

    #[test]
    fn what_is_expected_stands_beside_what_was_measured() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let both = numbers(&[field("rate", "5")], &[field("rate", "4.9"), field("runs", "3")]).into_string();
        assert!(
            both.contains("<th>rate</th><td>5</td><td>4.9</td>") && both.contains("<th>runs</th><td>–</td><td>3</td>")
        );
        let apart = numbers(&[field("formula", "x")], &[field("holds", "yes")]).into_string();
        assert_eq!(apart.matches("<table").count(), 2);
        assert_eq!(plain(&serde_json::json!([200.0, 0.5, 3])), "200, 0.5, 3");
    }
}
