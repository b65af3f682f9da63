//! The function of link prices whose minimum gives the fair rates.
//!
//! g(p) = Σ c p + Σ max over x ≤ d of (w log x − q x), q the price of a route.
//! Its gradient is capacity minus load.

use crate::Problem;
use crate::incidence::Incidence;

/// Flows, links and weights in units of the largest capacity.
pub(super) struct Dual {
    pub routes: Incidence,
    pub capacities: Vec<f64>,
    pub weights: Vec<f64>,
    /// What each flow takes at most: its demand, or more than its route could
    /// ever carry, which keeps g finite at a price of zero.
    pub ceilings: Vec<f64>,
    /// What a flow's ceiling comes from: its demand?
    pub is_demand: Vec<bool>,
    /// Sum of the weights of flows that demand anything.
    pub weight: f64,
    /// What each link would earn if flows spent evenly over their links.
    pub spent: Vec<f64>,
    /// Rates are divided by this, bit/s.
    pub unit_bps: f64,
}

/// Rates, loads and value at some prices.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub prices: Vec<f64>,
    /// Price of each flow's route.
    pub route_prices: Vec<f64>,
    pub rates: Vec<f64>,
    pub loads: Vec<f64>,
    pub value: f64,
}

impl Dual {
    pub fn new(problem: &Problem) -> Self {
        let unit_bps = problem.links.iter().map(|link| link.capacity_bps).fold(f64::MIN_POSITIVE, f64::max);
        let capacities: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps / unit_bps).collect();
        let routes = Incidence::from_rows(problem.flows.iter().map(|flow| flow.route.iter().copied()));
        let (mut ceilings, mut is_demand) = (Vec::new(), Vec::new());
        for (index, flow) in problem.flows.iter().enumerate() {
            let beyond = 2.0 * routes.indices(index).map(|link| capacities[link]).fold(f64::INFINITY, f64::min);
            let demand = flow.demand_bps / unit_bps;
            ceilings.push(demand.min(beyond));
            is_demand.push(demand <= beyond);
        }
        // A flow that demands nothing has no logarithm and no say.
        let weights: Vec<f64> =
            problem.flows.iter().map(|flow| if flow.demand_bps > 0.0 { flow.weight } else { 0.0 }).collect();
        let mut spent = vec![0.0; capacities.len()];
        for (flow, weight) in weights.iter().enumerate() {
            let part = weight / routes.row(flow).len() as f64;
            routes.indices(flow).for_each(|link| spent[link] += part);
        }
        Self { weight: weights.iter().sum(), spent, routes, capacities, weights, ceilings, is_demand, unit_bps }
    }

    /// Prices at which every flow spends its weight evenly over its links.
    pub fn first_prices(&self) -> Vec<f64> {
        self.spent.iter().zip(&self.capacities).map(|(spent, capacity)| spent / capacity).collect()
    }

    /// How far prices are from the best: the largest overload of a link, or
    /// the smaller of what it has to spare and what it earns, each as a part
    /// of its own.
    pub fn residual(&self, point: &Point) -> f64 {
        (0..self.capacities.len())
            .map(|link| {
                let spare = 1.0 - point.loads[link] / self.capacities[link];
                let due = if self.spent[link] > 0.0 { self.spent[link] } else { self.weight };
                let earned = point.prices[link] * self.capacities[link] / due;
                if spare < 0.0 { -spare } else { spare.min(earned) }
            })
            .fold(0.0, f64::max)
    }

    /// Everything that follows from prices.
    pub fn at(&self, prices: Vec<f64>) -> Point {
        let mut loads = vec![0.0; prices.len()];
        let mut route_prices = Vec::with_capacity(self.weights.len());
        let mut rates = Vec::with_capacity(self.weights.len());
        let mut value: f64 = prices.iter().zip(&self.capacities).map(|(price, capacity)| price * capacity).sum();
        for (flow, (&weight, &ceiling)) in self.weights.iter().zip(&self.ceilings).enumerate() {
            let price: f64 = self.routes.indices(flow).map(|link| prices[link]).sum();
            let rate = if weight > price * ceiling { ceiling } else { weight / price };
            let rate = if weight > 0.0 { rate } else { 0.0 };
            if weight > 0.0 {
                value += weight * rate.ln() - price * rate;
                self.routes.indices(flow).for_each(|link| loads[link] += rate);
            }
            route_prices.push(price);
            rates.push(rate);
        }
        Point { prices, route_prices, rates, loads, value }
    }

    /// Whether a flow's rate answers to prices, instead of being capped.
    pub fn is_elastic(&self, flow: usize, point: &Point) -> bool {
        self.weights[flow] > 0.0 && self.weights[flow] <= point.route_prices[flow] * self.ceilings[flow]
    }

    /// Whether a flow can afford all it demands.
    pub fn is_satisfied(&self, flow: usize, prices: &[f64]) -> bool {
        let price: f64 = self.routes.indices(flow).map(|link| prices[link]).sum();
        self.is_demand[flow] && self.weights[flow] >= price * self.ceilings[flow]
    }

    /// Rates near `point` that no link or demand forbids, and by how much
    /// better other rates could be at most, relative to all weight.
    pub fn feasible(&self, point: &Point) -> (Vec<f64>, f64) {
        let overload: Vec<f64> =
            point.loads.iter().zip(&self.capacities).map(|(load, capacity)| (load / capacity).max(1.0)).collect();
        let spent_on_nothing: f64 =
            (0..point.prices.len()).map(|link| point.prices[link] * (self.capacities[link] - point.loads[link])).sum();
        let mut gap = spent_on_nothing;
        let mut rates = point.rates.clone();
        for (flow, rate) in rates.iter_mut().enumerate() {
            let most = self.routes.indices(flow).map(|link| overload[link]).fold(1.0, f64::max);
            *rate /= most;
            gap += self.weights[flow] * most.ln();
        }
        let gap = gap / self.weight.max(f64::MIN_POSITIVE);
        // What is not a number proves nothing, and `max` would take it for no gap at all.
        (rates, if gap.is_nan() { f64::INFINITY } else { gap.max(0.0) })
    }
}
