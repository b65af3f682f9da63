//! What is to be known of a law of any kind.

/// What is to be known of a law before running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawAbout {
    /// Its name in scenarios and on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Paper and section.
    pub source: &'static str,
}
