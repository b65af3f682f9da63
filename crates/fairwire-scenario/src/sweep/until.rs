//! `until = { measure = "flow.*.ratio", half-width = "1 %" }`: what is measured, and when there are enough runs.

use super::{MEASURES, UNTIL};
use crate::expect::table::{About, read_measure, read_value};
use crate::expect::{Measure, Unit};
use crate::reading::diagnostic::Reported;
use crate::reading::document::{Entry, Value};
use crate::reading::table::{Field, Table};

pub(crate) const KEYS: &[&str] = &["measure", "half-width", "first", "most"];
const EXAMPLE: &str = "{ measure = \"flow.*.ratio\", half-width = \"1 %\", first = 10, most = 200 }";
/// So many runs come before the first look at an interval: fewer stop too often where values agree by chance.
pub(crate) const FIRST: u64 = 10;
pub(crate) const MOST: u64 = 200;
const MOST_RUNS: u64 = 1_000_000;

/// Something that is measured at every point, as promises name it.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepMeasure {
    /// As written: `flow.*.ratio`.
    pub key: String,
    /// What it is at this point.
    pub measure: Measure,
}

/// When a point has enough runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// What has to be known; of several flows all.
    pub measure: SweepMeasure,
    /// How well: half of the 95 % interval.
    pub half_width: HalfWidth,
    /// Runs before the first look at the interval.
    pub first: u64,
    /// Runs at most.
    pub most: u64,
}

/// Half of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HalfWidth {
    /// As a part of the mean.
    OfMean(f64),
    /// In the base unit of the measure: bit/s, ns, a part of one.
    Absolute(f64),
}

/// Reads `measures` of `[sweep]`, for the flows that there are.
pub(crate) fn read_measures(root: &Table<'_>, about: &About<'_>) -> Result<Vec<SweepMeasure>, Reported> {
    let Some(sweep) = sweep_of(root) else { return Ok(Vec::new()) };
    let Some(field) = sweep.field(MEASURES) else { return Ok(Vec::new()) };
    let items = field.items().ok_or_else(|| field.wrong_type("a list of measures", "[\"jain\", \"flow.*.ratio\"]"))?;
    let read: Vec<_> = items.iter().map(|item| read_one(item, about)).collect();
    read.into_iter().collect()
}

/// Reads `until` of `[sweep]`, for the flows that there are.
pub(crate) fn read_until(root: &Table<'_>, about: &About<'_>) -> Result<Option<Until>, Reported> {
    let Some(field) = sweep_of(root).and_then(|sweep| sweep.field(UNTIL)) else { return Ok(None) };
    let until = field.table("`until`", KEYS, EXAMPLE)?;
    let measure = until.need("measure", "\"flow.*.ratio\"").and_then(|field| read_one(&field, about));
    let half_width = until.need("half-width", "\"1 %\"");
    let first = until.field("first").map_or(Ok(FIRST), |field| field.integer(2..=MOST_RUNS, "10"));
    let most = until.field("most").map(|field| field.integer(2..=MOST_RUNS, "200")).transpose();
    let (measure, half_width, first, most) = (measure?, half_width?, first?, most?);
    let most = most.unwrap_or(MOST.max(first));
    if most < first {
        let message = format!("`until` begins with {first} runs and ends after {most}");
        return Err(until.field("most").unwrap_or(field).error(message, "too few", format!("write at least {first}")));
    }
    let half_width = read_half_width(&half_width, &measure.measure)?;
    Ok(Some(Until { measure, half_width, first, most }))
}

fn sweep_of<'a>(root: &Table<'a>) -> Option<Table<'a>> {
    let field = root.field("sweep")?;
    field.node.entries().map(|_| Table::new(field.node, field.span(), "[sweep]".to_owned(), field.report))
}

fn read_one(field: &Field<'_>, about: &About<'_>) -> Result<SweepMeasure, Reported> {
    let key = field.some_text("\"flow.*.ratio\"")?.to_owned();
    let entry = Entry { key: key.clone(), key_span: field.span(), node: field.node.clone() };
    let named = Field { node: field.node, name: key.clone(), place: "[sweep]".to_owned(), report: field.report };
    Ok(SweepMeasure { measure: read_measure(&named, &entry, about)?, key })
}

/// A percentage is a part of the mean, and of what is a part of a whole itself, of that whole.
fn read_half_width(field: &Field<'_>, measure: &Measure) -> Result<HalfWidth, Reported> {
    let is_part =
        measure.unit() == Unit::Fraction || matches!(measure, Measure::Fair { .. } | Measure::FairAfterEvents { .. });
    let is_percent = matches!(&field.node.value, Value::Text(text) if text.trim_end().ends_with('%'));
    let (width, number) = if is_percent || is_part {
        let part = field.percent(false)?.fraction();
        (if is_part { HalfWidth::Absolute(part) } else { HalfWidth::OfMean(part) }, part)
    } else {
        let number = read_value(field, measure)?;
        (HalfWidth::Absolute(number), number)
    };
    if number == 0.0 {
        let help = "write a width above zero, such as `half-width = \"1 %\"`";
        return Err(field.error("no number of runs makes an interval of no width", "zero", help));
    }
    Ok(width)
}
