//! TCP's two ends: against the standards' rules, against ns-2, and over bad paths.

mod bbr;
mod cubic;
mod dctcp;
mod ecn;
mod path;
mod receiver;
mod recovery;
mod registry;
mod sawtooth;
mod script;
mod slow_start;
mod timer;
mod transfers;
