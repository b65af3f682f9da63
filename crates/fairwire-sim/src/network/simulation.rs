//! A network that is taken through time step by step.

use super::capture::Capture;
use super::engine::Network;
use super::summary;
use super::view::NetworkView;
use crate::brought::{BringError, BroughtPacket, Delivery, Feed};
use crate::captured::Captured;
use crate::report::{Ending, Wanted};
use fairwire_core::Instant;
use fairwire_plan::NetworkPlan;
use fairwire_plan::NetworkRecord;
use fairwire_plan::PlanError;

/// A run of a network, at some instant.
///
/// However it is taken there, in one step or in many, what it is at an instant is the same, to the byte. Between steps it
/// can be looked at, and packets can be brought to it, which it hands back when their fate is known.
#[derive(Debug)]
pub struct NetworkSimulation {
    plan: NetworkPlan,
    network: Network,
    feed: Feed,
    now: u64,
}

impl NetworkSimulation {
    /// A network at time zero, at which nothing has happened yet.
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run.
    pub fn new(plan: NetworkPlan) -> Result<Self, PlanError> {
        plan.validate()?;
        Ok(Self::begin(plan, Feed::Beside, &Wanted::new(&mut |_| true)))
    }

    /// A network whose packets are all brought, acknowledgements of TCP included: its plan says what flows there are, and
    /// their sources and connections make nothing. Queue laws tell apart the connections that packets bear in their
    /// labels: each has a number from its first packet on until nothing of it has been on its way for
    /// [`fairwire_plan::SILENT_AFTER`].
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run, or has flows whose rates switches tell.
    pub fn carried(plan: NetworkPlan) -> Result<Self, PlanError> {
        plan.validate()?;
        if let Some(flow) = plan.flows.iter().find(|flow| flow.offer.rate().is_some()) {
            return Err(PlanError::NotCarried(flow.name.clone()));
        }
        Ok(Self::begin(plan, Feed::All, &Wanted::new(&mut |_| true)))
    }

    /// A checked plan; of no use if it was no longer `wanted`.
    fn begin(plan: NetworkPlan, feed: Feed, wanted: &Wanted<'_>) -> Self {
        Self { network: Network::new(&plan, feed, wanted), plan, feed, now: 0 }
    }

    /// Simulates all of a plan; none as soon as `watch` answers `false`.
    pub(super) fn whole(
        plan: NetworkPlan,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<NetworkRecord>, PlanError> {
        plan.validate()?;
        let wanted = Wanted::new(watch);
        let mut simulation = Self::begin(plan, Feed::Beside, &wanted);
        if !wanted.goes_on() {
            return Ok(None);
        }
        let end = simulation.end().as_nanos();
        let Some(reached) = simulation.network.walk(end, end, Ending::AtOnce, watch) else { return Ok(None) };
        simulation.now = reached;
        Ok(Some(simulation.into_record()))
    }

    /// What is simulated.
    pub fn plan(&self) -> &NetworkPlan {
        &self.plan
    }

    /// The present time: what happens before has happened, and nothing else.
    pub fn now(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    /// When the run ends.
    pub fn end(&self) -> Instant {
        Instant::ZERO + self.plan.duration
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.now() >= self.end()
    }

    /// Goes on to `until`, or to the end if that is earlier. What lies behind stays as it is.
    pub fn advance(&mut self, until: Instant) {
        self.advance_watched(until, &mut |_| true);
    }

    /// As [`NetworkSimulation::advance`], telling `watch` from time to time which part of the run is over, from 0 to 1.
    /// When it answers `false` the step ends early; [`NetworkSimulation::now`] then tells where.
    pub fn advance_watched(&mut self, until: Instant, watch: &mut dyn FnMut(f64) -> bool) {
        let until = until.min(self.end()).as_nanos();
        if until > self.now {
            let reached = self.network.walk(until, self.end().as_nanos(), Ending::Tidy, watch);
            self.now = reached.unwrap_or(until);
        }
    }

    /// Brings a packet, which the first micro-flow of `flow` (by its place in the plan) sends at the packet's time,
    /// whether the flow is active then or not. It is counted like those that the flow makes.
    ///
    /// # Errors
    /// [`BringError`] if the flow is not there or makes its own TCP, if nothing of it goes back, or the packet is empty or
    /// out of time.
    pub fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        let flows = self.plan.flows.len();
        let planned = self.plan.flows.get(flow).ok_or(BringError::NoFlow { flow, flows })?;
        match self.feed {
            Feed::All if packet.back && !planned.offer.is_answered() => {
                return Err(BringError::NothingBack(planned.name.clone()));
            }
            Feed::All => {}
            _ if planned.offer.is_answered() => return Err(BringError::Tcp(planned.name.clone())),
            _ if packet.back => return Err(BringError::NotCarried(packet.number)),
            _ => {}
        }
        packet.check(self.now(), self.end())?;
        self.network.bring(flow, packet);
        Ok(())
    }

    /// Hands back every packet that was brought, whose fate was decided before the present time, and that was not handed
    /// back before; in order of time.
    pub fn deliveries(&mut self) -> Vec<Delivery> {
        self.network.returns.take(self.now)
    }

    /// How many packets were brought and have not been handed back.
    pub fn outstanding(&self) -> usize {
        self.network.returns.outstanding()
    }

    /// Keeps all that these links send, by their places in the plan, for [`NetworkSimulation::captured`]. To be called before
    /// the first step; the run is the same to the byte.
    pub fn capture(&mut self, links: &[usize]) {
        self.network.capture = Some(Box::new(Capture::of(self.plan.links.len(), links)));
    }

    /// What captured links have begun to send before the present time, and not before the last call; in order of time.
    /// To be called after each step, and before packets are handed back.
    pub fn captured(&mut self) -> Vec<Captured> {
        self.network.capture.as_mut().map_or_else(Vec::new, |capture| capture.take(self.now))
    }

    /// What the network looks like now.
    pub fn view(&mut self) -> NetworkView {
        NetworkView::of(&mut self.network, &self.plan, self.now)
    }

    /// Ends the run here, and tells what was measured, as if the plan had ended now.
    pub fn into_record(mut self) -> NetworkRecord {
        let Network { links, ledger, .. } = &mut self.network;
        links.iter_mut().for_each(|link| link.finish(self.now, ledger));
        summary::record(self.network, &self.plan, self.now)
    }
}
