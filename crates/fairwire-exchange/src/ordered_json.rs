//! JSON whose objects keep their order, and where in a text a key stands.

use crate::findings::Findings;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Boolean(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Which member of an object a key is.
    pub fn position(&self, key: &str) -> Option<usize> {
        match self {
            Self::Object(members) => members.iter().position(|(name, _)| name == key),
            _ => None,
        }
    }

    /// A key that stands twice in one object, be it this one or one within.
    pub fn doubled(&self) -> Option<&str> {
        match self {
            Self::List(items) => items.iter().find_map(Self::doubled),
            Self::Object(members) => {
                let mut seen = BTreeSet::new();
                let again = members.iter().map(|(key, _)| key.as_str()).find(|&key| !seen.insert(key));
                again.or_else(|| members.iter().find_map(|(_, value)| value.doubled()))
            }
            _ => None,
        }
    }

    /// A text or a number as text.
    pub fn as_word(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

impl fmt::Display for Json {
    /// Over several lines, two spaces a level.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Json {
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let indent = "  ".repeat(depth + 1);
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::List(items) if items.is_empty() => f.write_str("[]"),
            Self::Object(members) if members.is_empty() => f.write_str("{}"),
            Self::List(items) => {
                for (number, item) in items.iter().enumerate() {
                    write!(f, "{}{indent}", if number == 0 { "[\n" } else { ",\n" })?;
                    item.write(f, depth + 1)?;
                }
                write!(f, "\n{}]", "  ".repeat(depth))
            }
            Self::Object(members) => {
                for (number, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{indent}{}: ", if number == 0 { "{\n" } else { ",\n" }, quoted(name))?;
                    value.write(f, depth + 1)?;
                }
                write!(f, "\n{}}}", "  ".repeat(depth))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Json::Object(object))
    }
}

/// The byte at a line and column as the parser counts them.
pub(crate) fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where the keys of an object stand that begins at a byte of a text that is known to be JSON.
pub(crate) fn keys_of(text: &str, at: usize) -> Vec<Range<usize>> {
    let mut keys = Vec::new();
    let (mut depth, mut begin, mut is_escaped) = (0_usize, None, false);
    for (at, byte) in text.bytes().enumerate().skip(at) {
        match (begin, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(start), b'"') => {
                begin = None;
                if depth == 1 && text[at + 1..].trim_start().starts_with(':') {
                    keys.push(start..at + 1);
                }
            }
            (None, b'"') => begin = Some(at),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    keys
}

/// Notes keys that stand twice with different values in an object that begins at a byte; true if there are any.
pub(crate) fn note_doubles(object: &Json, text: &str, at: usize, findings: &mut Findings<'_>) -> bool {
    let Json::Object(members) = object else { return false };
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    let doubles: Vec<(usize, usize)> = (members.iter().enumerate())
        .map(|(nth, (key, _))| (*firsts.entry(key).or_insert(nth), nth))
        .filter(|&(first, nth)| members[first].1 != members[nth].1)
        .collect();
    if doubles.is_empty() {
        return false;
    }
    let keys = keys_of(text, at);
    let span = |nth: usize| keys.get(nth).cloned().unwrap_or(at..at);
    for &(first, nth) in &doubles {
        let (key, line) = (&members[nth].0, findings.line(span(first).start));
        let message = format!("`{key}` stands here and in line {line} with something else");
        findings.error(span(nth), message, "again", "keep one of them");
    }
    true
}

/// Finds keys in the order in which they stand in a text.
pub(crate) struct KeyFinder<'a> {
    text: &'a str,
    from: usize,
}

impl<'a> KeyFinder<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, from: 0 }
    }

    /// Where the object begins that the last key found stands for, if it is one.
    pub fn object(&self) -> usize {
        self.from + self.text[self.from..].find('{').unwrap_or(0)
    }

    /// Where the next key of this name stands after those found so far.
    pub fn next(&mut self, key: &str) -> Range<usize> {
        let quoted = serde_json::to_string(key).unwrap_or_default();
        let mut at = self.from;
        while let Some(found) = self.text[at..].find(&quoted) {
            let (start, end) = (at + found, at + found + quoted.len());
            if self.text[end..].trim_start().starts_with(':') {
                self.from = end;
                return start..end;
            }
            at = end;
        }
        // Written with escapes of another kind.
        self.from..self.from
    }
}
