//! The three tables of a sweep: runs, points, and laws beside each other.

use crate::error::SweepError;
use crate::estimate::estimate;
use crate::folder::{PAIRS, POINTS, RUNS};
use crate::frame::{Frame, FrameFile};
use crate::pairs::{Pair, base_points, law_axis, pair};
use crate::plan::Plan;
use crate::question::Column;
use crate::result::{Answer, MeasureAnswer, PointAnswer};
use crate::rounds::{Rounds, Stop, sample};
use crate::store::{RunLine, Store};
use fairwire_scenario::SweepAxis;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Points whose runs are in memory at once, unless a few have more runs than this.
const AT_ONCE: usize = 64;
const RUNS_AT_ONCE: u64 = 4_096;

/// What is worked out of one point.
struct Worked {
    lines: Vec<RunLine>,
    answer: PointAnswer,
    /// All measures, in the order of the point's columns.
    measures: Vec<MeasureAnswer>,
    pairs: Vec<(bool, Pair)>,
}

/// Writes the tables of all points, and tells what is shown of them.
pub(crate) fn write_tables(
    plan: &Plan,
    rounds: &Rounds,
    store: &Store,
    partial: &dyn Fn(&str) -> PathBuf,
) -> Result<Answer, SweepError> {
    let axes = plan.sweep.axes();
    let law = law_axis(plan);
    let others = || axes.iter().enumerate().filter(|(at, _)| Some(*at) != law).map(|(_, axis)| axis);
    let measured = measured(plan);
    let mut runs = FrameFile::create(&partial(RUNS), runs_frame(plan, &measured))?;
    let mut points = FrameFile::create(&partial(POINTS), points_frame(plan))?;
    let mut pairs = FrameFile::create(&partial(PAIRS), pairs_frame(others()))?;
    let bases = base_points(plan);
    let mut answer = Answer::default();
    // Where each number of a point stands among all columns of the table of runs.
    let places: Vec<Vec<Option<usize>>> = plan
        .asked
        .iter()
        .map(|asked| {
            measured.iter().map(|name| asked.columns.iter().position(|known| known.name == name.name)).collect()
        })
        .collect();
    let mut next = 0;
    while next < plan.points.len() {
        let (start, end) = (next, together(plan, rounds, next));
        next = end;
        let worked: Vec<Result<Worked, SweepError>> =
            (start..end).into_par_iter().map(|point| work_out(plan, rounds, store, point, bases[point])).collect();
        for worked in worked {
            let Worked { lines, answer: point, measures, pairs: found } = worked?;
            let chosen = plan.sweep.choices(point.point);
            let of_point = plan.points[point.point];
            let key = of_point.key.to_string();
            for line in &lines {
                let mut row = runs.row()?;
                row.whole(point.point as u64);
                row.text(Some(&key));
                axes.iter().zip(&chosen).for_each(|(axis, choice)| row.axis(axis, *choice));
                row.text(Some(of_point.law));
                row.whole(of_point.seed);
                row.whole(line.run);
                row.whole(line.broken);
                row.text(line.warning.as_deref());
                row.whole(line.hops);
                for place in &places[of_point.asked as usize] {
                    row.number(place.and_then(|place| line.values.get(place).copied().flatten()));
                }
                answer.packet_hops += line.hops;
                if let Some(warning) = &line.warning {
                    *answer.warnings.entry(warning.clone()).or_default() += 1;
                }
            }
            for MeasureAnswer { measure, unit, estimate } in &measures {
                let mut row = points.row()?;
                row.whole(point.point as u64);
                axes.iter().zip(&chosen).for_each(|(axis, choice)| row.axis(axis, *choice));
                row.text(Some(of_point.law));
                row.text(Some(measure));
                row.text(Some(unit));
                row.number(estimate.mean);
                row.number(estimate.half_width);
                row.number(estimate.low);
                row.number(estimate.high);
                row.whole(estimate.n as u64);
                row.whole(estimate.missing as u64);
                row.whole(point.runs);
                row.whole(point.broken);
                row.whole(point.warned);
                row.text(Some(point.stopped));
            }
            for (shown, pair) in found {
                let mut row = pairs.row()?;
                row.whole(pair.point as u64);
                row.whole(pair.base_point as u64);
                let kept = axes.iter().zip(&chosen).enumerate().filter(|(at, _)| Some(*at) != law);
                kept.for_each(|(_, (axis, choice))| row.axis(axis, *choice));
                row.text(Some(pair.law));
                row.text(Some(pair.base));
                row.text(Some(&pair.measure));
                row.text(Some(pair.unit));
                row.number(pair.difference);
                row.number(pair.half_width);
                row.number(pair.unpaired_half_width);
                row.whole(pair.n as u64);
                answer.pairs.extend(shown.then_some(pair));
            }
            answer.alike_points += usize::from(are_alike(&lines));
            answer.runs += point.runs;
            answer.broken_runs += point.broken;
            answer.points.push(point);
        }
    }
    runs.finish()?;
    points.finish()?;
    pairs.finish()?;
    Ok(answer)
}

