//! Any law of a list with any parameters that its schema allows.

use fairwire_laws::LawAbout;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt::Debug;

/// Any of these laws, half of its parameters left at their defaults.
pub fn any_law<L>(all: &'static [&'static LawAbout]) -> impl Strategy<Value = L>
where
    L: JsonSchema + DeserializeOwned + Debug,
{
    let picks = proptest::collection::vec((any::<bool>(), any::<u32>()), 32);
    (proptest::sample::select(all), picks).prop_map(|(about, picks)| with(about.name, &picks))
}

/// The law called `name`; each pick may set one parameter.
fn with<L: JsonSchema + DeserializeOwned>(name: &str, picks: &[(bool, u32)]) -> L {
    let root = Value::from(schemars::schema_for!(L));
    let variants = root["oneOf"].as_array().expect("one a law");
    let variant = variants.iter().find(|variant| variant["properties"]["name"]["const"] == name).expect("it is there");
    let params =
        variant["$ref"].as_str().map_or(variant, |path| root.pointer(&path[1..]).expect("refs lead somewhere"));
    let mut law = json!({ "name": name }).as_object().cloned().unwrap_or_else(Map::new);
    let properties = params["properties"].as_object().into_iter().chain(variant["properties"].as_object()).flatten();
    for ((key, schema), (set, pick)) in properties.zip(picks.iter().cycle()) {
        if *set && key != "name" {
            law.insert(key.clone(), value(&root, schema, *pick));
        }
    }
    let law = toml::Table::try_from(law).expect("there is no null");
    law.clone().try_into().unwrap_or_else(|error| panic!("the schema allows {law}, the reader does not: {error}"))
}

/// One of the values that a schema allows, the ends of its range among them.
fn value(root: &Value, schema: &Value, pick: u32) -> Value {
    if let Some(path) = schema["$ref"].as_str() {
        return value(root, root.pointer(&path[1..]).expect("refs lead somewhere"), pick);
    }
    let words = schema.get("enum").or(schema.get("oneOf")).and_then(Value::as_array);
    if let Some(words) = words {
        let word = &words[pick as usize % words.len()];
        return word.get("const").unwrap_or(word).clone();
    }
    let bound = |key: &str, otherwise: f64| schema[key].as_f64().unwrap_or(otherwise);
    let (least, most) = (bound("minimum", 0.0), bound("maximum", 1e6));
    // Small values matter as much as large ones; the first and the last pick are the ends.
    let part = match pick % 8 {
        0 => 0.0,
        7 => 1.0,
        _ => (f64::from(pick / 8) / f64::from(u32::MAX / 8)).powi(4),
    };
    match schema["type"].as_str() {
        Some("boolean") => json!(pick.is_multiple_of(2)),
        Some("integer") => json!((least + (most - least) * part).round() as u64),
        Some("number") => json!(least + (most - least) * part),
        Some("string") => {
            // Every law takes these quantities.
            let quantities = match schema["pattern"].as_str() {
                Some(pattern) if pattern.contains("Mb/s") => ["0 b/s", "1 kb/s", "50 Mb/s", "1 Gb/s", "3 Gb/s"],
                Some(pattern) if pattern.contains("packets") => {
                    ["0 packets", "1 packet", "7 packets", "100 packets", "4_294_967_295 packets"]
                }
                _ => ["1 us", "37 us", "100 us", "5 ms", "1.5 s"],
            };
            json!(quantities[pick as usize % 5])
        }
        // By station number.
        Some("object") => json!({ (pick % 9).to_string(): value(root, &schema["additionalProperties"], pick / 9) }),
        other => panic!("no values for {other:?}: {schema}"),
    }
}
