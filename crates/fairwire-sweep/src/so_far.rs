//! What a sweep comes to while it goes on.

use crate::error::SweepError;
use crate::estimate::{Estimate, estimate};
use crate::plan::Plan;
use crate::rounds::sample;
use crate::store::Store;

/// The first measure that is shown, at the first points.
#[derive(Clone, Debug, PartialEq)]
pub struct SoFar {
    /// Its column; empty if nothing is measured.
    pub column: String,
    /// Its unit.
    pub unit: &'static str,
    /// The points.
    pub points: Vec<PointSoFar>,
}

/// A point on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSoFar {
    /// The values of the axes.
    pub set: Vec<String>,
    /// How many runs are known, from the first on.
    pub runs: usize,
    /// What they come to.
    pub estimate: Estimate,
}

/// What is known by now of the first points, at most `most`; of none without a store.
///
/// # Errors
/// If it cannot be read.
pub fn so_far(plan: &Plan, store: Option<&Store>, most: usize) -> Result<SoFar, SweepError> {
    let asked = &plan.asked[0].columns;
    let Some(column) = asked.iter().find(|column| column.shown).or(asked.first()) else {
        return Ok(SoFar { column: String::new(), unit: "1", points: Vec::new() });
    };
    let point = |store: &Store, point: usize| {
        let known = plan.columns(point).columns.iter().position(|known| known.name == column.name);
        let lines = store.first_lines(plan.points[point].key)?;
        let values = known.map_or_else(|| vec![None; lines.len()], |known| sample(&lines, known));
        let set = plan.sweep.labels(point).into_iter().map(|(_, value)| value).collect();
        Ok(PointSoFar { set, runs: lines.len(), estimate: estimate(column.kind, &values) })
    };
    let first = 0..plan.points.len().min(most);
    let points = store.into_iter().flat_map(|store| first.clone().map(move |at| point(store, at)));
    let points = points.collect::<Result<_, SweepError>>()?;
    Ok(SoFar { column: column.name.clone(), unit: column.unit, points })
}
