//! Every template is a scenario as it stands.

use fairwire_scenario::{Scenario, TEMPLATES, format, template};

#[test]
fn every_template_is_a_valid_formatted_scenario() {
    for known in TEMPLATES {
        let text = template(known.name, "").unwrap();
        let scenario = Scenario::parse(known.name, &text).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(scenario.warnings(), [], "{}", known.name);
        assert!(!scenario.expand_sweep().unwrap().is_empty());
        let resolved = scenario.resolved_toml();
        println!("{resolved}");
        let again = Scenario::parse(known.name, &resolved).unwrap_or_else(|errors| panic!("{errors}\n{resolved}"));
        assert_eq!(again.resolved_toml(), resolved);
        println!("{}", format(&text).unwrap());
    }
}

#[test]
fn a_title_of_ones_own_is_quoted() {
    let text = template("ring", "The \"big\" ring").unwrap();
    assert_eq!(Scenario::parse("new", &text).unwrap().title(), "The \"big\" ring");
}

#[test]
fn an_unknown_template_names_those_there_are() {
    let error = template("star", "").unwrap_err();
    assert!(error.to_string().contains("parking-lot, parallel-parking-lot"), "{error}");
}
