//! Runs whose packets come from outside: real ones, and those that were written down.

use crate::batch::{Batch, FinishedRun, Job};
use crate::reference::Reference;
use crate::simulation::Simulation;
use crate::view::View;
use fairwire_core::Span;
use fairwire_net::{Carried, TcpCounts};
use fairwire_plan::{FlowPlan, NetworkFlowPlan, NetworkPlan, PlanError, RingPlan};
use fairwire_results::{Plan, Record};
use fairwire_scenario::LawChoice;
use fairwire_sim::{NetworkSimulation, RingSimulation};
use serde::Serialize;

impl Batch {
    /// A run at its beginning, to which all packets are brought.
    ///
    /// # Errors
    /// A plan that cannot be run, or cannot be carried.
    pub fn carried(&self, job: Job) -> Result<Carried, PlanError> {
        self.carried_plan(self.plan_of(job), job)
    }

    /// The same for programs of others, which want answers: where nothing goes back for a flow there is another one for what
    /// does, called `other-` and its name. On a network that needs links in both directions.
    ///
    /// # Errors
    /// As [`Batch::carried`].
    pub fn carried_open(&self, job: Job) -> Result<Carried, PlanError> {
        let mut plan = self.plan_of(job);
        match &mut plan {
            Plan::Ring(plan) => open_ring(plan),
            Plan::Network(plan) => open_network(plan),
        }
        self.carried_plan(plan, job)
    }

    fn carried_plan(&self, plan: Plan, job: Job) -> Result<Carried, PlanError> {
        match (plan, &self.laws[job.law]) {
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

    /// Ends such a run where it stands, and sums it up; `tcp` is what its connections did, by flow. What programs of others
    /// sent where no flow is declared is told apart.
    pub fn finish_carried(
        &self,
        job: Job,
        carried: Carried,
        tcp: &[TcpCounts],
        reference: &Reference,
        wall_s: f64,
    ) -> (FinishedRun, Option<Others>) {
        let simulation = match carried {
            Carried::Ring(ring) => Simulation::Ring(ring),
            Carried::Network(network) => Simulation::Network(network),
        };
        let (mut plan, mut record) = simulation.into_record();
        tell_of_connections(&mut record, tcp);
        let others = Others::take(&mut plan, &mut record, self.scenario().flows().len());
        (self.sum_up(job, plan, record, reference, wall_s), others)
    }
}

/// Traffic of others between stations without a flow, in the direction without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Others {
    /// Packets that they sent.
    pub packets: u64,
    /// Of these, arrived.
    pub delivered: u64,
    /// Their rate from the end of the warm-up on, in bit/s.
    pub rate_bps: f64,
}

impl Others {
    /// Takes flows beyond those that were declared out of plan and record; none if there are none.
    fn take(plan: &mut Plan, record: &mut Record, declared: usize) -> Option<Self> {
        let sum = |packets: u64, delivered: u64, bytes: u64, lasted: Span| {
            let rate_bps = bytes as f64 * 8.0 / lasted.as_secs_f64().max(1e-9);
            Self { packets, delivered, rate_bps }
        };
        match (plan, record) {
            (Plan::Ring(plan), Record::Ring(record)) if plan.flows.len() > declared => {
                plan.flows.truncate(declared);
                let others = record.flows.split_off(declared);
                let all = |count: fn(&fairwire_plan::FlowRecord) -> u64| others.iter().map(count).sum();
                let lasted = plan.duration - plan.warmup;
                let bytes = all(|flow| flow.measured_bytes);
                Some(sum(all(|flow| flow.offered), all(|flow| flow.delivered), bytes, lasted))
            }
            (Plan::Network(plan), Record::Network(record)) if plan.flows.len() > declared => {
                plan.flows.truncate(declared);
                let others = record.flows.split_off(declared);
                let all = |count: fn(&fairwire_plan::NetworkFlowRecord) -> u64| others.iter().map(count).sum();
                let lasted = plan.duration - plan.warmup;
                let bytes = all(|flow| flow.measured_bytes);
                Some(sum(all(|flow| flow.sent), all(|flow| flow.arrived), bytes, lasted))
            }
            _ => None,
        }
    }
}

fn open_ring(plan: &mut RingPlan) {
    let back: Vec<_> = plan.flows.iter().filter(|flow| flow.offer.tcp().is_none()).cloned().collect();
    for flow in back {
        let goes = |other: &FlowPlan| (other.from, other.to) == (flow.to, flow.from);
        if !plan.flows.iter().any(goes) {
            let (name, ringlet) = (format!("other-{}", flow.name), flow.ringlet.opposite());
            plan.flows.push(FlowPlan { name, ringlet, from: flow.to, to: flow.from, ..flow });
        }
    }
}

fn open_network(plan: &mut NetworkPlan) {
    let back: Vec<_> = plan.flows.iter().filter(|flow| !flow.offer.is_answered()).cloned().collect();
    for flow in back {
        let ends = |route: &[u32]| {
            let last = route[route.len() - 1] as usize;
            (plan.links[route[0] as usize].from, plan.links[last].to)
        };
        let (from, to) = ends(&flow.route);
        let opposite = |link: &u32| {
            let link = &plan.links[*link as usize];
            let found = plan.links.iter().position(|other| (other.from, other.to) == (link.to, link.from));
            found.map(|found| found as u32)
        };
        let route: Option<Vec<u32>> = flow.route.iter().rev().map(opposite).collect();
        if let Some(route) = route
            && !plan.flows.iter().any(|other| ends(&other.route) == (to, from))
        {
            plan.flows.push(NetworkFlowPlan { name: format!("other-{}", flow.name), route, ..flow });
        }
    }
}

/// What a run to which packets are brought looks like now.
pub fn view_of(carried: &mut Carried) -> View {
    match carried {
        Carried::Ring(ring) => {
            let view = ring.view();
            View::of_ring(ring.plan(), &view)
        }
        Carried::Network(network) => {
            let view = network.view();
            View::of_network(network.plan(), &view)
        }
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
