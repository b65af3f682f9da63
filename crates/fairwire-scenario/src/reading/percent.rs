//! Fractions as people write them: `"5 %"`.

use super::diagnostic::Reported;
use super::document::Value;
use super::table::Field;
use serde::{Serialize, Serializer};

/// A fraction, kept as the number in front of the percent sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Percent(f64);

impl Percent {
    /// So many hundredths.
    pub const fn new(hundredths: f64) -> Self {
        Self(hundredths)
    }

    /// The percentage that gives this fraction back, in few digits if there is one.
    pub fn of(fraction: f64) -> Self {
        let short = Self((fraction * 1e11).round() / 1e9);
        if short.fraction() == fraction { short } else { Self(fraction * 100.0) }
    }

    /// The fraction: 0.05 for `"5 %"`.
    pub fn fraction(self) -> f64 {
        self.0 / 100.0
    }

    fn parse(text: &str) -> Option<Self> {
        text.trim().strip_suffix('%')?.trim().parse().ok().filter(|number: &f64| number.is_finite()).map(Self)
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{} %", self.0))
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Field<'_> {
    /// A percentage from 0 to 100; `below` excludes 100 itself.
    pub fn percent(&self, below: bool) -> Result<Percent, Reported> {
        let example = "\"5 %\"";
        let text = match &self.node.value {
            Value::Text(text) => text,
            Value::Integer(number) => return Err(self.no_percent_sign(*number as f64)),
            Value::Float(number) => return Err(self.no_percent_sign(*number)),
            _ => return Err(self.wrong_type("a percentage", example)),
        };
        let percent = Percent::parse(text).ok_or_else(|| {
            if let Ok(number) = text.trim().parse() {
                return self.no_percent_sign(number);
            }
            let message = format!("{} cannot be read as a percentage", self.called());
            self.error(message, "not a percentage", format!("write `{} = {example}`", self.name))
        })?;
        let range = if below { "from 0 % to below 100 %" } else { "from 0 % to 100 %" };
        if percent.0 < 0.0 || percent.0 > 100.0 || (below && percent.0 >= 100.0) {
            let message = format!("{} goes {range}, not {percent}", self.called());
            return Err(self.error(message, "out of range", format!("write a percentage {range}, such as {example}")));
        }
        Ok(percent)
    }

    /// A number below one is taken for a part of one.
    fn no_percent_sign(&self, number: f64) -> Reported {
        let message = format!("{} is a percentage and has no percent sign", self.called());
        let percent = match number {
            part if part > 0.0 && part < 1.0 => Percent::of(part),
            number if (0.0..=100.0).contains(&number) => Percent(number),
            _ => Percent(5.0),
        };
        self.error(message, "a bare number", format!("write {}", self.written(&format!("\"{percent}\""))))
    }
}
