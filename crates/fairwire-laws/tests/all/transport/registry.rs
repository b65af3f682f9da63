//! What every control in the list owes its users.

use crate::transport::path::every_control;
use fairwire_laws::transport::{ControlChoice, MarkEcho, Recovery, bbr, cubic, dctcp};
use serde_json::json;

#[test]
fn names_are_told_once_and_found() {
    let names: Vec<_> = ControlChoice::ALL.iter().map(|about| about.name).collect();
    assert_eq!(names, ["tahoe", "reno", "newreno", "sack", "cubic", "dctcp", "bbr"]);
    for about in ControlChoice::ALL {
        assert_eq!(ControlChoice::by_name(about.name).unwrap().about(), *about);
        assert!(about.summary.len() > 20 && !about.source.is_empty(), "{about:?}");
    }
    assert_eq!(ControlChoice::by_name("vegas").unwrap_err().to_string(), "there is no congestion control `vegas`");
}

#[test]
fn parameters_survive_toml() {
    for control in every_control() {
        assert_eq!(control.problem(), None);
        let toml = toml::to_string(&control).unwrap();
        assert_eq!(toml::from_str::<ControlChoice>(&toml).unwrap(), control, "{toml}");
        let bare = format!("name = \"{}\"", control.about().name);
        assert_eq!(toml::from_str::<ControlChoice>(&bare).unwrap(), control, "what is left out has its default");
        let unknown = format!("name = \"{}\"\nmagic = 1", control.about().name);
        assert!(toml::from_str::<ControlChoice>(&unknown).is_err());
    }
}

#[test]
fn the_schema_names_and_explains_every_parameter() {
    let schema = serde_json::to_value(schemars::schema_for!(ControlChoice)).unwrap();
    let kinds = schema["oneOf"].as_array().unwrap();
    assert_eq!(kinds.len(), ControlChoice::ALL.len());
    for (kind, about) in kinds.iter().zip(ControlChoice::ALL) {
        assert_eq!(kind["properties"]["name"]["const"], json!(about.name));
    }
    let text = schema.to_string();
    for name in
        ["limited-transmit", "fast-convergence", "reno-friendly", "steepness", "beta", "rack", "gain", "headroom"]
    {
        assert!(text.contains(name), "{name}");
    }
}

#[test]
fn cubic_says_what_is_wrong() {
    for params in [
        cubic::Params { beta: 1.0, ..Default::default() },
        cubic::Params { beta: f64::NAN, ..Default::default() },
        cubic::Params { steepness: 0.0, ..Default::default() },
    ] {
        let problem = ControlChoice::cubic(params).problem().unwrap();
        assert!(problem.starts_with('`') && problem.contains("RFC 9438"), "{problem}");
    }
}

#[test]
fn dctcp_and_bbr_say_what_is_wrong() {
    for (problem, key, source) in [
        (ControlChoice::dctcp(dctcp::Params { gain: 0.0, ..Default::default() }).problem(), "`gain`", "RFC 8257"),
        (ControlChoice::dctcp(dctcp::Params { gain: f64::NAN, ..Default::default() }).problem(), "`gain`", "RFC 8257"),
        (ControlChoice::bbr(bbr::Params { beta: 1.0, ..Default::default() }).problem(), "`beta`", "ccwg-bbr"),
        (ControlChoice::bbr(bbr::Params { headroom: -0.1, ..Default::default() }).problem(), "`headroom`", "ccwg-bbr"),
        (
            ControlChoice::bbr(bbr::Params { loss_threshold: f64::NAN, ..Default::default() }).problem(),
            "`loss-threshold`",
            "ccwg-bbr",
        ),
    ] {
        let problem = problem.unwrap();
        assert!(problem.starts_with(key) && problem.contains(source), "{problem}");
    }
}

/// Whoever is told of deliveries knows them by the receiver's blocks.
#[test]
fn laws_that_follow_deliveries_recover_by_blocks() {
    let followers: Vec<_> = every_control().into_iter().filter(ControlChoice::follows_delivery).collect();
    let names: Vec<_> = followers.iter().map(|control| control.about().name).collect();
    assert_eq!(names, ["cubic", "dctcp", "bbr"]);
    for control in followers {
        assert_eq!(control.recovery(), Recovery::Scoreboard);
        let each = control.mark_echo() == MarkEcho::EachSegment;
        assert_eq!(each, control.about().name != "cubic");
    }
}

#[test]
fn recoveries_differ() {
    let recoveries: Vec<_> = every_control().iter().map(ControlChoice::recovery).collect();
    let blocks = Recovery::Scoreboard;
    let by_duplicates = [Recovery::SlowStart, Recovery::UntilNextAck, Recovery::UntilAllAcked];
    assert_eq!(recoveries[..3], by_duplicates);
    assert_eq!(recoveries[3..], [blocks; 4]);
}
