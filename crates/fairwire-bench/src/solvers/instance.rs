//! The problems that solvers are given: random networks and full rings, the same for
//! everybody and on every machine.

use fairwire_alloc::{Arrays, Flow, Link, Problem};
use fairwire_core::{RandomStream, Streams};
use rand::RngExt;
use std::fs;
use std::io;
use std::path::Path;

/// A network as flat arrays. Capacities are numbers from 1 to 10: solvers know no units.
#[derive(Debug, Default)]
pub struct Instance {
    pub capacities: Vec<f64>,
    pub starts: Vec<u32>,
    pub links: Vec<u32>,
    /// Infinite on every other flow.
    pub demands: Vec<f64>,
    pub weights: Vec<f64>,
    pub minimums: Vec<f64>,
}

/// What of an instance counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Everybody is greedy and counts the same.
    Plain,
    /// Weights 1, 2, 4 or 8, and demands on half of the flows.
    Mixed,
    /// These, and minimum rates for half of the flows.
    Promised,
}

/// The seed of every instance; its parts have a stream each.
const SEED: u64 = 1;

impl Instance {
    /// `flows` flows, each over 4 to 8 distinct links of `links` in random order, with
    /// capacities uniform from 1 to 10.
    pub fn random(flows: usize, links: usize) -> Self {
        let streams = Streams::new(SEED, 0);
        let [mut capacities, mut routes, mut demands, mut weights, mut minimums] =
            ["capacities", "routes", "demands", "weights", "minimums"].map(|part| streams.component(part));
        let mut instance = Self {
            capacities: (0..links).map(|_| capacities.random_range(1.0..10.0)).collect(),
            starts: vec![0],
            ..Self::default()
        };
        for flow in 0..flows {
            instance.links.extend(route(&mut routes, links));
            instance.starts.push(instance.links.len() as u32);
            // Fair rates are about 0.1: some demands bite, some do not.
            let demand = if flow % 2 == 0 { demands.random_range(0.01..0.3) } else { f64::INFINITY };
            instance.demands.push(demand);
            instance.weights.push(f64::from(1 << weights.random_range(0..4)));
            instance.minimums.push(if flow % 4 < 2 { 0.0 } else { minimums.random_range(0.0..0.01) });
        }
        instance
    }

    /// All ordered pairs of `stations`, the shorter way round a ring of two ringlets; the
    /// far station by ringlet 0. Capacities uniform from 1 to 10.
    pub fn ring(stations: usize) -> Self {
        let mut instance = Self { capacities: Self::ring_capacities(stations), starts: vec![0], ..Self::default() };
        for (ringlet, farthest) in [stations / 2, (stations - 1) / 2].into_iter().enumerate() {
            for from in 0..stations {
                for hops in 1..=farthest {
                    let link = |hop: usize| (ringlet * stations + (from + hop) % stations) as u32;
                    instance.links.extend((0..hops).map(link));
                    instance.starts.push(instance.links.len() as u32);
                }
            }
        }
        let flows = instance.flows();
        instance.demands = vec![f64::INFINITY; flows];
        instance.weights = vec![1.0; flows];
        instance
    }

    /// Capacities of the links of [`Instance::ring`]: those of ringlet 0, then those of ringlet 1.
    pub fn ring_capacities(stations: usize) -> Vec<f64> {
        let mut capacities = Streams::new(SEED, 0).component("capacities");
        (0..2 * stations).map(|_| capacities.random_range(1.0..10.0)).collect()
    }

    /// Number of flows.
    pub fn flows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where each flow of a ringlet of [`Instance::ring`] enters, and how far it goes.
    pub fn intervals(stations: usize, ringlet: usize) -> (Vec<u32>, Vec<u32>) {
        let farthest = [stations / 2, (stations - 1) / 2][ringlet] as u32;
        (0..stations as u32).flat_map(|from| (1..=farthest).map(move |hops| (from, hops))).unzip()
    }

