//! The index of terms: each file that a row names holds the row's term.

use crate::common::root;
use std::fs;

/// What is wrong with the rows of the page, in words.
pub fn mistakes(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let rows: Vec<Vec<&str>> = text.lines().map(cells).filter(|cells| cells.len() == 3 && is_term(cells[0])).collect();
    assert!(rows.len() > 40, "{page} has {} terms", rows.len());
    rows.iter().flat_map(|row| of_row(row[0], row[2])).collect()
}

fn cells(line: &str) -> Vec<&str> {
    let inside = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
    inside.map_or_else(Vec::new, |inside| inside.split(" | ").collect())
}

fn is_term(cell: &str) -> bool {
    cell != "term" && !cell.starts_with("---")
}

fn of_row(term: &str, places: &str) -> Vec<String> {
    let files: Vec<&str> = places.split('`').skip(1).step_by(2).collect();
    if files.is_empty() {
        return vec![format!("`{term}` stands nowhere")];
    }
    let lacks = |file: &&str| match fs::read_to_string(root().join(file)) {
        Ok(text) => !holds(&text, term),
        Err(_) => true,
    };
    files.into_iter().filter(lacks).map(|file| format!("{file} is not there, or does not hold `{term}`")).collect()
}

/// Whether the term stands in the text as a word of its own, or several of it; lines of comments are one text.
fn holds(text: &str, term: &str) -> bool {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['/', '!']).trim());
    let (text, term) = (lines.collect::<Vec<_>>().join(" ").to_lowercase(), term.to_lowercase());
    let ends = |after: &str| !after.starts_with(|next: char| next.is_ascii_alphanumeric());
    text.match_indices(&term).any(|(at, _)| {
        let after = &text[at + term.len()..];
        let begins = !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
        begins && (ends(after) || after.strip_prefix('s').is_some_and(ends))
    })
}

#[test]
fn words_are_found_as_words() {
    assert!(holds("//! Two add\n//! queues, side by side.", "add queue"));
    assert!(holds("PTQ)", "ptq") && holds("K: seconds", "K"));
    assert!(!holds("clap", "lap") && !holds("lapse", "lap"));
}
