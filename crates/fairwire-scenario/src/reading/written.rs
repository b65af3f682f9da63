//! A tree as a file again: tables and lists of tables as such where files usually have them, all that lies deeper on one line.

use super::document::{Node, Value};
use toml_edit::{DocumentMut, InlineTable, Item, Table};

/// How deep tables have headings of their own: `[ring]` and `[[network.link]]` do.
const DEPTH: u8 = 2;

/// The TOML of a whole tree.
pub(crate) fn written(tree: &Node) -> String {
    DocumentMut::from(table(tree, DEPTH)).to_string()
}

fn table(node: &Node, depth: u8) -> Table {
    let mut table = Table::new();
    for entry in node.entries().unwrap_or_default() {
        table.insert(&entry.key, item(&entry.node, depth));
    }
    table
}

fn item(node: &Node, depth: u8) -> Item {
    match &node.value {
        Value::Table(_) if depth > 1 => Item::Table(table(node, depth - 1)),
        Value::Array(items) if depth > 0 && !items.is_empty() && items.iter().all(|item| item.entries().is_some()) => {
            Item::ArrayOfTables(items.iter().map(|item| table(item, 0)).collect())
        }
        _ => Item::Value(on_one_line(node)),
    }
}

fn on_one_line(node: &Node) -> toml_edit::Value {
    match &node.value {
        Value::Text(text) | Value::Datetime(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(yes) => (*yes).into(),
        Value::Array(items) => items.iter().map(on_one_line).collect(),
        Value::Table(entries) => {
            let mut table = InlineTable::new();
            for entry in entries {
                table.insert(&entry.key, on_one_line(&entry.node));
            }
            table.into()
        }
    }
}