    /// What a solver is given.
    pub fn arrays(&self, terms: Terms) -> Arrays<'_> {
        let plain = Arrays {
            capacities_bps: &self.capacities,
            route_starts: &self.starts,
            route_links: &self.links,
            ..Arrays::default()
        };
        let mixed = Arrays { demands_bps: &self.demands, weights: &self.weights, ..plain };
        match terms {
            Terms::Plain => plain,
            Terms::Mixed => mixed,
            Terms::Promised => Arrays { min_rates_bps: &self.minimums, ..mixed },
        }
    }

    /// The same as structs, for criteria that have no flat form.
    pub fn problem(&self, terms: Terms) -> Problem {
        let route = |flow: usize| self.links[self.starts[flow] as usize..self.starts[flow + 1] as usize].iter();
        let is_mixed = terms != Terms::Plain;
        Problem {
            nodes: vec!["any".into()],
            ingress_weights: vec![1.0],
            links: (self.capacities.iter().enumerate())
                .map(|(link, &capacity_bps)| Link { id: format!("l{link}"), capacity_bps })
                .collect(),
            flows: (0..self.flows())
                .map(|flow| Flow {
                    id: format!("f{flow}"),
                    ingress: 0,
                    egress: 0,
                    route: route(flow).map(|&link| link as usize).collect(),
                    demand_bps: if is_mixed { self.demands[flow] } else { f64::INFINITY },
                    weight: if is_mixed { self.weights[flow] } else { 1.0 },
                })
                .collect(),
        }
    }

    /// Writes the problem for programs of others, as `benches/python/peers.py` describes it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, terms: Terms, file: &Path) -> io::Result<()> {
        let flows = self.flows();
        let counts = [flows, self.capacities.len(), self.links.len()];
        let mut bytes: Vec<u8> = counts.iter().flat_map(|&count| (count as u64).to_le_bytes()).collect();
        let (greedy, equal) = (vec![f64::INFINITY; flows], vec![1.0; flows]);
        let (demands, weights) = match terms {
            Terms::Plain => (&greedy, &equal),
            Terms::Mixed | Terms::Promised => (&self.demands, &self.weights),
        };
        let reals = |bytes: &mut Vec<u8>, list: &[f64]| bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        let numbers = |bytes: &mut Vec<u8>, list: &[u32]| bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        reals(&mut bytes, &self.capacities);
        numbers(&mut bytes, &self.starts);
        numbers(&mut bytes, &self.links);
        reals(&mut bytes, demands);
        reals(&mut bytes, weights);
        fs::write(file, bytes)
    }

    /// What every link carries.
    pub fn loads(&self, rates: &[f64]) -> Vec<f64> {
        let mut loads = vec![Sum::default(); self.capacities.len()];
        for (flow, rate) in rates.iter().enumerate() {
            let route = &self.links[self.starts[flow] as usize..self.starts[flow + 1] as usize];
            route.iter().for_each(|&link| loads[link as usize].add(*rate));
        }
        loads.iter().map(Sum::value).collect()
    }
}

/// A sum that keeps what rounding takes from it (Neumaier): a hundred thousand equal rates
/// added up one by one would be off by more than solvers may be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// Adds.
    pub fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum.
    pub fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

/// 4 to 8 distinct links in random order; fewer where there are not as many.
pub fn route(dice: &mut RandomStream, links: usize) -> Vec<u32> {
    let hops = dice.random_range(4..=8).min(links);
    let mut route = Vec::with_capacity(hops);
    while route.len() < hops {
        let link = dice.random_range(0..links as u32);
        if !route.contains(&link) {
            route.push(link);
        }
    }
    route
}

#[cfg(test)]
mod tests {
    use super::Instance;

    #[test]
    fn a_full_ring_has_all_pairs_the_shorter_way() {
        let ring = Instance::ring(6);
        assert_eq!(ring.flows(), 6 * 5);
        assert_eq!(ring.links.len(), 6 * (1 + 2 + 3) + 6 * (1 + 2));
        let (from, hops) = Instance::intervals(6, 1);
        assert_eq!((from.len(), hops.iter().sum::<u32>()), (12, 18));
    }

    #[test]
    fn sums_lose_nothing() {
        let mut sum = super::Sum::default();
        (0..300_000).for_each(|_| sum.add(0.1));
        assert_eq!(sum.value(), 30_000.0);
    }

    #[test]
    fn a_random_instance_is_the_same_every_time() {
        let [one, two] = [(); 2].map(|()| Instance::random(50, 10));
        assert_eq!((one.links, one.capacities), (two.links, two.capacities));
        assert!(two.starts.windows(2).all(|ends| (4..=8).contains(&(ends[1] - ends[0]))));
    }
}
