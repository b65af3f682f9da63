//! What a station adds to a ringlet: sources fill its queues, laws limit what leaves them.
//!
//! Its packets join the transit queue as soon as their limiter lets them ([`Adds`]), or wait for their turn at the
//! link beside the transit queues ([`StationAdds`]).

mod bucket;
mod fill;
mod limiter;
mod merged;
mod queue;
mod sources;
mod split;
mod trickle;

pub use bucket::Bucket;
pub use limiter::Limiter;
pub use merged::Adds;
pub use queue::{AddQueue, Feeder, QueueState};
pub use sources::{FEW_SOURCES, Sources};
pub use split::{Kind, LanePlan, StationAdds};
