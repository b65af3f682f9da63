//! A simulation as Python holds it: taken through time step by step.

use super::runs::{Runs, Settings, prepare, promises};
use super::settings::setting;
use super::worker::{Live, Worker, ended};
use crate::scenario::json;
use fairwire_core::{Instant, Span};
use fairwire_runs::{Batch, BroughtPacket, Delivery, Reference};

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant as Clock, SystemTime};

/// A run that goes on when it is told to.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Simulation {
    settings: Settings,
    replication: u64,
    worker: Worker,
    of: Arc<Mutex<Of>>,
    began: Clock,
}

/// Of which scenario it is, which may change on the way.
#[derive(Clone)]
struct Of {
    text: String,
    batch: Arc<Batch>,
    reference: Arc<Reference>,
}

/// Number, flow, size in bytes, when it was sent, its fate, and when that was decided, in ns.
type Back = (u64, String, u16, u64, &'static str, u64);

#[pymethods]
impl Simulation {
    /// A simulation at time zero.
    #[new]
    #[pyo3(signature = (name, text, law, seed, replication, duration, criterion, full, check))]
    #[allow(clippy::too_many_arguments, reason = "the settings of a run; Python calls them by name")]
    fn new(
        py: Python<'_>,
        name: &str,
        text: String,
        law: Option<Py<PyAny>>,
        seed: Option<u64>,
        replication: u64,
        duration: Option<String>,
        criterion: Option<String>,
        full: bool,
        check: bool,
    ) -> PyResult<Self> {
        let settings = Settings {
            laws: law.map(|law| vec![law]),
            trouble: Arc::default(),
            seeds: seed.map(|seed| vec![seed]),
            replications: None,
            duration,
            criterion,
            full,
            check,
        };
        let of = Of::scenario(py, name, text, &settings, replication)?;
        let batch = Arc::clone(&of.batch);
        let worker = Worker::begin(py, &settings.trouble, move || batch.begin())?;
        settings.trouble.raise()?;
        Ok(Self { settings, replication, worker, of: Arc::new(Mutex::new(of)), began: Clock::now() })
    }

    /// The scenario's title.
    #[getter]
    fn title(&self) -> PyResult<String> {
        Ok(self.of()?.batch.scenario().title().to_owned())
    }

    /// The scenario whose run it is.
    #[getter]
    fn text(&self) -> PyResult<String> {
        Ok(self.of()?.text)
    }

    /// The present time in ns.
    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |live, _| live.simulation.now().as_nanos())
    }

    /// When the run ends, in ns.
    #[getter]
    fn end_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |live, _| live.simulation.end().as_nanos())
    }

    /// Length of a row of the tables, in ns.
    #[getter]
    fn window_ns(&self) -> PyResult<u64> {
        Ok(self.of()?.batch.scenario().run().window.as_nanos())
    }

    /// How many packets were brought and have not been handed back.
    #[getter]
    fn outstanding(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |live, _| live.outstanding())
    }

    /// Goes on by `by_ns`, to `until_ns`, or to the end; never beyond the end.
    fn advance(&self, py: Python<'_>, by_ns: Option<u64>, until_ns: Option<u64>) -> PyResult<()> {
        let go_on = self.going_on()?;
        let advance = move |live: &mut Live, stop: &AtomicBool| {
            let now = live.simulation.now().as_nanos();
            let until = by_ns.map_or_else(|| until_ns.unwrap_or(u64::MAX), |by| now.saturating_add(by));
            if until < now {
                return Err(format!("until: {until} ns is over, the simulation stands at {now} ns; give a later time"));
            }
            go_on(live, until, stop);
            Ok(())
        };
        self.ask(py, advance)?.map_err(setting)
    }

    /// Goes on by `by_ns`, and tells what it looks like then, as JSON; nothing where it stood at its end.
    fn step_json(&self, py: Python<'_>, by_ns: u64) -> PyResult<Option<String>> {
        let go_on = self.going_on()?;
        let step = move |live: &mut Live, stop: &AtomicBool| {
            (live.simulation.now() < live.simulation.end()).then(|| {
                go_on(live, live.simulation.now().as_nanos().saturating_add(by_ns), stop);
                live.simulation.view()
            })
        };
        self.ask(py, step)?.map(|view| json(&view)).transpose()
    }

    /// What it looks like now, as JSON.
    fn view_json(&self, py: Python<'_>) -> PyResult<String> {
        json(&self.ask(py, |live, _| live.simulation.view())?)
    }

    /// Brings a packet that a flow sends at `at_ns`, or now.
    fn inject(&self, py: Python<'_>, flow: &str, number: u64, size_bytes: u16, at_ns: Option<u64>) -> PyResult<()> {
        let names = self.of()?.batch.flow_names();
        let place = names.iter().position(|name| name == flow).ok_or_else(|| no_flow(flow, &names))?;
        let bring = move |live: &mut Live, _: &AtomicBool| {
            let at = at_ns.map_or_else(|| live.simulation.now(), Instant::from_nanos);
            live.inject(place, BroughtPacket { number, size_bytes, at, ..BroughtPacket::default() })
        };
        let taken = self.ask(py, bring)?;
        taken.map_err(|error| setting(error.to_string()))
    }

    /// Packets whose fate is decided, each once.
    fn deliveries(&self, py: Python<'_>) -> PyResult<Vec<Back>> {
        let deliveries = self.ask(py, |live, _| live.deliveries())?;
        let names = self.of()?.batch.flow_names();
        let back = |Delivery { packet, flow, fate, at, marked: _ }: Delivery| {
            (packet.number, names[flow].clone(), packet.size_bytes, packet.at.as_nanos(), fate.name(), at.as_nanos())
        };
        Ok(deliveries.into_iter().map(back).collect())
    }

    /// From now on it is the run of another scenario, which is the same until now.
    fn change(&self, py: Python<'_>, name: &str, text: String) -> PyResult<()> {
        let of = Of::scenario(py, name, text, &self.settings, self.replication)?;
        let batch = Arc::clone(&of.batch);
        let kept = Arc::clone(&self.of);
        let replace = move |live: &mut Live, stop: &AtomicBool| {
            let other = batch.begin().map_err(|error| error.to_string())?;
            if live.replace(other, stop).map_err(|error| error.to_string())? {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = of;
            }
            Ok(())
        };
        self.ask(py, replace)?.map_err(setting)
    }

    /// Ends the run here and sums it up; the promises are judged if it has come to its end.
    fn finish(&self, py: Python<'_>) -> PyResult<Runs> {
        let (kept, trouble, began) = (Arc::clone(&self.of), Arc::clone(&self.settings.trouble), self.began);
        // Others may ask meanwhile: where it stands, whose run it is and what it comes to are of one moment.
        let sum_up = move |live: &mut Option<Live>, _: &AtomicBool| {
            let (now, from) = live.as_ref().map(|live| (live.simulation.now(), live.simulation.warmup_end()))?;
            if now <= from || trouble.has_come() {
                return Some(Err((now, from)));
            }
            let simulation = live.take()?.simulation;
            let (is_over, wall_s) = (now >= simulation.end(), began.elapsed().as_secs_f64());
            let of = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let run = of.batch.finish(simulation, &of.reference, wall_s);
            Some(Ok((of, run, is_over, wall_s)))
        };
        let summed_up = self.worker.ask_whole(py, &self.settings.trouble, sum_up)?.ok_or_else(ended)?;
        self.settings.trouble.raise()?;
        let (Of { text, batch, reference }, run, is_over, wall_s) = summed_up.map_err(|(now, from)| {
            let (now, from) = (now.since(Instant::ZERO), from.since(Instant::ZERO));
            setting(format!(
                "nothing has been measured: the run stands at {now} and is measured after {from}; advance it first"
            ))
        })?;
        let verdicts = if is_over { promises(py, batch.scenario())?.judge_own(&batch, &run) } else { Vec::new() };
        let (batch, reference) = (Batch::clone(&batch), Reference::clone(&reference));
        Ok(Runs {
            batch,
            text,
            reference,
            runs: vec![run.outcome],
            verdicts,
            wall_s,
            ended: SystemTime::now(),
            driver: None,
            cautions: Vec::new(),
            files: Vec::new(),
        })
    }
}

