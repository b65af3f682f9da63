//! Reading one table of a scenario: known keys, typed values, located errors.

use super::diagnostic::{Report, Reported};
use super::document::{Entry, Node, Value};
use super::suggest::{list, nearest};
use fairwire_alloc::{LARGEST_WEIGHT, LEAST_WEIGHT};
use fairwire_core::check_name;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

/// A table whose keys have been checked.
pub(crate) struct Table<'a> {
    pub node: &'a Node,
    /// Where missing keys are reported: the table's header.
    pub span: Range<usize>,
    /// How messages call the table: `[ring]`, `flow "a"`.
    pub place: String,
    pub report: &'a Report<'a>,
    /// Missing keys that an unknown one was probably meant to be.
    pub meant: RefCell<Vec<String>>,
}

/// A value under its key, or an item of a list.
pub(crate) struct Field<'a> {
    pub node: &'a Node,
    /// How messages call it: `capacity`.
    pub name: String,
    /// The table it stands in.
    pub place: String,
    pub report: &'a Report<'a>,
}

impl<'a> Table<'a> {
    /// The whole file.
    pub fn root(node: &'a Node, keys: &[&str], report: &'a Report<'a>) -> Self {
        let table = Self::new(node, 0..0, "a scenario".to_owned(), report);
        table.check_keys(keys);
        table
    }

    pub fn new(node: &'a Node, span: Range<usize>, place: String, report: &'a Report<'a>) -> Self {
        Self { node, span, place, report, meant: RefCell::default() }
    }

    /// Reports every key that is not one of these.
    pub fn check_keys(&self, keys: &[&str]) {
        for entry in self.entries() {
            if !keys.contains(&entry.key.as_str()) {
                self.unknown_key(entry, keys);
            }
        }
    }

    /// Reports a key that `self` does not have.
    pub fn unknown_key(&self, entry: &Entry, keys: &[&str]) -> Reported {
        let help = match nearest(&entry.key, keys.iter().copied()) {
            Some(key) => {
                self.meant.borrow_mut().push(key.to_owned());
                format!("write `{key}`; {} knows {}", self.place, list(keys))
            }
            None if keys.is_empty() => format!("remove it; {} has no keys", self.place),
            None => format!("remove it or use one of the keys of {}: {}", self.place, list(keys)),
        };
        let message = format!("{} has no key `{}`", self.place, entry.key);
        self.report.error(entry.key_span.clone(), message, "unknown key", help)
    }

    pub fn entries(&self) -> &'a [Entry] {
        self.node.entries().unwrap_or_default()
    }

    /// The value of a key, if it is there.
    pub fn field(&self, key: &str) -> Option<Field<'a>> {
        self.node.get(key).map(|entry| self.of_entry(entry))
    }

    /// The value of a key that has to be there.
    pub fn need(&self, key: &str, example: &str) -> Result<Field<'a>, Reported> {
        self.field(key)
            .ok_or_else(|| self.missing(key, &format!("`{key}` is missing"), &format!("add `{key} = {example}`")))
    }

    /// Reports a key that is not there, unless it is there misspelt.
    pub fn missing(&self, key: &str, label: &str, help: &str) -> Reported {
        if self.meant.borrow().iter().any(|meant| meant == key) {
            return Reported;
        }
        self.report.error(self.span.clone(), format!("{} has no `{key}`", self.place), label, help)
    }

    pub fn of_entry(&self, entry: &'a Entry) -> Field<'a> {
        Field { node: &entry.node, name: entry.key.clone(), place: self.place.clone(), report: self.report }
    }

    /// The place of a key.
    pub fn key_span(&self, key: &str) -> Range<usize> {
        self.node.get(key).map_or(self.span.clone(), |entry| entry.key_span.clone())
    }
}

impl<'a> Field<'a> {
    pub fn span(&self) -> Range<usize> {
        self.node.span.clone()
    }

    pub fn error(&self, message: impl Into<String>, label: impl Into<String>, help: impl Into<String>) -> Reported {
        self.report.error(self.span(), message, label, help)
    }

    /// The value is of another type than the one wanted.
    pub fn wrong_type(&self, wanted: &str, example: &str) -> Reported {
        let kind = self.node.kind();
        let message = format!("{} is {wanted}, not {kind}", self.called());
        self.error(message, format!("this is {kind}"), format!("write {}", self.written(example)))
    }

    /// How messages speak of it: "`capacity` of [ring]".
    pub fn called(&self) -> String {
        if self.name.contains(' ') {
            return format!("{} of {}", self.name, self.place);
        }
        format!("`{}` of {}", self.name, self.place)
    }

    /// How the field would look with another value: `capacity = "622 Mb/s"`.
    pub fn written(&self, value: &str) -> String {
        if self.name.contains(' ') {
            return format!("`{value}`");
        }
        format!("`{} = {value}`", toml_edit::Key::new(&self.name).display_repr())
    }

