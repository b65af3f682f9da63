//! A ring that is taken through time step by step.

use super::build;
use super::engine::Ring;
use super::view::RingView;
use super::whole::Whole;
use crate::brought::{BringError, BroughtPacket, Delivery};
use fairwire_core::Instant;
use fairwire_laws::ring::{Datapath, RingLaw, RingLawChoice, RingLawVisitor};
use fairwire_plan::RunRecord;
use fairwire_plan::{PlanError, RingPlan};

/// A run of a ring, at some instant.
///
/// However it is taken there, in one step or in many, what it is at an instant is the same, to the byte. Between steps it
/// can be looked at. Packets can be brought to one that was made by [`RingSimulation::fed`]; it hands them back when
/// their fate is known.
pub struct RingSimulation {
    plan: RingPlan,
    ring: Box<dyn Walker>,
    fed: bool,
    now: u64,
}

/// A ring under any law.
trait Walker {
    fn walk(&mut self, now: u64, limit: u64, end: u64, watch: &mut dyn FnMut(f64) -> bool) -> u64;
    fn bring(&mut self, bringer: usize, flow: usize, packet: BroughtPacket);
    fn deliveries(&mut self, now: u64) -> Vec<Delivery>;
    fn outstanding(&self) -> usize;
    fn view(&mut self, plan: &Whole<'_>, now: u64) -> RingView;
    fn into_record(self: Box<Self>, plan: &Whole<'_>, reached: u64) -> RunRecord;
}

impl<L: RingLaw> Walker for Ring<L> {
    fn walk(&mut self, now: u64, limit: u64, end: u64, watch: &mut dyn FnMut(f64) -> bool) -> u64 {
        Ring::walk(self, now, limit, end, watch)
    }
    fn bring(&mut self, bringer: usize, flow: usize, packet: BroughtPacket) {
        Ring::bring(self, bringer, flow, packet);
    }
    fn deliveries(&mut self, now: u64) -> Vec<Delivery> {
        self.ledger.returns.take(now)
    }
    fn outstanding(&self) -> usize {
        self.ledger.returns.outstanding()
    }
    fn view(&mut self, plan: &Whole<'_>, now: u64) -> RingView {
        RingView::of(self, plan, now)
    }
    fn into_record(self: Box<Self>, plan: &Whole<'_>, reached: u64) -> RunRecord {
        Ring::into_record(*self, plan, reached)
    }
}

struct Begin<'a>(Whole<'a>);

impl RingLawVisitor for Begin<'_> {
    type Output = Box<dyn Walker>;

    fn visit<L: RingLaw>(self, params: &L::Params) -> Box<dyn Walker> {
        Box::new(Ring::<L>::begin(&self.0, params))
    }
}

impl RingSimulation {
    /// A ring at time zero, at which nothing has happened but that laws have begun. It takes no packets from outside.
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run under this law.
    pub fn new(plan: RingPlan, law: &RingLawChoice) -> Result<Self, PlanError> {
        Self::checked(plan, law, false)
    }

    /// As [`RingSimulation::new`], for a ring to which packets are brought. As long as none are, it is the same to the byte;
    /// it takes a little longer.
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run under this law.
    pub fn fed(plan: RingPlan, law: &RingLawChoice) -> Result<Self, PlanError> {
        Self::checked(plan, law, true)
    }

    fn checked(plan: RingPlan, law: &RingLawChoice, fed: bool) -> Result<Self, PlanError> {
        plan.validate()?;
        if law.limits_together() && plan.transit.datapath == Datapath::Merged {
            return Err(PlanError::Datapath(law.about().name));
        }
        let ring = law.visit(Begin(Whole::of(&plan, fed)));
        Ok(Self { plan, ring, fed, now: 0 })
    }

    /// A ring of a checked plan under a law given as a type.
    pub(super) fn of_law<L: RingLaw>(plan: RingPlan, params: &L::Params) -> Self {
        let ring = Box::new(Ring::<L>::begin(&Whole::of(&plan, false), params));
        Self { plan, ring, fed: false, now: 0 }
    }

    /// What is simulated.
    pub fn plan(&self) -> &RingPlan {
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

    /// As [`RingSimulation::advance`], telling `watch` from time to time which part of the run is over, from 0 to 1.
    /// When it answers `false` the step ends early; [`RingSimulation::now`] then tells where.
    pub fn advance_watched(&mut self, until: Instant, watch: &mut dyn FnMut(f64) -> bool) {
        let until = until.min(self.end()).as_nanos();
        if until > self.now {
            self.now = self.ring.walk(self.now, until, self.end().as_nanos(), watch);
        }
    }

    /// Brings a packet, which enters the station queue of `flow` (by its place in the plan) at the packet's time, as if
    /// its source had made it then; whether the flow has begun or stopped does not matter. It is counted like those that
    /// the flow makes.
    ///
    /// # Errors
    /// [`BringError`] if the ring was not made to be fed, if the flow is not there or made of TCP, or if the packet is
    /// empty, larger than any of the plan, or out of time.
    pub fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        if !self.fed {
            return Err(BringError::NotFed);
        }
        let flows = self.plan.flows.len();
        let planned = self.plan.flows.get(flow).ok_or(BringError::NoFlow { flow, flows })?;
        if planned.offer.tcp().is_some() {
            return Err(BringError::Tcp(planned.name.clone()));
        }
        packet.check(self.now(), self.end())?;
        let largest = build::max_packet(&Whole::of(&self.plan, true)).get();
        if u64::from(packet.size_bytes) > largest {
            return Err(BringError::TooLarge { number: packet.number, size_bytes: packet.size_bytes, largest });
        }
        let bringer = self.plan.flows[..flow].iter().filter(|flow| flow.offer.tcp().is_none()).count();
        self.ring.bring(bringer, flow, packet);
        Ok(())
    }

    /// Hands back every packet that was brought, whose fate was decided before the present time, and that was not handed
    /// back before; in order of time.
    pub fn deliveries(&mut self) -> Vec<Delivery> {
        self.ring.deliveries(self.now)
    }

    /// How many packets were brought and have not been handed back.
    pub fn outstanding(&self) -> usize {
        self.ring.outstanding()
    }

    /// What the ring looks like now.
    pub fn view(&mut self) -> RingView {
        self.ring.view(&Whole::of(&self.plan, self.fed), self.now)
    }

    /// Ends the run here, and tells what was measured, as if the plan had ended now.
    pub fn into_record(self) -> RunRecord {
        self.ring.into_record(&Whole::of(&self.plan, self.fed), self.now)
    }
}
