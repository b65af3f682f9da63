//! Finds what a plan built by hand may get wrong.

use super::plan::{Activity, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan};
use crate::error::PlanError;
use crate::limits::MOST_MICRO_FLOWS;
use crate::offer::{DemandChange, FlowChange};
use fairwire_core::{BitRate, Bytes, Span};
use fairwire_laws::queue::{Limit, Order};
use fairwire_laws::rate::RateLawChoice;
use std::collections::BTreeSet;

/// Nodes a network has at most.
const MOST_NODES: usize = 1 << 24;

fn range(what: String) -> Result<(), PlanError> {
    Err(PlanError::Range(what))
}

impl NetworkPlan {
    /// Finds what a plan built by hand may get wrong.
    ///
    /// # Errors
    /// The first [`PlanError`] found.
    pub fn validate(&self) -> Result<(), PlanError> {
        if !(1..=MOST_NODES).contains(&self.nodes) {
            return range(format!("a network has from 1 to {MOST_NODES} nodes, not {}", self.nodes));
        }
        if self.window < Span::from_micros(1) {
            return range(format!("the window is {}, below 1 us", self.window));
        }
        if self.warmup > self.duration {
            return range("the warm-up outlasts the run".to_owned());
        }
        if let Some(twice) = repeated(self.links.iter().map(|link| &link.name)) {
            return range(format!("two links are called {twice}"));
        }
        if let Some(twice) = repeated(self.flows.iter().map(|flow| &flow.name)) {
            return range(format!("two flows are called {twice}"));
        }
        self.links.iter().try_for_each(|link| link.validate(self))?;
        self.flows.iter().try_for_each(|flow| flow.validate(self))?;
        self.demand_changes.iter().try_for_each(|change| self.check_change(change))?;
        self.flow_changes.iter().try_for_each(|change| self.check_flow_change(change))?;
        let micro_flows: u64 = self.flows.iter().map(|flow| u64::from(flow.micro_flows)).sum();
        if micro_flows > MOST_MICRO_FLOWS {
            return range(format!("{micro_flows} micro-flows; at most {MOST_MICRO_FLOWS} can be simulated"));
        }
        Ok(())
    }
}

impl NetworkPlan {
    /// Whether a flow can change what it offers.
    ///
    /// # Errors
    /// [`PlanError::Range`] if it is not there, or has no rate.
    pub fn check_change(&self, change: &DemandChange) -> Result<(), PlanError> {
        let flow = self.flows.get(change.flow);
        change.check(flow.map(|flow| (flow.name.as_str(), &flow.offer)), true)
    }

    fn check_flow_change(&self, change: &FlowChange) -> Result<(), PlanError> {
        let Some(flow) = self.flows.get(change.flow) else {
            return range(format!("flow {} is to change, and there is none", change.flow));
        };
        let told = flow.offer.rate().is_none().then(|| "no switch tells it its rate".to_owned());
        let problem = told.or_else(|| change.problem());
        problem.map_or(Ok(()), |problem| range(format!("flow {} cannot change: {problem}", flow.name)))
    }

    /// The law that tells a flow its rate: that of the links on its way, which agree.
    pub fn rate_law(&self, flow: &NetworkFlowPlan) -> Option<&RateLawChoice> {
        flow.route.iter().find_map(|link| self.links.get(*link as usize)?.rate.as_ref())
    }
}

/// The first name that was there before.
fn repeated<'a>(names: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

