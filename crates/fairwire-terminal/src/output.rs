//! Standard output: data, whole or not at all, and never a panic on a closed pipe.

use crate::CliError;
use crate::harmless::harmless;
use crate::loudness::Loudness;
use crate::whole_file::{check_whole, write_whole};
use crate::width::width;
use serde::Serialize;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use textwrap::{WordSeparator, WordSplitter};

/// Prints a value as JSON.
///
/// # Errors
/// [`CliError::Output`] if stdout cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    print_line(|out| serde_json::to_writer_pretty(out, value))
}

/// Prints a value as JSON on one line: what is long is read by programs alone, and half of it would be indents.
///
/// # Errors
/// [`CliError::Output`] if stdout cannot be written.
pub fn print_json_line(value: &impl Serialize) -> Result<(), CliError> {
    print_line(|out| serde_json::to_writer(out, value))
}

fn print_line(
    write: impl FnOnce(&mut BufWriter<io::StdoutLock<'_>>) -> serde_json::Result<()>,
) -> Result<(), CliError> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// Prints text as it is.
///
/// # Errors
/// [`CliError::Output`] if stdout cannot be written.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints what people read: lines that are longer than [`crate::fit`] allows are broken between words, deeper than they began.
///
/// # Errors
/// [`CliError::Output`] if stdout cannot be written.
pub fn print_page(page: &str) -> Result<(), CliError> {
    match width() {
        Some(width) => print(&page.lines().map(|line| broken(line, width) + "\n").collect::<String>()),
        None => print(page),
    }
}

fn broken(line: &str, width: usize) -> String {
    let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
    let deeper = format!("{indent}  ");
    // Names such as `general-weighted` stay whole, so that they can be copied.
    let options = textwrap::Options::new(width)
        .subsequent_indent(&deeper)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

/// Finds out before long work that a file could not be written after it.
///
/// # Errors
/// [`CliError::BadInput`] with what the system says.
pub fn check_file_place(path: &Path) -> Result<(), CliError> {
    check_whole(path).map_err(|error| CliError::file("write", path, &error, NAME_ANOTHER_FILE))
}

/// Writes a file whole or not at all, and says so.
///
/// # Errors
/// [`CliError::Missing`] if that cannot be done; what was there before stays.
pub fn write_file(path: &Path, text: &str) -> Result<(), CliError> {
    write_whole(path, |partial| fs::write(partial, text)).map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        CliError::Missing { message, help: NAME_ANOTHER_FILE.to_owned() }
    })?;
    note(&format!("wrote {}", path.display()));
    Ok(())
}

const NAME_ANOTHER_FILE: &str = "name a file in a folder that is there and can be written";

/// Tells people something on stderr, unless they asked for quiet.
pub fn note(text: &str) {
    if !Loudness::Quiet.is_set() {
        tell(text);
    }
}

/// Tells people on stderr what is being done, if they asked for that with `--verbose`; else `text` is not even made.
pub fn detail(text: impl FnOnce() -> String) {
    if Loudness::Verbose.is_set() {
        tell(&text());
    }
}

fn tell(text: &str) {
    // A closed stderr must not stop the work.
    let _ = writeln!(io::stderr(), "{}", harmless(text));
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_lines_are_broken_between_words_and_short_ones_stay() {
        assert_eq!(
            broken("  why: link general-weighted is full", 22),
            "  why: link\n    general-weighted\n    is full"
        );
        assert_eq!(broken("a  table   row", 14), "a  table   row");
        assert_eq!(broken("", 20), "");
    }
}
