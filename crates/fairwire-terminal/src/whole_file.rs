//! Files that people name: written whole or not at all, behind links, and in the place of files alone.

use std::fs;
use std::io::{self, Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Writes a file by `fill`: beside its place first, then moved there. Of a link the file behind it is written, and the link stays.
///
/// # Errors
/// If that cannot be done; what was there before stays, and nothing is left beside it.
pub fn write_whole(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let place = place(path)?;
    let partial = partial(&place)?;
    fill(&partial).and_then(|()| fs::rename(&partial, &place)).inspect_err(|_| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&partial);
    })
}

/// Finds out before long work whether a file could be written after it.
///
/// # Errors
/// As [`write_whole`].
pub fn check_whole(path: &Path) -> io::Result<()> {
    let partial = partial(&place(path)?)?;
    fs::write(&partial, "").and_then(|()| fs::remove_file(&partial))
}

/// The place that is written: behind links, where a file is or nothing.
fn place(path: &Path) -> io::Result<PathBuf> {
    let place = match path.is_symlink() {
        true => fs::canonicalize(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(ErrorKind::NotFound, "it is a symbolic link that leads nowhere"),
            _ => error,
        })?,
        false => path.to_owned(),
    };
    match fs::metadata(&place) {
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Err(Error::new(ErrorKind::InvalidInput, "what is there is no file of data")),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(place),
    }
}

/// Where a file is until it is whole.
fn partial(place: &Path) -> io::Result<PathBuf> {
    let name = place.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy();
    Ok(place.with_file_name(format!(".{name}.partial-{}", std::process::id())))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{check_whole, write_whole};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn links_stay_and_what_they_lead_to_is_written() {
        let desk = std::env::temp_dir().join(format!("fairwire-whole-file-{}", std::process::id()));
        fs::create_dir(&desk).expect("a folder");
        let [file, link, nowhere] = ["file", "link", "nowhere"].map(|name| desk.join(name));
        fs::write(&file, "old").expect("a file");
        symlink("file", &link).expect("a link");
        symlink("gone", &nowhere).expect("a link");
        check_whole(&link).expect("a file behind a link can be written");
        write_whole(&link, |partial| fs::write(partial, "new")).expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("a file"), "new");

        assert!(check_whole(&nowhere).expect_err("nowhere").to_string().contains("leads nowhere"));
        assert!(write_whole(&nowhere, |partial| fs::write(partial, "new")).is_err());
        assert!(nowhere.is_symlink() && !desk.join("gone").exists());
        assert_eq!(fs::read_dir(&desk).expect("a folder").count(), 3, "nothing is left beside them");
        fs::remove_dir_all(&desk).expect("removed");
    }

    #[test]
    fn only_files_give_way() {
        assert!(check_whole(Path::new("/dev/null")).is_err());
        assert!(check_whole(&std::env::temp_dir()).is_err());
        assert!(check_whole(Path::new("/")).is_err());
    }
}
