//! Times that may not be zero.

use fairwire_core::Span;

/// What is wrong with parameters that need to last, each by its key, in words.
pub fn problem(times: &[(&str, Span)]) -> Option<String> {
    let (key, _) = times.iter().find(|(_, time)| *time == Span::ZERO)?;
    Some(format!("`{key}` needs to last; write a time such as \"10 ms\""))
}
