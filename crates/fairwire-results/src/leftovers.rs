//! Folders that were never finished, as whoever wrote them was killed.

use crate::folder::hidden_name;
use crate::place::MANIFEST;
use std::fs::{self, File};
use std::path::Path;

/// Says that somebody is at work on `partial`, as long as the answer lives: whoever is killed lets go. None where the system
/// has no locks for folders.
pub fn hold(partial: &Path) -> Option<File> {
    let file = File::open(partial).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Removes what others began to write in place of `folder` and nobody is at work on any more, and, where `folder` holds a
/// result, older ones that it has taken the place of. Where that cannot be told, or they cannot be removed, they stay.
pub fn clear(folder: &Path) {
    clear_all(folder, "partial", |_| true);
    // An older result whose place is empty may be the only one.
    if folder.join(MANIFEST).is_file() {
        clear_all(folder, "old", |old| old.join(MANIFEST).is_file());
    }
}

/// Removes the hidden folders beside `folder` that nobody is at work on, if `is_ours`.
fn clear_all(folder: &Path, what: &str, is_ours: impl Fn(&Path) -> bool) {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(begins) = hidden_name(folder, what) else { return };
    let is_so_called = |name: &Path| name.as_os_str().as_encoded_bytes().starts_with(begins.as_encoded_bytes());
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_so_called(Path::new(&entry.file_name())) && is_ours(&path) && hold(&path).is_some() {
            let _ = fs::remove_dir_all(path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let desk = std::env::temp_dir().join(format!("fairwire-leftovers-{}", std::process::id()));
        let make = |name: &str| {
            fs::create_dir_all(desk.join(name)).unwrap();
            fs::write(desk.join(name).join("manifest.json"), "{}").unwrap();
        };
        [".one.partial-1", ".one.partial-2", ".two.partial-4", "one"].into_iter().for_each(make);
        let at_work = hold(&desk.join(".one.partial-2"));
        assert!(at_work.is_some());
        clear(&desk.join("one"));
        let names = || {
            let mut names: Vec<_> =
                fs::read_dir(&desk).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), [".one.partial-2", ".two.partial-4", "one"]);
        drop(at_work);
        clear(&desk.join("one"));
        assert_eq!(names(), [".two.partial-4", "one"]);

        // Older results go once another one has their place: not before, and none that is being moved.
        [".one.old-3", ".one.old-5", ".two.old-6"].into_iter().for_each(make);
        let moved = hold(&desk.join(".one.old-5"));
        ["one", "two"].into_iter().for_each(|name| clear(&desk.join(name)));
        assert_eq!(names(), [".one.old-5", ".two.old-6", "one"]);
        drop(moved);
        fs::remove_dir_all(&desk).unwrap();
    }
}
