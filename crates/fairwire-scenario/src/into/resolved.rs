//! The scenario as a file in which nothing is left open.

use crate::{Scenario, format};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value};

/// What one would write with headers of their own.
const HEADED: &[&str] = &["run", "ring", "network", "expect"];

impl Scenario {
    /// A scenario file that says everything and means the same: every default
    /// filled in, every flow by itself. A sweep is not part of it.
    pub fn resolved_toml(&self) -> String {
        // Neither step can fail: keys are text, and what serialises is TOML.
        let document = toml_edit::ser::to_document(self).unwrap_or_default();
        let text = with_headers(document).to_string();
        format(&text).unwrap_or(text)
    }
}

/// Gives the tables of a scenario their usual headers; smaller ones stay on one line.
fn with_headers(mut document: DocumentMut) -> DocumentMut {
    let root = document.as_table_mut();
    for key in HEADED {
        if let Some(table) = root.remove(key).and_then(into_table) {
            root.insert(key, Item::Table(table));
        }
    }
    for parent in ["ring", "network"] {
        if let Some(Item::Table(table)) = root.get_mut(parent) {
            spread(table, "link");
        }
    }
    spread(root, "flow");
    spread(root, "event");
    document
}

/// Turns a list of inline tables into tables of their own.
fn spread(parent: &mut Table, key: &str) {
    let Some(Item::Value(Value::Array(items))) = parent.remove(key) else { return };
    let tables: ArrayOfTables = items.into_iter().filter_map(|item| into_table(Item::Value(item))).collect();
    parent.insert(key, Item::ArrayOfTables(tables));
}

fn into_table(item: Item) -> Option<Table> {
    item.into_table().ok()
}
