//! Laws for packet rings, and the contract between a ring law and its driver.
//!
//! To add a law, write one file beside `fifo.rs` and add its name to the list
//! below; the command line, the scenario schema, the simulator and the
//! benchmarks find it there.

mod contract;
mod datapath;
mod filling;
mod lap;
mod registry;
pub mod rpr;
mod site;
mod view;
mod weighing;

pub use crate::LawAbout;
pub use contract::{Decision, MessageQueue, Rest, RingAction, RingLaw};
pub use datapath::{Datapath, StqThresholds};
pub use registry::{RingLawVisitor, UnknownLaw};
pub use site::{RingSite, SiteFlow};
pub use view::{AddQueueView, LinkView, StationView, TransitView};
pub use weighing::Weighing;

registry::ring_laws! {
    dvsr,
    dvsr_plus,
    fifo,
    rpr_aggressive,
    rpr_conservative,
    rpr_aggressive_stq,
    rpr_conservative_original,
    rpr_conservative_enhanced,
    rpr_2004_aggressive,
    rpr_2004_conservative,
    darwin,
}
