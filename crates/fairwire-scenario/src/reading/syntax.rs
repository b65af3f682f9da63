//! What keeps a text from being TOML, in words for people who do not know TOML.

use super::diagnostic::{Report, Reported};
use toml::de::Error;

/// Reports what the parser found, without the echoes that one slip causes.
pub(crate) fn report_all(errors: &[Error], report: &Report<'_>) -> Reported {
    let mut errors: Vec<&Error> = errors.iter().collect();
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    let mut last_line = 0;
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let line = report.line(&span);
        let slip = Slip::of(error.message(), span.is_empty());
        if line != last_line {
            report.error(span, format!("this is not TOML: {}", slip.what), "here", slip.mend);
        }
        // Whatever follows an open bracket is read as part of it.
        if slip.hides_the_rest {
            break;
        }
        last_line = line;
    }
    Reported
}

/// A slip in words.
struct Slip {
    what: String,
    mend: &'static str,
    hides_the_rest: bool,
}

impl Slip {
    fn of(message: &str, nothing_there: bool) -> Self {
        let message = message.trim();
        let (what, mend) = if message.contains("duplicate") {
            (message, "keep one of the two; several flows are written as several [[flow]] tables")
        } else if message.contains("comma") || message.contains("inline table") || message.contains("unclosed") {
            (message, "close what was opened: lists with ], tables with }, headers with ], quotes with \"")
        } else if message.starts_with("string values must be quoted") && nothing_there {
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
        let hides_the_rest = message.contains("comma") || message.contains("inline table");
        Self { what: what.to_owned(), mend, hides_the_rest }
    }
}