    pub fn text(&self, example: &str) -> Result<&'a str, Reported> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_type("text in quotes", example)),
        }
    }

    /// Text that says something.
    pub fn some_text(&self, example: &str) -> Result<&'a str, Reported> {
        let text = self.text(example)?;
        if text.trim().is_empty() {
            let message = format!("{} is empty", self.called());
            return Err(self.error(message, "nothing here", format!("write {}", self.written(example))));
        }
        Ok(text)
    }

    /// Text that can stand in a table: it says something, and has no control characters.
    pub fn name(&self, example: &str) -> Result<&'a str, Reported> {
        let name = self.some_text(example)?;
        check_name(name).map_err(|wrong| {
            let message = format!("{} {wrong}", self.called());
            self.error(message, "not a name", "write letters, digits and marks")
        })?;
        Ok(name)
    }

    pub fn boolean(&self) -> Result<bool, Reported> {
        match self.node.value {
            Value::Boolean(yes) => Ok(yes),
            _ => Err(self.wrong_type("true or false", "true")),
        }
    }

    /// True, false, or the only other choice, which is `word` (none of both then).
    pub fn boolean_or(&self, word: &str) -> Result<Option<bool>, Reported> {
        let choices = format!("true, false or \"{word}\"");
        match &self.node.value {
            Value::Boolean(yes) => Ok(Some(*yes)),
            Value::Text(text) if text == word => Ok(None),
            Value::Text(text) => {
                let message = format!("{} cannot be \"{text}\"", self.called());
                Err(self.error(message, "unknown word", format!("use {choices}")))
            }
            _ => Err(self.wrong_type(&choices, "true")),
        }
    }

    pub fn integer(&self, range: RangeInclusive<u64>, example: &str) -> Result<u64, Reported> {
        let Value::Integer(number) = self.node.value else {
            return Err(self.wrong_type("a whole number", example));
        };
        u64::try_from(number).ok().filter(|number| range.contains(number)).ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            let (message, help) = if *high == i64::MAX as u64 {
                let message = format!("{} goes from {low} to 2^63 - 1, not {number}", self.called());
                (message, format!("write a whole number from {low} to 2^63 - 1"))
            } else if *high == u64::MAX {
                (
                    format!("{} is {low} or more, not {number}", self.called()),
                    format!("write a whole number from {low}"),
                )
            } else {
                let message = format!("{} goes from {low} to {high}, not {number}", self.called());
                (message, format!("write a whole number from {low} to {high}"))
            };
            self.error(message, "out of range", help)
        })
    }

    /// A weight that sums and ratios of weights cannot drive out of range.
    pub fn weight(&self) -> Result<f64, Reported> {
        let weight = match self.node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => return Err(self.wrong_type("a number above zero", "2")),
        };
        if !(LEAST_WEIGHT..=LARGEST_WEIGHT).contains(&weight) {
            let range = format!("from {LEAST_WEIGHT} to {LARGEST_WEIGHT}");
            let message = format!("{} goes {range}, not {weight}", self.called());
            return Err(self.error(message, "not a weight", format!("write a number {range}, such as 1 or 2.5")));
        }
        Ok(weight)
    }

    /// One of a few words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Reported> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let text = self.text(&format!("\"{}\"", names[0]))?;
        words
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| *value)
            .ok_or_else(|| self.unknown_word(text, &names))
    }

    pub fn unknown_word(&self, text: &str, names: &[&str]) -> Reported {
        let help = match nearest(text, names.iter().copied()) {
            Some(name) if names.len() == 1 => format!("write \"{name}\""),
            Some(name) => format!("write \"{name}\"; there are {}", list(names)),
            None if names.len() == 1 => format!("write \"{}\"", names[0]),
            None => format!("use one of {}", list(names)),
        };
        self.error(format!("`{}` of {} cannot be \"{text}\"", self.name, self.place), "unknown word", help)
    }

    /// The value as a table of its own, with exactly these keys allowed.
    pub fn table(&self, place: impl Into<String>, keys: &[&str], example: &str) -> Result<Table<'a>, Reported> {
        let table = self.open_table(place, example)?;
        table.check_keys(keys);
        Ok(table)
    }

    /// The value as a table whose keys depend on what it says.
    pub fn open_table(&self, place: impl Into<String>, example: &str) -> Result<Table<'a>, Reported> {
        if self.node.entries().is_none() {
            return Err(self.wrong_type("a table", example));
        }
        Ok(Table::new(self.node, self.span(), place.into(), self.report))
    }

    /// The items of a list.
    pub fn items(&self) -> Option<Vec<Field<'a>>> {
        let Value::Array(items) = &self.node.value else { return None };
        let item = |node| Field {
            node,
            name: format!("an item of `{}`", self.name),
            place: self.place.clone(),
            report: self.report,
        };
        Some(items.iter().map(item).collect())
    }

    /// The items of a list of tables, as `[[flow]]` writes them.
    pub fn tables(&self, header: &str) -> Result<Vec<Field<'a>>, Reported> {
        self.items().filter(|items| items.iter().all(|item| item.node.entries().is_some())).ok_or_else(|| {
            let message = format!("`{}` is a list of tables, not {}", self.name, self.node.kind());
            self.error(
                message,
                "one pair of brackets is missing",
                format!("write {header} with two brackets on each side"),
            )
        })
    }
}
