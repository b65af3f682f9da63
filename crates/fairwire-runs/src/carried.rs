//! Runs whose packets come from outside: real ones, and those that were written down.

use crate::batch::{Batch, FinishedRun, Job};
use crate::reference::Reference;
use crate::simulation::Simulation;
use fairwire_net::{Carried, TcpCounts};
use fairwire_plan::PlanError;
use fairwire_results::{Plan, Record};
use fairwire_scenario::LawChoice;
use fairwire_sim::{NetworkSimulation, RingSimulation};

impl Batch {
    /// A run at its beginning, to which all packets are brought.
    ///
    /// # Errors
    /// A plan that cannot be run, or cannot be carried.
    pub fn carried(&self, job: Job) -> Result<Carried, PlanError> {
        match (self.plan_of(job), &self.laws[job.law]) {
            (Plan::Ring(plan), LawChoice::Ring(law)) => {
                RingSimulation::carried(plan, law).map(|ring| Carried::Ring(Box::new(ring)))
            }
            (Plan::Ring(_), LawChoice::Queue(_) | LawChoice::Rate(_)) => {
                unreachable!("a ring runs under a law of rings")
            }
            (Plan::Network(plan), _) => {
                NetworkSimulation::carried(plan).map(|network| Carried::Network(Box::new(network)))
            }
        }
    }

    /// Ends such a run where it stands, and sums it up; `tcp` is what its connections did, by flow.
    pub fn finish_carried(
        &self,
        job: Job,
        carried: Carried,
        tcp: &[TcpCounts],
        reference: &Reference,
        wall_s: f64,
    ) -> FinishedRun {
        let simulation = match carried {
            Carried::Ring(ring) => Simulation::Ring(ring),
            Carried::Network(network) => Simulation::Network(network),
        };
        let (plan, mut record) = simulation.into_record();
        tell_of_connections(&mut record, tcp);
        self.sum_up(job, plan, record, reference, wall_s)
    }
}

/// What only those at the ends know.
fn tell_of_connections(record: &mut Record, tcp: &[TcpCounts]) {
    for (flow, counts) in tcp.iter().enumerate() {
        let (retransmitted, transfers, unfinished) = match record {
            Record::Ring(record) => {
                let flow = &mut record.flows[flow];
                (&mut flow.retransmitted, &mut flow.transfers, &mut flow.unfinished)
            }
            Record::Network(record) => {
                let flow = &mut record.flows[flow];
                (&mut flow.retransmitted, &mut flow.transfers, &mut flow.unfinished)
            }
        };
        *retransmitted = counts.retransmitted;
        transfers.clone_from(&counts.transfers);
        *unfinished = counts.unfinished;
    }
}
