//! `fairwire.sweep`: a sweep as Python holds it, round by round.

use crate::errors::{self, SweepError};
use crate::run::{interruptible, setting};
use crate::scenario::read;
use crate::table::{Table, arrow};
use crate::threads::{a_pool, pool};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use fairwire_scenario::{Cell, PointTable};
use fairwire_sweep::{
    Data, Frame, Job, Plan, PointSoFar, Rounds, Store, SweepError as Wrong, Task, TaskAnswer, check_place, fill,
    finish, read_frames, series_files, so_far, take_over, try_some,
};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

/// Points of which a run is timed to see how many runs make a task.
const TRIED: usize = 5;

/// A sweep on its way.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Sweep {
    plan: Plan,
    folder: PathBuf,
    /// None once it has come to its end.
    store: RwLock<Option<Store>>,
    state: Mutex<State>,
    began: Instant,
}

struct State {
    rounds: Rounds,
    jobs: Vec<Job>,
    /// What a run takes on one core, in seconds, once that is known.
    run_s: Option<f64>,
}

#[pymethods]
impl Sweep {
    /// Checks all points and opens the folder.
    #[new]
    #[pyo3(signature = (name, text, points, folder, series = false))]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &str,
        points: Option<Vec<(String, Vec<Bound<'_, PyAny>>)>>,
        folder: PathBuf,
        series: bool,
    ) -> PyResult<Self> {
        let scenario = read(name, text)?;
        let table = points.map(|columns| {
            let column = |(key, values): (String, Vec<Bound<'_, PyAny>>)| {
                let cells = values.iter().map(cell).collect::<PyResult<Vec<_>>>()?;
                Ok::<_, PyErr>((key, cells))
            };
            let columns = columns.into_iter().map(column).collect::<PyResult<Vec<_>>>()?;
            if columns.iter().any(|(_, cells)| cells.len() != columns[0].1.len()) {
                return Err(setting("points: every key has as many values as there are points".to_owned()));
            }
            Ok(PointTable { name: "points".to_owned(), columns })
        });
        let table = table.transpose()?;
        let plan = || {
            let sweep = match &table {
                Some(table) => scenario.sweep_points_of(table)?,
                None => scenario.sweep_points()?,
            };
            let plan = Plan::new(sweep)?.with_series(series);
            check_place(&folder)?;
            let store = Store::open(&folder, &plan, None)?;
            take_over(&folder, &plan, &store)?;
            Ok((plan, store))
        };
        let pool = pool()?;
        let (plan, store) = py.detach(|| pool.install(plan)).map_err(|error: Wrong| wrong(&error))?;
        let state = Mutex::new(State { rounds: Rounds::new(&plan, None), jobs: Vec::new(), run_s: None });
        Ok(Self { plan, folder, store: RwLock::new(Some(store)), state, began: Instant::now() })
    }

    /// The scenario's title.
    #[getter]
    fn title(&self) -> &str {
        self.plan.sweep.base().title()
    }

