//! A thread that a simulation lives on.
//!
//! A simulation stays on the thread that began it: laws need not be able to move to another one. Whoever wants
//! something of it sends a job and waits. Jobs are done one after the other.

use fairwire_plan::PlanError;
use fairwire_runs::{BringError, BroughtPacket, Delivery, Simulation};

use std::collections::BTreeMap;
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
    /// Packets that have been handed back.
    handed_back: Vec<Known>,
    /// Those that a run which took the place of another one is yet to hand back once more, and how often.
    again: BTreeMap<Known, usize>,
}

/// What a packet is known by: its flow, its number, when it was sent, and its size.
type Known = (usize, u64, u64, u16);

impl Worker {
    /// Begins a simulation on a thread of its own.
    pub fn begin(make: impl FnOnce() -> Result<Simulation, PlanError> + Send + 'static) -> Result<Self, PlanError> {
        let (jobs, queue): (Sender<Job>, Receiver<Job>) = mpsc::channel();
        let (begun, waits) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut live, answer) = match make() {
                Ok(simulation) => (Some(Live::new(simulation)), Ok(())),
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

    /// Puts another run in its place, which is the same until now, and takes it to where this one stands.
    pub fn replace(&mut self, mut other: Simulation) -> Result<(), BringError> {
        for (flow, packet) in &self.brought {
            other.inject(*flow, *packet)?;
        }
        other.advance(self.simulation.now(), &mut |_| true);
        self.simulation = other;
        self.again.clear();
        for known in &self.handed_back {
            *self.again.entry(*known).or_default() += 1;
        }
        Ok(())
    }
}

fn known(flow: usize, packet: &BroughtPacket) -> Known {
    (flow, packet.number, packet.at.as_nanos(), packet.size_bytes)
}
