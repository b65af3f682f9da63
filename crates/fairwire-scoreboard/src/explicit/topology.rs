//! Switches, links and routes of a random network.

use super::case::Kind;
use fairwire_core::{RandomStream, Span};
use rand::RngExt;

/// Switches at most.
const MOST_NODES: usize = 8;

/// Links that flows take, and their ways.
pub struct Topology {
    pub kind: Kind,
    pub nodes: usize,
    /// Directed links that some flow takes.
    pub links: Vec<(u32, u32)>,
    /// By flow.
    pub routes: Vec<Vec<usize>>,
    flows_over: Vec<usize>,
}

/// Propagation times.
pub struct Delays {
    pub links: Vec<Span>,
    /// Of the hosts' own links.
    pub access: Vec<Span>,
}

impl Topology {
    /// Draws one with so many flows.
    pub fn new(draw: &mut RandomStream, flows: usize) -> Self {
        let kind = [Kind::Chain, Kind::Tree, Kind::Mesh][draw.random_range(0..3)];
        let fewest = if kind == Kind::Mesh { 4 } else { 2 };
        let nodes = draw.random_range(fewest..=MOST_NODES);
        let mut pairs: Vec<(usize, usize)> = (1..nodes)
            .map(|node| match kind {
                Kind::Chain => (node - 1, node),
                _ => (draw.random_range(0..node), node),
            })
            .collect();
        if kind == Kind::Mesh {
            for _ in 0..draw.random_range(nodes / 2..=nodes) {
                let from = draw.random_range(0..nodes);
                let to = (from + draw.random_range(1..nodes)) % nodes;
                if !pairs.contains(&(from, to)) && !pairs.contains(&(to, from)) {
                    pairs.push((from, to));
                }
            }
        }
        let mut topology = Self { kind, nodes, links: Vec::new(), routes: Vec::new(), flows_over: Vec::new() };
        for _ in 0..flows {
            let from = draw.random_range(0..nodes);
            let to = (from + draw.random_range(1..nodes)) % nodes;
            topology.add_flow(&shortest(&pairs, nodes, from, to));
        }
        topology
    }

    fn add_flow(&mut self, way: &[usize]) {
        let route = way.windows(2).map(|hop| {
            let hop = (hop[0] as u32, hop[1] as u32);
            let place = self.links.iter().position(|link| *link == hop).unwrap_or_else(|| {
                self.links.push(hop);
                self.flows_over.push(0);
                self.links.len() - 1
            });
            self.flows_over[place] += 1;
            place
        });
        let route = route.collect();
        self.routes.push(route);
    }

    /// How many flows take a link.
    pub fn flows_over(&self, link: usize) -> usize {
        self.flows_over[link]
    }

    /// Delays with which the longest round trip of a flow takes so many seconds.
    pub fn delays(&self, draw: &mut RandomStream, round_trip_s: f64) -> Delays {
        let links: Vec<f64> = self.links.iter().map(|_| draw.random_range(0.2..1.0)).collect();
        let access: Vec<f64> = self.routes.iter().map(|_| draw.random_range(0.05..0.5)).collect();
        let one_way =
            |(route, access): (&Vec<usize>, &f64)| access + route.iter().map(|link| links[*link]).sum::<f64>();
        let longest = self.routes.iter().zip(&access).map(one_way).fold(0.0, f64::max);
        let span = |part: &f64| Span::from_secs_f64(part / longest * round_trip_s / 2.0);
        Delays { links: links.iter().map(span).collect(), access: access.iter().map(span).collect() }
    }
}

/// The switches on a shortest way; of several the first one by the order of links.
fn shortest(pairs: &[(usize, usize)], nodes: usize, from: usize, to: usize) -> Vec<usize> {
    // Where one comes from, searched from the end back.
    let mut next = vec![usize::MAX; nodes];
    let (mut reached, mut at) = (vec![to], 0);
    while next[from] == usize::MAX && at < reached.len() {
        let here = reached[at];
        at += 1;
        for &(a, b) in pairs {
            for (one, other) in [(a, b), (b, a)] {
                if one == here && other != to && next[other] == usize::MAX {
                    next[other] = here;
                    reached.push(other);
                }
            }
        }
    }
    let mut way = vec![from];
    while let Some(&here) = way.last().filter(|here| **here != to) {
        way.push(next[here]);
    }
    way
}
