//! Simulated runs some of whose links are captured.

use crate::batch::{Batch, FinishedRun, Job};
use crate::reference::Reference;
use crate::simulation::Simulation;
use fairwire_core::Span;
use fairwire_net::{CaptureLinks, CaptureWriter, UnknownLink};
use fairwire_plan::PlanError;
use fairwire_results::Plan;
use fairwire_scenario::LawChoice;
use std::io::{self, Write};
use std::time::Instant as Clock;

/// What is captured is handed on this often, so that it need not be kept.
const STRETCH: Span = Span::from_millis(5);

impl Batch {
    /// The links of these names; `all` names all.
    ///
    /// # Errors
    /// [`UnknownLink`] for a name that no link has.
    pub fn capture_links(&self, names: &[String]) -> Result<CaptureLinks, UnknownLink> {
        match self.plan() {
            Plan::Ring(plan) => CaptureLinks::of_ring(&plan, names),
            Plan::Network(plan) => CaptureLinks::of_network(&plan, names),
        }
    }

    /// Begins the capture of these links in the run of `job`.
    ///
    /// # Errors
    /// What `out` says.
    pub fn begin_capture<'out>(
        &self,
        job: Job,
        links: CaptureLinks,
        out: Box<dyn Write + 'out>,
    ) -> io::Result<CaptureWriter<'out>> {
        let (plan, law) = (self.plan_of(job), &self.laws[job.law]);
        let comment =
            format!("{}\nlaw {}, seed {}, run {}", self.scenario().title(), law.about().name, plan.seed(), job.run);
        match (&plan, law) {
            (Plan::Ring(plan), LawChoice::Ring(law)) => CaptureWriter::of_ring(out, plan, law, links, &comment),
            (Plan::Ring(_), LawChoice::Queue(_) | LawChoice::Rate(_)) => {
                unreachable!("a ring runs under a law of rings")
            }
            (Plan::Network(plan), _) => CaptureWriter::of_network(out, plan, links, &comment),
        }
    }

    /// Simulates one run and writes down what `links` send. None if `watch`, which is told now and then how far the run has
    /// come, from 0 to 1, answers `false`.
    ///
    /// # Errors
    /// A plan that cannot be run, or what the capture's file says.
    pub fn simulate_captured(
        &self,
        job: Job,
        reference: &Reference,
        links: &CaptureLinks,
        capture: &mut CaptureWriter<'_>,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<FinishedRun>, CaptureFailure> {
        let started = Clock::now();
        let mut simulation = Simulation::new(self.plan_of(job), &self.laws[job.law])?;
        simulation.capture(links);
        let end = simulation.end();
        while simulation.now() < end {
            if !watch(simulation.now().as_secs_f64() / end.as_secs_f64()) {
                return Ok(None);
            }
            simulation.advance((simulation.now() + STRETCH).min(end), &mut |_| true);
            for captured in simulation.captured() {
                capture.write(&captured, None)?;
            }
        }
        let (plan, record) = simulation.into_record();
        Ok(Some(self.sum_up(job, plan, record, reference, started.elapsed().as_secs_f64())))
    }
}

/// Why a captured run is not done.
#[derive(Debug)]
pub enum CaptureFailure {
    /// The plan cannot be run.
    Plan(PlanError),
    /// The capture cannot be written.
    File(io::Error),
}

impl From<PlanError> for CaptureFailure {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<io::Error> for CaptureFailure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}
