//! What the laws of the resilient packet ring (IEEE 802.17) have in common: a station
//! that measures, judges, advertises and limits, and the frames that it sends.
//!
//! A law is a `Profile`: its parameters, its rule for the local fair rate, its kind of
//! limits. Three generations of the algorithm are kept apart, each with its own
//! defaults (`generations`); the mechanics are here once.
//!
//! | file | holds |
//! | --- | --- |
//! | `station` | what happens when |
//! | `profile`, `generations`, `params`, `standard` | what differs, and what can be set |
//! | `meter`, `counted`, `filter`, `timer` | add and forward rates, active stations, the access timer |
//! | `situation`, `rules` | congestion and the local fair rate |
//! | `received`, `advertisement` | congestion domains: head, tail and those between |
//! | `limits`, `allowed`, `client` | what the station's own traffic may have |
//! | `divisor` | division by a coefficient |
//! | `round_trip` | LRTT, FDD and FRTT |
//! | `fairness_frame`, `message`, `rate_code` | what stations say, as bytes |
//! | `outbox` | and in which order |

mod advertisement;
mod allowed;
mod client;
mod counted;
mod divisor;
mod fairness_frame;
mod filter;
pub(super) mod generations;
pub(super) mod limits;
mod message;
pub(super) mod meter;
mod outbox;
pub mod params;
pub(super) mod profile;
mod rate_code;
mod received;
mod round_trip;
pub mod rules;
mod situation;
mod standard;
mod station;
mod timer;

pub use fairness_frame::{Choke, FAIRNESS_BYTES, FULL_RATE, FairnessFrame};
pub use message::Message;
pub use meter::Sample;
pub use rate_code::RateCode;
pub use round_trip::RoundTripWay;
pub use rules::ExitTest;
pub use situation::{Gauge, Marks, Reading, Situation};
pub use standard::Client;
pub use station::Station;

/// What the file of a law needs.
pub(super) mod prelude {
    pub(in crate::ring) use super::generations::{dvsr_paper_params, enhanced_paper_params, final_standard_params};
    pub use super::limits::{PerDestination, TwoLimits};
    pub use super::meter::MeterSettings;
    pub use super::params::{Coefficient, Contributes, Encoding, Fraction, Interval};
    pub use super::profile::{Profile, Settings};
    pub use super::rules::{
        AggressiveRate, AggressiveTable, ConservativeRate, EnhancedCoefficients, EnhancedTable, Exit, OriginalTable,
    };
    pub use super::standard::{SINGLE_QUEUE_ACCESS, advertising, single_queue_gauge};
    pub use super::{Client, ExitTest, Gauge, Marks, RoundTripWay, Station};
    pub use crate::ring::{Datapath, LawAbout, RingSite, StqThresholds};
    pub use fairwire_core::{Bytes, Span};
}
