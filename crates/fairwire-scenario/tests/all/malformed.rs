//! Mistakes people make, each with the error it gets.

use crate::common::assert_helpful;
use fairwire_scenario::{Diagnostics, Scenario};
use std::path::Path;

#[test]
fn every_malformed_file_gets_its_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() >= 60, "{} files", files.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../malformed");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(&file).unwrap();
            let Err(errors) =
                Scenario::parse(&format!("{name}.toml"), &text).and_then(|scenario| scenario.expand_sweep())
            else {
                panic!("{name} is read as if nothing were wrong");
            };
            assert_helpful(name, &text, &errors);
            let shown = shown(&errors);
            // The list of laws grows, and what each says of its parameters is its own matter.
            let cut = match name {
                _ if name.starts_with("law-parameter") || name.starts_with("network-queue-") => shown.find(" — "),
                _ if name.starts_with("law-") => shown.find("; "),
                _ => None,
            };
            let until = cut.unwrap_or(shown.len());
            insta::assert_snapshot!(name, &shown[..until]);
        }
    });
}

/// The errors as lines, each with the place it marks.
fn shown(errors: &Diagnostics) -> String {
    let marked = errors.items.iter().map(|item| {
        let place = errors.text.get(item.span.clone()).unwrap_or_default();
        format!("    {:?} <- {}\n", place.chars().take(60).collect::<String>(), item.label)
    });
    let lines: Vec<String> = errors.to_string().lines().map(str::to_owned).collect();
    lines.iter().zip(marked).map(|(line, marked)| format!("{line}\n{marked}")).collect()
}

#[test]
fn all_mistakes_of_one_file_are_told_at_once() {
    let text = r#"schema = 1
[run]
duration = 5
[ring]
stations = 10
capcity = "622 Mb/s"
span-delay = "0.1 mss"
law = { name = "dvrs" }
[[flow]]
name = "a"
from = [1, 12]
to = 5
[[flow]]
name = "b"
from = 1
to = 1
"#;
    let errors = Scenario::parse("many.toml", text).unwrap_err();
    let lines: Vec<usize> = errors.items.iter().map(|item| item.line).collect();
    assert_eq!(lines, [3, 6, 7, 8, 11, 16], "{errors}");
}

#[test]
fn a_bad_value_of_a_sweep_is_shown_in_the_sweep() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/papers/parking-lot.toml"))
            .unwrap();
    for (sweep, place) in [
        (r#""ring.capacity" = ["1 Gb/s", "2 GB/s"]"#, "\"2 GB/s\""),
        (r#""ring.capcity" = ["1 Gb/s"]"#, "\"ring.capcity\""),
        (r#""flow.to-hub.to" = [6, 4]"#, "4"),
        (r#""flow.to-hug.to" = [6, 4]"#, "\"flow.to-hug.to\""),
        (r#""run.duration.s" = [6, 4]"#, "\"run.duration.s\""),
        (r#""ring.law.name" = ["fifo", "lifo"]"#, "\"lifo\""),
    ] {
        let text = format!("{text}\n[sweep]\n{sweep}\n");
        let scenario = Scenario::parse("sweep.toml", &text).unwrap();
        let errors = scenario.expand_sweep().unwrap_err();
        assert_helpful(sweep, &text, &errors);
        let places: Vec<&str> = errors.items.iter().map(|item| &text[item.span.clone()]).collect();
        assert!(places.contains(&place), "{sweep}: {errors} marks {places:?}");
    }
}
