//! What became of promises, as a table.

use fairwire_runs::{Verdict, in_words};
use fairwire_terminal::TextTable;

/// A row a promise; empty without promises. `criterion` is that of the tables beside it.
pub fn verdict_table(verdicts: &[Verdict], criterion: &str) -> String {
    let promises = in_words(verdicts, criterion);
    let Some(first) = promises.first() else { return String::new() };
    let header = if first.law.is_empty() { "promise".to_owned() } else { format!("promise ({})", first.law) };
    let mut table = TextTable::new(&[&header, "expected", "measured", "verdict"]);
    for promise in &promises {
        let word = if promise.kept { "kept" } else { "BROKEN" };
        table.row([&promise.about, &promise.expected, &promise.measured, word]);
    }
    format!("\n{table}")
}
