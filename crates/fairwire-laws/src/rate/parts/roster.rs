//! The flows that a port knows: their terms, what a law keeps of each, and who fell silent.

use super::numbers::Numbers;
use super::silence::Heard;
use super::total::Total;
use crate::rate::{Refusal, Terms};
use crate::slots::Slots;
use fairwire_core::{FlowId, Instant, Span};
use prefetch_index::prefetch_index;

/// Flows at one port, each with what the law keeps of it. A flow has a slot, a small number, as long as it is there.
#[derive(Clone, Debug)]
pub struct Roster<T> {
    idle_after: Span,
    slots: Slots,
    members: Vec<Option<Member<T>>>,
    /// By slot, too: each data packet changes this and nothing else.
    heard: Vec<Heard>,
    minimums_bps: Total,
    /// When it is looked next who fell silent; only told while there are flows.
    look_at: Instant,
    /// Who is looked at next.
    looked: usize,
}

/// One flow.
#[derive(Clone, Debug)]
pub struct Member<T> {
    pub flow: FlowId,
    pub terms: Terms,
    pub own: T,
    pub numbers: Numbers,
}

impl<T> Roster<T> {
    /// Nobody. Who says nothing for `idle_after` will be found silent.
    pub fn new(idle_after: Span) -> Self {
        Self {
            idle_after,
            slots: Slots::default(),
            members: Vec::new(),
            heard: Vec::new(),
            minimums_bps: Total::default(),
            look_at: Instant::NEVER,
            looked: 0,
        }
    }

    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.slots.taken() as usize
    }

    /// Σ MR: the minimums of all, in bit/s.
    pub fn minimums_bps(&self) -> f64 {
        self.minimums_bps.get().max(0.0)
    }

    /// A flow comes; nothing happens if it is there. Its slot.
    pub fn open(&mut self, now: Instant, flow: FlowId, terms: &Terms, own: T) -> u32 {
        let slot = self.slots.find_or_take(flow.0);
        let index = slot as usize;
        if index >= self.members.len() {
            self.members.resize_with(index + 1, || None);
            self.heard.resize(index + 1, Heard::new(now));
        }
        if self.members[index].is_none() {
            if self.len() == 1 {
                self.look_at = now + self.idle_after;
            }
            self.minimums_bps.add(terms.minimum_bps);
            self.members[index] = Some(Member { flow, terms: *terms, own, numbers: Numbers::default() });
            self.heard[index] = Heard::new(now);
        }
        slot
    }

    /// A flow has other terms: its slot, if it is there.
    pub fn set_terms(&mut self, flow: FlowId, terms: &Terms) -> Option<u32> {
        let slot = self.slots.find(flow.0)?;
        let member = self.members[slot as usize].as_mut()?;
        // Their difference would be rounded before it is added.
        self.minimums_bps.add(-member.terms.minimum_bps);
        self.minimums_bps.add(terms.minimum_bps);
        member.terms = *terms;
        Some(slot)
    }

    /// A flow goes: the slot that it had, and what was kept there.
    pub fn close(&mut self, flow: FlowId) -> Option<(u32, Member<T>)> {
        let slot = self.slots.find(flow.0)?;
        let member = self.members[slot as usize].take()?;
        self.minimums_bps.add(-member.terms.minimum_bps);
        self.slots.give_back(slot);
        if self.len() == 0 {
            self.minimums_bps = Total::default();
            self.look_at = Instant::NEVER;
        }
        Some((slot, member))
    }

    /// A data packet of the flow came: its slot.
    #[inline]
    pub fn on_data(&mut self, now: Instant, flow: FlowId) -> Option<u32> {
        let slot = self.slots.find(flow.0)?;
        self.heard[slot as usize].again(now);
        Some(slot)
    }

    /// A packet of the flow comes soon: what it changes is fetched into the cache.
    #[inline]
    pub fn look_ahead(&self, flow: FlowId, control: bool) {
        let Some(slot) = self.slots.find(flow.0) else { return };
        prefetch_index(&self.heard, slot as usize);
        if control {
            prefetch_index(&self.members, slot as usize);
        }
    }

    /// A control packet of the flow with this number passes forward: its slot.
    ///
    /// # Errors
    /// [`Refusal`] if there is no such flow, or the number is not new.
    #[inline]
    pub fn on_forward(&mut self, now: Instant, flow: FlowId, number: u32) -> Result<u32, Refusal> {
        let (slot, member) = self.find_mut(flow)?;
        member.numbers.forward(number)?;
        self.heard[slot as usize].again(now);
        Ok(slot)
    }

    /// A control packet of the flow with this number comes back: its slot.
    ///
    /// # Errors
    /// [`Refusal`] if there is no such flow, or the number is not new.
    #[inline]
    pub fn on_backward(&mut self, flow: FlowId, number: u32) -> Result<u32, Refusal> {
        let (slot, member) = self.find_mut(flow)?;
        member.numbers.backward(number)?;
        Ok(slot)
    }

    fn find_mut(&mut self, flow: FlowId) -> Result<(u32, &mut Member<T>), Refusal> {
        let slot = self.slots.find(flow.0).ok_or(Refusal::UnknownFlow)?;
        let member = self.members[slot as usize].as_mut().ok_or(Refusal::UnknownFlow)?;
        Ok((slot, member))
    }

    /// How many slots there are, with a flow or without.
    pub fn slots(&self) -> u32 {
        self.members.len() as u32
    }

    /// What is kept in a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> Option<&Member<T>> {
        self.members.get(slot as usize)?.as_ref()
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> Option<&mut Member<T>> {
        self.members.get_mut(slot as usize)?.as_mut()
    }

    /// All flows, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Member<T>)> {
        self.members.iter().enumerate().filter_map(|(slot, member)| Some((slot as u32, member.as_ref()?)))
    }

    /// When to look for the silent.
    pub fn poll_timeout(&self) -> Option<Instant> {
        (self.look_at != Instant::NEVER).then_some(self.look_at)
    }

    /// The next flow that has fallen silent, asked until there is none.
    pub fn silent(&mut self, now: Instant) -> Option<FlowId> {
        if now < self.look_at {
            return None;
        }
        while let Some(place) = self.members.get(self.looked) {
            self.looked += 1;
            if let Some(member) = place
                && self.heard[self.looked - 1].is_silent(now, self.idle_after)
            {
                return Some(member.flow);
            }
        }
        self.looked = 0;
        self.look_at = if self.len() == 0 { Instant::NEVER } else { now + self.idle_after };
        None
    }

    /// What does not add up, in words.
    pub fn violation(&self) -> Option<String> {
        let counted: f64 = self.iter().map(|(_, member)| member.terms.minimum_bps).sum();
        let kept = self.minimums_bps();
        let same = (counted - kept).abs() <= 1e-9 * counted.max(1.0);
        (!same).then(|| format!("the minimums of {} flows are {counted} bit/s, but {kept} is what is kept", self.len()))
    }
}
