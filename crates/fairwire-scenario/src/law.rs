//! `law = { name = "…", … }`, `queue = { … }`, `control = { … }`: a law and its parameters.
//!
//! The laws themselves say what can be set: their JSON schema gives the keys,
//! words and ranges, and their own reader the values.

use crate::law_choice::of_other_kind;
use crate::reading::diagnostic::Reported;
use crate::reading::document::{Entry, Value};
use crate::reading::suggest::{list, nearest};
use crate::reading::table::{Field, Table};
use fairwire_laws::LawAbout;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::ControlChoice;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// A list of laws of one kind, of which a scenario chooses one.
pub(crate) trait LawList: DeserializeOwned + JsonSchema {
    /// What messages call one of them.
    const WHAT: &'static str;
    /// What messages call one under its key.
    const SHORT: &'static str;
    /// What the key means.
    const MEANING: &'static str;

    /// All there are.
    fn all() -> &'static [&'static LawAbout];

    /// What is wrong with the parameters, taken together.
    fn problem(&self) -> Option<String>;
}

impl LawList for RingLawChoice {
    const WHAT: &'static str = "ring law";
    const SHORT: &'static str = "law";
    const MEANING: &'static str = "The control law that every station runs, with its parameters.";

    fn all() -> &'static [&'static LawAbout] {
        Self::ALL
    }

    fn problem(&self) -> Option<String> {
        self.problem()
    }
}

impl LawList for QueueLawChoice {
    const WHAT: &'static str = "queue law";
    const SHORT: &'static str = "queue law";
    const MEANING: &'static str = "The law of a queue, with its parameters.";

    fn all() -> &'static [&'static LawAbout] {
        Self::ALL
    }

    fn problem(&self) -> Option<String> {
        self.problem()
    }
}

impl LawList for RateLawChoice {
    const WHAT: &'static str = "rate law";
    const SHORT: &'static str = "rate law";
    const MEANING: &'static str = "The law by which switches tell flows their rates, with its parameters.";

    fn all() -> &'static [&'static LawAbout] {
        Self::ALL
    }

    fn problem(&self) -> Option<String> {
        self.problem()
    }
}

impl LawList for ControlChoice {
    const WHAT: &'static str = "congestion control";
    const SHORT: &'static str = "control";
    const MEANING: &'static str = "How the sender controls its window, with its parameters.";

    fn all() -> &'static [&'static LawAbout] {
        Self::ALL
    }

    fn problem(&self) -> Option<String> {
        self.problem()
    }
}

/// Reads a law of the list: a table with its `name` and parameters.
pub(crate) fn read<L: LawList>(field: &Field<'_>) -> Result<L, Reported> {
    let names: Vec<&str> = L::all().iter().map(|about| about.name).collect();
    let example = format!("{{ name = \"{}\" }}", names[0]);
    if let Value::Text(name) = &field.node.value {
        let help = format!("write {}", field.written(&format!("{{ name = \"{name}\" }}")));
        return Err(field.error(format!("{} is a table, not text", field.called()), "this is text", help));
    }
    let place = match field.node.get("name").map(|entry| &entry.node.value) {
        Some(Value::Text(name)) => format!("{} \"{name}\"", L::SHORT),
        _ => format!("`{}`", field.name),
    };
    let table = field.open_table(place, &example)?;
    let name = table.need("name", &format!("\"{}\"", names[0]))?;
    let text = name.some_text(&example)?;
    if !names.contains(&text) {
        return Err(unknown::<L>(&name, text));
    }
    let set: Vec<&Entry> = table.entries().iter().filter(|entry| entry.key != "name").collect();
    // Where nothing is set, nobody need know what could be: the schemas of all laws take their time and room.
    let parameters = if set.is_empty() { Vec::new() } else { parameters::<L>(text) };
    let mut keys = vec!["name"];
    keys.extend(parameters.iter().map(|(key, _)| key.as_str()));
    let mut fine = Ok(());
    for entry in set {
        let result = match parameters.iter().find(|(key, _)| *key == entry.key) {
            None => Err(table.unknown_key(entry, &keys)),
            Some((_, schema)) => check_parameter::<L>(&table, text, entry, schema),
        };
        fine = fine.and(result);
    }
    fine?;
    let chosen = choice::<L>(text, table.entries().iter()).map_err(|message| {
        let help =
            format!("write {} and set one parameter at a time", field.written(&format!("{{ name = \"{text}\" }}")));
        field.error(format!("{}: {message}", table.place), "cannot be read", help)
    })?;
    match chosen.problem() {
        None => Ok(chosen),
        Some(problem) => {
            let (wrong, mend) = problem.split_once("; ").unwrap_or((&problem, "write other values"));
            Err(field.error(format!("{}: {wrong}", table.place), "do not go together", mend))
        }
    }
}