    /// Decides what to run next; how many runs that is, 0 once every point has enough.
    fn next_round(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| {
            let (store, mut state) = (self.store()?, self.state()?);
            let (Some(store), State { rounds, jobs, .. }) = (&*store, &mut *state) else { return Ok(0) };
            *jobs = rounds.next(&self.plan, store).map_err(|error| wrong(&error))?;
            Ok(jobs.iter().map(Job::count).sum())
        })
    }

    /// Does the round in this process, `threads` runs at a time, or as many as there are cores for 0. `progress` is called with
    /// the runs done, `before` counted in, and all there are to do.
    fn fill(&self, py: Python<'_>, threads: usize, progress: Option<Py<PyAny>>, before: u64) -> PyResult<u64> {
        let (done, jobs) = (AtomicU64::new(0), std::mem::take(&mut self.state()?.jobs));
        let store = self.store()?;
        let Some(store) = &*store else { return Ok(0) };
        let all: u64 = jobs.iter().map(Job::count).sum();
        let pool = a_pool(threads.min(usize::try_from(all).unwrap_or(usize::MAX)))?;
        let work = |stop: &AtomicBool| {
            let watch = |ended: u64, _: f64| {
                done.fetch_add(ended, Ordering::Relaxed);
                !stop.load(Ordering::Relaxed)
            };
            pool.install(|| fill(&self.plan, &jobs, store, &watch))
        };
        let tell = |py: Python<'_>| match &progress {
            Some(call) => call.call1(py, (before + done.load(Ordering::Relaxed), before + all)).map(drop),
            None => Ok(()),
        };
        interruptible(py, work, tell, None)?.map_err(|error| wrong(&error))?;
        tell(py)?;
        Ok(done.into_inner())
    }

    /// The round as tasks of at least so many seconds, each with how many runs it has.
    fn tasks(&self, py: Python<'_>, seconds: f64) -> PyResult<Vec<(String, u64)>> {
        let (known, points) = {
            let state = self.state()?;
            (state.run_s, state.jobs.iter().map(|job| job.point).collect::<Vec<_>>())
        };
        let run_s = match known {
            Some(run_s) => run_s,
            None => {
                let work = |stop: &AtomicBool| try_some(&self.plan, &points, TRIED, &|| !stop.load(Ordering::Relaxed));
                interruptible(py, work, |_| Ok(()), None)?.map_err(|error| wrong(&error))?.run_s
            }
        };
        py.detach(|| {
            let mut state = self.state()?;
            state.run_s = Some(run_s);
            let tasks = Task::all_of(&self.plan, &std::mem::take(&mut state.jobs), seconds, run_s);
            let text = |task: &Task| serde_json::to_string(task).map_err(|error| garbled(&error));
            tasks.iter().map(|task| Ok((text(task)?, task.runs()))).collect()
        })
    }

    /// Keeps what came of a task; how many runs that is.
    fn keep(&self, py: Python<'_>, answer: &str) -> PyResult<u64> {
        py.detach(|| {
            let answer: TaskAnswer = serde_json::from_str(answer).map_err(|error| garbled(&error))?;
            if let Some(store) = &*self.store()? {
                store.keep_answer(&answer).map_err(|error| wrong(&error))?;
            }
            Ok(answer.lines.len() as u64)
        })
    }

    /// What the first measure that is shown comes to so far, at the first points, at most `most`: its column, its unit, and of each
    /// point the values of the axes, how many runs are known, mean, half of the interval and both ends.
    fn so_far(&self, py: Python<'_>, most: usize) -> PyResult<(String, &'static str, Vec<OnItsWay>)> {
        py.detach(|| {
            let store = self.store()?;
            let found = so_far(&self.plan, store.as_ref(), most).map_err(|error| wrong(&error))?;
            let row = |PointSoFar { set, runs, estimate }: PointSoFar| {
                (set, runs, estimate.mean, estimate.half_width, estimate.low.zip(estimate.high))
            };
            Ok((found.column, found.unit, found.points.into_iter().map(row).collect()))
        })
    }

    /// The keys that are swept, in order.
    #[getter]
    fn axes(&self) -> Vec<&str> {
        self.plan.sweep.axes().iter().map(|axis| axis.key.as_str()).collect()
    }

    /// Writes tables and report; the report's path.
    fn finish(&self, py: Python<'_>) -> PyResult<PathBuf> {
        py.detach(|| {
            let state = self.state()?;
            let Some(store) = self.take_store() else { return Ok(self.folder.join("report.html")) };
            let wall_s = self.began.elapsed().as_secs_f64();
            let finished =
                pool()?.install(|| finish(&self.plan, &state.rounds, store, wall_s)).map_err(|error| wrong(&error))?;
            Ok(finished.report)
        })
    }

    /// Leaves the folder to others; all that is kept stays.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.take_store()));
    }

    /// One of the tables that `finish` has written.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        py.detach(|| {
            let frames = read_frames(&self.folder.join(format!("{name}.parquet"))).map_err(|error| wrong(&error))?;
            table(&frames)
        })
    }

    /// The series that `finish` has written: those of all files.
    fn series(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let files = series_files(&self.folder.join("series")).map_err(|error| wrong(&error))?;
            let frames = files.iter().map(|path| read_frames(path)).collect::<Result<Vec<_>, _>>();
            table(&frames.map_err(|error| wrong(&error))?.concat())
        })
    }
}

