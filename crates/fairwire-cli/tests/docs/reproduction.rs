//! The tables of docs/reproduction.md, from `fairwire reproduce --json`.

use crate::common::fairwire;
use serde_json::Value;
use std::fmt::Write;

/// First what was checked, with numbers, then what waits for software not built yet.
pub fn tables() -> String {
    let answer = fairwire(&["reproduce", "--json"]).ends_with(0).json();
    let claims = answer["claims"].as_array().expect("claims").clone();
    let catalogue = fairwire_claims::catalogue();
    assert_eq!(claims.len(), catalogue.len(), "every claim of the catalogue has a row");
    let verdict = |row: &Value| text(row, "verdict").to_owned();
    let mut page = counts(&claims);
    page.push_str("\n### Checked\n\n| claim | verdict | the paper | here |\n| --- | --- | --- | --- |\n");
    for row in claims.iter().filter(|row| !["not-run", "not-applicable"].contains(&text(row, "verdict"))) {
        let (paper, here) = (in_words(&row["expected"]), in_words(&row["measured"]));
        let verdict = if verdict(row) == "differs" { "**differs**".to_owned() } else { verdict(row) };
        let (id, place) = (text(row, "id"), escaped(text(row, "where")));
        let _ = writeln!(page, "| `{id}`<br>{place} | {verdict} | {paper} | {here} |");
    }
    page.push_str("\n### Not checked\n\n| claim | where | verdict | what it says |\n| --- | --- | --- | --- |\n");
    for row in claims.iter().filter(|row| ["not-run", "not-applicable"].contains(&text(row, "verdict"))) {
        let id = text(row, "id");
        let title = &catalogue.iter().find(|claim| claim.id == id).expect("it is in the catalogue").title;
        let (place, title) = (escaped(text(row, "where")), escaped(title));
        let _ = writeln!(page, "| `{id}` | {place} | {} | {title} |", verdict(row));
    }
    page.push('\n');
    page
}

fn counts(claims: &[Value]) -> String {
    let mut table =
        "| paper | reproduced | differs | not run | not applicable |\n| --- | --: | --: | --: | --: |\n".to_owned();
    let mut papers: Vec<&str> = claims.iter().map(|row| text(row, "paper")).collect();
    papers.dedup();
    for paper in papers {
        let of = |verdict: &str| {
            claims.iter().filter(|row| text(row, "paper") == paper && text(row, "verdict") == verdict).count()
        };
        let [yes, no, open, never] = ["reproduced", "differs", "not-run", "not-applicable"].map(of);
        let _ = writeln!(table, "| {paper} | {yes} | {no} | {open} | {never} |");
    }
    table
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

/// Keys and values on one line; lists of rates rounded as far as a reader looks.
fn in_words(value: &Value) -> String {
    let words = match value {
        Value::Object(fields) => {
            let part = |(key, value): (&String, &Value)| format!("{key}: {}", in_words(value));
            fields.iter().map(part).collect::<Vec<_>>().join("; ")
        }
        Value::Array(values) if values.len() > 5 && values.iter().all(Value::is_object) => {
            format!("{}, …, {}", in_words(&values[0]), in_words(&values[values.len() - 1]))
        }
        Value::Array(values) => values.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            if number != 0.0 && number.abs() < 1e-3 {
                format!("{number:.1e}")
            } else {
                ((number * 1e4).round() / 1e4).to_string()
            }
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    escaped(&words)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "").replace('|', "\\|")
}
