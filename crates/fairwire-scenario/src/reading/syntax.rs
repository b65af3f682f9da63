//! What keeps a text from being TOML, in words for people who do not know TOML.

use super::diagnostic::{Report, Reported};
use std::ops::Range;
use toml::de::{DeTable, Error};

/// Reports what the parser found, without the echoes that one slip causes.
pub(crate) fn report_all(text: &str, errors: &[Error], report: &Report<'_>) -> Reported {
    let mut errors: Vec<(Range<usize>, &Error)> =
        errors.iter().map(|error| (error.span().unwrap_or_else(|| too_deep(text)), error)).collect();
    errors.sort_by_key(|(span, _)| span.start);
    let mut last_line = 0;
    let mut double: Option<usize> = None;
    for (span, error) in errors {
        let line = report.line(&span);
        let slip = Slip::of(error.message(), text, &span);
        let is_header = is_header(line_of(text, span.start));
        // The keys of a table that is there twice are there twice, too.
        let is_below = |double: usize| !text[double..span.start].lines().skip(1).any(self::is_header);
        let is_echo = slip.is_double && !is_header && double.is_some_and(is_below);
        if line != last_line && !is_echo {
            report.error(span.clone(), format!("this is not TOML: {}", slip.what), "here", slip.mend);
        }
        // Whatever follows an open bracket is read as part of it.
        if slip.hides_the_rest {
            break;
        }
        double = (slip.is_double && is_header || is_echo).then_some(span.start);
        last_line = line;
    }
    Reported
}

fn is_header(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// The first line on which a key has more dots than the parser takes, of which it tells no place.
fn too_deep(text: &str) -> Range<usize> {
    let ends: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    let is_fine = |end: &usize| DeTable::parse_recoverable(&text[..*end]).1.iter().all(|error| error.span().is_some());
    let line = ends.partition_point(is_fine).min(ends.len().saturating_sub(1));
    let start = line.checked_sub(1).map_or(0, |before| ends[before]);
    start..start + line_of(text, start).len()
}

/// The line with a byte, without its end.
fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}

/// A slip in words.
struct Slip {
    what: String,
    mend: &'static str,
    hides_the_rest: bool,
    is_double: bool,
}

impl Slip {
    fn of(message: &str, text: &str, span: &Range<usize>) -> Self {
        let message = message.trim();
        let is_double = message.contains("duplicate");
        let is_deep = message.contains("recurs");
        let (what, mend) = if is_double {
            return Self::double(text, span);
        } else if is_deep {
            (
                "values are nested too deep",
                "no value of a scenario is nested more than a few times: close or remove brackets, or dots of the key",
            )
        } else if message.contains("comma") || message.contains("inline table") || message.contains("unclosed") {
            (message, "close what was opened: lists with ], tables with }, headers with ], quotes with \"")
        } else if message.starts_with("string values must be quoted") && span.is_empty() {
            ("a key without a value", "write a value behind the equals sign, as in capacity = \"622 Mb/s\"")
        } else if message.starts_with("string values must be quoted") || message.starts_with("invalid boolean") {
            ("text without quotes", "put text and quantities in double quotes, as in capacity = \"622 Mb/s\"")
        } else if message.contains("string") {
            (message, "put text and quantities in double quotes, as in capacity = \"622 Mb/s\"")
        } else {
            (
                message,
                "write one `key = value` a line, with text and quantities in double quotes, as in capacity = \"622 Mb/s\"",
            )
        };
        let hides_the_rest = is_deep || message.contains("comma") || message.contains("inline table");
        Self { what: what.to_owned(), mend, hides_the_rest, is_double }
    }

    /// A key or a table that is there already.
    fn double(text: &str, span: &Range<usize>) -> Self {
        let key = &text[span.clone()];
        let (what, mend) = if is_header(line_of(text, span.start)) {
            let mend = "keep one of the two, with all keys in it; several flows are written as several [[flow]] tables";
            (format!("the table `{key}` is there already"), mend)
        } else {
            (format!("the key `{key}` is there already"), "keep one of the two")
        };
        Self { what, mend, hides_the_rest: false, is_double: true }
    }
}
