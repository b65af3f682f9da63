//! What a run is told, and what it answers: plans and records of rings and networks.
//!
//! A plan says all that a driver has to know, and checks itself; a record holds all that a
//! driver has measured. Neither knows how a packet gets from one link to the next.
#![forbid(unsafe_code)]

mod capacity;
mod delay_summary;
mod detail;
mod error;
mod limits;
mod network;
mod offer;
mod ring;
mod transfer;
mod window_sample;

pub use capacity::LinkChange;
pub use delay_summary::DelaySummary;
pub use detail::Detail;
pub use error::PlanError;
pub use limits::{MOST_MICRO_FLOWS, MOST_STATIONS, SILENT_AFTER};
pub use network::{
    Activity, AllowedRate, NetworkEngine, NetworkFlowPlan, NetworkFlowRecord, NetworkLinkPlan, NetworkLinkRecord,
    NetworkPlan, NetworkRecord, PortRecord, QueueSample, RateRecord,
};
pub use offer::{
    Arrivals, DemandChange, FlowChange, FlowChangeKind, Offer, RatePlan, TcpPlan, Traffic, TransferSize, Work,
};
pub use ring::{
    CapacityChange, ControlPlan, DeadSpans, EnginePath, FlowPlan, FlowRecord, LawSample, LinkPlan, LinkRecord,
    LostFrame, MOST_STEERING, MOST_WRAPPING, Overflow, Phase, ProtectionPlan, RingChange, RingEvent, RingPlan,
    RunRecord, Shaper, StationPlan, StationQueues, TopologyChange, TransitPlan, WakeUps, WeightChange,
};
pub use transfer::Transfer;
pub use window_sample::WindowSample;
