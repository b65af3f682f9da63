//! What the laws of the resilient packet ring (802.17) have in common.
//!
//! | file | holds |
//! | --- | --- |
//! | `fairness_frame`, `message`, `rate_code` | what stations say, as bytes |
//! | `params` | kinds of parameters |

mod fairness_frame;
mod message;
pub mod params;
mod rate_code;

pub use fairness_frame::{Choke, FAIRNESS_BYTES, FULL_RATE, FairnessFrame};
pub use message::Message;
pub use rate_code::RateCode;
