//! The TOML tree of a scenario: every key and value with its place in the text,
//! in the order of the file.

use super::diagnostic::{Report, Reported};
use super::syntax;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Datetime(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub node: Node,
}

impl Node {
    /// Reads a whole file; syntax errors come from [`crate::syntax`].
    pub fn read(text: &str, report: &Report<'_>) -> Result<Self, Reported> {
        let (root, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            return Err(syntax::report_all(text, &errors, report));
        }
        let node = Self { value: table(root.get_ref(), report), span: 0..0 };
        if report.has_errors() { Err(Reported) } else { Ok(node) }
    }

    /// The entries, if this is a table.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value under a key, if this is a table and has it.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    /// What the value is, for "… expected, not …".
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "text",
            Value::Integer(_) => "a number",
            Value::Float(_) => "a decimal number",
            Value::Boolean(_) => "true or false",
            Value::Datetime(_) => "a date",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The value as JSON, for parameters that serde reads.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) | Value::Datetime(text) => text.as_str().into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Boolean(yes) => (*yes).into(),
            Value::Array(items) => items.iter().map(Self::to_json).collect(),
            Value::Table(entries) => entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect(),
        }
    }

    /// The value as TOML on one line, for labels.
    pub fn to_inline_toml(&self) -> String {
        match &self.value {
            Value::Text(text) => toml_edit::Value::from(text.as_str()).to_string(),
            Value::Datetime(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => toml_edit::Value::from(*number).to_string(),
            Value::Boolean(yes) => yes.to_string(),
            Value::Array(items) => {
                format!("[{}]", items.iter().map(Self::to_inline_toml).collect::<Vec<_>>().join(", "))
            }
            Value::Table(entries) => {
                let pair = |entry: &Entry| format!("{} = {}", entry.key, entry.node.to_inline_toml());
                format!("{{ {} }}", entries.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

fn table(table: &DeTable<'_>, report: &Report<'_>) -> Value {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry { key: key.get_ref().to_string(), key_span: key.span(), node: node(value, report) })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    Value::Table(entries)
}

fn node(value: &Spanned<DeValue<'_>>, report: &Report<'_>) -> Node {
    let span = value.span();
    let value = match value.get_ref() {
        // Which line ends an editor writes says nothing about the text.
        DeValue::String(text) => Value::Text(text.replace("\r\n", "\n")),
        DeValue::Integer(number) => {
            Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).unwrap_or_else(|_| {
                report.error(
                    span.clone(),
                    format!("{number} is too large"),
                    "too large",
                    "write a whole number of at most 2^63 - 1",
                );
                0
            }))
        }
        // Out of range reads as infinite, which every range check rejects.
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(yes) => Value::Boolean(*yes),
        DeValue::Datetime(date) => Value::Datetime(date.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| node(item, report)).collect()),
        DeValue::Table(inner) => table(inner, report),
    };
    Node { value, span }
}
