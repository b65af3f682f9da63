//! The laws of queues: what each of them does by its source, and what all of them owe.

mod cake;
mod choke;
mod codel;
mod conformance;
mod driver;
mod drivers;
mod fair_lanes;
mod fred;
mod pie;
mod red;
mod registry;
mod vrr;
