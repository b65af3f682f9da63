//! Rate laws: switches tell sources their rates. The contract between such a law and its drivers.
//!
//! To add a law, write one file beside `max_min_marking.rs`, and add its module and its name in the list
//! below; the command line, the scenario schema, the simulator and the benchmarks find it there.

// The laws, as in the list below.
pub mod capc;
pub mod erica;
pub mod erica_early;
pub mod max_min_marking;
pub mod rcp;
pub mod s_perc;
pub mod wmfqc;
pub mod wmfqc_plus;

// The contract.
mod cell;
mod contract;
mod packets;
mod plain_source;
mod port_view;
mod queue_control;
mod refusal;
mod registry;
mod sender;
mod site;
mod terms;
mod wire;

// What laws are made of.
mod parts;

pub use cell::{RateCell, RateFormat};
pub use contract::{Admission, Farewell, FirstRate, RateLaw, RateMessage, RateSource};
pub use packets::Packets;
pub(crate) use parts::atm_float::decode as atm_rate;
pub use parts::{marking, share_tree};
pub use plain_source::{Explicit, PlainLaw, PlainSource};
pub use port_view::PortView;
pub use queue_control::QueueThresholds;
pub use refusal::Refusal;
pub use registry::UnknownRateLaw;
pub use sender::{Leaving, Manner, OnChange, Sender, SendingPlan};
pub use site::PortSite;
pub use terms::Terms;

use fairwire_core::{BitRate, Cx, FlowId, Instant};

registry::rate_laws! {
    max_min_marking,
    wmfqc,
    erica_early,
    erica,
    capc,
    rcp,
    s_perc,
    wmfqc_plus,
}
