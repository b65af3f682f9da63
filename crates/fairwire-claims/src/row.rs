//! What comes of a claim.

use crate::catalogue::Claim;
use fairwire_results::Figure;
use serde::Serialize;
use serde_json::Value;

/// One claim beside what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The claim's id.
    pub id: String,
    /// The paper's short name.
    pub paper: String,
    /// Section, figure or table.
    #[serde(rename = "where")]
    pub place: String,
    /// What it says, in one sentence.
    pub title: String,
    /// What the paper says comes out.
    pub expected: Value,
    /// What came out; null where nothing was measured.
    pub measured: Value,
    /// How close it had to come.
    pub tolerance: Value,
    /// The verdict.
    pub verdict: Verdict,
    /// What a reader should know of the measurement, or why there is none.
    pub note: String,
    /// The paper's figure drawn again, where it has curves.
    #[serde(skip)]
    pub figure: Option<Figure>,
}

/// Does it come out?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Within the tolerance.
    Reproduced,
    /// Not within the tolerance; the note says what we think of it.
    Differs,
    /// Not built yet, or left out of this call.
    NotRun,
    /// No software here can check it.
    NotApplicable,
}

impl Verdict {
    /// As written in the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::NotRun => "not-run",
            Self::NotApplicable => "not-applicable",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub measured: Value,
    pub holds: bool,
    pub note: String,
    pub figure: Option<Figure>,
}

impl Finding {
    pub fn new(measured: Value, holds: bool, note: impl Into<String>) -> Self {
        Self { measured, holds, note: note.into(), figure: None }
    }

    /// The same with the paper's figure drawn again.
    pub fn drawn(self, figure: Figure) -> Self {
        Self { figure: Some(figure), ..self }
    }
}

impl Row {
    pub(crate) fn of(claim: &Claim, verdict: Verdict, measured: Value, note: String) -> Self {
        let json = |table| serde_json::to_value(table).unwrap_or(Value::Null);
        Self {
            id: claim.id.clone(),
            paper: claim.paper.clone(),
            place: claim.place.clone(),
            title: claim.title.clone(),
            expected: json(&claim.expected),
            measured,
            tolerance: json(&claim.tolerance),
            verdict,
            note,
            figure: None,
        }
    }
}
