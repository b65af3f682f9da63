//! Characters that change how the text around them is shown.

use std::fmt;

/// Whether a character controls the terminal or the direction of the text around it, so that text of others that holds
/// it may look like something else: control characters, and the embeddings, overrides and isolates of the Unicode
/// bidirectional algorithm (UAX #9, §2).
pub fn is_text_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Why text cannot be a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoName {
    /// It says nothing.
    IsEmpty,
    /// It holds what [`is_text_control`] tells.
    HasControls,
}

impl fmt::Display for NoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IsEmpty => "is empty",
            Self::HasControls => "has control characters",
        })
    }
}

/// Checks that text can be a name, which stands in tables: it says something, and controls nothing.
///
/// # Errors
/// [`NoName`] where it cannot.
pub fn check_name(text: &str) -> Result<(), NoName> {
    if text.trim().is_empty() {
        return Err(NoName::IsEmpty);
    }
    if text.contains(is_text_control) { Err(NoName::HasControls) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::{NoName, check_name, is_text_control};

    #[test]
    fn what_turns_text_around_is_told_from_what_is_written_in_it() {
        assert!("\u{1b}\u{7}\n\u{9b}\u{202e}\u{2066}".chars().all(is_text_control));
        assert!(!"a é → שלום 中 \u{200f}".chars().any(is_text_control));
    }

    #[test]
    fn a_name_says_something_and_controls_nothing() {
        assert_eq!(check_name("Genève – a/b <x>"), Ok(()));
        assert_eq!(check_name(" \t"), Err(NoName::IsEmpty));
        assert_eq!(check_name("a\nb"), Err(NoName::HasControls));
        assert_eq!(check_name("\u{202e}a"), Err(NoName::HasControls));
    }
}
