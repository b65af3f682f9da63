//! Whatever it is handed, the reader answers with a scenario or with helpful
//! errors, and the formatter keeps the meaning.

use crate::common::{assert_helpful, shipped};
use fairwire_scenario::{Scenario, TEMPLATES, format, template};
use proptest::prelude::*;

/// Reads and formats a text and checks what must hold for any.
fn check(text: &str) {
    let read = Scenario::parse("any.toml", text);
    if let Err(errors) = &read {
        assert_helpful("any", text, errors);
    }
    match format(text) {
        Err(errors) => {
            assert!(read.is_err(), "format rejects what parses:\n{text}\n{errors}");
            assert!(errors.items.iter().all(|item| !item.help.is_empty()));
        }
        Ok(formatted) => {
            assert_eq!(format(&formatted).as_deref(), Ok(formatted.as_str()), "formatting again changes\n{text}");
            assert_same_meaning(text, &formatted);
            assert_same_comments(text, &formatted);
            if let Ok(scenario) = &read {
                let again = Scenario::parse("any.toml", &formatted).unwrap();
                assert_eq!(again.resolved_toml(), scenario.resolved_toml());
                let names =
                    |scenario: &Scenario| scenario.flows().iter().map(|flow| flow.name.clone()).collect::<Vec<_>>();
                assert_eq!(names(&again), names(scenario));
            }
        }
    }
    if let Ok(scenario) = &read {
        let resolved = scenario.resolved_toml();
        let again = Scenario::parse("any.toml", &resolved).unwrap_or_else(|errors| panic!("{errors}\n{resolved}"));
        assert_eq!(again.ring_plan(0), scenario.ring_plan(0));
        assert_eq!(again.network_plan(0), scenario.network_plan(0));
        assert_eq!(again.problem(), scenario.problem());
        assert_eq!(again.resolved_toml(), resolved);
        scenario.problem().validate().unwrap();
        if let Some(plan) = scenario.ring_plan(0) {
            plan.validate().unwrap();
        }
        if let Some(plan) = scenario.network_plan(0) {
            plan.validate().unwrap();
        }
        if let Err(errors) = scenario.expand_sweep() {
            assert_helpful("sweep", text, &errors);
        }
    }
}

fn assert_same_meaning(text: &str, formatted: &str) {
    let meaning = |text: &str| {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        // Not-a-number is not equal to itself, its text is.
        toml::from_str::<toml::Table>(&text).map(|table| format!("{table:?}")).map_err(|error| error.to_string())
    };
    assert_eq!(meaning(formatted), meaning(text), "the meaning changes of\n{text}\nto\n{formatted}");
}

/// The same comments, perhaps in another order.
fn assert_same_comments(text: &str, formatted: &str) {
    let count = |text: &str| text.matches('#').count();
    assert_eq!(count(formatted), count(text), "a comment is lost from\n{text}\nin\n{formatted}");
}

fn good() -> Vec<String> {
    let templates = TEMPLATES.iter().map(|known| template(known.name, "").unwrap());
    templates.chain(shipped().into_iter().map(|(_, text)| text).filter(|text| text.len() < 3_000)).collect()
}

#[test]
fn good_files_stay_good() {
    for text in good() {
        check(&text);
        check(&text.replace('\n', "\r\n"));
        check(&format!("\u{feff}{text}"));
    }
}

#[test]
fn untidy_files_become_tidy() {
    let untidy = r#"

# About the whole file.

[[flow]]   # who
  to=5
    name   =   "a" # the name
  from=[1,2,
  3]


# What it runs on.
[ ring ]
law={name="dvsr"}
# How fast.
capacity="622 Mb/s"
transit.buffer = "1 MB"
span-delay = "0.1 ms"
stations=10
[run]
duration="1 s"
# The end.
"#;
    let untidy = format!("{}schema=1\n{}", &untidy[..27], &untidy[27..]);
    let tidy = r#"# About the whole file.

schema = 1

[run]
duration = "1 s"

# What it runs on.
[ring]
stations = 10
# How fast.
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
transit.buffer = "1 MB"

[[flow]]  # who
name = "a"  # the name
from = [1, 2, 3]
to = 5
# The end.
"#;
    assert_eq!(format(&untidy).unwrap(), tidy);
    check(&untidy);
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let text = format!("schema = {}1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(Scenario::parse("deep.toml", &text).is_err());
        assert!(format(&text).is_err());
    }
    let dotted = format!("{}a = 1", "a.".repeat(10_000));
    let _ = Scenario::parse("dotted.toml", &dotted);
    let _ = format(&dotted);
}

/// Pieces that mean something in a scenario, put where they do not belong.
fn snippet() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\n[ring]\n".to_owned()),
        Just("\n[[flow]]\n".to_owned()),
        Just("\n[[ring.link]]\nbetween = [3, 4]\n".to_owned()),
        Just("\n[network]\n".to_owned()),
        Just("\nweights = { 1 = 2 }\n".to_owned()),
        Just("\nring.stations = 3\n".to_owned()),
        Just("\n[expect]\nflow.*.loss = {}\n".to_owned()),
        Just("\n[expect]\nflow.a.loss.max = 1\njain.min=0\n".to_owned()),
        Just("\n[sweep]\n\"flow.*.weight\" = [1, 2]\n".to_owned()),
        Just("\n[sweep]\nrun.seed = [1, 2]\n\"ring.law\" = [{ name = \"fifo\" }]\n".to_owned()),
        Just("\n# a comment\n".to_owned()),
        Just(" # a comment\n".to_owned()),
        Just(" = ".to_owned()),
        Just("\"".to_owned()),
        Just("'''".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[1, 2, # one\n 3]".to_owned()),
        Just("{ a.b = 1, # one\n c = 2 }".to_owned()),
        Just("\"18446744073709551615 b/s\"".to_owned()),
        Just("-9223372036854775808".to_owned()),
        Just("\u{0}".to_owned()),
        Just("\r\n".to_owned()),
        Just("\u{00e9}\u{4e2d}".to_owned()),
        "[-0-9a-z.\"= #\\[\\]{}\n]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_an_answer(text in "\\PC*") {
        check(&text);
    }

    #[test]
    fn any_lines_get_an_answer(lines in prop::collection::vec("[-a-z.\"= #\\[\\]{}0-9/]{0,20}", 0..20)) {
        check(&lines.join("\n"));
    }

    #[test]
    fn damaged_scenarios_get_an_answer(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, snippet()), 1..4),
    ) {
        let good = good();
        let mut text = which.get(&good).clone();
        for (at, length, snippet) in damage {
            let mut start = at.index(text.len() + 1);
            while !text.is_char_boundary(start) { start -= 1; }
            let mut end = (start + length).min(text.len());
            while !text.is_char_boundary(end) { end += 1; }
            text.replace_range(start..end, &snippet);
        }
        check(&text);
    }

    #[test]
    fn shuffled_lines_get_an_answer(which in any::<prop::sample::Index>(), swaps in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..6)) {
        let good = good();
        let text = which.get(&good);
        let mut lines: Vec<&str> = text.lines().collect();
        for (a, b) in swaps {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
        }
        check(&lines.join("\n"));
    }
}
