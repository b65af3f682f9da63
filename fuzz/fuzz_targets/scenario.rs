//! Any text handed to the scenario reader gives a scenario or helpful errors,
//! and formatting it twice is formatting it once.
#![no_main]

use fairwire_scenario::{Scenario, format};
use libfuzzer_sys::fuzz_target;

/// Sweeps, rings and flow lists may be large; what they say is known from small ones.
const MOST_STATIONS: u16 = 512;
const MOST_FLOWS: usize = 2_000;
const MOST_POINTS: usize = 64;

fuzz_target!(|text: &str| {
    let read = Scenario::parse("fuzz.toml", text);
    match &read {
        Err(errors) => {
            assert!(!errors.items.is_empty());
            let lines = text.lines().count().max(1);
            for item in &errors.items {
                assert!(!item.help.is_empty() && (1..=lines).contains(&item.line), "{item:?}");
            }
        }
        Ok(scenario) if is_small(scenario) => check(scenario),
        Ok(_) => {}
    }
    match format(text) {
        Ok(once) => assert_eq!(format(&once).as_deref(), Ok(once.as_str())),
        Err(_) => assert!(read.is_err()),
    }
});

fn is_small(scenario: &Scenario) -> bool {
    let points: usize = scenario.sweep().iter().map(|axis| axis.values.len()).product();
    scenario.ring().is_none_or(|ring| ring.stations <= MOST_STATIONS)
        && scenario.flows().len() <= MOST_FLOWS
        && points <= MOST_POINTS
}

/// What a valid scenario gives is valid too.
fn check(scenario: &Scenario) {
    scenario.problem().validate().expect("the problem is valid");
    if let Some(plan) = scenario.ring_plan(0) {
        plan.validate().expect("the plan is valid");
    }
    let resolved = scenario.resolved_toml();
    let again = Scenario::parse("resolved.toml", &resolved).expect("the resolved file is valid");
    assert_eq!(again.ring_plan(0), scenario.ring_plan(0));
    // A line may stand for a million points.
    if let Ok(sweep) = scenario.sweep_points() {
        (0..sweep.len().min(64)).for_each(|point| drop(sweep.point(point)));
    }
}
