//! What to simulate: a network with everything resolved and checked.
//!
//! A plan comes from a validated scenario, so its numbers are in range; what a plan
//! built by hand could get wrong, [`NetworkPlan::validate`] finds.

use crate::capacity::{LinkChange, capacity_at, mean_capacity_bps};
use crate::detail::Detail;
use crate::offer::{DemandChange, FlowChange, Offer};
use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::rate::RateLawChoice;

/// One run of one network of links and routes.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkPlan {
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// Simulated time.
    pub duration: Span,
    /// Means, losses and delays are measured from here on.
    pub warmup: Span,
    /// Length of one row of every time series; at least 1 µs.
    pub window: Span,
    /// Number of nodes.
    pub nodes: usize,
    /// Directed links.
    pub links: Vec<NetworkLinkPlan>,
    /// Flows in the order they were declared; their numbers are those of the tables.
    pub flows: Vec<NetworkFlowPlan>,
    /// What flows offer from some time on in place of what they offer first, in any order.
    pub demand_changes: Vec<DemandChange>,
    /// What happens to flows whose rate switches tell, in any order.
    pub flow_changes: Vec<FlowChange>,
    /// How to walk through time; never changes what comes out.
    pub engine: NetworkEngine,
    /// What to keep beside the summary.
    pub detail: Detail,
    /// Whether queues audit themselves as they go. The books are balanced at the end
    /// of the run in any case.
    pub check: bool,
}

/// How the engine walks through time. Both ways give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkEngine {
    /// Where a queue serves in the order of arrival, a packet's departure is known when it
    /// arrives, and what only one link feeds is taken there at once.
    #[default]
    Ahead,
    /// Every departure and every arrival is an event of its own.
    Events,
}

/// One directed link and the queue in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkLinkPlan {
    /// Its name in every table.
    pub name: String,
    /// The node it leaves.
    pub from: u32,
    /// The node it reaches.
    pub to: u32,
    /// Bits per second, above zero.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
    /// Each packet's propagation time is longer by a uniform time up to this, so that
    /// packets may overtake each other.
    pub reordering: Span,
    /// Each packet is lost on the link with this probability, from 0 to 1.
    pub random_loss: f64,
    /// The law of its queue.
    pub queue: QueueLawChoice,
    /// The law that tells the flows that take it their rates, if there is one.
    pub rate: Option<RateLawChoice>,
    /// What the queue holds at most, the packet in transmission not counted.
    pub limit: Limit,
    /// Mean size of its data packets, for laws that count packets and need the time that one takes.
    pub mean_packet: Bytes,
    /// Other capacities from some time on, in order of time.
    pub changes: Vec<LinkChange>,
}

impl NetworkLinkPlan {
    /// Its capacity at `at`.
    pub fn capacity_at(&self, at: Instant) -> BitRate {
        capacity_at(self.capacity, &self.changes, at)
    }

    /// Its mean capacity in bit/s from `from` on and up to `until`.
    pub fn mean_capacity_bps(&self, from: Span, until: Span) -> f64 {
        mean_capacity_bps(self.capacity, &self.changes, from, until)
    }
}

/// One flow: all traffic that one line of the scenario's tables speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFlowPlan {
    /// Its id in every table.
    pub name: String,
    /// Links it takes, in order; at least one.
    pub route: Vec<u32>,
    /// Links its acknowledgements take; not looked at where nothing comes back.
    pub reverse_route: Vec<u32>,
    /// Its weight.
    pub weight: Weight,
    /// How many micro-flows (connections, streams) it is made of, each offering
    /// [`NetworkFlowPlan::offer`] for itself; at least 1.
    pub micro_flows: u32,
    /// What it offers.
    pub offer: Offer,
    /// Whether its packets, and what comes back, go before others in every queue.
    pub high_priority: bool,
    /// When it begins to offer.
    pub start: Instant,
    /// Each micro-flow begins later by a uniform time up to this.
    pub start_jitter: Span,
    /// When it stops.
    pub stop: Instant,
    /// Whether it is silent at times.
    pub activity: Option<Activity>,
}

/// Periods in which a flow offers traffic, or does not ([vrr-gateway] §III-D).
///
/// In a silent period a datagram source drops what it makes. An unlimited connection
/// sends nothing new from the start of a silent period on, but again what is lost of
/// what was sent; a new connection begins with the next active period. Transfers that would
/// begin in a silent period do not take place, and pages and objects wait for its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activity {
    /// Length of each period, counted from time zero; above zero.
    pub every: Span,
    /// A flow is active in a period with this probability, all its micro-flows together.
    pub probability: f64,
}
