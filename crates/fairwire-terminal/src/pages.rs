//! A folder of pages: whole or not at all, and never in the place of something else.

use crate::CliError;
use crate::output::note;
use fairwire_results::replace_folder;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The page that a folder of pages begins with.
const FIRST: &str = "index.html";
/// What pages of ours say of themselves.
const OURS: &str = "fairwire";

/// Finds out before long work whether a folder of pages could be written after it, and makes its parents. `names` are
/// all that pages may be called.
///
/// # Errors
/// [`CliError::BadInput`] if something else is there, or nothing can be made there.
pub fn check_pages_place(folder: &Path, names: &[String]) -> Result<(), CliError> {
    sibling(folder, "partial")?;
    if folder.is_symlink() && !folder.join(FIRST).is_file() {
        let message = format!("{} is a symbolic link, which no folder can take the place of", folder.display());
        return Err(CliError::bad_input(message, NAME_ANOTHER));
    }
    if let Some(stranger) = stranger(folder, names).map_err(|error| refused(folder, &error))? {
        let message = format!("{} exists and is not just a folder of these pages (see {stranger})", folder.display());
        return Err(CliError::bad_input(message, NAME_ANOTHER));
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let probe = parent.join(format!(".fairwire-probe-{}", std::process::id()));
    let tried = fs::create_dir_all(parent).and_then(|()| fs::create_dir(&probe)).and_then(|()| fs::remove_dir(&probe));
    tried.map_err(|error| refused(folder, &error))
}

const NAME_ANOTHER: &str = "name a folder that is not there yet, in a place that can be written";

fn refused(folder: &Path, error: &io::Error) -> CliError {
    CliError::file("write", folder, error, NAME_ANOTHER)
}

/// Writes pages, as (name, text): to a hidden folder first, which then takes its name. Older pages at its place give way.
///
/// # Errors
/// [`CliError::Missing`] with what the system says; what was there before stays, and nothing else is left behind.
pub fn write_pages<'a>(folder: &Path, pages: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), CliError> {
    let partial = sibling(folder, "partial")?;
    let fill = || {
        fs::create_dir(&partial)?;
        pages.into_iter().try_for_each(|(name, text)| fs::write(partial.join(name), text))?;
        let old = sibling(folder, "old").map_err(|_| ErrorKind::InvalidInput)?;
        move_into_place(&partial, folder, &old)
    };
    fill().map_err(|error: io::Error| {
        // The first error is the one to tell.
        let _ = fs::remove_dir_all(&partial);
        let message = format!("cannot write {}: {error}", folder.display());
        CliError::Missing { message, help: NAME_ANOTHER.to_owned() }
    })?;
    note(&format!("wrote {}", folder.join(FIRST).display()));
    Ok(())
}

fn move_into_place(partial: &Path, folder: &Path, old: &Path) -> io::Result<()> {
    if !folder.join(FIRST).is_file() {
        return fs::rename(partial, folder);
    }
    replace_folder(partial, folder, old)
}

/// What is at `folder` that older pages there would not be: its name.
fn stranger(folder: &Path, names: &[String]) -> io::Result<Option<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(Some(folder.display().to_string())),
        Err(error) => return Err(error),
    };
    let mut found: Vec<String> = Vec::new();
    for entry in entries {
        found.push(entry?.file_name().to_string_lossy().into_owned());
    }
    found.sort();
    if let Some(stranger) = found.iter().find(|name| !names.contains(name)) {
        return Ok(Some(stranger.clone()));
    }
    let is_ours = found.is_empty() || fs::read_to_string(folder.join(FIRST)).is_ok_and(|page| page.contains(OURS));
    Ok(if is_ours { None } else { found.into_iter().next() })
}

/// A hidden name beside `folder` that no other process uses.
fn sibling(folder: &Path, what: &str) -> Result<PathBuf, CliError> {
    let none = || CliError::bad_input(format!("{} does not name a folder", folder.display()), NAME_ANOTHER);
    let name = folder.file_name().ok_or_else(none)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{what}-{}", std::process::id()));
    Ok(folder.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["index.html".to_owned(), "dvsr.html".to_owned()]
    }

    fn place(of: &str) -> PathBuf {
        let place = std::env::temp_dir().join(format!("fairwire-pages-{of}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        place
    }

    fn listed(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn older_pages_give_way_and_nothing_else_does() {
        let inside = place("older");
        let folder = inside.join("deep").join("site");
        check_pages_place(&folder, &names()).expect("parents are made");
        write_pages(&folder, [("index.html", "fairwire 1"), ("dvsr.html", "2")].into_iter()).expect("written");
        check_pages_place(&folder, &names()).expect("older pages");
        write_pages(&folder, [("index.html", "fairwire 3")].into_iter()).expect("written again");
        assert_eq!(
            (listed(&folder), listed(&inside.join("deep"))),
            (vec!["index.html".to_owned()], vec!["site".to_owned()])
        );
        fs::write(folder.join("thesis.tex"), "mine").expect("a file");
        let refused = check_pages_place(&folder, &names()).expect_err("a stranger");
        assert!(
            matches!(&refused, CliError::BadInput { message, .. } if message.contains("thesis.tex")),
            "{refused:?}"
        );
        fs::remove_dir_all(&inside).expect("removed");
    }

    #[test]
    fn a_file_and_pages_of_others_are_not_touched() {
        let folder = place("foreign");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("index.html"), "somebody's home").expect("a file");
        assert!(check_pages_place(&folder, &names()).is_err());
        assert!(check_pages_place(&folder.join("index.html"), &names()).is_err());
        assert!(check_pages_place(Path::new(".."), &names()).is_err());
        assert_eq!(fs::read_to_string(folder.join("index.html")).expect("still there"), "somebody's home");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn what_cannot_be_written_whole_is_not_there_at_all() {
        let folder = place("broken");
        // A name that is no file's stands for a disk that is full.
        let pages = [("index.html", "fairwire"), ("no/such/folder.html", "")];
        assert!(matches!(write_pages(&folder, pages.into_iter()), Err(CliError::Missing { .. })));
        let beside = folder.parent().map(listed).expect("a parent");
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(beside.iter().all(|other| !other.contains(&name)), "{beside:?}");
    }
}
