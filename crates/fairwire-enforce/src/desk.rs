//! What tests begin with: the examples, and a station of the ring.

use crate::plan::StationPlan;
use crate::{EnforceError, Options, PORT};
use fairwire_core::{Span, StationId};
use fairwire_scenario::Scenario;
use std::net::SocketAddr;

pub const RING: &str = include_str!("../../../examples/kernel-ring/ring.toml");
pub const NETWORK: &str = include_str!("../../../examples/kernel-network/network.toml");
pub const STATIONS: u16 = 6;
pub const LEASE: Span = Span::from_millis(400);

pub fn scenario(text: &str) -> Scenario {
    Scenario::parse("ring.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// How a station is governed whose only device is `eth1`.
pub fn options(station: u16) -> Options {
    let listen = SocketAddr::from(([0, 0, 0, 0], PORT));
    let next = |step: u16| (((station + step) % STATIONS).to_string(), listen);
    Options {
        devices: vec![(String::new(), "eth1".to_owned())],
        addresses: (0..STATIONS).map(|n| (n.to_string(), format!("10.99.{n}.0/24").parse().unwrap())).collect(),
        flows: Vec::new(),
        peers: vec![next(1), next(STATIONS - 1)],
        listen,
        rest: None,
        tick: Span::ZERO,
        lease: LEASE,
        every: LEASE,
        replace: false,
    }
}

pub fn plan_with(scenario: &Scenario, station: u16, options: Options) -> Result<StationPlan, EnforceError> {
    let fair = scenario.fair_rates(scenario.criterion()).unwrap();
    StationPlan::new(scenario, scenario.law().unwrap(), &fair.rates_bps, StationId(station), options)
}

pub fn plan(scenario: &Scenario, station: u16) -> StationPlan {
    plan_with(scenario, station, options(station)).unwrap_or_else(|error| panic!("{error}"))
}
