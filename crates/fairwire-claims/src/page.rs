//! Claims and what came out as a page to read, with figures.

use crate::row::{Row, Verdict};
use fairwire_alloc::text;
use fairwire_results::{document, escape};
use serde_json::Value;
use std::fmt::Write;

/// The rows as one HTML page that needs nothing else.
pub fn page(rows: &[&Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let counts = [
        (Verdict::Reproduced, "reproduced"),
        (Verdict::Differs, "differ"),
        (Verdict::NotRun, "not run"),
        (Verdict::NotApplicable, "not applicable"),
    ];
    let counts = counts.map(|(verdict, word)| (count(verdict), word));
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let mut body = format!(
        "<header><h1>What the papers claim, and what comes out</h1><p class=\"lead\">{}. Each claim is measured anew by \
         <code>fairwire reproduce</code>; circles in figures are numbers that the paper prints.</p>{}</header>",
        counts.join(", "),
        index(rows)
    );
    for row in rows {
        section(row, &mut body);
    }
    let _ = write!(body, "<p class=\"note\">fairwire {}.</p>", env!("CARGO_PKG_VERSION"));
    document("Claims", &body)
}

/// Every claim as a link to its section, in the colour of its verdict; nothing where there is little to find.
fn index(rows: &[&Row]) -> String {
    const FEW: usize = 4;
    if rows.len() <= FEW {
        return String::new();
    }
    let link = |row: &&Row| {
        let id = escape(&row.id);
        format!(r##"<li class="{}"><a href="#{id}" title="{}">{id}</a></li>"##, class(row.verdict), escape(&row.title))
    };
    format!(r#"<ul class="index">{}</ul>"#, rows.iter().map(link).collect::<String>())
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "yes",
        Verdict::Differs => "no",
        Verdict::NotRun | Verdict::NotApplicable => "open",
    }
}

fn section(row: &Row, html: &mut String) {
    let _ = write!(
        html,
        r#"<section id="{id}"><h2>{title}</h2><ul class="verdicts"><li class="{class}"><span class="vl">{id}</span><span class="vm">{verdict}</span><span class="vs">{paper}, {place}</span></li></ul>"#,
        class = class(row.verdict),
        id = escape(&row.id),
        title = escape(&row.title),
        verdict = row.verdict.name(),
        paper = escape(&row.paper),
        place = escape(&row.place),
    );
    html.push_str(r#"<div class="pair claim">"#);
    if let Some(figure) = &row.figure {
        html.push_str(&figure.draw());
    }
    html.push_str("<div>");
    if !row.note.is_empty() {
        let _ = write!(html, r#"<p class="note">{}</p>"#, escape(&row.note));
    }
    html.push_str(&numbers(&fields(&row.expected), &fields(&row.measured)));
    let tolerance = fields(&row.tolerance);
    if !tolerance.is_empty() {
        let told: Vec<String> = tolerance
            .iter()
            .map(|(name, value)| match (name.as_str(), value.as_str(), value.parse::<f64>()) {
                ("text", value, _) => value.to_owned(),
                ("abs", "0", _) => "none".to_owned(),
                ("abs", value, _) => format!("± {value}"),
                ("rel", _, Ok(part)) => format!("{} %", text::number(part * 100.0, 4)),
                (name, "yes", _) => name.replace('_', " "),
                (name, value, _) => format!("{} {value}", name.replace('_', " ")),
            })
            .collect();
        let _ = write!(html, r#"<p class="note">Tolerance: {}.</p>"#, escape(told.join(", ").trim()));
    }
    html.push_str("</div></div></section>\n");
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
fn numbers(expected: &[Field], measured: &[Field]) -> String {
    let find =
        |fields: &[Field], name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    if !expected.iter().any(|(name, _)| find(measured, name).is_some()) {
        return [("expected", expected), ("measured", measured)]
            .into_iter()
            .filter(|(_, fields)| !fields.is_empty())
            .map(|(title, fields)| {
                table(&[title], fields.iter().map(|(name, value)| (name.as_str(), vec![value.clone()])))
            })
            .collect();
    }
    let beyond = measured.iter().filter(|(name, _)| find(expected, name).is_none());
    let rows = expected.iter().chain(beyond).map(|(name, _)| {
        let values = [expected, measured].map(|fields| find(fields, name).unwrap_or_else(|| "–".to_owned()));
        (name.as_str(), values.to_vec())
    });
    table(&["expected", "measured"], rows)
}

/// A line a name; longer values are folded away.
fn table<'a>(header: &[&str], rows: impl Iterator<Item = (&'a str, Vec<String>)>) -> String {
    /// Longer text is not read at a glance.
    const MOST_AT_A_GLANCE: usize = 160;
    let cell = |text: &String| {
        if text.len() <= MOST_AT_A_GLANCE {
            format!("<td>{}</td>", escape(text))
        } else {
            format!("<td><details><summary>all numbers</summary>{}</details></td>", escape(text))
        }
    };
    let row = |(name, values): (&str, Vec<String>)| {
        // Names are long and break at their underscores only.
        let name = escape(name).replace('_', "_<wbr>");
        format!("<tr><th>{name}</th>{}</tr>", values.iter().map(cell).collect::<String>())
    };
    format!(
        r#"<div class="scroll"><table class="said"><thead><tr><th></th>{}</tr></thead><tbody>{}</tbody></table></div>"#,
        header.iter().map(|name| format!("<th>{name}</th>")).collect::<String>(),
        rows.map(row).collect::<String>()
    )
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
    fn what_is_expected_stands_beside_what_was_measured() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let both = numbers(&[field("rate", "5")], &[field("rate", "4.9"), field("runs", "3")]);
        assert!(
            both.contains("<th>rate</th><td>5</td><td>4.9</td>") && both.contains("<th>runs</th><td>–</td><td>3</td>")
        );
        let apart = numbers(&[field("formula", "x")], &[field("holds", "yes")]);
        assert_eq!(apart.matches("<table").count(), 2);
        assert_eq!(plain(&serde_json::json!([200.0, 0.5, 3])), "200, 0.5, 3");
    }
}
