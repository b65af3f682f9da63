//! The JSON schema accepts what the reader accepts, says what everything means,
//! and rejects the plainer mistakes.

use crate::common::shipped;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_scenario::{Scenario, TEMPLATES, json_schema, template};
use regex_lite::Regex;
use serde_json::{Map, Value};

/// What is wrong with `value` under `schema`, for the keywords that ours uses.
fn violations(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    static ROOT: std::sync::LazyLock<Value> = std::sync::LazyLock::new(json_schema);
    let mut wrong = Vec::new();
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let patterns = schema.get("patternProperties").and_then(Value::as_object).unwrap_or(&none);
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let fits = match keyword.as_str() {
            "type" => match rule {
                Value::Array(types) => types.iter().any(|rule| is_type(rule, value)),
                rule => is_type(rule, value),
            },
            "const" => value == rule,
            "enum" => rule.as_array().unwrap().contains(value),
            "pattern" => value.as_str().is_none_or(|text| Regex::new(rule.as_str().unwrap()).unwrap().is_match(text)),
            "minLength" => value.as_str().is_none_or(|text| text.len() as u64 >= rule.as_u64().unwrap()),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_none_or(|number| number < rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "uniqueItems" => value
                .as_array()
                .is_none_or(|items| items.iter().enumerate().all(|(i, item)| !items[..i].contains(item))),
            "required" => value.as_object().is_none_or(|object| {
                rule.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))
            }),
            "oneOf" => matching(rule, value, at) == 1,
            "anyOf" => matching(rule, value, at) > 0,
            "not" => !violations(rule, value, at).is_empty(),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    wrong.extend(violations(rule, item, &format!("{at}/{index}")));
                }
                true
            }
            "$ref" => {
                let target = ROOT.pointer(rule.as_str().unwrap().strip_prefix('#').unwrap()).expect("a definition");
                wrong.extend(violations(target, value, at));
                true
            }
            "properties" | "patternProperties" | "additionalProperties" | "$defs" => true,
            "title" | "description" | "default" | "$schema" | "format" => true,
            other => panic!("the schema uses `{other}`, which this test does not know"),
        };
        if !fits {
            wrong.push(format!("{at}: {keyword} {rule}"));
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}/{key}");
        let named = properties.get(key);
        let fitting = patterns.iter().filter(|(pattern, _)| Regex::new(pattern).unwrap().is_match(key));
        let mut rules: Vec<&Value> = named.into_iter().chain(fitting.map(|(_, rule)| rule)).collect();
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) if rules.is_empty() => wrong.push(format!("{at}: unknown key")),
            Some(rule @ Value::Object(_)) if rules.is_empty() => rules.push(rule),
            _ => {}
        }
        wrong.extend(rules.into_iter().flat_map(|rule| violations(rule, inner, &at)));
    }
    wrong
}

fn matching(rules: &Value, value: &Value, at: &str) -> usize {
    rules.as_array().unwrap().iter().filter(|rule| violations(rule, value, at).is_empty()).count()
}

fn is_type(rule: &Value, value: &Value) -> bool {
    match rule.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("no such type {other}"),
    }
}

fn json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn every_scenario_fits_the_schema_as_written_and_as_resolved() {
    let schema = json_schema();
    let templates = TEMPLATES.iter().map(|known| (known.name.to_owned(), template(known.name, "").unwrap()));
    for (name, text) in shipped().into_iter().chain(templates) {
        assert_eq!(violations(&schema, &json(&text), ""), [""; 0], "{name}");
        let scenario = Scenario::parse(&name, &text).unwrap();
        assert_eq!(violations(&schema, &serde_json::to_value(&scenario).unwrap(), ""), [""; 0], "{name} serialised");
        assert_eq!(violations(&schema, &json(&scenario.resolved_toml()), ""), [""; 0], "{name} resolved");
    }
}

