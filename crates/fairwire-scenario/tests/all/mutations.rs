//! Systematic damage to good files: every key misspelt or taken away, every
//! unit stripped, every value of another type. Each time the error points at
//! the damage.

use crate::common::assert_helpful;
use fairwire_scenario::{Scenario, TEMPLATES, template};
use std::ops::Range;
use toml_edit::{Document, Item, TableLike, Value};

/// A key with its value in a text.
struct Site {
    path: String,
    key: Range<usize>,
    value: Range<usize>,
    text: Option<String>,
}

/// All keys of a text, those of nested tables included.
fn sites(text: &str) -> Vec<Site> {
    let document = Document::parse(text).unwrap();
    let mut sites = Vec::new();
    walk(document.as_table(), "", &mut sites);
    sites
}

fn walk(table: &dyn TableLike, path: &str, sites: &mut Vec<Site>) {
    for (name, item) in table.iter() {
        let key = table.key(name).and_then(|key| key.span());
        let path = format!("{path}/{name}");
        if let (Some(key), Some(value)) = (key, item.span()) {
            let text = item.as_str().map(str::to_owned);
            sites.push(Site { path: path.clone(), key, value, text });
        }
        match item {
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| walk(table, &path, sites)),
            Item::Value(Value::InlineTable(table)) => walk(table, &path, sites),
            Item::Table(table) => walk(table, &path, sites),
            _ => {}
        }
    }
}

fn replaced(text: &str, range: &Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

/// Demands an error with a mend, one of them on the damaged line.
fn assert_error_at(what: &str, text: &str, damage: usize) {
    let Err(errors) = Scenario::parse("damaged.toml", text).and_then(|scenario| scenario.expand_sweep()) else {
        panic!("{what} goes unnoticed in\n{text}");
    };
    assert_helpful(what, text, &errors);
    let line = text[..damage].matches('\n').count() + 1;
    assert!(errors.items.iter().any(|item| item.line == line), "{what} on line {line}, but the error is\n{errors}");
}

fn good() -> Vec<(&'static str, String)> {
    TEMPLATES.iter().map(|known| (known.name, template(known.name, "").unwrap())).collect()
}

#[test]
fn a_misspelt_key_is_an_error_at_its_place() {
    let mut count = 0;
    for (name, text) in good() {
        for site in sites(&text) {
            let key = &text[site.key.clone()];
            let misspelt = match key.strip_suffix('"') {
                Some(open) => format!("{open}x\""),
                None => format!("{key}x"),
            };
            assert_error_at(&format!("{name}: {}x", site.path), &replaced(&text, &site.key, &misspelt), site.key.start);
            count += 1;
        }
    }
    assert!(count > 100, "{count} keys misspelt");
}

#[test]
fn a_quantity_without_its_unit_is_an_error_at_its_place() {
    let mut count = 0;
    for (name, text) in good() {
        for site in sites(&text) {
            let Some((number, _unit)) = site.text.as_deref().and_then(|text| text.split_once(' ')) else { continue };
            if number.parse::<f64>().is_err() {
                continue;
            }
            for bare in [number.to_owned(), format!("\"{number}\"")] {
                let damaged = replaced(&text, &site.value, &bare);
                assert_error_at(&format!("{name}: {} = {bare}", site.path), &damaged, site.value.start);
                count += 1;
            }
            for unit in ["parsecs", "Mb", "/s", "%%", "kB kB"] {
                let wrong = format!("\"{number} {unit}\"");
                let damaged = replaced(&text, &site.value, &wrong);
                assert_error_at(&format!("{name}: {} = {wrong}", site.path), &damaged, site.value.start);
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} units damaged");
}

/// Values that fit nearly nowhere.
const MISFITS: &[&str] =
    &["true", "[]", "[[]]", "{}", "{ a = 1 }", "-3", "1e99", "nan", "-inf", "\"\"", "\"???\"", "1979-05-27", "[true]"];

/// The few places where one of them does fit.
fn fits(path: &str, value: &str) -> bool {
    match path {
        "/title" => value == "\"???\"",
        "/description" => value.starts_with('"'),
        // The error is then in the route that takes the link by its name.
        "/network/link/name" => value == "\"???\"",
        "/network/link/duplex" => value == "true",
        "/ring/weights" | "/expect" | "/sweep" | "/run" => value == "{}",
        "/ring/transit" | "/ring/protection" => value == "{}",
        "/ring/link" => value == "[]",
        _ => false,
    }
}

#[test]
fn a_value_of_another_type_is_an_error_at_its_place() {
    let mut count = 0;
    for (name, text) in good() {
        for site in sites(&text) {
            // Tables with headers cannot be replaced where they stand.
            if !text[..site.value.start].trim_end().ends_with('=') {
                continue;
            }
            for value in MISFITS.iter().filter(|value| !fits(&site.path, value)) {
                let damaged = replaced(&text, &site.value, value);
                assert_error_at(&format!("{name}: {} = {value}", site.path), &damaged, site.value.start);
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count} values replaced");
}

#[test]
fn a_missing_key_is_an_error_that_names_it() {
    // Table, key, whether the file must have it.
    let required = [
        ("", "schema"),
        ("ring", "stations"),
        ("ring", "capacity"),
        ("ring", "span-delay"),
        ("ring", "law"),
        ("network", "nodes"),
        ("link", "capacity"),
        ("flow", "name"),
        ("flow", "from"),
        ("flow", "to"),
        ("law", "name"),
        ("traffic", "kind"),
        ("traffic", "rate"),
        ("traffic", "peak"),
        ("traffic", "mean-on"),
        ("traffic", "mean-off"),
        ("fair", "within"),
    ];
    let mut count = 0;
    for (name, text) in good() {
        for site in sites(&text) {
            let mut parts = site.path.rsplit('/');
            let key = parts.next().unwrap_or_default();
            let table = parts.next().unwrap_or_default();
            let in_network = site.path.starts_with("/network");
            let needed = required.contains(&(table, key)) && (table != "link" || in_network);
            if !needed || !text[..site.value.start].trim_end().ends_with('=') {
                continue;
            }
            let before = text[..site.key.start].trim_end_matches([' ', ',']);
            let after = text[site.value.end..].trim_start_matches([' ', ',']);
            let opens = before.ends_with('{') || before.ends_with('\n') || before.is_empty();
            let joint = if opens || after.starts_with('}') { " " } else { ", " };
            let damaged = format!("{before}{joint}{after}");
            let errors = Scenario::parse("damaged.toml", &damaged)
                .err()
                .unwrap_or_else(|| panic!("{name}: {} can be left out\n{damaged}", site.path));
            assert_helpful(&site.path, &damaged, &errors);
            let named = errors.items.iter().any(|item| item.message.contains(&format!("no `{key}`")));
            assert!(named, "{name}: {} is not named by\n{errors}", site.path);
            count += 1;
        }
    }
    assert!(count > 40, "{count} keys removed");
}
