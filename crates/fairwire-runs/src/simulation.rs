//! One run of a scenario that is taken through time by hand.

use crate::view::View;
use fairwire_core::Instant;
use fairwire_net::CaptureLinks;
use fairwire_plan::PlanError;
use fairwire_results::{Plan, Record};
use fairwire_scenario::LawChoice;
use fairwire_sim::{BringError, BroughtPacket, Captured, Delivery, NetworkSimulation, RingSimulation};

/// A run of a ring or a network, at some instant. Packets can be brought to it.
pub enum Simulation {
    /// Of a ring.
    Ring(Box<RingSimulation>),
    /// Of a network.
    Network(Box<NetworkSimulation>),
}

/// Does the same with either.
macro_rules! either {
    ($simulation:expr, $name:ident => $does:expr) => {
        match $simulation {
            Simulation::Ring($name) => $does,
            Simulation::Network($name) => $does,
        }
    };
}

impl Simulation {
    pub(crate) fn new(plan: Plan, law: &LawChoice) -> Result<Self, PlanError> {
        match (plan, law) {
            (Plan::Ring(plan), LawChoice::Ring(law)) => {
                RingSimulation::fed(plan, law).map(|ring| Self::Ring(Box::new(ring)))
            }
            (Plan::Ring(_), LawChoice::Queue(_) | LawChoice::Rate(_)) => {
                unreachable!("a ring runs under a law of rings")
            }
            (Plan::Network(plan), _) => NetworkSimulation::new(plan).map(|network| Self::Network(Box::new(network))),
        }
    }

    /// The present time: what happens before has happened, and nothing else.
    pub fn now(&self) -> Instant {
        either!(self, simulation => simulation.now())
    }

    /// When the run ends.
    pub fn end(&self) -> Instant {
        either!(self, simulation => simulation.end())
    }

    /// From when on it is measured.
    pub fn warmup_end(&self) -> Instant {
        Instant::ZERO + either!(self, simulation => simulation.plan().warmup)
    }

    /// Goes on to `until`, or to the end if that is earlier, or until `watch` answers `false`: it is told from time to
    /// time which part of the run is over, from 0 to 1.
    pub fn advance(&mut self, until: Instant, watch: &mut dyn FnMut(f64) -> bool) {
        either!(self, simulation => simulation.advance_watched(until, watch));
    }

    /// Brings a packet that `flow`, by its place among the flows, sends at the packet's time.
    ///
    /// # Errors
    /// [`BringError`] if it cannot be taken.
    pub fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        either!(self, simulation => simulation.inject(flow, packet))
    }

    /// Packets that were brought, whose fate was decided before the present time; each once, in order of time.
    pub fn deliveries(&mut self) -> Vec<Delivery> {
        either!(self, simulation => simulation.deliveries())
    }

    /// How many packets were brought and have not been handed back.
    pub fn outstanding(&self) -> usize {
        either!(self, simulation => simulation.outstanding())
    }

    /// Keeps what these links send; to be called before the first step.
    pub(crate) fn capture(&mut self, links: &CaptureLinks) {
        match self {
            Self::Ring(ring) => ring.capture(&links.on_ring()),
            Self::Network(network) => network.capture(links.on_network()),
        }
    }

    /// What they have begun to send since the last call.
    pub(crate) fn captured(&mut self) -> Vec<Captured> {
        either!(self, simulation => simulation.captured())
    }

    /// What it looks like now.
    pub fn view(&mut self) -> View {
        match self {
            Self::Ring(ring) => {
                let view = ring.view();
                View::of_ring(ring.plan(), &view)
            }
            Self::Network(network) => {
                let view = network.view();
                View::of_network(network.plan(), &view)
            }
        }
    }

    /// Ends the run here: what was measured, and the plan of a run that ends here.
    pub(crate) fn into_record(self) -> (Plan, Record) {
        let lasts = self.now().since(Instant::ZERO);
        match self {
            Self::Ring(ring) => {
                let mut plan = ring.plan().clone();
                plan.duration = lasts;
                (Plan::Ring(plan), Record::Ring(ring.into_record()))
            }
            Self::Network(network) => {
                let mut plan = network.plan().clone();
                plan.duration = lasts;
                (Plan::Network(plan), Record::Network(network.into_record()))
            }
        }
    }
}
