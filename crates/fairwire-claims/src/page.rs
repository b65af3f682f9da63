//! Claims and what came out as a page to read, with figures.

use crate::row::{Row, Verdict};
use fairwire_results::{document, escape};
use serde_json::Value;
use std::fmt::Write;

/// The rows as one HTML page that needs nothing else.
pub fn page(rows: &[&Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let counts = [Verdict::Reproduced, Verdict::Differs, Verdict::NotRun, Verdict::NotApplicable]
        .map(|verdict| format!("{} {}", count(verdict), verdict.name()));
    let mut body = format!(
        "<header><h1>What the papers claim, and what comes out</h1><p class=\"lead\">{}. Each claim is measured anew by \
         <code>fairwire reproduce</code>; circles in figures are numbers that the paper prints.</p></header>",
        counts.join(", ")
    );
    for row in rows {
        section(row, &mut body);
    }
    document("Claims", &body)
}

fn section(row: &Row, html: &mut String) {
    let class = match row.verdict {
        Verdict::Reproduced => "yes",
        Verdict::Differs => "no",
        Verdict::NotRun | Verdict::NotApplicable => "open",
    };
    let _ = write!(
        html,
        r#"<section id="{id}"><h2>{title}</h2><ul class="verdicts"><li class="{class}"><span class="vl">{id}</span><span class="vm">{verdict}</span><span class="vs">{paper}, {place}</span></li></ul>"#,
        id = escape(&row.id),
        title = escape(&row.title),
        verdict = row.verdict.name(),
        paper = escape(&row.paper),
        place = escape(&row.place),
    );
    html.push_str(r#"<div class="pair" style="margin-top:16px">"#);
    if let Some(figure) = &row.figure {
        html.push_str(&figure.draw());
    }
    html.push_str("<div>");
    if !row.note.is_empty() {
        let _ = write!(html, r#"<p class="note">{}</p>"#, escape(&row.note));
    }
    for (label, value) in [("expected", &row.expected), ("measured", &row.measured), ("tolerance", &row.tolerance)] {
        table(label, value, html);
    }
    html.push_str("</div></div></section>\n");
}

/// The fields of an object, a line each; longer values are folded away.
fn table(label: &str, value: &Value, html: &mut String) {
    /// Longer text is not read at a glance.
    const MOST_AT_A_GLANCE: usize = 160;
    let fields: Vec<(String, String)> = match value {
        Value::Null => return,
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        other => vec![(String::new(), plain(other))],
    };
    if fields.is_empty() {
        return;
    }
    let rows: String = fields
        .iter()
        .map(|(key, text)| {
            let cell = if text.len() <= MOST_AT_A_GLANCE {
                escape(text)
            } else {
                format!("<details><summary>all numbers</summary>{}</details>", escape(text))
            };
            format!("<tr><th>{}</th><td>{cell}</td></tr>", escape(key))
        })
        .collect();
    let _ = write!(html, r#"<h3>{label}</h3><div class="why"><table><tbody>{rows}</tbody></table></div>"#);
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
        other => other.to_string(),
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
    }
}