/// Whether several runs are one run again and again.
fn are_alike(lines: &[RunLine]) -> bool {
    let is_first = |line: &RunLine| (line.hops, &line.values) == (lines[0].hops, &lines[0].values);
    lines.len() > 1 && lines.iter().all(is_first)
}

/// Where the points end that are taken together from `start` on.
fn together(plan: &Plan, rounds: &Rounds, start: usize) -> usize {
    let runs_of = |point: usize| rounds.ended(point).map_or(0, |(runs, _)| runs);
    let (most, mut runs) = (plan.points.len().min(start + AT_ONCE), runs_of(start));
    let is_room = |point: &usize| {
        runs += runs_of(*point);
        runs <= RUNS_AT_ONCE
    };
    start + 1 + (start + 1..most).take_while(is_room).count()
}

/// Every number that runs of any point give, in the order in which they first appear.
fn measured(plan: &Plan) -> Vec<Column> {
    let mut seen = BTreeSet::new();
    let all = plan.asked.iter().flat_map(|asked| &asked.columns);
    all.filter(|column| seen.insert(column.name.clone())).cloned().collect()
}

fn runs_frame(plan: &Plan, measured: &[Column]) -> Frame {
    let mut frame = Frame::default();
    frame.add_whole("point", "");
    frame.add_text("key");
    frame.add_axes(plan.sweep.axes());
    frame.add_text("law");
    ["seed", "run", "broken"].iter().for_each(|name| frame.add_whole(name, ""));
    frame.add_text("warning");
    frame.add_whole("packet_hops", "1");
    measured.iter().for_each(|column| frame.add_number(&column.name, column.unit));
    frame
}

fn points_frame(plan: &Plan) -> Frame {
    let mut frame = Frame::default();
    frame.add_whole("point", "");
    frame.add_axes(plan.sweep.axes());
    ["law", "measure", "unit"].iter().for_each(|name| frame.add_text(name));
    ["mean", "half_width", "low", "high"].iter().for_each(|name| frame.add_number(name, ""));
    ["n", "missing", "runs", "broken", "warned"].iter().for_each(|name| frame.add_whole(name, "1"));
    frame.add_text("stopped");
    frame
}

fn pairs_frame<'a>(axes: impl Iterator<Item = &'a SweepAxis>) -> Frame {
    let mut frame = Frame::default();
    ["point", "base_point"].iter().for_each(|name| frame.add_whole(name, ""));
    frame.add_axes(axes);
    ["law", "base", "measure", "unit"].iter().for_each(|name| frame.add_text(name));
    ["difference", "half_width", "unpaired_half_width"].iter().for_each(|name| frame.add_number(name, ""));
    frame.add_whole("n", "1");
    frame
}

fn work_out(
    plan: &Plan,
    rounds: &Rounds,
    store: &Store,
    point: usize,
    base: Option<u32>,
) -> Result<Worked, SweepError> {
    let lines_of = |point: usize| {
        let (runs, stop) = rounds.ended(point).unwrap_or((0, Stop::Replications));
        let lines = store.lines(plan.points[point].key, 0..runs)?;
        Ok::<_, SweepError>((lines, stop))
    };
    let (lines, stop) = lines_of(point)?;
    let columns = &plan.columns(point).columns;
    let measure = |(at, column): (usize, &Column)| MeasureAnswer {
        measure: column.name.clone(),
        unit: column.unit,
        estimate: estimate(column.kind, &sample(&lines, at)),
    };
    let measures: Vec<MeasureAnswer> = columns.iter().enumerate().map(measure).collect();
    let mut pairs = Vec::new();
    if let Some(base) = base {
        let (theirs, _) = lines_of(base as usize)?;
        let their_columns = &plan.columns(base as usize).columns;
        for (at, column) in columns.iter().enumerate() {
            let Some(their_at) = their_columns.iter().position(|known| known.name == column.name) else { continue };
            let both = [(&lines[..], at), (&theirs[..], their_at)];
            pairs.push((column.shown, pair(plan, point, base as usize, column, both)));
        }
    }
    let shown = measures.iter().zip(columns).filter(|(_, column)| column.shown).map(|(measure, _)| measure.clone());
    let answer = PointAnswer {
        point,
        set: plan.sweep.labels(point).into_iter().collect(),
        law: plan.points[point].law,
        runs: lines.len() as u64,
        broken: lines.iter().filter(|line| line.broken > 0).count() as u64,
        warned: lines.iter().filter(|line| line.warning.is_some()).count() as u64,
        stopped: stop.name(),
        measures: shown.collect(),
    };
    Ok(Worked { lines, answer, measures, pairs })
}