/// Reads a law of the list by its name alone, or as [`read`] does.
pub(crate) fn read_short<L: LawList>(field: &Field<'_>) -> Result<L, Reported> {
    let Value::Text(text) = &field.node.value else { return read(field) };
    if !L::all().iter().any(|about| about.name == text) {
        return Err(unknown::<L>(field, text));
    }
    choice(text, std::iter::empty()).map_err(|message| field.error(message, "cannot be read", "write a table"))
}

/// There is no law called `text`.
fn unknown<L: LawList>(field: &Field<'_>, text: &str) -> Reported {
    let names: Vec<&str> = L::all().iter().map(|about| about.name).collect();
    let help = match (of_other_kind(L::WHAT, text), nearest(text, names.iter().copied())) {
        (Some(other), _) => format!("{other}; use one of {}", list(&names)),
        (None, Some(near)) => format!("write {} = \"{near}\"; there are {}", field.name, list(&names)),
        (None, None) => format!("use one of {}", list(&names)),
    };
    field.error(format!("there is no {} \"{text}\"", L::WHAT), "no such law", help)
}

/// Checks one parameter by itself: its range by the schema, its value by the law's reader.
fn check_parameter<L: LawList>(law: &Table<'_>, name: &str, entry: &Entry, schema: &Json) -> Result<(), Reported> {
    let field = law.of_entry(entry);
    if let Some(message) = out_of_range(&entry.node.value, schema) {
        let message = format!("`{}` of {} {message}", entry.key, law.place);
        return Err(field.error(message, "out of range", describe(schema)));
    }
    if schema.get("pattern").is_some() && matches!(entry.node.value, Value::Integer(_) | Value::Float(_)) {
        let message = format!("`{}` of {} is a quantity and has no unit", entry.key, law.place);
        return Err(field.error(message, "a bare number", describe(schema)));
    }
    choice::<L>(name, std::iter::once(entry)).map(|_| ()).map_err(|message| {
        let wrong = message.split("; ").next().unwrap_or_default();
        field.error(format!("`{}` of {}: {wrong}", entry.key, law.place), "cannot be read", describe(schema))
    })
}

/// The law with these parameters, as its own reader takes them.
fn choice<'a, L: LawList>(name: &str, parameters: impl Iterator<Item = &'a Entry>) -> Result<L, String> {
    let mut json: Map<String, Json> = parameters.map(|entry| (entry.key.clone(), entry.node.to_json())).collect();
    json.insert("name".to_owned(), name.into());
    serde_json::from_value(json.into()).map_err(|error| error.to_string())
}

fn out_of_range(value: &Value, schema: &Json) -> Option<String> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => return None,
    };
    let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
    let text = if !number.is_finite() {
        "is a finite number".to_owned()
    } else if let Some(low) = bound("minimum").filter(|low| number < *low) {
        format!("is {low} or more")
    } else if let Some(high) = bound("maximum").filter(|high| number > *high) {
        format!("is {high} or less")
    } else if let Some(low) = bound("exclusiveMinimum").filter(|low| number <= *low) {
        format!("is above {low}")
    } else if let Some(high) = bound("exclusiveMaximum").filter(|high| number >= *high) {
        format!("is below {high}")
    } else {
        return None;
    };
    Some(format!("{text}, not {number}"))
}