impl Simulation {
    /// What takes a simulation to a time, or to its end if that is earlier, until it is told to stop or a law has raised something.
    fn going_on(&self) -> PyResult<impl Fn(&mut Live, u64, &AtomicBool) + Send + 'static> {
        let trouble = Arc::clone(&self.settings.trouble);
        trouble.raise()?;
        Ok(move |live: &mut Live, until_ns: u64, stop: &AtomicBool| {
            let until = Instant::from_nanos(until_ns);
            live.simulation.advance(until, &mut |_| !stop.load(Ordering::Relaxed) && !trouble.has_come());
        })
    }

    fn of(&self) -> PyResult<Of> {
        Ok(self.of.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Live, &AtomicBool) -> T + Send + 'static,
    ) -> PyResult<T> {
        let answer = self.worker.ask(py, &self.settings.trouble, job)?;
        self.settings.trouble.raise()?;
        Ok(answer)
    }
}

impl Of {
    fn scenario(py: Python<'_>, name: &str, text: String, settings: &Settings, replication: u64) -> PyResult<Self> {
        let (mut batch, reference) = prepare(py, name, &text, settings)?;
        batch.runs = replication..replication + 1;
        Ok(Self { text, batch: Arc::new(batch), reference: Arc::new(reference) })
    }
}

fn no_flow(flow: &str, names: &[String]) -> PyErr {
    let known = fairwire_scenario::nearest(flow, names.iter().map(String::as_str));
    let hint = known.map_or_else(|| format!("it has {}", names.join(", ")), |near| format!("did you mean {near:?}?"));
    setting(format!("the scenario has no flow {flow:?}; {hint}"))
}

/// A time with its unit, in ns.
#[pyfunction]
pub fn nanoseconds(name: &str, text: &str) -> PyResult<u64> {
    let span: Span = text.parse().map_err(|error| setting(format!("{name}: {error}")))?;
    Ok(span.as_nanos())
}
