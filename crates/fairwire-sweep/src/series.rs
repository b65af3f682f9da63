//! Rates of flows over time, run by run: kept beside what runs came to, and written in files of some MB, sorted by point.

use crate::error::SweepError;
use crate::frame::{self, Frame, FrameFile};
use crate::key::{BUILD, Key};
use crate::plan::Plan;
use crate::records::{Record, Records};
use crate::rounds::Rounds;
use fairwire_results::{Cells, each_chunk};
use fairwire_runs::FinishedRun;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file is full with so many bytes; the run that reaches it is still in it.
const BYTES_A_FILE: usize = 8 << 20;

/// What files are called, with a number between.
const FILE: &str = "series-";
const ENDING: &str = ".parquet";

/// Rates of all flows of one run over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesLine {
    /// What all runs of its point are known by.
    pub key: Key,
    /// The replication.
    pub run: u64,
    /// How long a row is.
    pub row_ns: u64,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowSeries>,
}

/// Rates of one flow, a number a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSeries {
    /// Its name.
    pub flow: String,
    /// Delivered.
    pub rate_bps: Vec<f64>,
    /// Delivered out of its last link, where that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_bps: Option<Vec<f64>>,
}

impl Record for SeriesLine {
    const NAME: &'static str = "series";

    fn key(&self) -> Key {
        self.key
    }

    fn run(&self) -> u64 {
        self.run
    }
}

impl SeriesLine {
    /// What `flows` of a result folder has of a run.
    pub(crate) fn of(key: Key, finished: &FinishedRun) -> Self {
        let mut line = Self { key, run: finished.outcome.summary.run, ..Self::default() };
        let each = each_chunk::<Infallible>("flows", &finished.plan, &finished.outcome, |mut chunk| {
            let cells = &mut chunk.cells[3..];
            if let [Cells::SameText(flow), Cells::Integers(times), Cells::Reals(rate), Cells::Reals(left)] = cells {
                line.row_ns = times.get(1).map_or(line.row_ns, |second| second.cast_unsigned());
                let left_bps = (left != rate).then(|| std::mem::take(left));
                line.flows.push(FlowSeries { flow: flow.to_string(), rate_bps: std::mem::take(rate), left_bps });
            }
            Ok(())
        });
        match each {
            Ok(()) => line,
        }
    }
}

/// What a folder of series holds: a hash of which runs, under which axes, by which build.
pub(crate) fn digest(plan: &Plan, rounds: &Rounds) -> String {
    let mut hash = Sha256::new();
    hash.update(BUILD);
    for axis in plan.sweep.axes() {
        hash.update(format!("\0{} {}\0{}", axis.key, axis.unit.name(), axis.values.join("\0")));
    }
    for (number, point) in plan.points.iter().enumerate() {
        let runs = rounds.ended(number).map_or(0, |(runs, _)| runs);
        hash.update(format!("\0{} {runs} {:?}", point.key, plan.sweep.choices(number)));
    }
    hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the series of all runs, point by point, to files in `folder`, which is made anew.
///
/// # Errors
/// If something cannot be read or written.
pub(crate) fn write(
    plan: &Plan,
    rounds: &Rounds,
    known: &Records<SeriesLine>,
    folder: &Path,
) -> Result<(), SweepError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(SweepError::io("remove", folder))?;
    }
    fs::create_dir_all(folder).map_err(SweepError::io("make", folder))?;
    let create = |number: u32| FrameFile::create(&folder.join(format!("series-{number:05}.parquet")), columns(plan));
    let (mut number, mut file) = (0, create(0)?);
    for (at, point) in plan.points.iter().enumerate() {
        let (runs, _) = rounds.ended(at).unwrap_or_default();
        for run in 0..runs {
            if file.bytes() >= BYTES_A_FILE {
                file.finish()?;
                number += 1;
                file = create(number)?;
            }
            for line in known.all(point.key, run..run + 1)? {
                put(plan, at, &line, &mut file)?;
            }
        }
    }
    file.finish()
}

fn columns(plan: &Plan) -> Frame {
    let mut frame = Frame::default();
    frame.add_whole("point", "");
    frame.add_text("key");
    frame.add_axes(plan.sweep.axes());
    frame.add_text("law");
    ["seed", "run"].iter().for_each(|name| frame.add_whole(name, ""));
    frame.add_text("flow");
    frame.add_whole("t_ns", "ns");
    ["rate_bps", "left_bps"].iter().for_each(|name| frame.add_number(name, "bit/s"));
    frame
}

