//! Values between two ends: `{ from = "0.05 ms", to = "2 ms", steps = 8, scale = "log" }`.

use super::value::{AxisUnit, label};
use crate::reading::diagnostic::{Report, Reported};
use crate::reading::document::{Node, Value};
use crate::reading::table::{Field, Table};
use std::ops::Range as TextRange;

pub(crate) const KEYS: &[&str] = &["from", "to", "steps", "scale"];
const EXAMPLE: &str = "{ from = \"0.05 ms\", to = \"2 ms\", steps = 8, scale = \"log\" }";
const SCALES: &[(&str, Scale)] = &[("linear", Scale::Linear), ("log", Scale::Logarithmic)];
/// More steps than this are a slip.
const MOST_STEPS: u64 = 100_000;
/// Values on a grid have at least so many digits.
const DIGITS: i32 = 4;

/// Whether equal steps are equal differences or equal factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Logarithmic,
}

/// All values between two ends.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub unit: AxisUnit,
    from: f64,
    to: f64,
    scale: Scale,
    pub steps: Option<usize>,
    pub place: TextRange<usize>,
}

/// Whether a table under a key is a range, and not keys that go on: `flow.a.from` is a key, too.
pub(crate) fn is_range(node: &Node) -> bool {
    let has = |key: &str| node.get(key).is_some();
    let ends =
        |key: &str| node.get(key).is_some_and(|entry| !matches!(entry.node.value, Value::Array(_) | Value::Table(_)));
    has("steps") || has("scale") || ends("from") || ends("to")
}

impl Range {
    pub fn read(field: &Field<'_>, key: &str) -> Result<Self, Reported> {
        let table = field.table(format!("the range of `{key}`"), KEYS, EXAMPLE)?;
        let (from, to) = (end(&table, "from")?, end(&table, "to")?);
        let steps = table.field("steps").map(|field| field.integer(2..=MOST_STEPS, "8")).transpose();
        let scale = table.field("scale").map_or(Ok(Scale::Linear), |field| field.word(SCALES));
        let (steps, scale) = (steps?, scale?);
        if !table.meant.borrow().is_empty() {
            return Err(Reported);
        }
        let place = field.span();
        let unit = match AxisUnit::of([from.node, to.node]) {
            AxisUnit::Text => {
                let message = format!("the ends of the range of `{key}` are of different kinds");
                let help = "write both with units of one kind, as in `from = \"0.05 ms\", to = \"2 ms\"`";
                return Err(to.error(message, "of another kind", help));
            }
            unit => unit,
        };
        let number = |field: &Field<'_>| unit.read(&label(field.node)).unwrap_or(f64::NAN);
        let (low, high) = (number(&from), number(&to));
        if !(low.is_finite() && high.is_finite()) {
            return Err(to.error(format!("the range of `{key}` has no end"), "no number", "write finite numbers"));
        }
        if low >= high {
            let (message, help) = match low == high {
                true => (format!("the range of `{key}` is empty: it begins where it ends"), "write another `to`"),
                false => (format!("the range of `{key}` is empty: it ends before it begins"), "swap `from` and `to`"),
            };
            return Err(field.error(message, "nothing lies between", help));
        }
        if scale == Scale::Logarithmic && low <= 0.0 {
            let message = format!("the range of `{key}` is logarithmic and reaches zero");
            return Err(from.error(
                message,
                "no factor leads from here",
                "write a `from` above zero, or remove `scale`",
            ));
        }
        Ok(Self { unit, from: low, to: high, scale, steps: steps.map(|steps| steps as usize), place })
    }

    /// The values of its steps, which have to be told and must not repeat, as whole numbers may.
    pub fn grid_checked(&self, key: &str, report: &Report<'_>) -> Result<Vec<Node>, Reported> {
        if self.steps.is_none() {
            let message = format!("the range of `{key}` does not say how many values it stands for");
            let help = "add `steps = 8`, or a `design = { method = \"sobol\", points = 256 }` to [sweep]";
            return Err(report.error(self.place.clone(), message, "no `steps`", help));
        }
        let values = self.grid();
        match values.windows(2).map(|pair| [label(&pair[0]), label(&pair[1])]).find(|[one, next]| one == next) {
            None => Ok(values),
            Some([one, _]) => {
                let message = format!("the range of `{key}` has {one} twice");
                let help = "write fewer `steps`, or ends with a decimal point";
                Err(report.error(self.place.clone(), message, "too many steps", help))
            }
        }
    }

    /// The values of its steps, ends included.
    fn grid(&self) -> Vec<Node> {
        let steps = self.steps.unwrap_or(0);
        let last = steps.saturating_sub(1);
        let at = |step: usize| match step {
            0 => self.from,
            step if step == last => self.to,
            step => {
                let (number, next) = (self.at(step as f64 / last as f64), self.at((step + 1) as f64 / last as f64));
                rounded(number, next - number)
            }
        };
        (0..steps).map(|step| self.node(at(step))).collect()
    }

    /// The value at a part of the way, from 0 to 1.
    pub fn sample(&self, part: f64) -> Node {
        self.node(self.at(part))
    }

    fn at(&self, part: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.from + (self.to - self.from) * part,
            Scale::Logarithmic => self.from * (self.to / self.from).powf(part),
        }
    }

    fn node(&self, number: f64) -> Node {
        Node { value: self.unit.write(number), span: self.place.clone() }
    }
}

/// An end of a range: a number or a quantity.
fn end<'a>(table: &Table<'a>, key: &str) -> Result<Field<'a>, Reported> {
    let field = table.need(key, "\"2 ms\"")?;
    if AxisUnit::of([field.node]) == AxisUnit::Text {
        return Err(field.wrong_type("a number or a quantity with its unit", "\"2 ms\""));
    }
    Ok(field)
}

/// To four digits, or so many that the values of neighbouring steps stay apart.
fn rounded(number: f64, step: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let exponent = DIGITS - 1 - number.abs().min(step).log10().floor() as i32;
    // Powers of ten that are whole numbers are exact, their inverses are not.
    let power = 10f64.powi(exponent.abs());
    if exponent >= 0 { (number * power).round() / power } else { (number / power).round() * power }
}
