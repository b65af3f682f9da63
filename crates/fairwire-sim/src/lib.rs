//! Packet simulator for rings and networks: drivers around the laws of `fairwire-laws`.
#![forbid(unsafe_code)]

mod delays;
mod endpoint;
mod line;
mod network;
mod phases;
mod plan;
mod record;
mod recorder;
mod report;
mod ring;
mod winner_tree;

pub use network::{
    Activity, LinkChange, NetworkEngine, NetworkFlowPlan, NetworkFlowRecord, NetworkLinkPlan, NetworkLinkRecord,
    NetworkPlan, NetworkRecord, Offer, QueueSample, TcpPlan, Transfer, TransferSize, WindowSample, Work,
    simulate_network, simulate_network_watched,
};
pub use phases::Phase;
pub use plan::{
    Arrivals, Detail, EnginePath, FlowPlan, LinkPlan, Overflow, PlanError, ProtectionPlan, RingChange, RingEvent,
    RingPlan, StationPlan, StationQueues, Traffic, TransitPlan,
};
pub use record::{DelaySummary, FlowRecord, LawSample, LinkRecord, RunRecord, TopologyChange};
pub use ring::{simulate, simulate_law, simulate_watched};
