//! All points of a sweep, checked and named.

use crate::error::SweepError;
use crate::key::Key;
use crate::question::{Asked, Column};
use fairwire_scenario::{Diagnostics, HalfWidth, Scenario, Sweep};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Points that are looked at between two looks at what they have in common.
const AT_ONCE: usize = 4_096;

/// All points of a sweep.
#[derive(Debug)]
pub struct Plan {
    /// What is swept.
    pub sweep: Sweep,
    /// The points, in order.
    pub points: Vec<Point>,
    /// Every list of numbers that runs of some points give; most sweeps have one.
    pub asked: Vec<Columns>,
    /// When a point has enough runs.
    pub rule: Rule,
    /// How many different keys there are.
    pub slots: usize,
    /// Whether the rates of flows over time are kept of each run.
    pub with_series: bool,
}

/// The numbers that runs of some points give.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Columns {
    /// The numbers, in order.
    pub columns: Vec<Column>,
    /// Which of them decide when there are enough runs.
    pub deciding: Vec<usize>,
}

/// One point.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// What its runs are known by.
    pub key: Key,
    /// The place of its key among all; points that come to the same scenario share it.
    pub slot: u32,
    /// What its runs give: a place in [`Plan::asked`].
    pub asked: u32,
    /// How many runs it asks for where no rule stops earlier.
    pub replications: u64,
    /// The experiment.
    pub seed: u64,
    /// The law that runs.
    pub law: &'static str,
}

/// When a point has enough runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// When it has as many as there are replications.
    Replications,
    /// When half of the 95 % interval is at most so wide: looked at after `first` runs, then after half as many again each time, and
    /// never after more than `most`.
    Until {
        /// Half of the interval.
        half_width: HalfWidth,
        /// Runs before the first look.
        first: u64,
        /// Runs at most.
        most: u64,
    },
}

/// A share of the points, for work in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which one, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl Part {
    /// Reads `7/40`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, of) = text.split_once('/')?;
        let part = Self { number: number.trim().parse().ok()?, of: of.trim().parse().ok()? };
        (1..=part.of).contains(&part.number).then_some(part)
    }

    /// Whether a point belongs to it: neighbours go to different parts, since they cost alike.
    pub fn has(self, point: usize) -> bool {
        point as u64 % u64::from(self.of) == u64::from(self.number - 1)
    }
}

/// What is left of a point when it has been looked at.
struct PointSummary {
    key: Key,
    columns: Columns,
    replications: u64,
    seed: u64,
    law: &'static str,
}

impl Plan {
    /// Checks every point, on all cores.
    ///
    /// # Errors
    /// What is wrong with the first wrong one.
    pub fn new(sweep: Sweep) -> Result<Self, SweepError> {
        let mut points = Vec::with_capacity(sweep.len());
        let (mut slots, mut asked) = (BTreeMap::new(), BTreeMap::new());
        for start in (0..sweep.len()).step_by(AT_ONCE) {
            let end = sweep.len().min(start + AT_ONCE);
            let seen: Vec<Result<PointSummary, Diagnostics>> =
                (start..end).into_par_iter().map(|point| look_at(&sweep, point)).collect();
            for seen in seen {
                let PointSummary { key, columns, replications, seed, law } = seen?;
                let (slot, list) = (slots.len() as u32, asked.len() as u32);
                points.push(Point {
                    slot: *slots.entry(key).or_insert(slot),
                    asked: *asked.entry(columns).or_insert(list),
                    key,
                    replications,
                    seed,
                    law,
                });
            }
        }
        let rule = sweep.base().until().map_or(Rule::Replications, |until| Rule::Until {
            half_width: until.half_width,
            first: until.first,
            most: until.most,
        });
        let mut lists: Vec<(u32, Columns)> = asked.into_iter().map(|(columns, list)| (list, columns)).collect();
        lists.sort_by_key(|(list, _)| *list);
        let asked = lists.into_iter().map(|(_, columns)| columns).collect();
        Ok(Self { points, asked, rule, slots: slots.len(), with_series: false, sweep })
    }

    /// The same with the rates of flows over time of each run.
    #[must_use]
    pub fn with_series(self, with_series: bool) -> Self {
        Self { with_series, ..self }
    }

    /// What runs of a point give.
    pub fn columns(&self, point: usize) -> &Columns {
        &self.asked[self.points[point].asked as usize]
    }

    /// What is set at a point, in words.
    pub fn named(&self, point: usize) -> String {
        let set = self.sweep.labels(point).into_iter();
        set.map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ")
    }

    /// The scenario at a point.
    ///
    /// # Errors
    /// None that [`Plan::new`] has not told.
    pub fn scenario(&self, point: usize) -> Result<Scenario, SweepError> {
        Ok(self.sweep.point(point)?)
    }
}

fn look_at(sweep: &Sweep, point: usize) -> Result<PointSummary, Diagnostics> {
    let scenario = sweep.point(point)?;
    let asked = Asked::of(&scenario);
    Ok(PointSummary {
        key: Key::of(&scenario, &asked),
        columns: Columns { columns: asked.columns, deciding: asked.deciding },
        replications: scenario.replications(),
        seed: scenario.seed(),
        law: scenario.own_law().map_or("", |law| law.about().name),
    })
}
