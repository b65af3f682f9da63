//! The nearest known word to a misspelt one, or to what other tools call the same thing.

/// Lists of more words than this are cut to the first few.
const MOST_LISTED: usize = 24;
const SHOWN: usize = 12;

/// What ns-3, Mininet, `tc`, iperf3 and others call a thing, and what scenarios call it. Where one word of theirs has several of ours,
/// the first that is known counts.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("bandwidth", &["capacity", "demand"]),
    ("buffer", &["limit", "station-buffer"]),
    ("buffer-size", &["limit", "station-buffer"]),
    ("bottleneck", &["dumbbell"]),
    ("bulk", &["tcp", "greedy"]),
    ("bw", &["capacity", "demand"]),
    ("cc", &["control"]),
    ("ceil", &["peak-rate"]),
    ("cir", &["min-rate"]),
    ("congestion-control", &["control"]),
    ("constant", &["cbr"]),
    ("count", &["micro-flows"]),
    ("datarate", &["capacity", "rate"]),
    ("data-rate", &["capacity", "rate"]),
    ("dest", &["to"]),
    ("destination", &["to"]),
    ("dst", &["to"]),
    ("ftp", &["tcp", "greedy"]),
    ("gateway", &["dumbbell"]),
    ("gateways", &["dumbbell"]),
    ("latency", &["delay", "span-delay"]),
    ("max-rate", &["peak-rate"]),
    ("mtu", &["packet"]),
    ("onoff", &["pareto-on-off"]),
    ("on-off", &["pareto-on-off"]),
    ("packet-size", &["packet"]),
    ("parallel", &["micro-flows"]),
    ("pir", &["peak-rate"]),
    ("propagation", &["delay", "span-delay"]),
    ("qdisc", &["queue"]),
    ("qlen", &["limit"]),
    ("queue-size", &["limit"]),
    ("sim-time", &["duration"]),
    ("source", &["from"]),
    ("src", &["from"]),
    ("target", &["to"]),
    ("udp", &["cbr"]),
];

/// The word of `known` that was meant: what other tools call it, or the most alike if any is alike enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = word.to_lowercase().replace(['_', ' '], "-");
    let known: Vec<&str> = known.into_iter().collect();
    let ours = ELSEWHERE.iter().find(|(theirs, _)| *theirs == plain).map_or(&[][..], |(_, ours)| ours);
    let called_so = ours.iter().find_map(|ours| known.iter().find(|known| *known == ours));
    called_so.copied().or_else(|| most_alike(&plain, &known))
}

fn most_alike<'a>(plain: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (likeness(plain, candidate), *candidate))
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
        // A part of a longer word is less alike than a word with a letter more, wherever each stands.
        assert_eq!(nearest("weigh", ["weight", "station-weight"]), Some("weight"));
        assert_eq!(nearest("weigh", ["station-weight", "weight"]), Some("weight"));
    }

    #[test]
    fn knows_what_other_tools_call_a_thing() {
        assert_eq!(nearest("count", ["name", "micro-flows"]), Some("micro-flows"));
        assert_eq!(nearest("buffer", ["queue", "limit"]), Some("limit"));
        assert_eq!(nearest("UDP", ["tcp", "cbr"]), Some("cbr"));
        assert_eq!(nearest("data_rate", ["rate", "packet"]), Some("rate"));
        assert_eq!(nearest("latency", ["name"]), None);
    }
}
