//! Text of others on its way to a terminal.

use fairwire_core::is_text_control;
use std::borrow::Cow;

/// `text` with characters that would control the terminal, or turn the text around them, replaced by as many bytes that do
/// not, so that places in it stay what they were. Lines and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let harms = |c: char| is_text_control(c) && !matches!(c, '\n' | '\t');
    if !text.contains(harms) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character.len_utf8() {
            _ if !harms(character) => shown.push(character),
            // U+FFFD has three bytes, as all have that turn text around.
            3 => shown.push(char::REPLACEMENT_CHARACTER),
            bytes => shown.extend(std::iter::repeat_n('?', bytes)),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_controls_a_terminal_or_turns_text_is_replaced_in_its_place() {
        assert_eq!(harmless("a\tb\nµ → ok"), "a\tb\nµ → ok");
        for text in ["\u{1b}[31mred", "a\u{202e}b\u{9b}c", "\r\u{7}\u{2066}"] {
            let shown = harmless(text);
            assert_eq!(shown.len(), text.len());
            assert!(!shown.contains(fairwire_core::is_text_control), "{shown:?}");
        }
        assert_eq!(harmless("a\u{202e}b"), "a\u{fffd}b");
    }
}
