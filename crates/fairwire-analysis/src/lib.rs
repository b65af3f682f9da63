//! Models that need no packets: what theory says of a ring before anything is simulated.
//!
//! | module | question | source |
//! | --- | --- | --- |
//! | [`oscillation`] | which flows will RPR's two modes never bring to rest, and between which rates? | `[dvsr]` §IV-A, Propositions 2 and 3 |
//! | [`cycle`] | what does one cycle of such a swing look like, and what does it cost? | `[dvsr]` §IV-B, eq. (7) |
//! | [`gps`] | how does an ideal fluid fair server divide a link, and how does its virtual time grow? | `[dvsr]` §V-A |
//! | [`feedback`] | how far do senders stray who learn of that only once a window? | `[dvsr]` §VI |
//! | [`bounds`] | how far at most? | `[dvsr]` §VI-B, Lemmas 1 to 3 |
//! | [`local_queueing`] | what if every node queues fairly and nobody holds back? | `[dvsr]` §I |
//! | [`metaring`] | what does MetaRing's SAT rule grant a station? | `[dvsr]` §IX |
//!
//! Everything here is a pure function of its input. Rates are in bit/s, times
//! in seconds, sizes as their names say.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod cycle;
mod error;
pub mod feedback;
pub mod gps;
pub mod local_queueing;
pub mod metaring;
pub mod oscillation;

pub use error::AnalysisError;
