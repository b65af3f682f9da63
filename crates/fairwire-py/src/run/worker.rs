//! A thread that a simulation lives on.
//!
//! A simulation stays on the thread that began it: laws need not be able to move to another one. Whoever wants
//! something of it sends a job and waits. Jobs are done one after the other.

use fairwire_plan::PlanError;
use fairwire_runs::{BringError, BroughtPacket, Delivery, Simulation};

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

/// How often somebody who waits looks whether to stop.
const PULSE: Duration = Duration::from_millis(5);

type Job = Box<dyn FnOnce(&mut Option<Live>) + Send>;

/// Sends jobs to the thread, which ends with it.
pub struct Worker {
    jobs: Sender<Job>,
}

/// A simulation, and what has been done to it.
pub struct Live {
    pub simulation: Simulation,
    brought: Vec<(usize, BroughtPacket)>,
    /// How many packets have been handed back.
    handed_back: usize,
    /// What was handed back and not asked for yet.
    left: Vec<Delivery>,
}

impl Worker {
    /// Begins a simulation on a thread of its own.
    pub fn begin(make: impl FnOnce() -> Result<Simulation, PlanError> + Send + 'static) -> Result<Self, PlanError> {
        let (jobs, queue): (Sender<Job>, Receiver<Job>) = mpsc::channel();
        let (begun, waits) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut live, answer) = match make() {
                Ok(simulation) => {
                    (Some(Live { simulation, brought: Vec::new(), handed_back: 0, left: Vec::new() }), Ok(()))
                }
                Err(error) => (None, Err(error)),
            };
            if begun.send(answer).is_ok() {
                queue.into_iter().for_each(|job| job(&mut live));
            }
        });
        waits.recv().unwrap_or(Ok(())).map(|()| Self { jobs })
    }

    /// Has something done, and waits for the answer; none if the simulation has ended. Python's lock must not be held.
    pub fn ask<T: Send + 'static>(&self, job: impl FnOnce(&mut Live) -> T + Send + 'static) -> Option<T> {
        self.ask_whole(|live| live.as_mut().map(job))?
    }

    /// The same, for what may end it.
    pub fn ask_whole<T: Send + 'static>(&self, job: impl FnOnce(&mut Option<Live>) -> T + Send + 'static) -> Option<T> {
        self.send(job)?.recv().ok()
    }

    /// The same for a long job, which is told to come to its end when `stop` is set.
    pub fn ask_until<T: Send + 'static>(
        &self,
        stop: &AtomicBool,
        job: impl FnOnce(&mut Live, &AtomicBool) -> T + Send + 'static,
    ) -> Option<T> {
        let told = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&told);
        let answer = self.send(move |live| live.as_mut().map(|live| job(live, &heard)))?;
        loop {
            match answer.recv_timeout(PULSE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => told.store(stop.load(Ordering::Relaxed), Ordering::Relaxed),
            }
        }
    }

    fn send<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Option<Live>) -> T + Send + 'static,
    ) -> Option<Receiver<T>> {
        let (answer, waits) = mpsc::channel();
        let job: Job = Box::new(move |live| drop(answer.send(job(live))));
        self.jobs.send(job).ok().map(|()| waits)
    }
}

impl Live {
    pub fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        self.simulation.inject(flow, packet)?;
        self.brought.push((flow, packet));
        Ok(())
    }

    pub fn deliveries(&mut self) -> Vec<Delivery> {
        let mut deliveries = std::mem::take(&mut self.left);
        deliveries.extend(self.simulation.deliveries());
        self.handed_back += deliveries.len();
        deliveries
    }

    /// How many packets were brought and have not been handed back.
    pub fn outstanding(&self) -> usize {
        self.simulation.outstanding() + self.left.len()
    }

    /// Puts another run in its place, which is the same until now, and takes it to where this one stands.
    pub fn replace(&mut self, mut other: Simulation) -> Result<(), BringError> {
        for (flow, packet) in &self.brought {
            other.inject(*flow, *packet)?;
        }
        other.advance(self.simulation.now(), &mut |_| true);
        let decided = other.deliveries();
        self.simulation = other;
        self.left = decided.into_iter().skip(self.handed_back).collect();
        Ok(())
    }
}
