//! Packet simulator for rings and networks: drivers around the laws of `fairwire-laws`.
#![forbid(unsafe_code)]

mod delays;
mod endpoint;
mod line;
mod lots;
mod network;
mod recorder;
mod report;
mod ring;
mod winner_tree;

pub use network::{simulate_network, simulate_network_watched};
pub use ring::{simulate, simulate_law, simulate_watched};
