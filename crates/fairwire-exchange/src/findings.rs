//! What is wrong with a file of others, with its place and the mend.

use fairwire_scenario::{Diagnostic, Diagnostics};
use std::ops::Range;

/// A file of others.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// What is in it.
    pub text: &'a str,
}

impl Foreign<'_> {
    /// Line and column of a byte.
    pub(crate) fn place(&self, byte: usize) -> (usize, usize) {
        // Behind the last line's end there is no other line.
        let last_line = self.text.strip_suffix('\n').unwrap_or(self.text);
        let before = &self.text[..byte.min(last_line.len())];
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (before.matches('\n').count() + 1, column)
    }
}

/// More findings than this help nobody.
const MOST: usize = 20;

/// Collects what is wrong with one file.
pub(crate) struct Findings<'a> {
    file: Foreign<'a>,
    items: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub fn new(file: Foreign<'a>) -> Self {
        Self { file, items: Vec::new() }
    }

    /// Notes a mistake at some bytes of the file.
    pub fn error(&mut self, span: Range<usize>, message: impl Into<String>, label: &str, help: impl Into<String>) {
        if self.items.len() < MOST {
            let (line, column) = self.file.place(span.start);
            let (message, label, help) = (message.into(), label.to_owned(), help.into());
            self.items.push(Diagnostic { message, label, help, span, line, column });
        }
    }

    /// The line with a byte of the file.
    pub fn line(&self, byte: usize) -> usize {
        self.file.place(byte).0
    }

    /// Whether nothing is wrong so far.
    pub fn are_none(&self) -> bool {
        self.items.is_empty()
    }

    /// The value, if nothing is wrong.
    pub fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.items.is_empty() {
            return Ok(value);
        }
        let mut items = self.items;
        items.sort_by_key(|item| item.span.start);
        Err(Diagnostics { file_name: self.file.name.to_owned(), text: self.file.text.to_owned(), items })
    }

    /// One mistake, and nothing more to say.
    pub fn only<T>(
        file: Foreign<'a>,
        span: Range<usize>,
        message: impl Into<String>,
        label: &str,
        help: impl Into<String>,
    ) -> Result<T, Diagnostics> {
        let mut findings = Self::new(file);
        findings.error(span, message, label, help);
        findings.finish(()).map(|()| unreachable!("there is a finding"))
    }
}

/// `a, b or c`.
pub(crate) fn any_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// A mistake in what was asked for, and not in a file.
pub(crate) fn of_the_call(place: &str, asked: &str, message: String, label: &str, help: String) -> Diagnostics {
    let item = Diagnostic { message, label: label.to_owned(), help, span: 0..asked.len(), line: 1, column: 1 };
    Diagnostics { file_name: place.to_owned(), text: asked.to_owned(), items: vec![item] }
}
