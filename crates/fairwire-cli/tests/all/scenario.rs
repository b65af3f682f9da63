//! `fairwire scenario check | fmt | new | schema`.

use crate::common::{SMALL, all_shipped, fairwire, fairwire_in, folder, has_keys, names_in, put};
use std::fs;

#[test]
fn shipped_scenarios_are_good_and_formatted() {
    let files = all_shipped();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let said = fairwire(&[&["scenario", "check"], &files[..]].concat()).ends_with(0);
    assert_eq!(said.stdout.lines().filter(|line| line.ends_with(": good")).count(), files.len(), "{said}");
    fairwire(&[&["scenario", "fmt", "--check"], &files[..]].concat()).ends_with(0);
}

#[test]
fn check_tells_every_mistake_of_every_file() {
    let folder = folder("scenario-check");
    put(&folder, "good.toml", SMALL);
    put(&folder, "bad.toml", &SMALL.replace("0.1 ms", "0.1 milli").replace("cbr", "crb"));
    insta::assert_snapshot!(fairwire_in(&folder, &["scenario", "check", "good.toml", "bad.toml"]).ends_with(2));
    let answer = fairwire_in(&folder, &["scenario", "check", "bad.toml", "good.toml", "--json"]).ends_with(2).json();
    assert_eq!((answer["files"][0]["ok"].as_bool(), answer["files"][1]["ok"].as_bool()), (Some(false), Some(true)));
    let errors = answer["files"][0]["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 2);
    has_keys(&errors[0], &["line", "column", "message", "help"]);
}

#[test]
fn check_goes_on_where_a_file_cannot_be_read() {
    let folder = folder("scenario-unread");
    put(&folder, "good.toml", SMALL);
    put(&folder, "bad.toml", &SMALL.replace("cbr", "crb"));
    let said = fairwire_in(&folder, &["scenario", "check", "nope.toml", "good.toml", "nor.toml"]).ends_with(2);
    assert_eq!(said.stdout, "nope.toml: cannot be read\ngood.toml: good\nnor.toml: cannot be read\n");
    assert!(said.stderr.contains("cannot read nope.toml") && said.stderr.contains("cannot read nor.toml"), "{said}");
    let said = fairwire_in(&folder, &["scenario", "check", "nope.toml", "bad.toml", "--json"]).ends_with(2);
    assert!(said.stderr.contains("cannot read nope.toml") && said.stderr.contains("crb"), "{said}");
    let answer = said.json();
    assert_eq!((&answer["files"][0]["ok"], &answer["files"][0]["errors"][0]["line"]), (&false.into(), &0.into()));
    assert_eq!(answer["files"][1]["errors"].as_array().map(Vec::len), Some(1));
}

#[test]
fn check_looks_into_sweeps() {
    let folder = folder("scenario-sweep");
    put(&folder, "swept.toml", &format!("{SMALL}\n[sweep]\n\"run.duration\" = [\"1 s\", \"1\"]\n"));
    let said = fairwire_in(&folder, &["scenario", "check", "swept.toml"]).ends_with(2);
    assert!(said.stderr.contains("swept.toml:"), "{said}");
}

#[test]
fn a_bad_sweep_is_bad_for_every_verb() {
    let folder = folder("sweep-bad");
    let file = put(&folder, "small.toml", &format!("{SMALL}\n[sweep]\n\"ring.lw.name\" = [\"dvsr\"]\n"));
    for args in [&["scenario", "check", &file][..], &["run", &file], &["allocate", &file], &["compare", &file]] {
        let said = fairwire(args).ends_with(2);
        assert!(said.stderr.contains("[ring] has no key `lw`"), "{args:?}: {said}");
    }
}

#[test]
fn what_is_no_text_is_told_by_line_and_column() {
    let folder = folder("no-text");
    let file = folder.join("no-text.toml");
    std::fs::write(&file, b"schema = 1\ntitle = \"caf\xe9\"\n").expect("written");
    let said = fairwire_in(&folder, &["scenario", "check", "no-text.toml"]).ends_with(2);
    assert!(said.stderr.contains("no-text.toml:2:13: the byte 0xe9") && said.stderr.contains("UTF-8"), "{said}");
}

#[test]
fn text_of_others_controls_no_terminal() {
    let folder = folder("text-controls");
    let title = SMALL.lines().find(|line| line.starts_with("title")).expect("a title");
    put(&folder, "escape.toml", &format!("# \u{1b}[31mred\n{SMALL}"));
    put(&folder, "turned.toml", &SMALL.replace(title, "title = \"a\u{202e}b\""));
    for (name, finding) in [
        ("escape.toml", "escape.toml:1:"),
        ("turned.toml", "one line without control characters"),
        ("no\u{1b}[31m\u{202e}file.toml", "cannot read no?[31m\u{fffd}file.toml"),
    ] {
        let said = fairwire_in(&folder, &["allocate", name]).ends_with(2);
        assert!(said.stderr.contains(finding), "{said}");
        assert!(!said.stderr.contains(['\u{1b}', '\u{202e}']), "{said}");
    }
}

#[test]
fn fmt_changes_the_file_once_and_only_when_asked() {
    let folder = folder("scenario-fmt");
    let untidy = SMALL.replace("stations = 3", "stations=3   # three");
    put(&folder, "small.toml", &untidy);
    let checked = fairwire_in(&folder, &["scenario", "fmt", "--check", "small.toml"]).ends_with(1);
    assert_eq!(checked.stdout, "small.toml\n");
    let printed = fairwire_in(&folder, &["scenario", "fmt", "--stdout", "small.toml"]).ends_with(0);
    let read = || fs::read_to_string(folder.join("small.toml")).expect("the file is there");
    assert_eq!(read(), untidy, "neither of them writes");
    fairwire_in(&folder, &["scenario", "fmt", "small.toml"]).ends_with(0);
    assert_eq!(read(), printed.stdout);
    assert!(read().contains("stations = 3") && read().contains("# three"), "{}", read());
    fairwire_in(&folder, &["scenario", "fmt", "--check", "small.toml"]).ends_with(0);
    assert_eq!(names_in(&folder), ["small.toml"]);
}

#[test]
fn fmt_changes_nothing_if_one_file_is_not_toml() {
    let folder = folder("scenario-fmt-bad");
    let untidy = SMALL.replace("stations = 3", "stations=3");
    put(&folder, "small.toml", &untidy);
    put(&folder, "bad.toml", "title = \n");
    insta::assert_snapshot!(fairwire_in(&folder, &["scenario", "fmt", "small.toml", "bad.toml"]).ends_with(2));
    assert_eq!(fs::read_to_string(folder.join("small.toml")).expect("it is there"), untidy);
}

#[test]
fn new_writes_a_scenario_that_is_good_and_runs() {
    let folder = folder("scenario-new");
    for kind in ["parking-lot", "parallel-parking-lot", "two-exit", "upstream-parallel", "ring", "network"] {
        let said = fairwire(&["scenario", "new", kind, "--title", "Mine"]).ends_with(0);
        let file = put(&folder, &format!("{kind}.toml"), &said.stdout);
        fairwire(&["scenario", "check", &file]).ends_with(0);
        let answer = fairwire(&["allocate", &file, "--json"]).ends_with(0).json();
        assert_eq!(answer["scenario"], "Mine");
        fairwire(&["scenario", "fmt", "--check", &file]).ends_with(0);
        let kept = fairwire(&["run", &file, "--no-folder"]);
        assert_eq!(kept.code, Some(0), "{kind} keeps its promises: {kept}");
    }
    fairwire_in(&folder, &["scenario", "new", "ring", "-o", "mine.toml"]).ends_with(0);
    insta::assert_snapshot!(fairwire_in(&folder, &["scenario", "new", "two-exit", "-o", "mine.toml"]).ends_with(2));
    let kept = fs::read_to_string(folder.join("mine.toml")).expect("it is there");
    assert_eq!(kept, fairwire(&["scenario", "new", "ring"]).stdout, "a file is never overwritten");
    fairwire(&["scenario", "new", "klein-bottle"]).ends_with(2);
    let said = fairwire(&["scenario", "new", "gateway"]).ends_with(2);
    assert!(said.stderr.contains("a similar value exists: 'dumbbell'"), "{said}");
}

#[test]
fn the_schema_is_json_and_knows_the_laws() {
    let schema = fairwire(&["scenario", "schema"]).ends_with(0).json();
    has_keys(&schema, &["$schema", "properties"]);
    assert!(schema.to_string().contains("dvsr"));
}

/// What `allocate` and `run` would refuse.
#[test]
fn check_tells_promises_that_do_not_fit() {
    let folder = folder("check-promises");
    let link = |min_rate: &str| {
        format!(
            "schema = 1\n[network]\nnodes = [\"a\", \"b\"]\nlink = [{{ name = \"l\", from = \"a\", to = \"b\", \
             capacity = \"10 Mb/s\" }}]\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nmin-rate = \"{min_rate}\"\n"
        )
    };
    put(&folder, "fits.toml", &link("10 Mb/s"));
    put(&folder, "over.toml", &link("20 Mb/s"));
    fairwire_in(&folder, &["scenario", "check", "fits.toml"]).ends_with(0);
    let said = fairwire_in(&folder, &["scenario", "check", "over.toml"]).ends_with(2);
    assert!(said.stdout.contains("over.toml: 1 mistake") && said.stderr.contains("[over.toml:9:1]"), "{said}");
    assert!(said.stderr.contains("promise 10 Mb/s less"), "{said}");
    let many: String = (0..300).map(|key| format!("k{key} = 1\n")).collect();
    put(&folder, "many.toml", &many);
    let said = fairwire_in(&folder, &["scenario", "check", "many.toml"]).ends_with(2);
    assert!(said.stdout.contains("many.toml: 100 mistakes or more"), "{}", said.stdout);
}
