//! The nearest known word to a misspelt one.

/// Lists of more words than this are cut to the first few.
const MOST_LISTED: usize = 24;
const SHOWN: usize = 12;

/// The most alike of `known`, if any is alike enough to be what was meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = word.to_lowercase().replace(['_', ' '], "-");
    known
        .into_iter()
        .map(|candidate| (likeness(&plain, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// From 0 to 1. A word that is a part of the other, such as `buffer` of
/// `station-buffer`, counts as alike.
fn likeness(word: &str, candidate: &str) -> f64 {
    let part = word.len() > 3 && candidate.len() > 3 && (candidate.contains(word) || word.contains(candidate));
    strsim::normalized_damerau_levenshtein(word, candidate).max(if part { 0.7 } else { 0.0 })
}

/// "`a`, `b` and `c`".
pub(crate) fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [some @ .., _] if words.len() > MOST_LISTED => {
            let shown = some[..SHOWN].iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            format!("{shown} and {} more", words.len() - SHOWN)
        }
        [first @ .., last] => {
            let first = first.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            format!("{first} and `{last}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_of_the_pen_and_nothing_else() {
        let known = ["stations", "capacity", "span-delay", "station-buffer"];
        assert_eq!(nearest("capcity", known), Some("capacity"));
        assert_eq!(nearest("span_delay", known), Some("span-delay"));
        assert_eq!(nearest("buffer", known), Some("station-buffer"));
        assert_eq!(nearest("colour", known), None);
    }
}
