//! What a port gives each of its flows by WMFQC: [wmfqc] §3.1.

use super::limits::Limits;
use super::roster::{Member, Roster};
use super::share_tree::ShareTree;
use crate::rate::{Refusal, Terms};
use fairwire_core::{FlowId, Instant, Span};

/// The flows of a port: what the rest of its way allows each, and its share here. Beside that the law keeps a `T` of each.
#[derive(Clone, Debug)]
pub struct Shares<T> {
    /// Rates that differ by less than this part are one.
    slack: f64,
    flows: Roster<Sharer<T>>,
    tree: ShareTree,
}

/// What is kept of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Sharer<T> {
    pub limits: Limits,
    pub own: T,
}

impl<T> Shares<T> {
    /// Nobody. Rates that differ by less than the part `slack` are one; who says nothing for `idle_after` is silent.
    pub fn new(slack: f64, idle_after: Span) -> Self {
        Self { slack, flows: Roster::new(idle_after), tree: ShareTree::new() }
    }

    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Σ MR, in bit/s.
    pub fn minimums_bps(&self) -> f64 {
        self.flows.minimums_bps()
    }

    /// A flow comes. Nothing is known of the rest of its way: it could use all of the capacity.
    pub fn open(&mut self, now: Instant, flow: FlowId, terms: &Terms, capacity_bps: f64, own: T) {
        let limits = Limits { forward_bps: capacity_bps, backward_bps: capacity_bps };
        let slot = self.flows.open(now, flow, terms, Sharer { limits, own });
        self.tree.set(slot, capacity_bps, terms.weight);
    }

    /// A flow has other terms.
    pub fn set_terms(&mut self, flow: FlowId, terms: &Terms) {
        if let Some(slot) = self.flows.set_terms(flow, terms)
            && let Some(member) = self.flows.get(slot)
        {
            self.tree.set(slot, member.own.limits.least_bps(), terms.weight);
        }
    }

    /// A flow goes: what was kept of it.
    pub fn close(&mut self, flow: FlowId) -> Option<T> {
        let (slot, member) = self.flows.close(flow)?;
        self.tree.remove(slot);
        Some(member.own.own)
    }

    /// A data packet of the flow came: its slot.
    #[inline]
    pub fn on_data(&mut self, now: Instant, flow: FlowId) -> Option<u32> {
        self.flows.on_data(now, flow)
    }

    /// A packet of the flow comes soon.
    #[inline]
    pub fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    /// A control packet of the flow with this number passes forward, and says what is allowed above: the flow's slot.
    ///
    /// # Errors
    /// [`Refusal`] if there is no such flow, or the number is not new.
    #[inline]
    pub fn on_forward(&mut self, now: Instant, flow: FlowId, number: u32, explicit_bps: f64) -> Result<u32, Refusal> {
        let slot = self.flows.on_forward(now, flow, number)?;
        if let Some(member) = self.flows.get_mut(slot) {
            member.own.limits.forward_bps = explicit_bps;
        }
        Ok(slot)
    }

    /// A control packet of the flow with this number comes back, and says what is allowed below: the flow's slot.
    ///
    /// # Errors
    /// [`Refusal`] if there is no such flow, or the number is not new.
    #[inline]
    pub fn on_backward(&mut self, flow: FlowId, number: u32, explicit_bps: f64) -> Result<u32, Refusal> {
        let slot = self.flows.on_backward(flow, number)?;
        if let Some(member) = self.flows.get_mut(slot) {
            member.own.limits.backward_bps = explicit_bps;
        }
        Ok(slot)
    }

    /// ER: what a control packet goes on with that came with `explicit_bps`, while there are `available_bps` for all.
    /// Untouched if the flow is held elsewhere.
    pub fn explicit_bps(&mut self, slot: u32, available_bps: f64, explicit_bps: f64) -> f64 {
        let Some(member) = self.flows.get(slot) else { return explicit_bps };
        let (limit_bps, weight) = (member.own.limits.least_bps(), member.terms.weight);
        self.tree.set(slot, limit_bps, weight);
        let excess_bps = (available_bps - self.flows.minimums_bps()).max(0.0);
        if excess_bps == 0.0 {
            return 0.0;
        }
        match self.tree.fair_share(excess_bps) {
            Some(share) if share.nfs * weight <= limit_bps * (1.0 + self.slack) + 1e-13 * available_bps => {
                share.nfs * weight
            }
            _ => explicit_bps,
        }
    }

    /// The normalised fair share while there are `available_bps` for all, in bit/s a unit of weight; infinite if all flows
    /// are held elsewhere, or there are none.
    pub fn level(&mut self, available_bps: f64) -> f64 {
        let excess_bps = (available_bps - self.flows.minimums_bps()).max(0.0);
        match excess_bps {
            0.0 => 0.0,
            _ => self.tree.fair_share(excess_bps).map_or(f64::INFINITY, |share| share.nfs),
        }
    }

    /// How many slots there are, with a flow or without.
    pub fn slots(&self) -> u32 {
        self.flows.slots()
    }

    /// What is kept in a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> Option<&Member<Sharer<T>>> {
        self.flows.get(slot)
    }

    /// What the law keeps in a slot, to be changed.
    #[inline]
    pub fn own_mut(&mut self, slot: u32) -> Option<&mut T> {
        Some(&mut self.flows.get_mut(slot)?.own.own)
    }

    /// All flows, by slot.
    pub fn iter(&self) -> impl Iterator<Item = &Member<Sharer<T>>> {
        self.flows.iter().map(|(_, member)| member)
    }

    /// When to look for the silent.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.flows.poll_timeout()
    }

    /// The next flow that has fallen silent, asked until there is none.
    pub fn silent(&mut self, now: Instant) -> Option<FlowId> {
        self.flows.silent(now)
    }

    /// What does not add up, in words.
    pub fn violation(&self) -> Option<String> {
        let recount = self.tree.recount();
        let apart = recount.largest_difference;
        let wrong = || format!("the sums of the tree over {} flows are {apart} off", recount.flows);
        self.flows.violation().or_else(|| (apart > 1e-9 || recount.flows != self.flows.len()).then(wrong))
    }
}
