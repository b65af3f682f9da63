//! Laws for packet rings, and the contract between a ring law and its driver.
//!
//! To add a law, write one file beside `fifo.rs`, and add its module and its name in the list
//! below; the command line, the scenario schema, the simulator and the
//! benchmarks find it there.

// The laws, as in the list below.
pub mod darwin;
pub mod dvsr;
pub mod dvsr_plus;
pub mod fifo;
pub mod rpr_2004_aggressive;
pub mod rpr_2004_conservative;
pub mod rpr_aggressive;
pub mod rpr_aggressive_stq;
pub mod rpr_conservative;
pub mod rpr_conservative_enhanced;
pub mod rpr_conservative_original;

// The contract, and what laws are made of.
mod contract;
mod counters;
mod datapath;
mod filling;
mod hints;
mod lap;
mod needs;
mod object;
mod outside;
mod registry;
pub mod rpr;
mod shown;
mod site;
mod traffic;
mod view;
mod weighing;

pub use crate::LawAbout;
pub use contract::{MessageQueue, RingAction, RingLaw, SiteChange};
pub use counters::LinkCounters;
pub use datapath::{Datapath, StqThresholds};
pub use hints::{AdviceHints, Call, Rest, RingHints};
pub use needs::{Counters, RingNeeds, Sends};
pub use object::{Outgoing, Packed, RingLawFactory, RingLawObject, Typed};
pub use outside::OutsideLaw;
pub use registry::{RingLawVisitor, UnknownLaw};
pub use shown::{SHOWN_UNITS, tells_its_unit};
pub use site::{RingSite, SiteFlow};
pub use traffic::{ByteCounts, ClassBytes, LinkTraffic};
pub use view::{AddQueueView, LinkView, Sending, StationView, TransitView};
pub use weighing::Weighing;

use fairwire_core::BitRate;

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
