//! The keys of answers as JSON, and those that the pages of the reference tell.

use super::calls::root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The keys of a value, as the pages write them: `flows[].limited_by.kind`.
pub fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, &format!("{path}[]"), found)),
        _ => {}
    }
}

/// A page of the reference.
fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs/reference").join(name)).expect("the page is there")
}

/// The keys that a page tells.
pub fn told(page_name: &str) -> BTreeSet<String> {
    rows(&page(page_name)).map(|(key, _)| key.to_owned()).collect()
}

/// Keys and their types.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (key, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((key, rest.split_once(" |")?.0))
    })
}

/// The keys that the page of many commands tells of one, shapes written out.
pub fn told_of(command: &str) -> BTreeSet<String> {
    let page = page("answers.md");
    let section = page.split("\n## ").find(|section| section.starts_with(&format!("`{command}`\n")));
    let mut keys = BTreeSet::new();
    for (key, kind) in rows(section.expect("the command has a section")) {
        let parts: &[&str] = match kind {
            "estimate" => &["value", "low", "high"],
            "mean" => &["mean", "half_width"],
            _ => &[],
        };
        keys.extend(parts.iter().map(|part| format!("{key}.{part}")));
        keys.insert(key.to_owned());
    }
    keys
}

/// Keys of an answer as the page tells them: names in the map at `map` are any, and what is below `open` is its own.
pub fn as_told(answer: &Value, map: &str, open: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys(answer, "", &mut found);
    let named = |key: String| match key.strip_prefix(&format!("{map}.")) {
        Some(below) => below.split_once('.').map(|(_, rest)| format!("{map}.*.{rest}")),
        None => Some(key),
    };
    let is_closed = |key: &String| !open.iter().any(|open| key.len() > open.len() && key.starts_with(open));
    found.into_iter().filter(is_closed).filter_map(named).collect()
}

/// Whether a key is only in answers of real runs.
pub fn is_of_real_runs(key: &str) -> bool {
    ["driver", "real", "simulated"].contains(&key.split(['.', '[']).next().unwrap_or_default())
}
