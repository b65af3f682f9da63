//! Laws beside each other: the same point, the same random numbers, another law.

use crate::estimate::{paired, unpaired};
use crate::plan::Plan;
use crate::question::Column;
use crate::rounds::sample;
use crate::store::RunLine;
use fairwire_scenario::Scenario;
use serde::Serialize;

/// The difference of two laws in one measure at one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The point, by its position.
    pub point: usize,
    /// The same point under the first law of the sweep.
    pub base_point: usize,
    /// The law.
    pub law: &'static str,
    /// The first law of the sweep.
    pub base: &'static str,
    /// The column of the tables.
    pub measure: String,
    /// `bit/s`, `ns`, `1`.
    pub unit: &'static str,
    /// Runs that both have.
    pub n: usize,
    /// Mean of the differences, run by run.
    pub difference: Option<f64>,
    /// Half of its 95 % interval.
    pub half_width: Option<f64>,
    /// Half of the interval that independent runs would have.
    pub unpaired_half_width: Option<f64>,
}

/// The axis of a sweep that lists laws, by its position.
pub(crate) fn law_axis(plan: &Plan) -> Option<usize> {
    plan.sweep.axes().iter().position(|axis| Scenario::LAW_KEYS.contains(&axis.key.as_str()))
}

/// For each point the same point under the first law; none without laws, for the first law itself, and where the law goes together
/// with other keys.
pub(crate) fn base_points(plan: &Plan) -> Vec<Option<u32>> {
    let mut bases = vec![None; plan.points.len()];
    let Some(axis) = law_axis(plan) else { return bases };
    let Some(stride) = plan.sweep.stride_of(axis) else { return bases };
    let laws = plan.sweep.axes()[axis].values.len();
    for (point, base) in bases.iter_mut().enumerate() {
        let choice = point / stride % laws;
        *base = (choice > 0).then_some((point - choice * stride) as u32);
    }
    bases
}

/// One measure under both laws.
pub(crate) fn pair(
    plan: &Plan,
    point: usize,
    base_point: usize,
    column: &Column,
    lines: [(&[RunLine], usize); 2],
) -> Pair {
    let [(ours, our_column), (theirs, their_column)] = lines;
    // Runs that both have: one may have stopped earlier.
    let common = ours.len().min(theirs.len());
    let (one, base) = (sample(&ours[..common], our_column), sample(&theirs[..common], their_column));
    let found = paired(&one, &base);
    Pair {
        point,
        base_point,
        law: plan.points[point].law,
        base: plan.points[base_point].law,
        measure: column.name.clone(),
        unit: column.unit,
        n: found.n,
        difference: found.mean,
        half_width: found.half_width,
        unpaired_half_width: unpaired(&one, &base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: &str = r#"schema = 1
[ring]
stations = 6
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
[[flow]]
name = "a"
from = 0
to = 5
[sweep]
"#;

    #[test]
    fn the_base_of_a_point_is_under_the_first_law_and_the_same_in_all_else() {
        let laws = "ring.law.name = [\"dvsr\", \"fifo\", \"darwin\"]";
        let others = ["ring.stations = [6, 7]", "run.seed = [1, 2]"];
        for axes in [[laws, others[0], others[1]], [others[0], laws, others[1]], [others[0], others[1], laws]] {
            let scenario = Scenario::parse("ring.toml", &format!("{RING}{}\n", axes.join("\n"))).unwrap();
            let plan = Plan::new(scenario.sweep_points().unwrap()).unwrap();
            let axis = law_axis(&plan).unwrap();
            for (point, base) in base_points(&plan).into_iter().enumerate() {
                let mut choices = plan.sweep.choices(point);
                let is_first = std::mem::take(&mut choices[axis]) == 0;
                assert_eq!(
                    base.map(|base| plan.sweep.choices(base as usize)),
                    (!is_first).then_some(choices),
                    "{axes:?}"
                );
            }
        }
    }

    /// Three runs under one law, two under the other, which stopped earlier: the differences are 1 and 3.
    #[test]
    fn laws_are_compared_in_all_runs_that_both_have() {
        let scenario = Scenario::parse("ring.toml", &format!("{RING}ring.law.name = [\"dvsr\", \"fifo\"]\n")).unwrap();
        let plan = Plan::new(scenario.sweep_points().unwrap()).unwrap();
        let runs = |values: &[f64]| -> Vec<RunLine> {
            let line = |(run, value): (usize, &f64)| RunLine {
                key: plan.points[0].key,
                run: run as u64,
                broken: 0,
                warning: None,
                hops: 0,
                values: vec![Some(*value)],
            };
            values.iter().enumerate().map(line).collect()
        };
        let (ours, theirs) = (runs(&[3.0, 5.0, 100.0]), runs(&[2.0, 2.0]));
        let column = &plan.columns(1).columns[0];
        for (lines, difference) in [([&ours, &theirs], 2.0), ([&theirs, &ours], -2.0)] {
            let found = pair(&plan, 1, 0, column, lines.map(|lines| (&lines[..], 0)));
            assert_eq!((found.n, found.difference), (2, Some(difference)));
        }
    }
}
