//! Rings: what to simulate, what its events come to, and what a run of it leaves behind.

mod capacities;
mod control;
mod phases;
mod plan;
mod protection;
mod reactions;
mod record;
mod spans;
mod validate;

pub use capacities::CapacityChange;
pub use control::{ControlPlan, LostFrame, WakeUps};
pub use phases::Phase;
pub use plan::{
    EnginePath, FlowPlan, LinkPlan, Overflow, RingPlan, Shaper, StationPlan, StationQueues, TransitPlan, WeightChange,
};
pub use protection::{MOST_STEERING, MOST_WRAPPING, ProtectionPlan, RingChange, RingEvent};
pub use record::{FlowRecord, LawSample, LinkRecord, RunRecord, TopologyChange};
pub use spans::DeadSpans;