#[test]
fn most_malformed_files_do_not_fit_the_schema() {
    let schema = json_schema();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let (mut caught, mut all) = (0, 0);
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let Ok(table) = toml::from_str::<toml::Table>(&std::fs::read_to_string(&file).unwrap()) else { continue };
        all += 1;
        caught += usize::from(!violations(&schema, &serde_json::to_value(table).unwrap(), "").is_empty());
    }
    // The rest is about parts that do not go together.
    assert!(all > 150 && caught * 20 > all * 9, "{caught} of {all} malformed files do not fit the schema");
}

/// Every key of the format has a description.
#[test]
fn everything_is_described() {
    fn check(schema: &Value, at: &str) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (key, inner) in properties {
                let at = format!("{at}/{key}");
                // The values of a bound are described by the bound itself.
                let bound = ["value", "min", "max", "jain", "jain.windows", "utilisation", "oscillation"]
                    .contains(&key.as_str());
                let described = inner.get("description").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
                assert!(bound || described, "{at} has no description");
                check(inner, &at);
            }
        }
        for keyword in ["oneOf", "anyOf"] {
            for (index, inner) in schema.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
                check(inner, &format!("{at}/{index}"));
            }
        }
        if let Some(items) = schema.get("items") {
            check(items, &format!("{at}/items"));
        }
    }
    check(&json_schema(), "");
}

/// Every table of the schema that describes the law called `name`.
fn laws_called<'a>(schema: &'a Value, name: &str, found: &mut Vec<&'a Map<String, Value>>) {
    if schema.pointer("/properties/name/const").and_then(Value::as_str) == Some(name) {
        found.extend(schema["properties"].as_object());
    }
    let inner = schema.as_object().into_iter().flat_map(Map::values).chain(schema.as_array().into_iter().flatten());
    inner.for_each(|inner| laws_called(inner, name, found));
}

/// The numbers at the bounds of a range; where a bound itself is not allowed, one close to it.
fn bounds(rule: &Value) -> Vec<f64> {
    let bound = |key: &str, inside: f64| rule.get(key).and_then(Value::as_f64).map(|bound| bound + inside);
    [bound("minimum", 0.0), bound("maximum", 0.0), bound("exclusiveMinimum", 1e-6), bound("exclusiveMaximum", -1e-6)]
        .into_iter()
        .flatten()
        .collect()
}

/// Nothing else than the schema limits one parameter by itself.
#[test]
fn laws_take_their_parameters_up_to_the_bounds_that_the_schema_tells() {
    let schema = json_schema();
    let (mut tried, mut wrong) = (0, Vec::new());
    let kinds = [
        ("ring", &["ring", "law"], RingLawChoice::ALL),
        ("dumbbell", &["network", "queue"], QueueLawChoice::ALL),
        ("explicit-rate", &["network", "rate"], RateLawChoice::ALL),
    ];
    for (kind, [table, key], laws) in kinds {
        let whole = json(template(kind, "").unwrap().as_str());
        for law in laws {
            let mut tables = Vec::new();
            laws_called(&schema, law.name, &mut tables);
            assert!(!tables.is_empty(), "the schema does not know {}", law.name);
            for (parameter, rule) in tables[0] {
                for bound in bounds(rule) {
                    let mut scenario = whole.clone();
                    let number = if rule["type"] == "integer" { (bound as i64).into() } else { Value::from(bound) };
                    scenario[*table][*key] = serde_json::json!({ "name": law.name, parameter: number });
                    let text = toml::to_string(&scenario).unwrap();
                    let refused = Scenario::parse("bounds", &text).err().map(|wrong| wrong.to_string());
                    // Two parameters may still not go together: what one is then depends on what the other "is".
                    let of_one =
                        |wrong: &String| wrong.contains(&format!("`{parameter}` is")) && !wrong.contains("which is");
                    let of_range = refused.filter(of_one);
                    wrong.extend(of_range.map(|wrong| format!("{} with {parameter} = {bound}: {wrong}", law.name)));
                    tried += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 100, "{tried} bounds were tried");
}
