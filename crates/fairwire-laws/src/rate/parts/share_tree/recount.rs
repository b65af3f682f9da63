//! All sums of a tree anew, for checks: O(N).

use super::branches::Branches;
use super::node::Entry;
use super::{Flow, Recount, Visits};

/// A sum that keeps what rounding takes away (Neumaier's).
#[derive(Clone, Copy, Debug, Default)]
struct Exact {
    sum: f64,
    rest: f64,
}

impl Exact {
    fn add(&mut self, more: f64) {
        let sum = self.sum + more;
        self.rest += if self.sum.abs() >= more.abs() { (self.sum - sum) + more } else { (more - sum) + self.sum };
        self.sum = sum;
    }

    fn add_sum(&mut self, more: Self) {
        self.add(more.sum);
        self.rest += more.rest;
    }

    fn value(self) -> f64 {
        self.sum + self.rest
    }
}

#[derive(Default)]
struct Walk {
    flows: usize,
    last: Option<Entry>,
    difference: f64,
}

impl Walk {
    fn compare(&mut self, kept: f64, anew: f64) {
        if kept != anew {
            self.difference = self.difference.max((kept - anew).abs() / anew.abs());
        }
    }

    fn require(&mut self, holds: bool) {
        if !holds {
            self.difference = f64::INFINITY;
        }
    }

    /// Limits and weights of all flows below a node.
    fn below<V>(&mut self, tree: &Branches<V>, node: u32, height: u32, flows: &[Flow]) -> [Exact; 2] {
        let mut all = [Exact::default(); 2];
        for entry in tree.nodes[node as usize].entries() {
            let sums = if height == 0 {
                self.flow(entry, flows)
            } else {
                let first = tree.nodes[entry.child as usize].entries().first();
                self.require(first.is_some_and(|first| (first.level, first.flow) == (entry.level, entry.flow)));
                self.below(tree, entry.child, height - 1, flows)
            };
            self.compare(entry.limit, sums[0].value());
            self.compare(entry.weight, sums[1].value());
            all.iter_mut().zip(sums).for_each(|(all, sum)| all.add_sum(sum));
        }
        all
    }

    fn flow(&mut self, entry: &Entry, flows: &[Flow]) -> [Exact; 2] {
        let Some(flow) = flows.get(entry.flow as usize).filter(|flow| flow.is_there()) else {
            self.require(false);
            return [Exact::default(); 2];
        };
        self.flows += 1;
        self.require(entry.level == flow.limit / flow.weight);
        self.require(self.last.is_none_or(|last| last.up_to(entry) && last.flow != entry.flow));
        self.last = Some(*entry);
        [flow.limit, flow.weight].map(|sum| Exact { sum, rest: 0.0 })
    }
}

impl<V: Visits> Branches<V> {
    pub(super) fn recount(&self, flows: &[Flow]) -> Recount {
        let mut walk = Walk::default();
        let [sum_of_limits, sum_of_weights] = walk.below(self, self.root, self.height, flows).map(Exact::value);
        let total = self.total();
        walk.compare(total.limit, sum_of_limits);
        walk.compare(total.weight, sum_of_weights);
        walk.require(walk.flows == flows.iter().filter(|flow| flow.is_there()).count());
        Recount { flows: walk.flows, sum_of_limits, sum_of_weights, largest_difference: walk.difference }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_takes_away_is_kept_whichever_is_larger() {
        for numbers in [[1.0, 1e17, -1e17], [1.0, -1e17, 1e17], [1e17, 1.0, -1e17], [-1e17, 1.0, 1e17]] {
            let mut sum = Exact::default();
            numbers.into_iter().for_each(|number| sum.add(number));
            assert_eq!(sum.value(), 1.0, "{numbers:?}");
        }
    }
}
