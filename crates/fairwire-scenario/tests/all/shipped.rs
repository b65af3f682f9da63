//! The scenarios that are shipped: valid, formatted, and right about what is fair.

use crate::common::shipped;
use fairwire_scenario::{Expectation, FlowMeasure, Measure, Scenario, format};

fn parse(name: &str, text: &str) -> Scenario {
    Scenario::parse(name, text).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn every_file_is_valid_and_without_warnings() {
    for (name, text) in shipped() {
        let scenario = parse(&name, &text);
        assert_eq!(scenario.warnings(), [], "{name}");
        assert!(scenario.description().is_some(), "{name} describes itself");
        let of_papers = name.contains("papers/") || name.contains("gateways/vrr-");
        assert_eq!(scenario.source().is_some(), of_papers, "{name} names its source");
        assert!(scenario.expand_sweep().is_ok(), "{name}");
    }
}

#[test]
fn every_file_is_formatted() {
    for (name, text) in shipped() {
        assert_eq!(format(&text).unwrap(), text, "{name}");
    }
}

#[test]
fn every_problem_and_plan_is_valid() {
    for (name, text) in shipped() {
        let scenario = parse(&name, &text);
        scenario.problem().validate().unwrap_or_else(|error| panic!("{name}: {error}"));
        match (scenario.ring_plan(0), scenario.network_plan(0)) {
            (Some(plan), None) => plan.validate().unwrap_or_else(|error| panic!("{name}: {error}")),
            (None, Some(plan)) => plan.validate().unwrap_or_else(|error| panic!("{name}: {error}")),
            _ => panic!("{name} has one plan"),
        }
    }
}

#[test]
fn every_promised_fair_rate_is_the_fair_rate() {
    let mut checked = 0;
    for (name, text) in shipped() {
        let scenario = parse(&name, &text);
        for Expectation { key, measure, bound, .. } in scenario.expectations() {
            let Measure::Flow { flows, what: FlowMeasure::FairRate(criterion) } = measure else { continue };
            let rates = scenario.fair_rates(*criterion).unwrap();
            for &flow in flows {
                let rate = rates.rates_bps[flow];
                assert!(bound.holds(rate), "{name}: {key} is {rate}, not {bound:?}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked} fair rates checked");
}

#[test]
fn a_resolved_file_means_the_same_and_leaves_nothing_open() {
    for (name, text) in shipped() {
        let scenario = parse(&name, &text);
        let resolved = scenario.resolved_toml();
        let again = parse(&name, &resolved);
        assert_eq!(again.resolved_toml(), resolved, "{name}");
        assert_eq!(again.problem(), scenario.problem(), "{name}");
        assert_eq!(again.terms(), scenario.terms(), "{name}");
        assert_eq!(again.ring_plan(3), scenario.ring_plan(3), "{name}");
        assert_eq!(again.network_plan(3), scenario.network_plan(3), "{name}");
        assert_eq!(serde_json::to_value(&again).unwrap(), serde_json::to_value(&scenario).unwrap(), "{name}");
        for (ours, theirs) in scenario.expectations().iter().zip(again.expectations()) {
            assert_eq!((&ours.key, &ours.measure), (&theirs.key, &theirs.measure), "{name}");
        }
    }
}
