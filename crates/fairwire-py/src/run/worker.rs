//! A thread that a simulation lives on.
//!
//! A simulation stays on the thread that began it: laws need not be able to move to another one. Whoever wants
//! something of it sends a job and waits. Jobs are done one after the other.

use super::interrupt::wait;
use super::settings::setting;
use crate::errors::defect;
use crate::ring_law::Trouble;
use crate::threads::no_thread;
use fairwire_plan::PlanError;
use fairwire_runs::{BringError, BroughtPacket, Delivery, Simulation};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, ThreadId};

type Job = Box<dyn FnOnce(&mut Option<Live>) + Send>;

/// Sends jobs to the thread, which ends with it.
pub struct Worker {
    jobs: Sender<Job>,
    thread: ThreadId,
    /// The process in which the thread is.
    process: u32,
}

/// A simulation, and what has been done to it.
pub struct Live {
    pub simulation: Simulation,
    brought: Vec<(usize, BroughtPacket)>,
    /// Packets that have been handed back.
    handed_back: Vec<Known>,
    /// Those that a run which took the place of another one is yet to hand back once more, and how often.
    again: BTreeMap<Known, usize>,
}

/// What a packet is known by: its flow, its number, when it was sent, and its size.
type Known = (usize, u64, u64, u16);

/// Where a job is on its way.
const WAITS: u8 = 0;
const HAS_BEGUN: u8 = 1;
const IS_NOT_WANTED: u8 = 2;

impl Worker {
    /// Begins a simulation on a thread of its own.
    pub fn begin(
        py: Python<'_>,
        trouble: &Trouble,
        make: impl FnOnce() -> Result<Simulation, PlanError> + Send + 'static,
    ) -> PyResult<Self> {
        let (jobs, queue): (Sender<Job>, Receiver<Job>) = mpsc::channel();
        let (begun, waits) = mpsc::channel();
        let begin = thread::Builder::new().spawn(move || {
            let (mut live, answer) = match make() {
                Ok(simulation) => (Some(Live::new(simulation)), Ok(())),
                Err(error) => (None, Err(error)),
            };
            if begun.send(answer).is_ok() {
                queue.into_iter().for_each(|job| job(&mut live));
            }
        });
        let thread = begin.map_err(|error| no_thread(&error))?.thread().id();
        py.detach(move || wait(&waits, &|_| Ok(()), Some(trouble), || trouble.is_within()))?
            .ok_or_else(|| defect("a simulation ended as it began"))?
            .map_err(|error| setting(error.to_string()))?;
        Ok(Self { jobs, thread, process: std::process::id() })
    }

    /// Has something done, and waits for the answer. Ctrl-C ends the wait: a job that waits for others is given up, and one
    /// that has begun is told to come to its end.
    pub fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        trouble: &Trouble,
        job: impl FnOnce(&mut Live, &AtomicBool) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.ask_whole(py, trouble, |live, stop| live.as_mut().map(|live| job(live, stop)))?.ok_or_else(ended)
    }

    /// The same, for what may end it.
    pub fn ask_whole<T: Send + 'static>(
        &self,
        py: Python<'_>,
        trouble: &Trouble,
        job: impl FnOnce(&mut Option<Live>, &AtomicBool) -> T + Send + 'static,
    ) -> PyResult<T> {
        if thread::current().id() == self.thread {
            return Err(setting(
                "a law cannot ask the simulation that calls it; what it may know is in its view".to_owned(),
            ));
        }
        if std::process::id() != self.process {
            return Err(setting("a simulation stays in the process that began it; begin another one here".to_owned()));
        }
        let (answer, waits) = mpsc::channel();
        let state = Arc::new((AtomicU8::new(WAITS), AtomicBool::new(false)));
        let told = Arc::clone(&state);
        let job: Job = Box::new(move |live| {
            let (at, stop) = &*told;
            if at.compare_exchange(WAITS, HAS_BEGUN, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                drop(answer.send(job(live, stop)));
            }
        });
        let give_up = move || {
            let (at, stop) = &*state;
            stop.store(true, Ordering::Relaxed);
            at.compare_exchange(WAITS, IS_NOT_WANTED, Ordering::AcqRel, Ordering::Acquire).is_err()
        };
        let died = || defect("the thread of a simulation has ended");
        self.jobs.send(job).map_err(|_| died())?;
        py.detach(move || wait(&waits, &|_| Ok(()), Some(trouble), give_up))?.ok_or_else(died)
    }
}

/// What is asked of a simulation that is no more.
pub fn ended() -> PyErr {
    setting("this simulation was ended by finish(); begin another one".to_owned())
}

impl Live {
    fn new(simulation: Simulation) -> Self {
        Self { simulation, brought: Vec::new(), handed_back: Vec::new(), again: BTreeMap::new() }
    }

    pub fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        self.simulation.inject(flow, packet)?;
        self.brought.push((flow, packet));
        Ok(())
    }

    /// Packets whose fate is decided and that have not been handed back, each once.
    pub fn deliveries(&mut self) -> Vec<Delivery> {
        let again = &mut self.again;
        let is_new = |delivery: &Delivery| match again.get_mut(&known(delivery.flow, &delivery.packet)) {
            Some(times) if *times > 0 => {
                *times -= 1;
                false
            }
            _ => true,
        };
        let mut deliveries = self.simulation.deliveries();
        deliveries.retain(is_new);
        self.handed_back.extend(deliveries.iter().map(|delivery| known(delivery.flow, &delivery.packet)));
        deliveries
    }

    /// How many packets were brought and have not been handed back.
    pub fn outstanding(&self) -> usize {
        self.brought.len() - self.handed_back.len()
    }

    /// Puts another run in its place, which is the same until now, and takes it to where this one stands; unless it is
    /// told to stop: then this one stays. Tells which it was.
    pub fn replace(&mut self, mut other: Simulation, stop: &AtomicBool) -> Result<bool, BringError> {
        for (flow, packet) in &self.brought {
            other.inject(*flow, *packet)?;
        }
        other.advance(self.simulation.now(), &mut |_| !stop.load(Ordering::Relaxed));
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        self.simulation = other;
        self.again.clear();
        for known in &self.handed_back {
            *self.again.entry(*known).or_default() += 1;
        }
        Ok(true)
    }
}

fn known(flow: usize, packet: &BroughtPacket) -> Known {
    (flow, packet.number, packet.at.as_nanos(), packet.size_bytes)
}
