//! What boards leave in their folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Insists that two folders hold the same tables and pages, to the byte. In which order runs were kept, which is the order in which
/// they ended, does not matter.
pub fn same_tables(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert!(one.len() > 3 && one.keys().eq(other.keys()), "{:?} and {:?}", one.keys(), other.keys());
    for (name, bytes) in &one {
        assert!(other[name] == *bytes, "{name} differs");
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let tables = named.filter(|(name, _)| !name.ends_with(".jsonl"));
    tables.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

/// Takes the end of the last run away, as a process does that is killed while it writes.
pub fn tear(folder: &Path) {
    let kept = folder.join("runs.jsonl");
    let bytes = fs::read(&kept).unwrap();
    fs::write(&kept, &bytes[..bytes.len() - 10]).unwrap();
}
