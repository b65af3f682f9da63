//! Files that are gone with the process.

use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::path::Path;

/// A new file in `folder` that nobody finds there.
///
/// # Errors
/// If there can be none.
pub fn nameless_file(folder: &Path) -> io::Result<File> {
    match without_ever_a_name(folder) {
        Some(file) => Ok(file),
        None => {
            // Not every file system has files that never had a name.
            let path = folder.join(format!(".fairwire-{}", std::process::id()));
            let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
            remove_file(&path)?;
            Ok(file)
        }
    }
}

#[cfg(target_os = "linux")]
fn without_ever_a_name(folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = nix::fcntl::OFlag::O_TMPFILE.bits();
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(folder).ok()
}

#[cfg(not(target_os = "linux"))]
fn without_ever_a_name(_: &Path) -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    #[test]
    fn it_holds_what_is_written_and_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("fairwire-nameless-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let mut file = nameless_file(&folder).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        file.write_all(b"arrivals").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "arrivals");
        // Nothing is in it: it can be removed.
        std::fs::remove_dir(&folder).unwrap();
        assert!(nameless_file(&folder).is_err());
    }
}
