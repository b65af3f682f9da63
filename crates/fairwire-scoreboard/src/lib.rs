//! The scoreboard: every ring law over one documented sample of rings.
//!
//! [`RandomRing`] draws the rings of the sample; each is a scenario that can be
//! written out and run by itself.
#![forbid(unsafe_code)]

mod cases;
mod error;

pub use cases::random_ring::{RandomRing, SAMPLE_SEED};
pub use error::ScoreError;