impl Sweep {
    fn state(&self) -> PyResult<std::sync::MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| SweepError::new_err("the sweep has failed before"))
    }

    fn store(&self) -> PyResult<RwLockReadGuard<'_, Option<Store>>> {
        self.store.read().map_err(|_| SweepError::new_err("the sweep has failed before"))
    }

    fn take_store(&self) -> Option<Store> {
        self.store.write().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A point on its way: values of the axes, runs, mean, half of the interval, both ends.
type OnItsWay = (Vec<String>, usize, Option<f64>, Option<f64>, Option<(f64, f64)>);

/// The keys that a file sweeps, in order.
#[pyfunction]
pub fn swept(name: &str, text: &str) -> PyResult<Vec<String>> {
    Ok(read(name, text)?.sweep().iter().map(|axis| axis.key.clone()).collect())
}

/// Does a task; text comes in, text goes out.
#[pyfunction]
pub fn sweep_work(py: Python<'_>, task: &str) -> PyResult<String> {
    py.detach(|| {
        let task: Task = serde_json::from_str(task).map_err(|error| garbled(&error))?;
        // Whoever gives out tasks has one worker a core.
        let answer = a_pool(1)?.install(|| task.work()).map_err(|error| wrong(&error))?;
        serde_json::to_string(&answer).map_err(|error| garbled(&error))
    })
}

/// A value of a table of points.
fn cell(value: &Bound<'_, PyAny>) -> PyResult<Cell> {
    // True is a whole number, too.
    if let Ok(truth) = value.cast::<pyo3::types::PyBool>() {
        return Ok(Cell::Truth(truth.is_true()));
    }
    if let Ok(whole) = value.extract::<i64>() {
        return Ok(Cell::Whole(whole));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Cell::Number(number));
    }
    Ok(Cell::Text(value.extract()?))
}

fn table(frames: &[Frame]) -> PyResult<Table> {
    let Some(first) = frames.first() else { return Ok(Table::new(Arc::new(Schema::empty()), Vec::new())) };
    let field = |column: &fairwire_sweep::FrameColumn| {
        let kind = match column.data {
            Data::Text(_) => DataType::Utf8,
            Data::Whole(_) => DataType::Int64,
            Data::Number(_) => DataType::Float64,
        };
        Field::new(column.name.as_str(), kind, true)
    };
    let schema = Arc::new(Schema::new(first.columns.iter().map(field).collect::<Vec<_>>()));
    let array = |data: &Data| -> ArrayRef {
        match data {
            Data::Text(cells) => Arc::new(cells.iter().map(|cell| cell.as_deref()).collect::<StringArray>()),
            Data::Whole(cells) => Arc::new(Int64Array::from(cells.clone())),
            Data::Number(cells) => Arc::new(Float64Array::from(cells.clone())),
        }
    };
    let batch = |frame: &Frame| {
        RecordBatch::try_new(schema.clone(), frame.columns.iter().map(|column| array(&column.data)).collect())
    };
    let batches = frames.iter().map(batch).collect::<Result<Vec<_>, _>>().map_err(|error| arrow(&error))?;
    Ok(Table::new(schema.clone(), batches))
}

fn wrong(error: &Wrong) -> PyErr {
    match error {
        Wrong::Scenario(errors) => errors::scenario(errors),
        Wrong::Foreign { .. } => errors::FolderError::new_err(error.to_string()),
        _ => SweepError::new_err(error.to_string()),
    }
}

fn garbled(error: &serde_json::Error) -> PyErr {
    SweepError::new_err(format!("what came is not what was sent: {error}"))
}
