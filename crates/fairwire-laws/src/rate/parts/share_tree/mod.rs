//! The normalised fair share of an output port, in O(log N) a change: [wmfqc] §3.1.
//!
//! Flows are ordered by limit/weight. Those before the *critical flow* are constrained: elsewhere they are limited to less
//! than their share here. From the critical flow on all share equally, by weight, what the constrained ones leave.
//! The paper finds the critical flow in a balanced binary tree with partial sums. This is a B+ tree, whose nodes are
//! some neighbouring lines of the cache: a million flows are five or six nodes deep, and most of the time goes into
//! fetching nodes.
//!
//! A sum is always taken anew from the entries of its node, up to the root. So errors of rounding do not
//! accumulate, however often flows change.

mod branches;
mod node;
mod recount;
mod search;

use branches::Branches;
use node::Entry;

/// What the unconstrained flows of a port get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Normalised fair share NFS = θ of the critical flow: bit/s a unit of weight.
    pub nfs: f64,
    /// The first flow in order that is not constrained here.
    pub critical: u32,
}

/// What [`ShareTree::recount`] finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recount {
    /// Flows that are there.
    pub flows: usize,
    /// Sum of all limits in bit/s, to the last digits of an `f64`.
    pub sum_of_limits: f64,
    /// Sum of all weights, to the last digits of an `f64`.
    pub sum_of_weights: f64,
    /// Of all sums that the tree keeps, the largest relative difference to what they should be. Infinite if a flow is
    /// missing, out of order or known otherwise.
    pub largest_difference: f64,
}

/// Whether visited nodes are counted: `()` does not and costs nothing, `u64` does.
pub trait Visits: Default {
    /// A node is read or changed.
    fn visit(&mut self);
}

impl Visits for () {
    #[inline]
    fn visit(&mut self) {}
}

impl Visits for u64 {
    #[inline]
    fn visit(&mut self) {
        *self += 1;
    }
}

/// Limit and weight of each flow at an output port, and the fair share that follows.
///
/// Flows are small numbers that the caller gives, and gives again after a flow has left: memory follows the largest
/// number and the most flows that there ever were at once. Limits are finite and not negative; weights are
/// finite and above 0. The caller sees to that, with an error for whoever sent something else.
#[derive(Clone, Debug, Default)]
pub struct ShareTree<V: Visits = ()> {
    branches: Branches<V>,
    flows: Vec<Flow>,
    len: usize,
    /// The excess last asked about, and the answer, until a flow changes.
    known: Option<(f64, Option<Share>)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    limit: f64,
    /// 0 for a flow that is not there.
    weight: f64,
}

impl Flow {
    fn is_there(&self) -> bool {
        self.weight > 0.0
    }
}

impl ShareTree {
    /// No flows. Visited nodes are not counted.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<V: Visits> ShareTree<V> {
    /// Flows that are there.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no flow is there.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sum of the limits ERm of all flows, in bit/s.
    pub fn sum_of_limits(&self) -> f64 {
        self.branches.total().limit
    }

    /// Sum of the weights of all flows.
    pub fn sum_of_weights(&self) -> f64 {
        self.branches.total().weight
    }

    /// The flow is there from now on, with this limit ERm in bit/s and this weight. Says whether that is new.
    pub fn set(&mut self, flow: u32, limit: f64, weight: f64) -> bool {
        debug_assert!(limit.is_finite() && limit >= 0.0, "limit {limit}");
        debug_assert!(weight.is_finite() && weight > 0.0, "weight {weight}");
        if self.flows.len() <= flow as usize {
            self.flows.resize(flow as usize + 1, Flow::default());
        }
        let known = self.flows[flow as usize];
        if known.limit == limit && known.weight == weight {
            return false;
        }
        self.flows[flow as usize] = Flow { limit, weight };
        let new = Entry::of_flow(flow, limit, weight);
        if known.is_there() {
            self.branches.replace(Entry::of_flow(flow, known.limit, known.weight), new);
        } else {
            self.branches.insert(new);
            self.len += 1;
        }
        self.known = None;
        true
    }

    /// The flow is gone. Says whether it was there.
    pub fn remove(&mut self, flow: u32) -> bool {
        let Some(known) = self.flows.get_mut(flow as usize).filter(|known| known.is_there()) else { return false };
        let Flow { limit, weight } = std::mem::take(known);
        self.branches.remove(Entry::of_flow(flow, limit, weight));
        self.len -= 1;
        self.known = None;
        true
    }

    /// The normalised fair share while the flows have `available_excess` bit/s beyond their minimums; none if all flows
    /// are constrained, so that what is left belongs to nobody, or if there are none.
    ///
    /// Asked again while nothing has changed, it knows the answer.
    /// Weights of very different size or limits that tie may move the share by some units in the last place of the
    /// excess; whoever compares it with a limit allows for that.
    pub fn fair_share(&mut self, available_excess: f64) -> Option<Share> {
        match self.known {
            Some((excess, share)) if excess == available_excess => share,
            _ => {
                let share = self.branches.fair_share(available_excess);
                self.known = Some((available_excess, share));
                share
            }
        }
    }

    /// Visited nodes so far, in changes and searches: reading a node on the way down and the work on it on
    /// the way up is one visit; a node split off or a neighbour that helps out is one more.
    pub fn visits(&self) -> &V {
        &self.branches.visits
    }

    /// All sums anew, compared with those that the tree keeps: O(N), for checks.
    pub fn recount(&self) -> Recount {
        self.branches.recount(&self.flows)
    }

    /// Memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.flows.capacity() * size_of::<Flow>() + self.branches.memory_bytes()
    }
}
