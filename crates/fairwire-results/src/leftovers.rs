//! Folders that were never finished, as whoever wrote them was killed.

use crate::folder::hidden_name;
use std::fs::{self, File};
use std::path::Path;

/// Says that somebody is at work on `partial`, as long as the answer lives: whoever is killed lets go. None where the system
/// has no locks for folders.
pub fn hold(partial: &Path) -> Option<File> {
    let file = File::open(partial).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Removes what others began to write in place of `folder` and nobody is at work on any more. Where that cannot be told, or
/// they cannot be removed, they stay.
pub fn clear(folder: &Path) {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(begins) = hidden_name(folder, "partial") else { return };
    let is_begun = |name: &Path| name.as_os_str().as_encoded_bytes().starts_with(begins.as_encoded_bytes());
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if is_begun(Path::new(&entry.file_name())) && hold(&entry.path()).is_some() {
            let _ = fs::remove_dir_all(entry.path());
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
        [".one.partial-1", ".one.partial-2", ".one.old-3", ".two.partial-4", "one"].into_iter().for_each(make);
        let at_work = hold(&desk.join(".one.partial-2"));
        assert!(at_work.is_some());
        clear(&desk.join("one"));
        let names = || {
            let mut names: Vec<_> =
                fs::read_dir(&desk).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), [".one.old-3", ".one.partial-2", ".two.partial-4", "one"]);
        drop(at_work);
        clear(&desk.join("one"));
        assert_eq!(names(), [".one.old-3", ".two.partial-4", "one"]);
        fs::remove_dir_all(&desk).unwrap();
    }
}
