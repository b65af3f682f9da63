//! Values and sentences as people read them.

use fairwire_alloc::text;
use maud::{Markup, html};
use serde_json::Value;

/// Text in which what stands between backticks is code.
pub(super) fn in_code(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A note as a sentence: a capital to begin with, unless it begins with a name or an option, and a full stop.
pub(super) fn sentence(note: &str) -> Markup {
    let first = note.split(' ').next().unwrap_or("");
    let is_word = first.chars().all(|letter| letter.is_ascii_lowercase() || matches!(letter, ',' | ':' | ';'));
    let mut letters = note.chars();
    let begun = match letters.next() {
        Some(letter) if is_word => format!("{}{}", letter.to_uppercase(), letters.as_str()),
        _ => note.to_owned(),
    };
    let end = if begun.ends_with(['.', '!', '?']) { "" } else { "." };
    html! { (in_code(&begun)) (end) }
}

/// A key as words: `node4_mbps` is "node4 Mb/s".
pub(super) fn key(name: &str) -> String {
    name.trim_start_matches("derived_").split(['_', ' ']).map(written).collect::<Vec<_>>().join(" ")
}

/// Units and abbreviations as people write them.
fn written(word: &str) -> &str {
    const WRITTEN: [(&str, &str); 14] = [
        ("mbps", "Mb/s"),
        ("us", "µs"),
        ("rtt", "RTT"),
        ("rtts", "RTTs"),
        ("cbr", "CBR"),
        ("tcp", "TCP"),
        ("udp", "UDP"),
        ("red", "RED"),
        ("fred", "FRED"),
        ("vrr", "VRR"),
        ("lan", "LAN"),
        ("wan", "WAN"),
        ("dvsr", "DVSR"),
        ("rias", "RIAS"),
    ];
    WRITTEN.iter().find(|(key, _)| *key == word).map_or(word, |(_, written)| written)
}

/// How far a measured value may be off.
pub(super) fn tolerance(value: &Value) -> String {
    let told = value.as_object().into_iter().flatten().map(|(name, value)| match (name.as_str(), value.as_f64()) {
        ("text", _) => plain(value),
        ("abs", Some(0.0)) => "none".to_owned(),
        ("abs", Some(_)) => format!("± {}", plain(value)),
        ("rel", Some(part)) => format!("{} %", text::number(part * 100.0, 4)),
        (name, _) if value == &Value::Bool(true) => key(name),
        (name, _) => format!("{} {}", key(name), plain(value)),
    });
    told.collect::<Vec<_>>().join(", ").trim().to_owned()
}

/// JSON as people write it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{} {}", key(name), plain(value))).collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), self::number),
        Value::Null => "–".to_owned(),
    }
}

/// A number to the six digits that rows have.
pub(super) fn number(value: f64) -> String {
    const DIGITS: i32 = 6;
    if value != 0.0 && value.abs() < 1e-4 { format!("{value:.1e}") } else { text::number(value, DIGITS) }
}

/// How far a number is from the paper's: in per cent, or as it is where the paper has 0.
pub(super) fn off(paper: f64, here: f64) -> String {
    const DIGITS: i32 = 3;
    let by = if paper == 0.0 { here } else { (here - paper) / paper.abs() * 100.0 };
    let unit = if paper == 0.0 { "" } else { " %" };
    let sign = if by > 0.0 { "+" } else { "" };
    match by.abs() {
        0.0 => "0".to_owned(),
        small if small < 5e-4 => "0".to_owned(),
        small if small < 1.0 => format!("{sign}{by:.3}").trim_end_matches('0').trim_end_matches('.').to_owned() + unit,
        _ => format!("{sign}{}{unit}", text::number(by, DIGITS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_told_in_per_cent_of_the_papers_number() {
        assert_eq!(
            ["+4 %", "-50 %", "0", "+0.3 %"].map(str::to_owned),
            [off(0.25, 0.26), off(2.0, 1.0), off(0.25, 0.25), off(1000.0, 1003.0)]
        );
        assert_eq!((off(0.0, 0.25), off(0.0, 0.0)), ("+0.25".to_owned(), "0".to_owned()));
    }

    #[test]
    fn notes_become_sentences_and_names_stay_as_they_are() {
        assert_eq!(sentence("means of 10 runs").into_string(), "Means of 10 runs.");
        assert_eq!(sentence("`wait` on. So").into_string(), "<code>wait</code> on. So.");
        assert_eq!(sentence("dvsr-plus is").into_string(), "dvsr-plus is.");
    }

    #[test]
    fn keys_have_units_and_abbreviations_as_people_write_them() {
        assert_eq!(
            ["node4_mbps", "derived_ar", "settling_rtts"].map(key),
            ["node4 Mb/s", "ar", "settling RTTs"].map(str::to_owned)
        );
    }

    #[test]
    fn tolerances_and_values_are_words() {
        assert_eq!(tolerance(&json!({ "rel": 0.01, "exact": true })), "exact, 1 %");
        assert_eq!(tolerance(&json!({ "abs": 0 })), "none");
        assert_eq!(plain(&json!([200.0, 0.5, true, null])), "200, 0.5, yes, –");
    }
}
