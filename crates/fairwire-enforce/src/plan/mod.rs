//! What is governed at a router, checked before anything is touched.

mod node;
mod peers;
mod served;
mod station;

pub use node::NodePlan;
pub(crate) use node::{FlowPlan, Hop, LinkPlan};
pub(crate) use served::SERVED;
pub(crate) use station::RingletPlan;
pub use station::StationPlan;

use crate::options::Options;
use fairwire_exchange::GovernedQueue;

/// What has to be done at every router, whichever laws govern it.
pub(crate) trait RouterPlan {
    /// What was asked for.
    fn options(&self) -> &Options;

    /// The queues in front of its links.
    fn queues(&self) -> Vec<&GovernedQueue>;

    /// What is limited has these limits while nobody is heard, as lines for `tc -batch`.
    fn safe_lines(&self) -> String;
}

/// The lines for `tc -batch` that make queues.
fn lines_of(plan: &impl RouterPlan) -> String {
    plan.queues().into_iter().flat_map(|queue| [queue.root.as_str(), &queue.lines]).collect()
}

#[cfg(test)]
mod node_tests;
#[cfg(test)]
mod station_tests;
