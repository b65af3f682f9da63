//! Packet simulator for rings and networks: drivers around the laws of `fairwire-laws`.
#![forbid(unsafe_code)]

mod beside;
mod brought;
mod captured;
mod delays;
mod endpoint;
mod line;
mod lots;
mod makers;
mod network;
mod recorder;
mod report;
mod ring;
mod ties;
mod tournament;
mod winner_tree;

pub use beside::{Outside, Steps, walk_beside};
pub use brought::{BringError, BroughtPacket, Delivery, Fate};
pub use captured::{Captured, CapturedContent, CapturedPacket};
pub use endpoint::connection::Load;
pub use makers::{ConnectionMaker, DatagramMaker, Maker, MicroFlowMaker, network_makers, ring_makers};
pub use network::{
    NetworkFlowView, NetworkLinkView, NetworkSimulation, NetworkView, simulate_network, simulate_network_watched,
    simulate_whole_network,
};
pub use ring::{
    LimitView, RingFlowView, RingLinkView, RingSimulation, RingView, StationQueueView, engine_path, ring_site,
    simulate, simulate_law, simulate_watched, simulate_whole,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
