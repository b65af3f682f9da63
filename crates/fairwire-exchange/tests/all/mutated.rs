//! Good files of others with something changed, anywhere: a scenario comes out, or errors that help.

use crate::any_text::import;
use proptest::prelude::*;

const SAMPLES: [&str; 6] = [
    include_str!("../samples/links.csv"),
    include_str!("../samples/flows.csv"),
    include_str!("../samples/graph.graphml"),
    include_str!("../samples/graph.json"),
    include_str!("../samples/network.json"),
    include_str!("../samples/ShapedDevices.csv"),
];

/// What files of others are broken with, and what they may hold.
const BITS: [&str; 34] = [
    "",
    "\"",
    "'",
    ",",
    ";",
    "\n",
    "\r",
    "\r\n",
    "\u{feff}",
    "\t",
    "\0",
    "#",
    "<",
    ">",
    "&",
    "&lt;",
    "/>",
    "{",
    "}",
    "[",
    "]",
    ":",
    "\\",
    "\\u00e9",
    "é",
    "𝄞",
    "-1",
    "0",
    "1e308",
    "1e-308",
    "NaN",
    "18446744073709551616",
    " Gb/s",
    "*",
];

/// One change: where, how much goes, and what comes.
#[derive(Clone, Debug)]
enum Change {
    Put { at: f64, gone: usize, bit: usize },
    Copy { from: f64, length: usize, to: f64 },
    Cut { at: f64 },
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => (0.0..1.0, 0_usize..12, 0..BITS.len()).prop_map(|(at, gone, bit)| Change::Put { at, gone, bit }),
        2 => (0.0..1.0, 0_usize..80, 0.0..1.0).prop_map(|(from, length, to)| Change::Copy { from, length, to }),
        1 => (0.5..1.0).prop_map(|at| Change::Cut { at }),
    ]
}

impl Change {
    fn apply(&self, text: &mut String) {
        let place = |text: &str, part: f64| text.floor_char_boundary((part * text.len() as f64) as usize);
        match *self {
            Self::Put { at, gone, bit } => {
                let at = place(text, at);
                let end = text.floor_char_boundary((at + gone).min(text.len())).max(at);
                text.replace_range(at..end, BITS[bit]);
            }
            Self::Copy { from, length, to } => {
                let from = place(text, from);
                let end = text.floor_char_boundary((from + length).min(text.len())).max(from);
                let piece = text[from..end].to_owned();
                text.insert_str(place(text, to), &piece);
            }
            Self::Cut { at } => text.truncate(place(text, at)),
        }
    }
}

#[test]
fn all_samples_are_taken_as_they_are() {
    for sample in SAMPLES {
        assert!(import(sample), "{sample}");
    }
}

#[test]
fn deep_files_are_refused_or_read() {
    for deep in ["{\"a\":", "[", "<graphml><graph><node id=\"a\">", "{\"a\":{\"children\":"] {
        import(&deep.repeat(20_000));
    }
    let nested = |depth: usize| format!("{}{}", "<graphml>".repeat(depth), "</graphml>".repeat(depth));
    import(&nested(20_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn changed_files_give_scenarios_or_errors_that_help(
        sample in 0..SAMPLES.len(),
        changes in prop::collection::vec(change(), 1..5),
    ) {
        let mut text = SAMPLES[sample].to_owned();
        changes.iter().for_each(|change| change.apply(&mut text));
        import(&text);
    }
}