/// Adds the rows of one run.
fn put(plan: &Plan, at: usize, line: &SeriesLine, file: &mut FrameFile) -> Result<(), SweepError> {
    let (point, key, chosen) = (&plan.points[at], line.key.to_string(), plan.sweep.choices(at));
    for FlowSeries { flow, rate_bps, left_bps } in &line.flows {
        let all = rate_bps.len();
        let mut first = 0;
        while first < all {
            let mut rows = file.rows(all - first)?;
            let here = first..first + rows.count();
            rows.whole(at as u64);
            rows.text(Some(&key));
            plan.sweep.axes().iter().zip(&chosen).for_each(|(axis, choice)| rows.axis(axis, *choice));
            rows.text(Some(point.law));
            rows.whole(point.seed);
            rows.whole(line.run);
            rows.text(Some(flow));
            rows.wholes(here.clone().map(|row| row as u64 * line.row_ns));
            rows.numbers(&rate_bps[here.clone()]);
            rows.numbers(&left_bps.as_ref().unwrap_or(rate_bps)[here.clone()]);
            first = here.end;
        }
    }
    Ok(())
}

/// Takes over what `folder` holds of runs that are not known.
///
/// # Errors
/// If it cannot be read, or the runs not be kept.
pub(crate) fn take_over(folder: &Path, known: &Records<SeriesLine>) -> Result<(), SweepError> {
    let mut line: Option<SeriesLine> = None;
    let keep = |line: Option<SeriesLine>| match line {
        Some(line) if !known.knows(line.key, line.run..line.run + 1) => known.keep(&line),
        _ => Ok(()),
    };
    for path in files(folder)? {
        frame::read(&path, |frame| {
            for row in 0..frame.len() {
                let Some(seen) = Row::of(&frame, row) else { continue };
                if line.as_ref().is_none_or(|line| (line.key, line.run) != (seen.key, seen.run)) {
                    keep(line.replace(SeriesLine { key: seen.key, run: seen.run, ..SeriesLine::default() }))?;
                }
                if let Some(line) = &mut line {
                    seen.add_to(line);
                }
            }
            Ok(())
        })?;
    }
    keep(line)
}

/// The files of a folder of series, in order; none where there is no folder.
///
/// # Errors
/// If it cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = entries(folder)?;
    paths.retain(|path| is_file(path));
    paths.sort();
    Ok(paths)
}

/// What stands in place of a folder of series, or in it, and is not ours.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn stranger(folder: &Path) -> Result<Option<PathBuf>, SweepError> {
    if !folder.is_dir() {
        return Ok(Some(folder.to_owned()));
    }
    Ok(entries(folder)?.into_iter().filter(|path| !is_file(path)).min())
}

fn is_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let number = name.strip_prefix(FILE).and_then(|rest| rest.strip_suffix(ENDING));
    number.is_some_and(|number| number.parse::<u32>().is_ok()) && !path.is_dir()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let entries = fs::read_dir(folder).map_err(SweepError::io("read", folder))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(SweepError::io("read", folder))).collect()
}

/// A row of a file of series.
struct Row {
    key: Key,
    run: u64,
    flow: Arc<str>,
    t_ns: u64,
    rate_bps: f64,
    left_bps: f64,
}

impl Row {
    fn of(frame: &Frame, row: usize) -> Option<Self> {
        let whole = |name| Some(frame.get(name)?.whole(row)?.cast_unsigned());
        Some(Self {
            key: Key::parse(&frame.get("key")?.text(row)?)?,
            run: whole("run")?,
            flow: frame.get("flow")?.text(row)?,
            t_ns: whole("t_ns")?,
            rate_bps: frame.get("rate_bps")?.number(row)?,
            left_bps: frame.get("left_bps")?.number(row)?,
        })
    }

    fn add_to(self, line: &mut SeriesLine) {
        // A flow's first row begins at 0.
        if self.t_ns == 0 {
            let left_bps = Some(Vec::new());
            line.flows.push(FlowSeries { flow: self.flow.to_string(), rate_bps: Vec::new(), left_bps });
        } else if line.row_ns == 0 {
            line.row_ns = self.t_ns;
        }
        if let Some(flow) = line.flows.last_mut() {
            flow.rate_bps.push(self.rate_bps);
            flow.left_bps.iter_mut().for_each(|left| left.push(self.left_bps));
        }
    }
}
