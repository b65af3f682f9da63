//! Laws of every kind, with their parameters, survive JSON, in which records and other languages name them. That they survive
//! TOML is tested where the laws are.

use fairwire_laws::LawAbout;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::ControlChoice;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::fmt::Debug;

fn survive<L: Serialize + DeserializeOwned + PartialEq + Debug>(all: &[&LawAbout], by_name: impl Fn(&str) -> L) {
    for about in all {
        let law = by_name(about.name);
        let written = serde_json::to_string(&law).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap()["name"], about.name);
        assert_eq!(serde_json::from_str::<L>(&written).unwrap(), law, "{written}");
        let bare = json!({ "name": about.name });
        assert_eq!(serde_json::from_value::<L>(bare).unwrap(), law, "what is left out has its default");
        let unknown = json!({ "name": about.name, "magic": 1 });
        assert!(serde_json::from_value::<L>(unknown).is_err(), "{}", about.name);
    }
}

#[test]
fn parameters_survive() {
    survive(RingLawChoice::ALL, |name| RingLawChoice::by_name(name).unwrap());
    survive(QueueLawChoice::ALL, |name| QueueLawChoice::by_name(name).unwrap());
    survive(RateLawChoice::ALL, |name| RateLawChoice::by_name(name).unwrap());
    survive(ControlChoice::ALL, |name| ControlChoice::by_name(name).unwrap());
}

#[test]
fn set_parameters_survive_too() {
    let text = r#"{"name":"dvsr","encoding":"byte","count-margin":0.5,"headroom":0.01,"min-interval":"250 us"}"#;
    let law: RingLawChoice = serde_json::from_str(text).unwrap();
    let written = serde_json::to_string(&law).unwrap();
    assert!(written.contains(r#""count-margin":0.5"#) && written.contains(r#""min-interval":"250 us""#), "{written}");
    assert_eq!(serde_json::from_str::<RingLawChoice>(&written).unwrap(), law);
}
