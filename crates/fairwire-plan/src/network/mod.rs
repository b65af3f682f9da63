//! Networks: what to simulate, and what a run of it leaves behind.

mod plan;
mod rates;
mod record;
mod validate;

pub use plan::{Activity, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan};
pub use rates::{AllowedRate, PortRecord, RateRecord};
pub use record::{NetworkFlowRecord, NetworkLinkRecord, NetworkRecord, QueueSample};
