//! Characters that change how the text around them is shown.

/// Whether a character controls the terminal or the direction of the text around it, so that text of others that holds
/// it may look like something else: control characters, and the embeddings, overrides and isolates of the Unicode
/// bidirectional algorithm (UAX #9, §2).
pub fn is_text_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::is_text_control;

    #[test]
    fn what_turns_text_around_is_told_from_what_is_written_in_it() {
        assert!("\u{1b}\u{7}\n\u{9b}\u{202e}\u{2066}".chars().all(is_text_control));
        assert!(!"a é → שלום 中 \u{200f}".chars().any(is_text_control));
    }
}
