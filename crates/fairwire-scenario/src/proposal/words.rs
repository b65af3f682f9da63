//! The words of one change.

use super::ProposalError;
use std::collections::VecDeque;

/// Words still to be read.
pub(super) struct Words {
    all: String,
    left: VecDeque<String>,
}

impl Words {
    /// Splits at spaces; quotes keep a name together. An equals sign is a word, and may be left out.
    pub fn read(clause: &str) -> Result<Self, ProposalError> {
        let mut left: VecDeque<String> = VecDeque::new();
        let mut rest = clause.trim_start();
        while let Some(first) = rest.chars().next() {
            let (word, after) = match first {
                '"' | '\'' => rest[1..].split_once(first).ok_or_else(|| {
                    ProposalError::new(format!("\"{clause}\" opens a quote and does not close it"), "close the quote")
                })?,
                '=' => ("=", &rest[1..]),
                _ => rest.split_at(rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len())),
            };
            left.push_back(word.to_owned());
            rest = after.trim_start();
        }
        Ok(Self { all: clause.to_owned(), left })
    }

    pub fn next(&mut self) -> Option<String> {
        self.left.pop_front()
    }

    pub fn peek(&self) -> Option<&str> {
        self.left.front().map(String::as_str)
    }

    /// Whether any of these words is still to come.
    pub fn peek_any(&self, wanted: &[&str]) -> bool {
        self.left.iter().any(|word| wanted.contains(&word.as_str()))
    }

    /// What is still to come, after a comma; empty if nothing is.
    pub fn rest(&self) -> String {
        if self.left.is_empty() {
            return String::new();
        }
        let words: Vec<&str> = self.left.iter().map(String::as_str).filter(|word| *word != "=").collect();
        format!(", {}", words.join(" "))
    }

    /// The next word, which `what` calls.
    pub fn need(&mut self, what: &str, example: &str) -> Result<String, ProposalError> {
        self.next().ok_or_else(|| ProposalError::new(format!("\"{}\" does not say {what}", self.all), example))
    }

    /// All words up to the next of `stops`, with one space between them.
    pub fn until(&mut self, stops: &[&str]) -> String {
        let mut taken: Vec<String> = Vec::new();
        while let Some(word) = self.peek().filter(|word| !stops.contains(word)) {
            taken.push(word.to_owned());
            self.next();
        }
        taken.join(" ")
    }

    /// Nothing may be left over.
    pub fn end(self) -> Result<(), ProposalError> {
        let left: Vec<String> = self.left.into_iter().collect();
        if left.is_empty() {
            return Ok(());
        }
        let message = format!("\"{}\" goes on with \"{}\"", self.all, left.join(" "));
        Err(ProposalError::new(message, "remove that, or put `;` between two changes"))
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn quotes_keep_names_together_and_equals_signs_stand_alone() {
        let mut words = Words::read("flow \"to hub\" weight=2.5").unwrap();
        let read: Vec<String> = std::iter::from_fn(|| words.next()).collect();
        assert_eq!(read, ["flow", "to hub", "weight", "=", "2.5"]);
        let mut words = Words::read("= 10 Mb/s over a b").unwrap();
        assert_eq!(words.until(&["over"]), "= 10 Mb/s");
        assert!(words.end().is_err());
        assert!(Words::read("flow 'a").is_err());
    }
}
