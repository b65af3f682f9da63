//! The search for the critical flow: [wmfqc] §3.1, Theorem 2, in a B+ tree.

use super::branches::Branches;
use super::{Share, Visits};

impl<V: Visits> Branches<V> {
    /// The first flow that is not constrained, and its θ.
    ///
    /// A flow is constrained if limit/weight < θ = (excess − limits before it) / (weights from it on). All constrained
    /// flows come first. So the critical flow is below the last child whose first flow is constrained, or it
    /// is the first flow of the next child. Both sums only ever add, so no digit cancels where little weight is left.
    pub(super) fn fair_share(&mut self, excess: f64) -> Option<Share> {
        let (mut node, mut limits_before, mut weights_after) = (self.root, 0.0, 0.0);
        let mut critical = None;
        for _ in 0..=self.height {
            self.visits.visit();
            let node_here = &self.nodes[node as usize];
            let entries = node_here.entries();
            let weights_from = node_here.weights_from(weights_after);
            // Entries whose first flow is constrained; the limits before the next entry.
            let (mut constrained, mut limits) = (0, limits_before);
            for (entry, weights) in entries.iter().zip(weights_from) {
                if entry.level * weights >= excess - limits {
                    critical = Some(Share { nfs: (excess - limits) / weights, critical: entry.flow });
                    break;
                }
                (limits_before, limits) = (limits, limits + entry.limit);
                constrained += 1;
            }
            if constrained == 0 {
                break;
            }
            node = entries[constrained - 1].child;
            weights_after = weights_from[constrained];
        }
        critical
    }
}
