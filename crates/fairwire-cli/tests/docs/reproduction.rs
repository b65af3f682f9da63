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
    page.push_str("\n### Checked\n\n| claim | verdict | the paper | here, as printed |\n| --- | --- | --- | --- |\n");
    for row in claims.iter().filter(|row| !["not-run", "not-applicable"].contains(&text(row, "verdict"))) {
        let (paper, here) = (in_words(&row["expected"]), in_words(&row["measured"]));
        let verdict = match verdict(row).as_str() {
            told @ ("differs" | "reading") => format!("**{told}**"),
            told => told.to_owned(),
        };
        let (id, place) = (text(row, "id"), escaped(text(row, "where")));
        let _ = writeln!(page, "| `{id}`<br>{place} | {verdict} | {paper} | {here} |");
    }
    page.push_str(&readings(&claims));
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

/// Every reading with its reason, then what came of it for each claim; that which a verdict hangs on is in bold. Where a claim comes
/// out as printed, only readings are told under which it does not.
fn readings(claims: &[Value]) -> String {
    let tried: Vec<(&Value, &Value)> = claims
        .iter()
        .flat_map(|row| row["readings"].as_array().into_iter().flatten().map(move |reading| (row, reading)))
        .collect();
    let mut reasons = String::new();
    let mut told = Vec::new();
    for (_, reading) in &tried {
        let name = text(reading, "name");
        if !told.contains(&name) {
            told.push(name);
            let (name, why) = (escaped(name), escaped(text(reading, "why")));
            let _ = writeln!(reasons, "| {name} | {} | {why} |", text(reading, "ground"));
        }
    }
    let mut page = format!("\n### Readings\n\n| reading | ground | why |\n| --- | --- | --- |\n{reasons}");
    page.push_str(
        "\nReadings under which a claim comes out that comes out as printed are left out; `--json` has them.\n",
    );
    page.push_str("\n| claim | reading | comes out | here, under it | what else it breaks | tried |\n");
    page.push_str("| --- | --- | --- | --- | --- | --: |\n");
    let tells_more = |(row, reading): &(&Value, &Value)| row["verdict"] != "reproduced" || reading["holds"] != true;
    for (row, reading) in tried.into_iter().filter(tells_more) {
        let name = escaped(text(reading, "name"));
        let name = if row["reading"] == reading["name"] { format!("**{name}**") } else { name };
        let outcome = if reading["holds"] == true { "yes" } else { "no" };
        let breaks = reading["breaks"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let breaks = breaks.map(escaped).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            page,
            "| `{}` | {name} | {outcome} | {} | {} | {} |",
            text(row, "id"),
            in_words(&reading["measured"]),
            if breaks.is_empty() { "–" } else { &breaks },
            row["readings_tried"]
        );
    }
    page
}

/// The heads of the table of counts.
const VERDICTS: [&str; 5] = ["reproduced", "reading", "differs", "not-run", "not-applicable"];

/// How many claims have each verdict, as the page tells in its table of papers.
pub fn totals(page: &str) -> [u32; 5] {
    let heads = counts_head();
    let table = page.split_once(&heads).expect("the page has the table of counts").1;
    let mut totals = [0; 5];
    for line in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        for (total, cell) in totals.iter_mut().zip(&cells[1..]) {
            *total += cell.parse::<u32>().expect("a count");
        }
    }
    totals
}

fn counts_head() -> String {
    let names = VERDICTS.map(|verdict| verdict.replace('-', " ")).join(" | ");
    format!("| paper | {names} |\n| --- {}|\n", "| --: ".repeat(VERDICTS.len()))
}

fn counts(claims: &[Value]) -> String {
    let mut table = counts_head();
    let mut papers: Vec<&str> = claims.iter().map(|row| text(row, "paper")).collect();
    papers.dedup();
    for paper in papers {
        let of = |verdict: &str| {
            claims.iter().filter(|row| text(row, "paper") == paper && text(row, "verdict") == verdict).count()
        };
        let _ = writeln!(table, "| {paper} | {} |", VERDICTS.map(|verdict| of(verdict).to_string()).join(" | "));
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
