//! A law at a station's ringlet, what it wants, and for how long that holds.
//!
//! Limits are leases. While messages come, what the law wants holds; if none has come for the time of the lease, egresses have
//! their safe rates, the law forgets, and with the next message begins anew. So nobody remembers a ledger that has not come by
//! for long. Who puts ledgers on the ring begins more than a lease later, when nobody remembers those that it has put there in
//! another life; and before that time few are put on the ring in its place, so that the numbers of frames, which begin again after
//! 16 that were lost, tell new ones from old ones.

use crate::counted::Counted;
use crate::counts::ClassCounts;
use crate::plan::RingletPlan;
use fairwire_core::{BitRate, Cx, Instant, RandomStream, Span, Streams};
use fairwire_laws::ring::{Outgoing, RingAction, RingLawFactory, RingLawObject, Sends, StationView};

/// Which neighbour a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// The one that sends to this station.
    Upstream,
    /// The one that this station sends to.
    Downstream,
}

/// What a law wants done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Messages in their order.
    pub messages: Vec<(Neighbour, Vec<u8>)>,
    /// Egresses, by their place, whose limits are others from now on.
    pub limits: Vec<(usize, BitRate)>,
}

/// Once two frames in a row were lost, so many take the place of lost ones in the time of a lease.
const FRAMES_A_LEASE: u64 = 4;

/// This part of a lease is long beside a lap: others have heard of a ledger for the last time so much later at most.
const SPARE: u64 = 4;

/// A law at one ringlet of the station.
pub struct Governor<'a> {
    factory: &'a dyn RingLawFactory,
    plan: &'a RingletPlan,
    law: Box<dyn RingLawObject>,
    rng: RandomStream,
    counted: Counted,
    /// None of a law that talks with nobody.
    lease: Option<Span>,
    /// When a message came last, or the law began.
    heard: Instant,
    /// What the law wants, and what holds.
    wants: Vec<BitRate>,
    holds: Vec<BitRate>,
    safe: Vec<BitRate>,
    /// Whether what the law wants holds.
    leased: bool,
    /// Messages that the law has sent unasked since one came.
    unanswered: u32,
    /// The law is not woken before.
    asleep_until: Instant,
    /// When the law begins, if it has not yet. Nothing is heard before.
    begins_at: Option<Instant>,
}

impl<'a> Governor<'a> {
    /// The law before anything has happened. Until it begins, egresses have their safe rates.
    pub fn new(law: &'a dyn RingLawFactory, plan: &'a RingletPlan, lease: Span) -> Self {
        let name = format!("enforce/{}/{}", plan.site.ringlet.index(), plan.site.station.0);
        Self {
            factory: law,
            plan,
            law: law.make(plan.site.clone()),
            rng: Streams::new(1, 0).component(&name),
            counted: Counted::new(plan.site.flows.len(), plan.site.max_packet),
            lease: (law.needs().sends != Sends::Nothing).then_some(lease),
            heard: Instant::ZERO,
            wants: vec![plan.site.capacity(); plan.safe.len()],
            holds: plan.safe.clone(),
            safe: plan.safe.clone(),
            leased: true,
            unanswered: 0,
            asleep_until: Instant::ZERO,
            begins_at: None,
        }
    }

    /// The law begins, now or soon.
    pub fn start(&mut self, now: Instant, counts: &ClassCounts) -> Wanted {
        if let Some(lease) = self.lease.filter(|_| self.plan.site.first) {
            self.leased = false;
            self.begins_at = Some(now + lease + Span::from_nanos(lease.as_nanos() / SPARE));
            return Wanted::default();
        }
        self.begin(now, counts)
    }

    fn begin(&mut self, now: Instant, counts: &ClassCounts) -> Wanted {
        (self.begins_at, self.leased, self.heard) = (None, true, now);
        self.call(now, counts, |law, cx, view| law.start(cx, view))
    }

