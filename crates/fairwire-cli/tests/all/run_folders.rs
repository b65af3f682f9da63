//! What `run` leaves in its folder, and where it may.

use crate::common::{SMALL, fairwire, fairwire_in, folder, names_in, put};
use serde_json::Value;
use std::fs;

#[test]
fn a_folder_is_kept_and_named_after_the_question() {
    let folder = folder("run-folder");
    put(&folder, "small.toml", SMALL);
    let answer = fairwire_in(&folder, &["run", "small.toml", "--json"]).ends_with(0).json();
    let kept = folder.join(answer["folder"].as_str().expect("a folder"));
    assert!(answer["folder"].as_str().is_some_and(|name| name.starts_with("runs/small-dvsr-")));
    let names = names_in(&kept);
    for name in ["manifest.json", "report.html", "scenario.toml", "flows.parquet", "links.parquet", "summary.parquet"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing in {names:?}");
    }
    let again = fairwire_in(&folder, &["run", "small.toml", "--json"]).ends_with(0).json();
    assert_eq!(answer["folder"], again["folder"], "the same question has the same place");
    let other = fairwire_in(&folder, &["run", "small.toml", "--json", "--seed", "2"]).ends_with(0).json();
    assert_ne!(answer["folder"], other["folder"], "another question has another one");
    let said = fairwire_in(&folder, &["run", "small.toml"]).ends_with(0);
    assert!(said.stderr.contains("report: runs/small-dvsr-"), "{said}");
    assert_eq!(names_in(&folder.join("runs")).len(), 2, "nothing half-written is left behind");
}

#[test]
fn tables_can_be_csv() {
    let folder = folder("run-csv");
    put(&folder, "small.toml", SMALL);
    fairwire_in(&folder, &["run", "small.toml", "--out", "deep/er", "--format", "csv"]).ends_with(0);
    let table = fs::read_to_string(folder.join("deep/er/summary.csv")).expect("the table is text");
    assert!(table.lines().count() > 1, "{table}");
}

#[test]
fn an_older_result_may_be_replaced_and_nothing_else() {
    let folder = folder("run-replace");
    put(&folder, "small.toml", SMALL);
    fairwire_in(&folder, &["run", "small.toml", "--out", "kept"]).ends_with(0);
    fairwire_in(&folder, &["run", "small.toml", "--out", "kept", "--seed", "2"]).ends_with(0);
    let manifest = fs::read_to_string(folder.join("kept/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["seed"], 2);
    fs::create_dir(folder.join("mine")).expect("a folder");
    put(&folder, "mine/letter.txt", "dear");
    insta::assert_snapshot!(fairwire_in(&folder, &["run", "small.toml", "--out", "mine"]).ends_with(2));
    assert_eq!(names_in(&folder.join("mine")), ["letter.txt"]);
    // Below a file there is no room for anybody, not even for root.
    let said = fairwire_in(&folder, &["run", "small.toml", "--out", "small.toml/results"]).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("--no-folder"), "{said}");
    assert_eq!(names_in(&folder), ["kept", "mine", "small.toml"]);
}

/// Before anything is simulated: a link is something else than a folder, wherever it leads.
#[cfg(unix)]
#[test]
fn links_in_the_place_of_a_folder_are_found_before_a_run() {
    let folder = folder("run-links");
    put(&folder, "small.toml", SMALL);
    put(&folder, "swept.toml", &format!("{SMALL}\n[sweep]\nring.span-delay = [\"0.1 ms\", \"0.2 ms\"]\n"));
    fs::create_dir(folder.join("there")).expect("a folder");
    for (link, to) in [("nowhere", "gone"), ("somewhere", "there")] {
        std::os::unix::fs::symlink(to, folder.join(link)).expect("a link");
    }
    let before = names_in(&folder);
    for verb in [&["run", "small.toml", "--out"][..], &["compare", "small.toml", "--out"]] {
        for link in ["nowhere", "somewhere"] {
            let said = fairwire_in(&folder, &[verb, &[link]].concat()).ends_with(2);
            assert!(said.stderr.contains(&format!("{link} is a symbolic link")), "{said}");
            assert!(!said.stderr.contains("packet-hops"), "nothing is run: {said}");
        }
    }
    for more in [&[][..], &["--dry-run"]] {
        let said = fairwire_in(&folder, &[&["sweep", "swept.toml", "--out", "nowhere"], more].concat()).ends_with(2);
        assert!(said.stderr.contains("nowhere") && said.stderr.contains("--out DIR"), "{said}");
    }
    fairwire_in(&folder, &["sweep", "swept.toml", "--out", "somewhere", "--dry-run"]).ends_with(0);
    let said = fairwire_in(&folder, &["reproduce", "--html", "nowhere"]).ends_with(2);
    assert!(said.stderr.contains("nowhere is a symbolic link"), "{said}");
    assert_eq!(names_in(&folder), before);
}

/// A disk that takes no byte, as `ulimit -f 0` makes it.
#[cfg(unix)]
#[test]
fn a_full_disk_does_not_take_the_answer_away() {
    let folder = folder("run-full-disk");
    let file = put(&folder, "small.toml", SMALL);
    let shown = fairwire(&["run", &file, "--no-folder"]).stdout;
    let script = r#"trap '' XFSZ; ulimit -f 0; exec "$0" "$@""#;
    let program = crate::common::command(&folder, &[]);
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(program.get_program())
        .args(["run", &file])
        .current_dir(&folder)
        .output()
        .expect("there is a shell");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-folder"));
    assert!(names_in(&folder.join("runs")).is_empty(), "nothing is left half-written");
}
