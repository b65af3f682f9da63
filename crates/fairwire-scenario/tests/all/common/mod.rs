//! What several tests need.

use fairwire_scenario::Diagnostics;
use std::path::{Path, PathBuf};

/// Names and texts of all shipped scenarios, in the order of their names.
pub fn shipped() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in std::fs::read_dir(&root).expect("the scenarios are there") {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            files.extend(std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() >= 15, "only {} scenarios found", files.len());
    files.into_iter().map(|file| (file.display().to_string(), std::fs::read_to_string(&file).unwrap())).collect()
}

/// What every error owes its reader.
pub fn assert_helpful(name: &str, text: &str, errors: &Diagnostics) {
    assert!(!errors.items.is_empty(), "{name} fails without an error");
    let lines = text.lines().count().max(1);
    for item in &errors.items {
        assert!(!item.message.trim().is_empty() && !item.label.trim().is_empty(), "{name}: {item:?}");
        assert!(!item.help.trim().is_empty(), "{name}: {item:?} does not say what to write");
        assert!((1..=lines).contains(&item.line), "{name}: {item:?} points outside the {lines} lines");
        assert!(
            item.column >= 1 && item.span.end <= text.len() && item.span.start <= item.span.end,
            "{name}: {item:?}"
        );
    }
}