    /// A message has come. One that is none of the law's is dropped, and tells nothing.
    pub fn on_message(&mut self, now: Instant, message: Vec<u8>, counts: &ClassCounts) -> Wanted {
        let Ok(message) = self.law.read(message) else { return Wanted::default() };
        if self.begins_at.is_some() {
            return Wanted::default();
        }
        self.heard = now;
        self.leased = true;
        (self.unanswered, self.asleep_until) = (0, now);
        self.call(now, counts, |law, cx, view| law.on_message(cx, message, view))
    }

    /// When there is something to do without a message.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.begins_at.or_else(|| [self.law_is_due_at(), self.lease_ends_at()].into_iter().flatten().min())
    }

    fn law_is_due_at(&self) -> Option<Instant> {
        self.law.poll_timeout().map(|due| due.max(self.asleep_until))
    }

    /// When what the law wants holds no longer, if no message comes.
    fn lease_ends_at(&self) -> Option<Instant> {
        self.lease.filter(|_| self.leased).map(|lease| self.heard + lease)
    }

    /// The time has come that [`Governor::poll_timeout`] told, or has gone by.
    pub fn handle_timeout(&mut self, now: Instant, counts: &ClassCounts) -> Wanted {
        if let Some(begins_at) = self.begins_at {
            return if begins_at <= now { self.begin(now, counts) } else { Wanted::default() };
        }
        if self.lease_ends_at().is_some_and(|end| end <= now) {
            self.leased = false;
            (self.unanswered, self.asleep_until) = (0, now);
            self.law = self.factory.make(self.plan.site.clone());
            return self.call(now, counts, |law, cx, view| law.start(cx, view));
        }
        if self.law_is_due_at().is_some_and(|due| due <= now) {
            let wanted = self.call(now, counts, |law, cx, view| law.handle_timeout(cx, view));
            self.unanswered += u32::from(!wanted.messages.is_empty());
            if let Some(lease) = self.lease.filter(|_| self.leased && self.unanswered > 1) {
                self.asleep_until = now + Span::from_nanos(lease.as_nanos() / FRAMES_A_LEASE);
            }
            return wanted;
        }
        Wanted { limits: self.moved(), ..Wanted::default() }
    }

    /// Whether what the law wants holds, and not the safe rates.
    pub const fn is_leased(&self) -> bool {
        self.leased
    }

    /// What each egress has at most.
    pub fn limits(&self) -> &[BitRate] {
        &self.holds
    }

    fn call(
        &mut self,
        now: Instant,
        counts: &ClassCounts,
        tell: impl FnOnce(&mut dyn RingLawObject, &mut Cx<'_>, &StationView<'_>),
    ) -> Wanted {
        self.counted.look(now, counts);
        let mut cx = Cx { now, rng: &mut self.rng, probe: None };
        tell(self.law.as_mut(), &mut cx, &self.counted.view());
        let mut wanted = Wanted::default();
        while let Some(action) = self.law.poll_action() {
            match action {
                RingAction::SendUpstream(message) => self.post(&mut wanted, Neighbour::Upstream, message),
                RingAction::SendDownstream { message, .. } => self.post(&mut wanted, Neighbour::Downstream, message),
                RingAction::SetAddRate { flow, rate } => {
                    if let Some(wants) = self.wants.get_mut(flow) {
                        *wants = rate;
                    }
                }
                // No such law is taken on.
                RingAction::SetStationRate { .. } | RingAction::SetBeyondRate { .. } => {}
            }
        }
        wanted.limits = self.moved();
        wanted
    }

    fn post(&self, wanted: &mut Wanted, to: Neighbour, message: Outgoing) {
        // What a law has packed it can write.
        if let Ok(bytes) = self.law.bytes_of(message.message) {
            wanted.messages.push((to, bytes));
        }
    }

    /// Limits that are to be others than those that hold.
    fn moved(&mut self) -> Vec<(usize, BitRate)> {
        let target = if self.leased { &self.wants } else { &self.safe };
        let moved = target.iter().zip(&mut self.holds).enumerate().filter(|(_, (target, holds))| target != holds);
        moved
            .map(|(place, (target, holds))| {
                *holds = *target;
                (place, *target)
            })
            .collect()
    }
}
