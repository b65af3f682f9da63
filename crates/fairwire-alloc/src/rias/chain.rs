//! Max-min inside a family whose routes are prefixes of one another.
//!
//! Seen from the far end, the flows that cross a link behave like one source
//! G(x): what they take when nobody may exceed x per unit of weight. A link
//! cuts the top off G at its budget; the cut is the level of the link. One
//! pass from the far end to the near one finds all levels, and the flows with
//! equal levels merge as they are cut together.

use super::layout::{Family, Layout};

/// Reusable storage for [`Chain::fill`].
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// Groups of flows cut at one level: (level, weight, node), ascending.
    groups: Vec<(f64, f64, usize)>,
    /// Parent of each node of the merge forest; flows first, then cuts.
    parent: Vec<usize>,
    level: Vec<f64>,
    /// Slot whose cut made each node, for cuts.
    slot: Vec<usize>,
}

impl Chain {
    /// Max-min rates of a chain family inside `budgets` (by slot, bit/s),
    /// written to `rates` in the order of [`Layout::order`], and their sums
    /// written to `totals` by slot. Both slices span the whole layout.
    /// [`Self::holder`] then tells what holds each flow.
    pub fn fill(&mut self, layout: &Layout, family: &Family, budgets: &[f64], rates: &mut [f64], totals: &mut [f64]) {
        let flows = layout.family_flows(family);
        self.groups.clear();
        self.parent.clear();
        self.parent.resize(flows.len(), usize::MAX);
        self.level.clear();
        self.level.resize(flows.len(), 0.0);
        self.slot.clear();
        self.slot.resize(flows.len(), usize::MAX);

        let mut next = flows.len();
        for slot in family.slots.clone().rev() {
            let hops = slot - family.slots.start + 1;
            while next > 0 && layout.problem.flows[flows[next - 1]].route.len() == hops {
                next -= 1;
                let flow = &layout.problem.flows[flows[next]];
                self.insert(flow.demand_bps / flow.weight, flow.weight, next);
            }
            self.cut(slot, budgets[slot].max(0.0));
        }
        self.resolve();

        let mut total = 0.0;
        let mut next = flows.len();
        for slot in family.slots.clone().rev() {
            let hops = slot - family.slots.start + 1;
            while next > 0 && layout.problem.flows[flows[next - 1]].route.len() == hops {
                next -= 1;
                let flow = &layout.problem.flows[flows[next]];
                let rate = (self.level[next] * flow.weight).min(flow.demand_bps);
                rates[family.flows.start + next] = rate;
                total += rate;
            }
            totals[slot] = total;
        }
    }

    /// The slot that held the flow at a position of the family in the last
    /// [`Self::fill`]; `None` when it had its demand.
    pub fn holder(&self, position: usize) -> Option<usize> {
        (self.slot[position] != usize::MAX).then_some(self.slot[position])
    }

    fn insert(&mut self, level: f64, weight: f64, node: usize) {
        self.level[node] = level;
        let at = self.groups.partition_point(|group| group.0 <= level);
        self.groups.insert(at, (level, weight, node));
    }

    /// Lowers the highest groups to one level until all fits into `budget`.
    fn cut(&mut self, slot: usize, budget: f64) {
        let finite = self.groups.iter().all(|group| group.0.is_finite());
        let mut rest: f64 = self.groups.iter().filter(|group| group.0.is_finite()).map(|(l, w, _)| l * w).sum();
        if self.groups.is_empty() || (finite && rest <= budget) {
            return;
        }
        let node = self.parent.len();
        let (mut weight, mut level) = (0.0, f64::INFINITY);
        while let Some(&(top, top_weight, top_node)) = self.groups.last() {
            if weight > 0.0 && level >= top {
                break;
            }
            self.groups.pop();
            if top.is_finite() {
                rest -= top * top_weight;
            }
            weight += top_weight;
            self.parent[top_node] = node;
            level = (budget - rest).max(0.0) / weight;
        }
        if self.groups.is_empty() {
            level = budget / weight;
        }
        self.parent.push(usize::MAX);
        self.level.push(level);
        self.slot.push(slot);
        self.groups.push((level, weight, node));
    }

    /// Hands the level of each cut down to the flows merged into it.
    fn resolve(&mut self) {
        for node in (0..self.parent.len()).rev() {
            if self.parent[node] != usize::MAX {
                self.level[node] = self.level[self.parent[node]];
                self.slot[node] = self.slot[self.parent[node]];
            }
        }
    }
}
