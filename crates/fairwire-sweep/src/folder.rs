//! What a sweep leaves in its folder: tables, report, scenario and manifest, and the journal while it lasts.
//!
//! Files are written beside their places and moved there when all are whole. Until then, and should anything happen in between, the
//! journal has every run, so that the next call writes the same again.

use crate::error::SweepError;
use crate::estimate::estimate;
use crate::frame::{self, Frame, FrameFile};
use crate::key::{BUILD, Key};
use crate::pairs::{Pair, base_points, law_axis, pair};
use crate::plan::Plan;
use crate::question::Column;
use crate::report::report;
use crate::result::{Answer, MeasureAnswer, PointAnswer};
use crate::stages::{Stages, Stop, sample};
use crate::store::{RunLine, Store, is_journal};
use rayon::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MANIFEST: &str = "manifest.json";
const RUNS: &str = "runs.parquet";
const POINTS: &str = "points.parquet";
const PAIRS: &str = "pairs.parquet";
/// All files but the journals.
const FILES: [&str; 6] = [RUNS, POINTS, PAIRS, "report.html", "scenario.toml", MANIFEST];
/// What files are called until all are whole.
const PARTIAL: &str = ".partial";
/// Points whose runs are in memory at once.
const AT_ONCE: usize = 64;
/// The layout of the folder; grows when something is renamed or removed.
const LAYOUT: u32 = 1;

/// A sweep that has come to its end.
#[derive(Debug)]
pub struct Finished {
    /// What it came to.
    pub answer: Answer,
    /// Its folder.
    pub folder: PathBuf,
    /// The report in it.
    pub report: PathBuf,
}

/// Finds out before long work whether a sweep can be kept in `folder`.
///
/// # Errors
/// [`SweepError::Foreign`] if it holds files that no sweep has left there.
pub fn check_place(folder: &Path) -> Result<(), SweepError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SweepError::io("read", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(SweepError::io("read", folder))?.file_name().to_string_lossy().into_owned());
    }
    let is_ours = |name: &&String| {
        let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
        FILES.contains(&whole) || is_journal(name)
    };
    // A result folder of runs has a manifest and a table `runs`, too, and others beside them.
    match names.iter().filter(|name| !is_ours(name)).min() {
        None if names.iter().any(|name| name == MANIFEST) && manifest(folder).is_none() => {
            Err(SweepError::Foreign { path: folder.to_owned(), stranger: MANIFEST.to_owned() })
        }
        None => Ok(()),
        Some(stranger) => Err(SweepError::Foreign { path: folder.to_owned(), stranger: stranger.clone() }),
    }
}

/// The manifest of a sweep, if there is one.
fn manifest(folder: &Path) -> Option<Value> {
    let told: Value = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    (told["kind"] == "sweep").then_some(told)
}

/// Takes the runs of an earlier sweep in `folder` over into the store: those of its points that this sweep has, too.
///
/// # Errors
/// If its table cannot be read, or the store not be written.
pub fn take_over(folder: &Path, plan: &Plan, store: &Store) -> Result<u64, SweepError> {
    let path = folder.join(RUNS);
    if !path.is_file() || manifest(folder).is_none_or(|told| told["build"] != BUILD) {
        return Ok(0);
    }
    let known: BTreeMap<Key, (u32, u32)> =
        plan.points.iter().map(|point| (point.key, (point.slot, point.asked))).collect();
    let mut taken = 0;
    frame::read(&path, |frame| {
        let lines = lines_of(&frame, plan, &known, store);
        taken += lines.len() as u64;
        store.keep_all(&lines)
    })?;
    Ok(taken)
}

