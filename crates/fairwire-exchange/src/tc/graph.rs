//! Nodes, links, and the links that flows cross: of rings and networks alike.

use fairwire_core::{BitRate, Ringlet};
use fairwire_scenario::{Network, Ring, Scenario, Topology};
use std::collections::BTreeMap;

/// A ring or a network.
pub struct Graph {
    /// Names of the nodes; stations of a ring have their numbers.
    pub nodes: Vec<String>,
    /// Its links.
    pub links: Vec<DirectedLink>,
    /// The links that each flow crosses.
    pub routes: Vec<Vec<usize>>,
}

/// A link, one way.
pub struct DirectedLink {
    /// Its name, as `fairwire allocate` tells it.
    pub name: String,
    /// The node that it leaves.
    pub from: usize,
    /// The node that it reaches.
    pub to: usize,
    /// What it carries.
    pub capacity: BitRate,
}

impl Graph {
    /// That of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let problem = scenario.offered_problem();
        let ends = match scenario.topology() {
            Topology::Ring(ring) => ends_on_ring(ring),
            Topology::Network(network) => ends_in_network(network),
        };
        let link = |(link, (from, to, capacity)): (fairwire_alloc::Link, _)| DirectedLink {
            name: link.id,
            from,
            to,
            capacity,
        };
        Self {
            nodes: problem.nodes,
            links: problem.links.into_iter().zip(ends).map(link).collect(),
            routes: problem.flows.into_iter().map(|flow| flow.route).collect(),
        }
    }

    /// The number of a node.
    pub fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node == name)
    }
}

type Ends = (usize, usize, BitRate);

/// Links of ringlet 0, then of ringlet 1, by the station that each leaves: as [`Scenario::offered_problem`] has them.
fn ends_on_ring(ring: &Ring) -> Vec<Ends> {
    let stations = usize::from(ring.stations);
    let leaving = |ringlet: Ringlet| {
        let next = if ringlet == Ringlet::BOTH[0] { 1 } else { stations - 1 };
        let links = ring.ringlet(ringlet).into_iter().enumerate();
        links.map(move |(station, link)| (station, (station + next) % stations, link.capacity))
    };
    Ringlet::BOTH.into_iter().flat_map(leaving).collect()
}

fn ends_in_network(network: &Network) -> Vec<Ends> {
    let numbers: BTreeMap<&str, usize> = network.nodes.iter().map(String::as_str).zip(0..).collect();
    network.links.iter().map(|link| (numbers[&*link.from], numbers[&*link.to], link.capacity)).collect()
}
