//! The network simulator: links, routes, queues and their laws, and the two ends of
//! every flow.

mod plan;
mod record;
mod validate;

pub use plan::{
    Activity, LinkChange, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, Offer, TcpPlan, TransferSize,
    Work,
};
pub use record::{NetworkFlowRecord, NetworkLinkRecord, NetworkRecord, QueueSample, Transfer, WindowSample};