/// The rows of a table of runs that are not known yet.
fn lines_of(frame: &Frame, plan: &Plan, known: &BTreeMap<Key, (u32, u32)>, store: &Store) -> Vec<RunLine> {
    let columns = |columns: &[Column]| columns.iter().map(|column| frame.get(&column.name)).collect::<Vec<_>>();
    let values: Vec<_> = plan.asked.iter().map(|asked| columns(&asked.columns)).collect();
    let (Some(keys), Some(runs)) = (frame.get("key"), frame.get("run")) else { return Vec::new() };
    let line = |row: usize| {
        let key = keys.text(row)?;
        let (slot, asked) = known.get(&Key::parse(&key)?)?;
        let run = u64::try_from(runs.whole(row)?).ok()?;
        if store.knows(*slot as usize, run..run + 1) {
            return None;
        }
        let count = |name: &str| frame.get(name).and_then(|data| data.whole(row)).unwrap_or(0).cast_unsigned();
        Some(RunLine {
            key: key.to_string(),
            run,
            broken: count("broken"),
            warning: frame.get("warning").and_then(|data| data.text(row)).map(|text| text.to_string()),
            hops: count("packet_hops"),
            values: values[*asked as usize].iter().map(|data| data.and_then(|data| data.number(row))).collect(),
        })
    };
    // Points may come to the same: each run is taken once.
    let mut seen = BTreeSet::new();
    (0..frame.len()).filter_map(line).filter(|line| seen.insert((line.key.clone(), line.run))).collect()
}

/// Writes everything, and removes the journals; what stands there already and would be the same is left alone.
///
/// # Errors
/// If something cannot be written. Then the journals stay, and nothing is lost.
pub fn finish(plan: &Plan, stages: &Stages, store: Store, command: &str, wall_s: f64) -> Result<Finished, SweepError> {
    let folder = store.folder().to_owned();
    let partial = |name: &str| folder.join(format!("{name}{PARTIAL}"));
    let tables = Tables::write(plan, stages, &store, &partial)?;
    let answer = tables;
    let put = |name: &str, text: &str| {
        let path = partial(name);
        let write = || {
            fs::write(&path, text)?;
            File::open(&path)?.sync_all()
        };
        write().map_err(SweepError::io("write", &path))
    };
    put("report.html", &report(plan, &answer, command))?;
    put("scenario.toml", plan.sweep.file().1)?;
    let told = serde_json::to_string_pretty(&told(plan, &answer, wall_s)).unwrap_or_default();
    put(MANIFEST, &(told + "\n"))?;
    for name in FILES {
        let (from, to) = (partial(name), folder.join(name));
        fs::rename(&from, &to).map_err(SweepError::io("write", &to))?;
    }
    store.remove()?;
    Ok(Finished { answer, report: folder.join("report.html"), folder })
}

/// What the manifest tells.
fn told(plan: &Plan, answer: &Answer, wall_s: f64) -> Value {
    let axis = |axis: &fairwire_scenario::SweepAxis| json!({ "key": axis.key, "unit": axis.unit.name(), "values": axis.values.len() });
    let digest = Sha256::digest(plan.sweep.file().1.as_bytes());
    json!({
        "kind": "sweep",
        "layout": LAYOUT,
        "title": plan.sweep.base().title(),
        "build": BUILD,
        "scenario_sha256": digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "axes": plan.sweep.axes().iter().map(axis).collect::<Vec<_>>(),
        "points": plan.points.len(),
        "runs": answer.runs,
        "broken_runs": answer.broken_runs,
        "warnings": answer.warnings,
        "versions": { "fairwire": env!("CARGO_PKG_VERSION") },
        "host": {
            "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH,
            "cpus": std::thread::available_parallelism().ok().map(usize::from),
        },
        "written_unix_s": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        "wall_s": wall_s,
    })
}

/// What is worked out of one point.
struct Worked {
    lines: Vec<RunLine>,
    answer: PointAnswer,
    /// All measures, in the order of the point's columns.
    measures: Vec<MeasureAnswer>,
    pairs: Vec<(bool, Pair)>,
}

/// The three tables on their way.
struct Tables;

impl Tables {
    /// Writes the tables of all points, and tells what is shown of them.
    fn write(
        plan: &Plan,
        stages: &Stages,
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
        for start in (0..plan.points.len()).step_by(AT_ONCE) {
            let end = plan.points.len().min(start + AT_ONCE);
            let worked: Vec<Result<Worked, SweepError>> =
                (start..end).into_par_iter().map(|point| work_out(plan, stages, store, point, bases[point])).collect();
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

fn pairs_frame<'a>(axes: impl Iterator<Item = &'a fairwire_scenario::SweepAxis>) -> Frame {
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
    stages: &Stages,
    store: &Store,
    point: usize,
    base: Option<u32>,
) -> Result<Worked, SweepError> {
    let lines_of = |point: usize| {
        let (runs, stop) = stages.ended(point).unwrap_or((0, Stop::Replications));
        let lines = store.lines(plan.points[point].slot as usize, 0..runs)?;
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
