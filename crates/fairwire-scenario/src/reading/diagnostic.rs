//! What is wrong with a scenario file, where, and what to write instead.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::ops::Range;

/// More findings than this help nobody; the rest is left out.
pub const MOST_FINDINGS: usize = 100;

/// One finding in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in one sentence.
    pub message: String,
    /// A few words to stand under the place itself.
    pub label: String,
    /// What to write instead; never empty.
    pub help: String,
    /// The place: a range of bytes of the text.
    pub span: Range<usize>,
    /// The line of the place, from 1; always a line of the text.
    pub line: usize,
    /// The column of the place in characters, from 1.
    pub column: usize,
}

/// Everything that is wrong with one file, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The file's name, as it was handed in.
    pub file_name: String,
    /// The text of the file.
    pub text: String,
    /// The findings; at least one.
    pub items: Vec<Diagnostic>,
}

/// One line a finding: `file:line:column: message — what to write`.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.items.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}:{}:{}: {} — {}", self.file_name, item.line, item.column, item.message, item.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// The finding has been written into the [`Report`]; there is nothing more to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// Collects findings while a file is read, so that one pass shows all of them.
pub(crate) struct Report<'a> {
    text: &'a str,
    lines: Lines<'a>,
    errors: RefCell<Vec<Diagnostic>>,
    warnings: RefCell<Vec<Diagnostic>>,
}

impl<'a> Report<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, lines: Lines::new(text), errors: RefCell::default(), warnings: RefCell::default() }
    }

    pub fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.put(&self.errors, span, message.into(), label.into(), help.into());
        Reported
    }

    pub fn warning(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.put(&self.warnings, span, message.into(), label.into(), help.into());
    }

    /// The line of a place, for messages that name a second place.
    pub fn line(&self, span: &Range<usize>) -> usize {
        self.lines.locate(span.start).0
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.borrow().is_empty()
    }

    /// The value if nothing is wrong, with the warnings; else all that is wrong.
    pub fn finish<T>(self, file_name: &str, value: Result<T, Reported>) -> Result<(T, Vec<Diagnostic>), Diagnostics> {
        match value {
            Ok(value) if !self.has_errors() => {
                let mut warnings = self.warnings.into_inner();
                warnings.sort_by_key(|item| item.span.start);
                Ok((value, warnings))
            }
            _ => Err(self.into_diagnostics(file_name)),
        }
    }

    /// All that is wrong; something has to be.
    pub fn into_diagnostics(self, file_name: &str) -> Diagnostics {
        let mut items = self.errors.into_inner();
        debug_assert!(!items.is_empty(), "a reading failed and nobody said why");
        items.sort_by_key(|item| item.span.start);
        Diagnostics { file_name: file_name.to_owned(), text: self.text.to_owned(), items }
    }

    fn put(&self, list: &RefCell<Vec<Diagnostic>>, span: Range<usize>, message: String, label: String, help: String) {
        let mut list = list.borrow_mut();
        if list.len() < MOST_FINDINGS {
            let (line, column) = self.lines.locate(span.start);
            list.push(Diagnostic { message, label, help, span, line, column });
        }
    }
}

/// Where the lines of a text begin: looked for when it is asked for the first time.
struct Lines<'a> {
    text: &'a str,
    starts: OnceCell<Vec<usize>>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, starts: OnceCell::new() }
    }

    fn starts(&self) -> &[usize] {
        let later = || self.text.match_indices('\n').map(|(at, _)| at + 1);
        self.starts.get_or_init(|| std::iter::once(0).chain(later()).collect())
    }

    /// Line and column, both from 1, of a byte offset. The end of a text that ends
    /// its last line belongs to that line: nobody sees an empty one after it.
    fn locate(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        if offset == self.text.len() && self.text.ends_with('\n') {
            offset -= 1;
        }
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts().partition_point(|start| *start <= offset);
        (line, self.text[self.starts()[line - 1]..offset].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_always_inside_the_text() {
        assert_eq!(Lines::new("").locate(0), (1, 1));
        assert_eq!(Lines::new("a\nbc").locate(3), (2, 2));
        assert_eq!(Lines::new("a\nbc\n").locate(5), (2, 3));
        assert_eq!(Lines::new("é\nb").locate(1), (1, 1));
        assert_eq!(Lines::new("a").locate(99), (1, 2));
    }
}
