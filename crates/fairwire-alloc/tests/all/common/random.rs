//! Random problems: rings, tandems and networks, small and less small.

use fairwire_alloc::{Flow, Link, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The numbers a random problem is made of.
#[derive(Clone, Copy)]
pub enum Numbers {
    /// Small integers, so that rational arithmetic gives the exact answer.
    Integers,
    /// Real numbers of network size.
    Reals,
    /// Capacities, demands and weights over nine orders of magnitude.
    Wide,
}

/// A source of random problems; the same seed gives the same problems.
pub struct Random {
    pub dice: Pcg64Mcg,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { dice: Pcg64Mcg::seed_from_u64(seed) }
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.dice.random_bool(probability)
    }

    pub fn up_to(&mut self, most: usize) -> usize {
        self.dice.random_range(0..=most)
    }

    pub fn between(&mut self, least: usize, most: usize) -> usize {
        self.dice.random_range(least..=most)
    }

    pub fn real(&mut self) -> f64 {
        self.dice.random_range(0.0..1.0)
    }

    /// One of the three shapes.
    pub fn problem(&mut self, numbers: Numbers, most_flows: usize) -> Problem {
        match self.up_to(2) {
            0 => self.tandem(numbers, most_flows),
            1 => self.ring(numbers, most_flows),
            _ => self.network(numbers, most_flows),
        }
    }

    /// Gives some flows a demand just beside what they have at `rates`, or beside an even part of a link.
    pub fn put_demands_at_edges(&mut self, problem: &mut Problem, rates: &[f64]) {
        const BESIDE: [f64; 9] = [0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-4, -1e-4];
        for (flow, rate) in rates.iter().enumerate() {
            let link = problem.flows[flow].route[self.up_to(problem.flows[flow].route.len() - 1)];
            let beside = 1.0 + BESIDE[self.up_to(BESIDE.len() - 1)];
            match self.up_to(3) {
                0 | 1 => problem.flows[flow].demand_bps = rate * beside,
                2 => {
                    let part = problem.links[link].capacity_bps / self.between(1, 3) as f64;
                    problem.flows[flow].demand_bps = part * beside;
                }
                _ => {}
            }
        }
    }

    /// A line of nodes, flows in one direction.
    pub fn tandem(&mut self, numbers: Numbers, most_flows: usize) -> Problem {
        let nodes = self.between(3, 9);
        let mut problem = self.bare(numbers, nodes, nodes - 1);
        for _ in 0..self.between(1, most_flows) {
            let ingress = self.up_to(nodes - 2);
            let egress = self.between(ingress + 1, nodes - 1);
            self.add_flow(&mut problem, numbers, ingress, egress, (ingress..egress).collect());
        }
        problem
    }

    /// A ring with two ringlets; flows take the shorter way. Link n of
    /// ringlet 0 leaves node n upwards, link nodes + n leaves it downwards.
    pub fn ring(&mut self, numbers: Numbers, most_flows: usize) -> Problem {
        let nodes = self.between(3, 12);
        let mut problem = self.bare(numbers, nodes, 2 * nodes);
        for _ in 0..self.between(1, most_flows) {
            let ingress = self.up_to(nodes - 1);
            let hops = self.between(1, nodes / 2);
            let up = self.chance(0.5);
            let (egress, route) = if up {
                ((ingress + hops) % nodes, (0..hops).map(|h| (ingress + h) % nodes).collect())
            } else {
                let at = |h: usize| (ingress + nodes - h) % nodes;
                (at(hops), (0..hops).map(|h| nodes + at(h)).collect())
            };
            self.add_flow(&mut problem, numbers, ingress, egress, route);
        }
        problem
    }

    /// One ringlet without flows, all links alike.
    pub fn empty_ring(&self, stations: usize, capacity_bps: f64) -> Problem {
        Problem {
            nodes: (0..stations).map(|node| format!("n{node}")).collect(),
            ingress_weights: vec![1.0; stations],
            links: (0..stations).map(|link| Link { id: format!("l{link}"), capacity_bps }).collect(),
            flows: Vec::new(),
        }
    }

    /// Links without geometry; a route is any list of distinct links.
    pub fn network(&mut self, numbers: Numbers, most_flows: usize) -> Problem {
        let (nodes, links) = (self.between(2, 6), self.between(1, 9));
        let mut problem = self.bare(numbers, nodes, links);
        for _ in 0..self.between(1, most_flows) {
            let ingress = self.up_to(nodes - 1);
            let egress = self.up_to(nodes - 1);
            let mut route: Vec<usize> = (0..links).collect();
            for at in 0..links {
                route.swap(at, self.between(at, links - 1));
            }
            route.truncate(self.between(1, links.min(5)));
            self.add_flow(&mut problem, numbers, ingress, egress, route);
        }
        problem
    }

    fn bare(&mut self, numbers: Numbers, nodes: usize, links: usize) -> Problem {
        let equal_links = self.chance(0.5);
        let equal_weights = self.chance(0.5);
        let first = self.capacity(numbers);
        Problem {
            nodes: (0..nodes).map(|node| format!("n{node}")).collect(),
            ingress_weights: (0..nodes).map(|_| if equal_weights { 1.0 } else { self.weight(numbers) }).collect(),
            links: (0..links)
                .map(|link| Link {
                    id: format!("l{link}"),
                    capacity_bps: if equal_links { first } else { self.capacity(numbers) },
                })
                .collect(),
            flows: Vec::new(),
        }
    }

    fn add_flow(&mut self, problem: &mut Problem, numbers: Numbers, ingress: usize, egress: usize, route: Vec<usize>) {
        let id = format!("f{}", problem.flows.len());
        let demand_bps = if self.chance(0.6) { f64::INFINITY } else { self.demand(numbers) };
        let weight = if self.chance(0.6) { 1.0 } else { self.weight(numbers) };
        problem.flows.push(Flow { id, ingress, egress, route, demand_bps, weight });
    }

    fn capacity(&mut self, numbers: Numbers) -> f64 {
        match numbers {
            Numbers::Integers => self.between(1, 10) as f64,
            Numbers::Reals => 1e6 * 10f64.powf(3.0 * self.real()),
            Numbers::Wide => 1e4 * 10f64.powf(9.0 * self.real()),
        }
    }

    fn demand(&mut self, numbers: Numbers) -> f64 {
        match numbers {
            Numbers::Integers => self.up_to(5) as f64,
            Numbers::Reals => 1e5 * 10f64.powf(3.5 * self.real()),
            Numbers::Wide => 1e3 * 10f64.powf(9.5 * self.real()),
        }
    }

    fn weight(&mut self, numbers: Numbers) -> f64 {
        match numbers {
            Numbers::Integers => self.between(1, 4) as f64,
            Numbers::Reals => 10f64.powf(self.real() - 0.5),
            Numbers::Wide => 10f64.powf(9.0 * self.real() - 4.5),
        }
    }
}
