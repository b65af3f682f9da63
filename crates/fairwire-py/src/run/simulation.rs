//! A simulation as Python holds it: taken through time step by step.

use super::interrupt::interruptible;
use super::runs::{Runs, Settings, prepare};
use super::settings::setting;
use crate::errors;
use crate::scenario::json;
use fairwire_core::{Instant, Span};
use fairwire_runs::{Batch, Promises, Reference, Simulation as Live};
use fairwire_sim::{BroughtPacket, Delivery};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant as Clock;

/// A run that goes on when it is told to.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Simulation {
    batch: Batch,
    text: String,
    /// Of whoever uses it; none once it was ended.
    open: Mutex<Option<Open>>,
    began: Clock,
}

/// What is needed until a run ends.
struct Open {
    live: Live,
    reference: Reference,
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
        law: Option<String>,
        seed: Option<u64>,
        replication: u64,
        duration: Option<&str>,
        criterion: Option<&str>,
        full: bool,
        check: bool,
    ) -> PyResult<Self> {
        let settings = Settings {
            laws: law.map(|law| vec![law]),
            seeds: seed.map(|seed| vec![seed]),
            duration,
            criterion,
            replications: None,
            full,
            check,
        };
        let (mut batch, reference) = prepare(py, name, &text, settings)?;
        batch.runs = replication..replication + 1;
        let live = py.detach(|| batch.begin()).map_err(|error| setting(error.to_string()))?;
        Ok(Self { batch, text, open: Mutex::new(Some(Open { live, reference })), began: Clock::now() })
    }

    /// The scenario's title.
    #[getter]
    fn title(&self) -> &str {
        self.batch.scenario().title()
    }

    /// The present time in ns.
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        self.with(|open| Ok(open.live.now().as_nanos()))
    }

    /// When the run ends, in ns.
    #[getter]
    fn end_ns(&self) -> PyResult<u64> {
        self.with(|open| Ok(open.live.end().as_nanos()))
    }

    /// Length of a row of the tables, in ns.
    #[getter]
    fn window_ns(&self) -> u64 {
        self.batch.scenario().run().window.as_nanos()
    }

    /// How many packets were brought and have not been handed back.
    #[getter]
    fn outstanding(&self) -> PyResult<usize> {
        self.with(|open| Ok(open.live.outstanding()))
    }

    /// Goes on to `until_ns`, or to the end if that is earlier.
    fn advance(&self, py: Python<'_>, until_ns: u64) -> PyResult<()> {
        let until = Instant::from_nanos(until_ns);
        self.with(|Open { live, .. }| {
            let work = |stop: &AtomicBool| live.advance(until, &mut |_| !stop.load(Ordering::Relaxed));
            interruptible(py, work, |_| Ok(()))
        })
    }

    /// What it looks like now, as JSON.
    fn view_json(&self) -> PyResult<String> {
        self.with(|open| json(&open.live.view()))
    }

    /// Brings a packet that a flow sends at `at_ns`.
    fn inject(&self, flow: &str, number: u64, size_bytes: u16, at_ns: u64) -> PyResult<()> {
        let packet = BroughtPacket { number, size_bytes, at: Instant::from_nanos(at_ns) };
        self.with(|Open { live, .. }| {
            let names = live.flow_names();
            let place = names.iter().position(|name| *name == flow).ok_or_else(|| no_flow(flow, &names))?;
            live.inject(place, packet).map_err(|error| setting(error.to_string()))
        })
    }

    /// Packets whose fate is decided, each once.
    fn deliveries(&self) -> PyResult<Vec<Back>> {
        self.with(|Open { live, .. }| {
            let deliveries = live.deliveries();
            let names = live.flow_names();
            let back = |Delivery { packet, flow, fate, at }: Delivery| {
                let name = names[flow].to_owned();
                (packet.number, name, packet.size_bytes, packet.at.as_nanos(), fate.name(), at.as_nanos())
            };
            Ok(deliveries.into_iter().map(back).collect())
        })
    }

    /// Ends the run here and sums it up; the promises are judged if it has come to its end.
    fn finish(&self) -> PyResult<Runs> {
        let (now, from, end) = self.with(|Open { live, .. }| Ok((live.now(), live.warmup_end(), live.end())))?;
        if now <= from {
            let (now, from) = (now.since(Instant::ZERO), from.since(Instant::ZERO));
            return Err(setting(format!(
                "nothing has been measured: the run stands at {now} and is measured after {from}; advance it first"
            )));
        }
        let promises = Promises::new(self.batch.scenario()).map_err(|error| errors::alloc(&error))?;
        let Open { live, reference } = self.lock()?.take().ok_or_else(ended)?;
        let wall_s = self.began.elapsed().as_secs_f64();
        let run = self.batch.finish(live, &reference, wall_s);
        let judged = now >= end && self.batch.judged() == Some(run.law);
        let verdicts = if judged { promises.judge(&run) } else { Vec::new() };
        Ok(Runs {
            batch: self.batch.clone(),
            text: self.text.clone(),
            reference,
            runs: vec![run.outcome],
            verdicts,
            wall_s,
        })
    }
}

impl Simulation {
    /// Does something with it, while nobody else does.
    fn with<T>(&self, does: impl FnOnce(&mut Open) -> PyResult<T>) -> PyResult<T> {
        does(self.lock()?.as_mut().ok_or_else(ended)?)
    }

    /// Never waits: who would, holds Python's lock, which the other one may need.
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Open>>> {
        self.open.try_lock().map_err(|_| setting("another thread is using this simulation; wait for it".to_owned()))
    }
}

fn no_flow(flow: &str, names: &[&str]) -> PyErr {
    let known = fairwire_scenario::nearest(flow, names.iter().copied());
    let hint = known.map_or_else(|| format!("it has {}", names.join(", ")), |near| format!("did you mean {near:?}?"));
    setting(format!("the scenario has no flow {flow:?}; {hint}"))
}

fn ended() -> PyErr {
    setting("this simulation was ended by finish(); begin another one".to_owned())
}

/// A time with its unit, in ns.
#[pyfunction]
pub fn nanoseconds(name: &str, text: &str) -> PyResult<u64> {
    let span: Span = text.parse().map_err(|error| setting(format!("{name}: {error}")))?;
    Ok(span.as_nanos())
}