impl NetworkLinkPlan {
    fn validate(&self, plan: &NetworkPlan) -> Result<(), PlanError> {
        let wrong = |what: String| range(format!("link {}: {what}", self.name));
        if [self.from, self.to].iter().any(|node| *node as usize >= plan.nodes) || self.from == self.to {
            return wrong("it needs two different nodes of the network".to_owned());
        }
        let capacities = || std::iter::once(self.capacity).chain(self.changes.iter().map(|change| change.capacity));
        if capacities().any(|capacity| capacity == BitRate::ZERO) {
            return wrong("it has no capacity".to_owned());
        }
        let fastest = capacities().max().unwrap_or_default();
        if Bytes::new(u32::MAX.into()) / fastest < plan.window {
            return wrong(format!("a row of {} at {fastest} exceeds 32 bits; shorten the window", plan.window));
        }
        if self.changes.windows(2).any(|pair| pair[0].at >= pair[1].at) {
            return wrong("changes of its capacity are not in order of time".to_owned());
        }
        if !(0.0..=1.0).contains(&self.random_loss) {
            return wrong(format!("packets are lost with a probability from 0 to 1, not {}", self.random_loss));
        }
        if let Some(problem) = self.queue.problem() {
            return wrong(problem);
        }
        if let Some(rate) = &self.rate {
            if let Some(problem) = rate.problem() {
                return wrong(problem);
            }
            if self.queue.order() != Order::Fifo {
                let law = self.queue.about().name;
                return wrong(format!("a rate law needs a queue that serves in order of arrival, and {law} does not"));
            }
        }
        if matches!(self.limit, Limit::Packets(0)) || self.limit == Limit::Bytes(Bytes::new(0)) {
            return wrong(
                "its queue needs room: who finds none is dropped, also when nothing is being sent".to_owned(),
            );
        }
        if self.mean_packet.get() == 0 || self.mean_packet.get() > u64::from(u16::MAX) {
            return wrong("a usual packet has from 1 to 65535 bytes".to_owned());
        }
        Ok(())
    }
}

impl NetworkFlowPlan {
    fn validate(&self, plan: &NetworkPlan) -> Result<(), PlanError> {
        let wrong = |what: &str| range(format!("flow {}: {what}", self.name));
        let ends = self.path(plan, &self.route, "route")?;
        if self.micro_flows == 0 {
            return wrong("it needs at least one micro-flow");
        }
        match &self.activity {
            Some(Activity { every, .. }) if *every == Span::ZERO => return wrong("a period needs a length"),
            Some(Activity { probability, .. }) if !(0.0..=1.0).contains(probability) => {
                return wrong("a probability goes from 0 to 1");
            }
            _ => {}
        }
        if self.offer.is_answered() && self.path(plan, &self.reverse_route, "reverse route")? != (ends.1, ends.0) {
            return wrong("its reverse route does not lead from its destination to its source");
        }
        if self.offer.rate().is_some() {
            self.check_rate_laws(plan)?;
        }
        self.offer.problem().map_or(Ok(()), |problem| wrong(&problem))
    }

    /// A flow whose rate switches tell meets one law, and comes back the way that it went.
    fn check_rate_laws(&self, plan: &NetworkPlan) -> Result<(), PlanError> {
        let wrong = |what: String| range(format!("flow {}: {what}", self.name));
        let Some(law) = plan.rate_law(self).map(RateLawChoice::about) else {
            return wrong("no link on its way tells it a rate".to_owned());
        };
        let laws = self.route.iter().filter_map(|link| plan.links[*link as usize].rate.as_ref());
        if let Some(other) = laws.map(RateLawChoice::about).find(|other| other.name != law.name) {
            return wrong(format!("links on its way speak {} and {}", law.name, other.name));
        }
        let forward = self.route.iter().map(|link| (plan.links[*link as usize].from, plan.links[*link as usize].to));
        let back = self.reverse_route.iter().rev();
        if !forward.eq(back.map(|link| (plan.links[*link as usize].to, plan.links[*link as usize].from))) {
            return wrong("control packets must come back over the nodes that they went over".to_owned());
        }
        Ok(())
    }

    /// The two ends of a route, which visits no node twice.
    fn path(&self, plan: &NetworkPlan, route: &[u32], called: &str) -> Result<(u32, u32), PlanError> {
        let wrong = |what: String| PlanError::Range(format!("flow {}: {what}", self.name));
        let mut visited = BTreeSet::new();
        let mut ends = None;
        for link in route {
            let link = plan.links.get(*link as usize);
            let link = link.ok_or_else(|| wrong(format!("its {called} takes a link that is not there")))?;
            let (first, here) = ends.unwrap_or((link.from, link.from));
            if here != link.from {
                return Err(wrong(format!("its {called} does not go on at link {}", link.name)));
            }
            visited.insert(here);
            if !visited.insert(link.to) {
                return Err(wrong(format!("its {called} comes to one node twice, over link {}", link.name)));
            }
            ends = Some((first, link.to));
        }
        ends.ok_or_else(|| wrong(format!("its {called} takes no link")))
    }
}
