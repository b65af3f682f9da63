//! Packet simulator for rings and networks: drivers around the laws of `fairwire-laws`.
#![forbid(unsafe_code)]

mod control;
mod delays;
mod endpoint;
mod line;
mod lots;
mod network;
mod offer;
mod phases;
mod plan;
mod record;
mod recorder;
mod report;
mod ring;
mod spans;
mod stages;
mod winner_tree;

pub use control::{ControlPlan, LostFrame, WakeUps};
pub use network::{
    Activity, LinkChange, NetworkEngine, NetworkFlowPlan, NetworkFlowRecord, NetworkLinkPlan, NetworkLinkRecord,
    NetworkPlan, NetworkRecord, QueueSample, simulate_network, simulate_network_watched,
};
pub use offer::{Arrivals, Offer, TcpPlan, Traffic, TransferSize, Work};
pub use phases::Phase;
pub use plan::{
    Detail, EnginePath, FlowPlan, LinkPlan, MOST_STEERING, MOST_WRAPPING, Overflow, PlanError, ProtectionPlan,
    RingChange, RingEvent, RingPlan, StationPlan, StationQueues, TransitPlan,
};
pub use record::{DelaySummary, FlowRecord, LawSample, LinkRecord, RunRecord, TopologyChange, Transfer, WindowSample};
pub use ring::{simulate, simulate_law, simulate_watched};
pub use spans::DeadSpans;
