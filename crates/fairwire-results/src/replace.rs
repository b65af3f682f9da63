//! A folder that takes the place of an older one.

use std::fs;
use std::io;
use std::path::Path;

/// Puts the folder `new` at `folder`, and removes what is there. Where the system can exchange two names there is a whole
/// folder at `folder` at any time, whoever stops us; where it cannot, the older one waits at `aside` meanwhile.
///
/// # Errors
/// What the system says; the older folder stays, or, if it could not be removed, is at `new` or `aside`.
pub fn replace_folder(new: &Path, folder: &Path, aside: &Path) -> io::Result<()> {
    if exchange(new, folder) {
        return remove(new);
    }
    fs::rename(folder, aside)?;
    if let Err(error) = fs::rename(new, folder) {
        let _ = fs::rename(aside, folder);
        return Err(error);
    }
    remove(aside)
}

/// Removes a folder that others may be removing, too.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether two names have been exchanged: not every file system can.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_one: &Path, _other: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    /// A folder, and in it the places of a new folder, of an older one, and aside.
    fn desk(name: &str) -> (PathBuf, [PathBuf; 3]) {
        let desk = std::env::temp_dir().join(format!("fairwire-replace-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&desk);
        fs::create_dir(&desk).expect("a folder");
        let places = ["new", "folder", "aside"].map(|name| desk.join(name));
        (desk, places)
    }

    fn make(folder: &Path, text: &str) {
        fs::create_dir(folder).expect("a folder");
        fs::write(folder.join("page"), text).expect("a file");
    }

    #[test]
    fn the_new_one_is_there_and_the_older_one_gone() {
        let (desk, [new, folder, aside]) = desk("once");
        make(&folder, "older");
        make(&new, "newer");
        replace_folder(&new, &folder, &aside).expect("replaced");
        assert_eq!(fs::read_to_string(folder.join("page")).expect("a page"), "newer");
        assert_eq!(fs::read_dir(&desk).expect("a folder").count(), 1);
        // Nothing to be put there: what is there stays.
        assert!(replace_folder(&new, &folder, &aside).is_err());
        assert_eq!(fs::read_to_string(folder.join("page")).expect("a page"), "newer");
        assert_eq!(fs::read_dir(&desk).expect("a folder").count(), 1);
        fs::remove_dir_all(&desk).expect("removed");
    }

    /// Whoever looks at any time finds a whole folder, and so does whoever comes after a process that was killed.
    #[cfg(target_os = "linux")]
    #[test]
    fn there_is_a_whole_folder_at_any_time() {
        let (desk, [new, folder, aside]) = desk("always");
        make(&folder, "0");
        make(&new, "1");
        if !exchange(&new, &folder) {
            return;
        }
        fs::remove_dir_all(&new).expect("removed");
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let mut looks = 0;
                while !over.load(Ordering::Relaxed) {
                    // A look that began in the older folder may find it empty already, but never the name.
                    assert!(folder.is_dir(), "after {looks} looks");
                    looks += 1;
                }
                looks
            });
            for round in 0..500 {
                make(&new, &round.to_string());
                replace_folder(&new, &folder, &aside).expect("replaced");
            }
            over.store(true, Ordering::Relaxed);
            assert!(looks.join().expect("never missing") > 0);
        });
        fs::remove_dir_all(&desk).expect("removed");
    }
}
