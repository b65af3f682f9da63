//! A plan with all flows that enter the ring: those that were declared, and the
//! acknowledgements of each that is made of TCP.
//!
//! Acknowledgements are a flow of their own at the station where they enter, of the class
//! of the flow that they answer, and take the ringlet that flow does not take: they go back over the same
//! spans. A pair of stations weighs what its declared flows weigh; where there are
//! only acknowledgements, what these answer.

use crate::brought::Feed;
use crate::report::Wanted;
use fairwire_core::BitRate;
use fairwire_plan::{FlowPlan, RingPlan};
use std::borrow::Cow;
use std::ops::Deref;

/// A plan in which acknowledgements are flows like others, after all that were declared.
pub struct Whole<'a> {
    plan: Cow<'a, RingPlan>,
    declared: usize,
    /// For each declared flow the number of that of its acknowledgements.
    answers: Vec<Option<usize>>,
    feed: Feed,
    wanted: Option<&'a Wanted<'a>>,
}

impl<'a> Whole<'a> {
    /// The flows of `declared`, and which packets are brought to them from outside.
    pub fn of(declared: &'a RingPlan, feed: Feed) -> Self {
        let count = declared.flows.len();
        let mut plan = Cow::Borrowed(declared);
        let mut answers = vec![None; count];
        for (number, flow) in declared.flows.iter().enumerate().filter(|(_, flow)| flow.offer.tcp().is_some()) {
            let back = acknowledgements(flow, &plan);
            answers[number] = Some(plan.flows.len());
            plan.to_mut().flows.push(back);
        }
        Self { plan, declared: count, answers, feed, wanted: None }
    }

    /// The same one, whose ring is being built as long as it is `wanted`.
    pub fn while_wanted(self, wanted: &'a Wanted<'a>) -> Self {
        Self { wanted: Some(wanted), ..self }
    }

    /// Another micro-flow is about to be built: whether the ring is still wanted. If not, it may be left half done.
    pub fn goes_on(&self) -> bool {
        self.wanted.is_none_or(Wanted::goes_on)
    }

    /// How many flows were declared: they are the first.
    pub fn declared(&self) -> usize {
        self.declared
    }

    /// Whether packets may be brought from outside.
    pub fn is_fed(&self) -> bool {
        self.feed != Feed::Nothing
    }

    /// Whether all packets are brought from outside.
    pub fn is_carried(&self) -> bool {
        self.feed == Feed::All
    }

    /// Whether somebody answers to packets at their egress: any flow is made of TCP, or packets are brought from outside.
    pub fn has_answered(&self) -> bool {
        self.is_fed() || self.plan.flows.len() > self.declared
    }

    /// Whether packets of a flow are brought to its station queue: by ends of TCP, or from outside.
    pub fn brings(&self, flow: &FlowPlan) -> bool {
        self.is_fed() || flow.offer.tcp().is_some()
    }

    /// Whether flow `number` was declared, and is no flow of acknowledgements.
    pub fn is_declared(&self, number: usize) -> bool {
        number < self.declared
    }

    /// The number of the flow that acknowledges flow `number`, if any does.
    pub fn answer(&self, number: usize) -> Option<usize> {
        self.answers.get(number).copied().flatten()
    }
}

impl Deref for Whole<'_> {
    type Target = RingPlan;

    fn deref(&self) -> &RingPlan {
        &self.plan
    }
}

/// What goes back for `flow`. With protection all flows of a pair take one ringlet: that of
/// the first.
fn acknowledgements(flow: &FlowPlan, plan: &RingPlan) -> FlowPlan {
    let same_pair = |other: &&FlowPlan| (other.from, other.to) == (flow.to, flow.from);
    let together = plan.protection.as_ref().and_then(|_| plan.flows.iter().find(same_pair));
    FlowPlan {
        name: format!("acknowledgements of {}", flow.name),
        ringlet: together.map_or(flow.ringlet.opposite(), |other| other.ringlet),
        strict_order: together.map_or(flow.strict_order, |other| other.strict_order),
        wrap_eligible: together.map_or(flow.wrap_eligible, |other| other.wrap_eligible),
        from: flow.to,
        to: flow.from,
        guaranteed: BitRate::ZERO,
        ..flow.clone()
    }
}
