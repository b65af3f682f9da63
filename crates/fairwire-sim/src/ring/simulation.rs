//! A ring that is taken through time step by step.

use super::build;
use super::capture::Capture;
use super::engine::Ring;
use super::law::Law;
use super::view::RingView;
use super::whole::Whole;
use crate::brought::{BringError, BroughtPacket, Delivery, Feed};
use crate::captured::Captured;
use crate::report::{Ending, Wanted};
use fairwire_core::{Instant, Ringlet, StationId};
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::RunRecord;
use fairwire_plan::{PlanError, RingPlan};
use std::rc::Rc;

/// A run of a ring, at some instant.
///
/// However it is taken there, in one step or in many, what it is at an instant is the same, to the byte. Between steps it
/// can be looked at. Packets can be brought to one that was made by [`RingSimulation::fed`]; it hands them back when
/// their fate is known.
pub struct RingSimulation {
    plan: RingPlan,
    ring: Ring,
    feed: Feed,
    now: u64,
    capture: Capture,
}

impl RingSimulation {
    /// A ring at time zero, at which nothing has happened but that laws have begun. It takes no packets from outside.
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run under this law.
    pub fn new(plan: RingPlan, law: &RingLawChoice) -> Result<Self, PlanError> {
        Self::checked(plan, law, Feed::Nothing)
    }

    /// As [`RingSimulation::new`], for a ring to which packets are brought. As long as none are, it is the same to the byte;
    /// it takes a little longer.
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run under this law.
    pub fn fed(plan: RingPlan, law: &RingLawChoice) -> Result<Self, PlanError> {
        Self::checked(plan, law, Feed::Beside)
    }

    /// A ring whose packets are all brought, acknowledgements of TCP included: its plan says what flows there are, and their
    /// sources and connections make nothing. Connections bring data as any flow does; what they answer is `back`.
    ///
    /// # Errors
    /// [`PlanError`] if the plan cannot be run under this law.
    pub fn carried(plan: RingPlan, law: &RingLawChoice) -> Result<Self, PlanError> {
        Self::checked(plan, law, Feed::All)
    }

    fn checked(plan: RingPlan, law: &RingLawChoice, feed: Feed) -> Result<Self, PlanError> {
        check(&plan, law)?;
        Ok(Self::under(plan, Law::chosen(law), feed))
    }

    /// Simulates all of a plan; none as soon as `watch` answers `false`.
    pub(super) fn whole(
        plan: RingPlan,
        law: &RingLawChoice,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<RunRecord>, PlanError> {
        check(&plan, law)?;
        let wanted = Wanted::new(watch);
        let whole = Whole::of(&plan, Feed::Nothing).while_wanted(&wanted);
        let mut ring = Ring::begin(&whole, Rc::new(Law::chosen(law)));
        if !whole.goes_on() {
            return Ok(None);
        }
        let end = plan.duration.as_nanos();
        let Some(reached) = ring.walk(0, end, end, Ending::AtOnce, watch) else { return Ok(None) };
        Ok(Some(ring.into_record(&Whole::of(&plan, Feed::Nothing), reached)))
    }

    /// A ring of a checked plan under any law.
    pub(super) fn under(plan: RingPlan, law: Law, feed: Feed) -> Self {
        let ring = Ring::begin(&Whole::of(&plan, feed), Rc::new(law));
        Self { plan, ring, feed, now: 0, capture: Capture::default() }
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
            let reached = self.ring.walk(self.now, until, self.end().as_nanos(), Ending::Tidy, watch);
            self.now = reached.unwrap_or(until);
        }
    }

    /// Brings a packet, which enters the station queue of `flow` (by its place in the plan) at the packet's time, as if
    /// its source had made it then; whether the flow has begun or stopped does not matter. It is counted like those that
    /// the flow makes.
    ///
    /// # Errors
    /// [`BringError`] if the ring was not made to be fed, if the flow is not there or makes its own TCP, if nothing of it
    /// goes back, or if the packet is empty, larger than any of the plan, or out of time.
    pub fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        if self.feed == Feed::Nothing {
            return Err(BringError::NotFed);
        }
        let flows = self.plan.flows.len();
        let planned = self.plan.flows.get(flow).ok_or(BringError::NoFlow { flow, flows })?;
        let is_tcp = planned.offer.tcp().is_some();
        match self.feed {
            Feed::All if packet.back && !is_tcp => return Err(BringError::NothingBack(planned.name.clone())),
            Feed::All => {}
            _ if is_tcp => return Err(BringError::Tcp(planned.name.clone())),
            _ if packet.back => return Err(BringError::NotCarried(packet.number)),
            _ => {}
        }
        packet.check(self.now(), self.end())?;
        let largest = self.largest_packet();
        if u64::from(packet.size_bytes) > largest {
            return Err(BringError::TooLarge { number: packet.number, size_bytes: packet.size_bytes, largest });
        }
        let before =
            |tcp: bool| self.plan.flows[..flow].iter().filter(|flow| flow.offer.tcp().is_some() == tcp).count();
        let bringer = match self.feed {
            Feed::All if packet.back => flows + before(true),
            Feed::All => flow,
            _ => before(false),
        };
        self.ring.bring(bringer, flow, packet);
        Ok(())
    }

    /// The largest packet that can be brought, in bytes.
    pub fn largest_packet(&self) -> u64 {
        build::max_packet(&Whole::of(&self.plan, self.feed)).get()
    }

    /// Hands back every packet that was brought, whose fate was decided before the present time, and that was not handed
    /// back before; in order of time.
    pub fn deliveries(&mut self) -> Vec<Delivery> {
        self.ring.ledger.returns.take(self.now)
    }

    /// How many packets were brought and have not been handed back.
    pub fn outstanding(&self) -> usize {
        self.ring.ledger.returns.outstanding()
    }

    /// Keeps all that these links send, each named by its ringlet and the station that it leaves, for
    /// [`RingSimulation::captured`]. To be called before the first step; the run is the same to the byte.
    pub fn capture(&mut self, links: &[(Ringlet, StationId)]) {
        let links: Vec<_> = links.iter().map(|(ringlet, from)| (*ringlet, from.index())).collect();
        self.capture = Capture::begin(&mut self.ring, &Whole::of(&self.plan, self.feed), &links);
    }

    /// What captured links have begun to send before the present time, and not before the last call; in order of time.
    /// To be called after each step, and before packets are handed back or brought: what was sent is told by what is known
    /// of it until then.
    pub fn captured(&mut self) -> Vec<Captured> {
        self.capture.take(&mut self.ring)
    }

    /// What the ring looks like now.
    pub fn view(&mut self) -> RingView {
        RingView::of(&mut self.ring, &Whole::of(&self.plan, self.feed), self.now)
    }

    /// Ends the run here, and tells what was measured, as if the plan had ended now.
    pub fn into_record(self) -> RunRecord {
        self.ring.into_record(&Whole::of(&self.plan, self.feed), self.now)
    }
}

/// Whether a plan can be run under a law.
fn check(plan: &RingPlan, law: &RingLawChoice) -> Result<(), PlanError> {
    plan.validate()?;
    if law.needs().limits_together && plan.transit.datapath == Datapath::Merged {
        return Err(PlanError::Datapath(law.about().name));
    }
    Ok(())
}