/// What a parameter may be, in words, from its schema.
fn describe(schema: &Json) -> String {
    let words = words(schema);
    let mut text = if !words.is_empty() {
        format!("use one of {}", crate::reading::suggest::list(&words.iter().map(String::as_str).collect::<Vec<_>>()))
    } else if schema.get("pattern").is_some() {
        "write a number and its unit in quotes".to_owned()
    } else {
        format!("write {}", schema.get("type").and_then(Json::as_str).unwrap_or("another value"))
    };
    if let Some(meaning) = schema.get("description").and_then(Json::as_str).filter(|meaning| !text.contains(meaning)) {
        text = format!("{text}: {}", meaning.replace('\n', " ").trim_end_matches('.'));
    }
    match schema.get("default") {
        Some(default) => format!("{text} (default {default})"),
        None => text,
    }
}

/// The words that an enumeration allows.
fn words(schema: &Json) -> Vec<String> {
    let list = schema.get("enum").or(schema.get("oneOf")).and_then(Json::as_array);
    let word = |item: &Json| item.as_str().or(item.get("const").and_then(Json::as_str)).map(str::to_owned);
    list.map(|list| list.iter().filter_map(word).collect()).unwrap_or_default()
}

/// The schema of a law with its parameters, without references.
pub(crate) fn schema<L: LawList>() -> Json {
    let root = Json::from(schemars::schema_for!(L));
    let laws = root["oneOf"].as_array().into_iter().flatten().filter_map(|variant| {
        let name = variant["properties"]["name"]["const"].as_str()?;
        let about = L::all().iter().find(|about| about.name == name)?;
        let mut properties = Map::new();
        let title = format!("{}. Source: {}", about.summary, about.source);
        properties.insert("name".to_owned(), serde_json::json!({ "const": name, "description": title }));
        properties.extend(parameters::<L>(name));
        Some(serde_json::json!({
            "type": "object",
            "description": title,
            "properties": properties,
            "required": ["name"],
            "additionalProperties": false,
        }))
    });
    serde_json::json!({ "description": L::MEANING, "oneOf": laws.collect::<Vec<_>>() })
}

/// What can be set in the law called `name`, with references resolved.
fn parameters<L: LawList>(name: &str) -> Vec<(String, Json)> {
    let root = Json::from(schemars::schema_for!(L));
    let variants = root["oneOf"].as_array().cloned().unwrap_or_default();
    let Some(variant) = variants.iter().find(|variant| variant["properties"]["name"]["const"] == name) else {
        return Vec::new();
    };
    let variant = resolve(&root, variant, 0);
    let properties = variant["properties"].as_object().cloned().unwrap_or_default();
    properties.into_iter().filter(|(key, _)| key != "name").collect()
}

/// Puts in place of every `$ref` what it refers to; keys beside it win.
fn resolve(root: &Json, schema: &Json, depth: usize) -> Json {
    const DEEPEST: usize = 16;
    match schema {
        Json::Object(object) if depth < DEEPEST => {
            let mut whole = Map::new();
            let target =
                object.get("$ref").and_then(Json::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?));
            if let Some(Json::Object(target)) = target.map(|target| resolve(root, target, depth + 1)) {
                whole = target;
            }
            for (key, value) in object.iter().filter(|(key, _)| *key != "$ref") {
                let value = resolve(root, value, depth + 1);
                match (whole.get_mut(key), value) {
                    (Some(Json::Object(known)), Json::Object(more)) => known.extend(more),
                    (_, value) => {
                        whole.insert(key.clone(), value);
                    }
                }
            }
            Json::Object(whole)
        }
        Json::Array(items) => items.iter().map(|item| resolve(root, item, depth + 1)).collect(),
        other => other.clone(),
    }
}
