//! Readings: ways to understand a paper, under which a claim is tried again.
//!
//! A paper leaves things open, and prints some that cannot be meant. Where a claim does not come
//! out as printed it may under another understanding. Such a reading counts only if something
//! other than the printed number speaks for it. A value found by trying until the number came out
//! is no reading: [`Finding::fitted`](crate::row::Finding::fitted) puts it into the note, and no
//! verdict hangs on it.

use serde::Serialize;
use serde_json::Value;

/// What speaks for a reading, other than the number that it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// A reason that does not mention what ought to come out.
    Argued,
    /// The product does so unless it is told otherwise.
    Default,
}

impl Ground {
    /// As the command tells it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Argued => "argued without the printed number",
            Self::Default => "a default of fairwire",
        }
    }
}

/// One understanding of a paper, and what came out under it.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// What is set or understood, such as `` `wait` on in all three laws``.
    pub name: String,
    /// Why somebody who has not seen the number would read it so, in one sentence.
    pub why: String,
    /// What speaks for it.
    pub ground: Ground,
    /// What came out, by the keys of what is expected where they are the same.
    pub measured: Value,
    /// Whether that is within the claim's tolerance.
    pub holds: bool,
    /// What else does not come out any more under this reading: claims by their ids, or words.
    pub breaks: Vec<String>,
}

impl Reading {
    /// A reading for which a reason speaks that does not mention what ought to come out.
    pub fn argued(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self::on(Ground::Argued, name.into(), why.into())
    }

    /// What the product does unless it is told otherwise.
    pub fn of_the_product(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self::on(Ground::Default, name.into(), why.into())
    }

    fn on(ground: Ground, name: String, why: String) -> Self {
        Self { name, why, ground, measured: Value::Null, holds: false, breaks: Vec::new() }
    }

    /// What came out under it, and whether that is close enough.
    pub fn found(self, measured: Value, holds: bool) -> Self {
        Self { measured, holds, ..self }
    }

    /// Something else that does not come out any more under it.
    pub fn breaks(mut self, what: impl Into<String>) -> Self {
        self.breaks.push(what.into());
        self
    }
}
