//! What every law in the list owes its users: a name, parameters that survive
//! writing and reading, and a schema that explains them.

use fairwire_laws::ring::{RingLawChoice, dvsr};
use serde_json::{Value, json};

fn every_law() -> impl Iterator<Item = RingLawChoice> {
    RingLawChoice::ALL.iter().map(|about| RingLawChoice::by_name(about.name).unwrap())
}

#[test]
fn names_are_told_once_and_found() {
    let mut names: Vec<_> = RingLawChoice::ALL.iter().map(|about| about.name).collect();
    assert!(names.contains(&"dvsr") && names.contains(&"fifo"));
    for about in RingLawChoice::ALL {
        assert_eq!(RingLawChoice::by_name(about.name).unwrap().about(), *about);
        assert!(about.summary.len() > 20 && !about.source.is_empty(), "{about:?}");
        assert!(about.name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-'));
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RingLawChoice::ALL.len());
    assert_eq!(RingLawChoice::by_name("magic").unwrap_err().to_string(), "there is no ring law `magic`");
}

/// The name in a file is the name in the table of laws.
#[test]
fn parameters_survive_toml() {
    for law in every_law() {
        let toml = toml::to_string(&law).unwrap();
        assert_eq!(toml::from_str::<RingLawChoice>(&toml).unwrap(), law, "{toml}");
        let bare = format!("name = \"{}\"", law.about().name);
        assert_eq!(toml::from_str::<RingLawChoice>(&bare).unwrap(), law, "what is left out has its default");
    }
}

#[test]
fn set_parameters_survive_too() {
    let text = "name = \"dvsr\"\nsuballocation = \"equal\"\nencoding = \"byte\"\ncount-margin = 0.5\nheadroom = 0.01\nquota = \"whole-packets\"\nsignalling = \"per-node\"\nmin-interval = \"250 us\"\n";
    let law: RingLawChoice = toml::from_str(text).unwrap();
    let RingLawChoice::dvsr(params) = &law else { panic!("{law:?}") };
    assert_eq!(params.suballocation, dvsr::Suballocation::Equal);
    assert_eq!(params.encoding, dvsr::Encoding::Byte);
    assert_eq!(f64::from(params.count_margin), 0.5);
    assert_eq!(params.signalling, dvsr::Signalling::PerNode);
    assert_eq!(params.min_interval.as_nanos(), 250_000);
    assert_eq!(toml::to_string(&law).unwrap(), text);
}

#[test]
fn unknown_names_keys_and_values_are_refused() {
    for text in [
        "name = \"dvsrr\"",
        "encoding = \"byte\"",
        "name = \"dvsr\"\nsubalocation = \"equal\"",
        "name = \"dvsr\"\nmin-interval = \"250\"",
        "name = \"dvsr\"\nencoding = \"bits\"",
        "name = \"dvsr\"\ncount-margin = -0.1",
        "name = \"dvsr\"\ncount-margin = nan",
        "name = \"fifo\"\nspeed = 1",
    ] {
        assert!(toml::from_str::<RingLawChoice>(text).is_err(), "{text}");
    }
}

#[test]
fn the_schema_describes_every_parameter() {
    let schema = schemars::schema_for!(RingLawChoice).to_value();
    let choices = schema["oneOf"].as_array().expect("one choice a law");
    assert_eq!(choices.len(), RingLawChoice::ALL.len());
    for about in RingLawChoice::ALL {
        let named = |choice: &&Value| choice["properties"]["name"]["const"] == json!(about.name);
        assert!(choices.iter().any(|choice| named(&choice)), "{} is in the schema", about.name);
    }
    let params = schemars::schema_for!(dvsr::Params).to_value();
    let properties = params["properties"].as_object().unwrap();
    assert_eq!(properties.len(), 7);
    for (key, property) in properties {
        assert!(property["description"].as_str().is_some_and(|text| text.len() > 20), "{key}: {property}");
        assert!(!property["default"].is_null(), "{key} tells its default: {property}");
        let resolved = match property["$ref"].as_str() {
            Some(path) => &params["$defs"][path.rsplit('/').next().unwrap()],
            None => property,
        };
        // A word from a list with each one explained, text of a given form, or a number between bounds.
        let words = resolved["oneOf"].as_array();
        let explained = words.is_some_and(|words| words.iter().all(|word| word["description"].is_string()));
        let bounded = resolved["minimum"].is_number() && resolved["maximum"].is_number();
        assert!(explained || resolved["pattern"].is_string() || bounded, "{key}: {resolved}");
    }
    assert_eq!(params["additionalProperties"], json!(false));
}
