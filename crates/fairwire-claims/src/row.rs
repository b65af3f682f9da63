//! What comes of a claim.

use crate::catalogue::Claim;
use crate::reading::Reading;
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
    /// What came out with everything as the paper prints it; null where nothing was measured.
    pub measured: Value,
    /// How close it had to come.
    pub tolerance: Value,
    /// The verdict.
    pub verdict: Verdict,
    /// What a reader should know of the measurement, or why there is none.
    pub note: String,
    /// The name of the reading under which it comes out, where the verdict is [`Verdict::Reading`].
    pub reading: Option<String>,
    /// Every reading that was tried, and what came out under it.
    pub readings: Vec<Reading>,
    /// How many other ways than as printed were tried: the readings, and values that were fitted.
    pub readings_tried: u32,
    /// The paper's figures drawn again, where they have curves.
    #[serde(skip)]
    pub figures: Vec<Figure>,
}

/// Does it come out?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Within the tolerance, with everything as the paper prints it.
    Reproduced,
    /// Not as printed, but under a reading that was argued without the number, or under a default of the product.
    Reading,
    /// Not within the tolerance; the note says what we think of it.
    Differs,
    /// Not built yet, or left out of this call.
    NotRun,
    /// No software here can check it.
    NotApplicable,
}

impl Verdict {
    /// All of them, from the best on.
    pub const ALL: [Self; 5] = [Self::Reproduced, Self::Reading, Self::Differs, Self::NotRun, Self::NotApplicable];

    /// As written in the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Reading => "reading",
            Self::Differs => "differs",
            Self::NotRun => "not-run",
            Self::NotApplicable => "not-applicable",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// As printed.
    pub measured: Value,
    /// Whether it comes out as printed.
    pub holds: bool,
    pub note: String,
    pub figures: Vec<Figure>,
    readings: Vec<Reading>,
    fitted: u32,
}

impl Finding {
    pub fn new(measured: Value, holds: bool, note: impl Into<String>) -> Self {
        Self { measured, holds, note: note.into(), figures: Vec::new(), readings: Vec::new(), fitted: 0 }
    }

    /// The same with a figure of the paper drawn again.
    pub fn drawn(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
        self
    }

    /// Also tried under a reading, whether it comes out there or not.
    pub fn tried(mut self, reading: Reading) -> Self {
        self.readings.push(reading);
        self
    }

    /// Also tried with so many values that nothing speaks for but the number: they go into the note.
    pub fn fitted(mut self, values: u32, what_came_out: &str) -> Self {
        self.fitted += values;
        self.note = format!("{}{}fitted: {what_came_out}", self.note, if self.note.is_empty() { "" } else { ". " });
        self
    }

    /// Reproduced as printed, or under the first reading that gives it.
    fn verdict(&self) -> Verdict {
        match self.reading() {
            _ if self.holds => Verdict::Reproduced,
            Some(_) => Verdict::Reading,
            None => Verdict::Differs,
        }
    }

    fn reading(&self) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.holds)
    }

    /// As the row of its claim.
    pub fn into_row(self, claim: &Claim) -> Row {
        let verdict = self.verdict();
        let reading = self.reading().filter(|_| verdict == Verdict::Reading).map(|reading| reading.name.clone());
        Row {
            reading,
            readings_tried: self.readings.len() as u32 + self.fitted,
            readings: self.readings,
            figures: self.figures,
            ..Row::of(claim, verdict, self.measured, self.note)
        }
    }
}

impl Row {
    /// Whether a figure of the paper was drawn again.
    pub fn has_figures(&self) -> bool {
        self.figures.iter().any(|figure| !figure.is_empty())
    }

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
            reading: None,
            readings: Vec::new(),
            readings_tried: 0,
            figures: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use serde_json::json;

    fn row(finding: Finding) -> Row {
        finding.into_row(&catalogue()[0])
    }

    fn margin(holds: bool) -> Reading {
        Reading::of_the_product("a margin of one packet", "packets are whole").found(json!({ "rate": 2 }), holds)
    }

    #[test]
    fn what_comes_out_as_printed_needs_no_reading() {
        let row = row(Finding::new(json!({ "rate": 1 }), true, "").tried(margin(true)));
        assert_eq!((row.verdict, row.reading, row.readings_tried), (Verdict::Reproduced, None, 1));
    }

    #[test]
    fn a_reading_gives_a_verdict_of_its_own_and_leaves_what_was_printed() {
        let literal = Reading::argued("whole packets", "nothing else can be sent").found(json!({ "rate": 3 }), false);
        let finding = Finding::new(json!({ "rate": 1 }), false, "");
        let row = row(finding.tried(literal).tried(margin(true).breaks("dvsr-sec5-min-rate")));
        assert_eq!((row.verdict, row.reading.as_deref()), (Verdict::Reading, Some("a margin of one packet")));
        assert_eq!(row.measured, json!({ "rate": 1 }));
        let told = serde_json::to_value(&row).expect("rows are plain");
        assert_eq!((&told["verdict"], &told["readings_tried"]), (&json!("reading"), &json!(2)));
        assert_eq!(
            told["readings"][1],
            json!({
                "name": "a margin of one packet", "why": "packets are whole", "ground": "default",
                "measured": { "rate": 2 }, "holds": true, "breaks": ["dvsr-sec5-min-rate"],
            })
        );
    }

    #[test]
    fn what_does_not_hold_under_any_reading_differs() {
        let row = row(Finding::new(json!(1), false, "").tried(margin(false)));
        assert_eq!((row.verdict, row.reading, row.readings_tried), (Verdict::Differs, None, 1));
    }

    #[test]
    fn a_fitted_value_is_counted_and_told_and_changes_no_verdict() {
        let row = row(Finding::new(json!(1), false, "why").fitted(12, "a rampcoef of 800 gives 26 %"));
        assert_eq!((row.verdict, row.readings_tried), (Verdict::Differs, 12));
        assert_eq!(row.note, "why. fitted: a rampcoef of 800 gives 26 %");
    }
}
