//! The tables of docs/reproduction.md, from `fairwire reproduce --json`.

use crate::common::fairwire;
use fairwire_claims::catalogue;
use serde_json::{Value, json};
use std::fmt::Write;

/// The rows of `asked` as measured now, or of all claims; the others are `not-run`.
pub fn measured(asked: &[&str]) -> Vec<Value> {
    let answer = fairwire(&[&["reproduce", "--json"], asked].concat()).ends_with(0).json();
    let claims = answer["claims"].as_array().expect("claims").clone();
    assert_eq!(claims.len(), catalogue().len(), "every claim of the catalogue has a row");
    claims
}

/// First what was checked, with numbers, then what waits for software not built yet.
pub fn tables(claims: &[Value]) -> String {
    let mut page = counts(claims);
    page.push_str("\n### Checked\n\n| claim | verdict | the paper | here, as printed |\n| --- | --- | --- | --- |\n");
    claims.iter().filter(|row| is_checked(row)).for_each(|row| page.push_str(&checked(row)));
    page.push_str(&readings(claims));
    page.push_str("\n### Not checked\n\n| claim | where | verdict | what it says |\n| --- | --- | --- | --- |\n");
    claims.iter().filter(|row| !is_checked(row)).for_each(|row| page.push_str(&not_checked(row)));
    page.push('\n');
    page
}

/// What the tables on `page` say otherwise than the rows of the `measured` claims, and where they are not whole.
pub fn mistakes(page: &str, rows: &[Value], measured: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut told, mut wrong) = (Vec::new(), Vec::new());
    for row in rows {
        let id = text(row, "id");
        let lines: Vec<&str> = page.lines().filter(|line| line.starts_with(&format!("| `{id}`"))).collect();
        let (of_readings, own): (Vec<&str>, Vec<&str>) =
            lines.into_iter().partition(|line| cells(line).len() == READING);
        let verdict = own.first().and_then(|line| VERDICTS.into_iter().find(|verdict| cells(line).contains(verdict)));
        let (&[_], Some(verdict)) = (own.as_slice(), verdict) else {
            wrong.push(format!("`{id}` has {} rows with a verdict, not one", own.len()));
            continue;
        };
        told.push(json!({ "paper": row["paper"], "verdict": verdict }));
        if !measured(id) {
            if !is_checked(&told[told.len() - 1]) {
                wrong.push(format!("`{id}` has a check, and a row that says {verdict}"));
            }
            continue;
        }
        let is = if is_checked(row) { checked(row) } else { not_checked(row) };
        if own[0] != is.trim_end() {
            wrong.push(format!("`{id}`\n  shown: {}\n  is:    {}", own[0], is.trim_end()));
        }
        // What else a reading breaks is known only after all claims were measured.
        let shown: Vec<Vec<&str>> = of_readings.into_iter().map(|line| without_breaks(line)).collect();
        let lines: Vec<String> = told_readings(row).map(|reading| of_reading(row, reading)).collect();
        let is: Vec<Vec<&str>> = lines.iter().map(|line| without_breaks(line.trim_end())).collect();
        if shown != is {
            wrong.push(format!("`{id}`, its readings\n  shown: {shown:?}\n  is:    {is:?}"));
        }
    }
    let of_claims = page.lines().filter(|line| cells(line).len() > REASON);
    let ids = of_claims.filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let strangers = ids.filter(|id| !rows.iter().any(|row| text(row, "id") == *id));
    wrong.extend(strangers.map(|id| format!("`{id}` is no claim of the catalogue")));
    if !page.contains(&counts(&told)) {
        wrong.push(format!("the rows count up to\n{}", counts(&told)));
    }
    wrong
}

/// Cells of a row that tells what came out under a reading.
const READING: usize = 6;

/// Cells of a row that tells why a reading is one.
const REASON: usize = 3;

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('*')).collect()
}

fn without_breaks(line: &str) -> Vec<&str> {
    let mut cells = cells(line);
    cells.remove(READING - 2);
    cells
}

fn is_checked(row: &Value) -> bool {
    !["not-run", "not-applicable"].contains(&text(row, "verdict"))
}

fn checked(row: &Value) -> String {
    let (paper, here) = (in_words(&row["expected"]), in_words(&row["measured"]));
    let verdict = match text(row, "verdict") {
        told @ ("differs" | "reading") => format!("**{told}**"),
        told => told.to_owned(),
    };
    let (id, place) = (text(row, "id"), escaped(text(row, "where")));
    format!("| `{id}`<br>{place} | {verdict} | {paper} | {here} |\n")
}

fn not_checked(row: &Value) -> String {
    let id = text(row, "id");
    let title = &catalogue().iter().find(|claim| claim.id == id).expect("it is in the catalogue").title;
    let (place, title) = (escaped(text(row, "where")), escaped(title));
    format!("| `{id}` | {place} | {} | {title} |\n", text(row, "verdict"))
}

/// Every reading with its reason, then what came of it for each claim; that which a verdict hangs on is in bold. Where a claim comes
/// out as printed, only readings are told under which it does not.
fn readings(claims: &[Value]) -> String {
    let tried = claims.iter().flat_map(|row| row["readings"].as_array().into_iter().flatten());
    let mut reasons = String::new();
    let mut told = Vec::new();
    for reading in tried {
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
    for row in claims {
        told_readings(row).for_each(|reading| page.push_str(&of_reading(row, reading)));
    }
    page
}

/// The readings of a claim that the page tells.
fn told_readings(row: &Value) -> impl Iterator<Item = &Value> {
    let tells_more = |reading: &&Value| row["verdict"] != "reproduced" || reading["holds"] != true;
    row["readings"].as_array().into_iter().flatten().filter(tells_more)
}

fn of_reading(row: &Value, reading: &Value) -> String {
    let name = escaped(text(reading, "name"));
    let name = if row["reading"] == reading["name"] { format!("**{name}**") } else { name };
    let outcome = if reading["holds"] == true { "yes" } else { "no" };
    let breaks = reading["breaks"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let breaks = breaks.map(escaped).collect::<Vec<_>>().join(", ");
    format!(
        "| `{}` | {name} | {outcome} | {} | {} | {} |\n",
        text(row, "id"),
        in_words(&reading["measured"]),
        if breaks.is_empty() { "–" } else { &breaks },
        row["readings_tried"]
    )
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
