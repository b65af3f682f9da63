//! What to simulate: a ring with everything resolved and checked.
//!
//! A plan comes from a validated scenario, so its numbers are in range; what a
//! plan built by hand could get wrong, [`RingPlan::validate`] finds.

use super::capacities::CapacityChange;
use super::control::ControlPlan;
use super::protection::ProtectionPlan;
use crate::detail::Detail;
use crate::offer::{DemandChange, Offer};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
use fairwire_laws::protection::ProtectionMode;
use fairwire_laws::ring::Datapath;

/// One run of one ring.
#[derive(Clone, Debug, PartialEq)]
pub struct RingPlan {
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
    /// Links of each ringlet, by the station that the link leaves.
    pub links: [Vec<LinkPlan>; 2],
    /// Stations, in the order of ringlet 0.
    pub stations: Vec<StationPlan>,
    /// The queue in front of every link.
    pub transit: TransitPlan,
    /// How a station keeps what it has to send.
    pub station_queues: StationQueues,
    /// Room of each station queue in bytes; more is refused.
    pub station_buffer: Bytes,
    /// Flows in the order they were declared; their numbers are [`fairwire_core::FlowId`]s.
    pub flows: Vec<FlowPlan>,
    /// Weights that stations have from some time on in place of their first ones, in any order.
    pub weight_changes: Vec<WeightChange>,
    /// Capacities that links have from some time on in place of their first ones, in any order.
    pub capacity_changes: Vec<CapacityChange>,
    /// What flows offer from some time on in place of what they offer first, in any order.
    pub demand_changes: Vec<DemandChange>,
    /// Topology discovery and protection at every station, if there are any.
    pub protection: Option<ProtectionPlan>,
    /// What happens to control messages on their way, and how late laws are called.
    pub control: ControlPlan,
    /// How to walk through time; never changes what comes out.
    pub engine: EnginePath,
    /// What to keep beside the summary.
    pub detail: Detail,
    /// Whether stations audit themselves at every control frame, timeout and row's
    /// end. The books are balanced at the end of the run in any case.
    pub check: bool,
}

/// One directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPlan {
    /// Bits per second, above zero.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
}

/// One station.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationPlan {
    /// Its weight as an ingress.
    pub weight: Weight,
    /// What it is promised on every link that its flows cross, if its law keeps promises.
    pub minimum: BitRate,
}

/// From some time on a station has another weight as an ingress, and all laws of the ring are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightChange {
    /// From when on. Of several changes of a station at one instant the last one counts.
    pub at: Instant,
    /// The station.
    pub station: StationId,
    /// Its weight.
    pub weight: Weight,
}

/// The queues in front of a link, and who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransitPlan {
    /// How transit traffic and the station's own get to the link.
    pub datapath: Datapath,
    /// Room in bytes of the only transit queue, or of the secondary one, the
    /// packet in transmission not counted.
    pub buffer: Bytes,
    /// Room in bytes of the primary queue where there are two.
    pub primary_buffer: Bytes,
    /// What happens when a merged queue is full; other transit queues lose nothing
    /// unless a link is slower than the one before it.
    pub overflow: Overflow,
    /// What is held to the rate that class A0 leaves of the link.
    pub shaper: Shaper,
}

impl TransitPlan {
    /// One queue of `buffer` bytes for transit traffic and the station's own.
    pub fn merged(buffer: Bytes, overflow: Overflow) -> Self {
        Self { datapath: Datapath::Merged, buffer, primary_buffer: buffer, overflow, shaper: Shaper::AddAndTransit }
    }

    /// Whether transit goes before the station, now or when its queue is full, so that none of it need be lost.
    pub fn spares_transit(&self) -> bool {
        matches!(self.datapath, Datapath::TransitFirst | Datapath::DualQueue)
    }
}

/// How a station keeps the rate that class A0 has reserved on its link free of all other traffic. Credits build up at
/// the unreserved rate R, which is the rate of the link less what class A0 has reserved ([rpr-enhanced-conservative] §V-D).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shaper {
    /// All but class A0 is held to R, the station's own and transit together (the downstream shaper of 802.17). A single
    /// transit queue is never held: there this is [`Shaper::AddOnly`].
    #[default]
    AddAndTransit,
    /// Transit spends credits as the station's own packets do, but only the latter wait for credits. What transit
    /// spends beyond R is owed.
    AddOnly,
    /// Nothing is held.
    None,
}

/// What happens to a packet that finds the queue full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is dropped, wherever it comes from.
    Drop,
    /// Stations hold their packets back while three of the largest and a control
    /// frame would not fit, so that transit traffic from a link no faster than
    /// this one always does (the buffer must be that large at least).
    Hold,
}

/// How a station keeps what it has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationQueues {
    /// A queue for each egress: a throttled one blocks no other.
    PerDestination,
    /// One queue: its head blocks all behind it.
    Single,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPlan {
    /// Its id in every table.
    pub name: String,
    /// The ringlet it takes.
    pub ringlet: Ringlet,
    /// Where it enters.
    pub from: StationId,
    /// Where it leaves; not where it enters.
    pub to: StationId,
    /// Its weight among the flows of its ingress.
    pub weight: Weight,
    /// Its service class, where the station tells classes apart.
    pub class: ServiceClass,
    /// What classes A0 and A1 have reserved and class B has committed.
    pub guaranteed: BitRate,
    /// Whether its packets must arrive in the order in which they were sent, whatever
    /// protection does: while a station finds the topology unsettled it holds its own
    /// back and discards those that come by.
    pub strict_order: bool,
    /// Whether a station at a dead span may put its packets on the other ringlet, where
    /// stations wrap (`we` in 802.17). If not they are lost there, and held by their
    /// source as soon as that knows.
    pub wrap_eligible: bool,
    /// How many micro-flows (streams, connections) it is made of, each offering
    /// [`FlowPlan::offer`] for itself; at least 1.
    pub micro_flows: u32,
    /// What it offers. Acknowledgements of TCP go back over the same spans, on the other
    /// ringlet, as a flow of their own from `to` to `from` of the same class.
    pub offer: Offer,
    /// When it begins to offer.
    pub start: Instant,
    /// Each micro-flow begins later by a uniform time up to this.
    pub start_jitter: Span,
    /// When it stops.
    pub stop: Instant,
}

/// How the engine walks through time. Both ways give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnginePath {
    /// Windows where the shortest link holds at least a packet, else events.
    #[default]
    Auto,
    /// Each station once per lookahead window.
    Windows,
    /// One pending event a station, the earliest first.
    Events,
}

impl RingPlan {
    /// What class A0 has reserved on every link of `ringlet`.
    pub fn reserved(&self, ringlet: Ringlet) -> BitRate {
        let own = |flow: &&FlowPlan| flow.ringlet == ringlet && flow.class == ServiceClass::A0;
        BitRate::from_bps(self.flows.iter().filter(own).map(|flow| flow.guaranteed.as_bps()).sum())
    }

    /// Whether sources look for the ringlet that reaches their destinations; if there is protection and
    /// they do not, stations wrap.
    pub fn steers(&self) -> bool {
        self.protection.as_ref().is_some_and(|protection| protection.params.mode == ProtectionMode::Steer)
    }
}
