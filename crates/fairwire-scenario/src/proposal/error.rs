//! A proposal that cannot be read or made.

use crate::reading::suggest::{list, nearest};

/// What is wrong with a proposal, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct ProposalError {
    /// What is wrong.
    pub message: String,
    /// The mend.
    pub help: String,
}

impl ProposalError {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// A word that is none of those known.
    pub(super) fn unknown(message: impl Into<String>, word: &str, known: &[&str]) -> Self {
        let help = match nearest(word, known.iter().copied()) {
            Some(near) => format!("write `{near}`"),
            None => format!("use {}{}", if known.len() > 1 { "one of " } else { "" }, list(known)),
        };
        Self::new(message, help)
    }
}
