//! `active`: a flow that offers traffic in some periods and not in others.

use crate::reading::diagnostic::Reported;
use crate::reading::percent::Percent;
use crate::reading::table::Field;
use fairwire_core::Span;
use fairwire_plan as plan;
use serde::Serialize;

/// A flow offers traffic in each period with some probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Activity {
    /// Length of a period; the first begins at time zero.
    pub every: Span,
    /// The probability.
    pub probability: Percent,
}

/// Each period is an event of its own.
const SHORTEST_PERIOD: Span = Span::from_micros(1);

pub(crate) const KEYS: &[&str] = &["every", "probability"];

impl Activity {
    pub(crate) fn read(field: &Field<'_>) -> Result<Self, Reported> {
        let example = "{ every = \"20 s\", probability = \"60 %\" }";
        let table = field.table(format!("`active` of {}", field.place), KEYS, example)?;
        let every = table.need("every", "\"20 s\"").and_then(|field| match field.positive()? {
            short if short < SHORTEST_PERIOD => {
                let message = format!("periods of {short} are too many to follow");
                Err(field.error(message, "too short", format!("write a time of at least \"{SHORTEST_PERIOD}\"")))
            }
            every => Ok(every),
        });
        let probability = table.need("probability", "\"60 %\"").and_then(|field| field.percent(false));
        Ok(Self { every: every?, probability: probability? })
    }

    pub(crate) fn plan(&self) -> plan::Activity {
        plan::Activity { every: self.every, probability: self.probability.fraction() }
    }
}
