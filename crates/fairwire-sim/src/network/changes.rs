//! What happens to flows on the way that they cannot know by themselves: other terms.

use fairwire_laws::rate::Terms;
use fairwire_plan::{FlowChangeKind, NetworkPlan};

/// Changes of terms to come.
#[derive(Debug)]
pub struct Changes {
    /// When, whose, and which; the next one at the end.
    ahead: Vec<(u64, usize, Terms)>,
}

impl Changes {
    pub fn new(plan: &NetworkPlan) -> Self {
        let change = |change: &fairwire_plan::FlowChange| match change.kind {
            FlowChangeKind::Terms(terms) => Some((change.at.as_nanos(), change.flow, terms)),
            FlowChangeKind::Start | FlowChangeKind::Stop => None,
        };
        let mut ahead: Vec<_> = plan.flow_changes.iter().filter_map(change).collect();
        ahead.sort_by_key(|(at, ..)| *at);
        ahead.reverse();
        Self { ahead }
    }

    pub fn is_empty(&self) -> bool {
        self.ahead.is_empty()
    }

    /// When the next one is due, `u64::MAX` if none is.
    pub fn next_at(&self) -> u64 {
        self.ahead.last().map_or(u64::MAX, |(at, ..)| *at)
    }

    /// The next one that is due at `now`.
    pub fn pop(&mut self, now: u64) -> Option<(usize, Terms)> {
        self.ahead.pop_if(|(at, ..)| *at <= now).map(|(_, flow, terms)| (flow, terms))
    }
}
