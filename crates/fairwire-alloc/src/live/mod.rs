//! Fair rates that follow changes: flows come and go, links and wishes change.
//!
//! Changes are cheap and only noted; [`LiveProblem::update`] brings the rates
//! up to date, either exactly or within an error in the capacities.

mod bounded;
mod changes;
mod exact;
mod pool;
mod refuse;
mod water_level;

use pool::Pool;
use water_level::WaterLevel;

use crate::incidence::Lists;
use crate::solve::flow_weights;
use crate::water_filling::{Bits, Engine, NONE};
use crate::{AllocError, Arrays, Criterion, Problem, Terms};

/// A flow to be added to a [`LiveProblem`].
#[derive(Debug, Clone, PartialEq)]
pub struct LiveFlow {
    /// Indices of the links it crosses, each at most once.
    pub route: Vec<usize>,
    /// The most it takes, bit/s, possibly infinite.
    pub demand_bps: f64,
    /// Its weight, if the criterion heeds weights.
    pub weight: f64,
    /// Its guaranteed rate, bit/s, under general weighted fairness.
    pub min_rate_bps: f64,
}

/// How exact an update shall be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Precision {
    /// The rates are those of a fresh solve, but for rounding.
    Exact,
    /// The rates are exactly fair for capacities that differ from the given
    /// ones by no more than this part of each. Far from a change nothing is
    /// looked at, so the cost does not grow with the network.
    Within(f64),
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// The largest part of any capacity by which it would have to differ for
    /// the rates to be exactly fair: zero, or the bound asked for.
    pub capacity_error: f64,
    /// Flows (exact) or links (bounded) that were looked at again.
    pub looked_at: usize,
}

/// A max-min problem under change, with its rates.
///
/// Flows and links go by index: those of the problem it was made from, then
/// those that [`Self::add_flow`] returns. The index of a removed flow may be
/// given to a later one.
#[derive(Debug, Clone)]
pub struct LiveProblem {
    criterion: Criterion,
    capacities: Vec<f64>,
    /// Sum of the minimum rates on each link.
    promised: Vec<f64>,
    /// What is left beyond the minimum rates, and what of it is in use.
    excess: Vec<f64>,
    load: Vec<f64>,
    routes: Pool,
    crossing: Pool,
    demands: Vec<f64>,
    /// The demand beyond the minimum rate.
    wanted: Vec<f64>,
    minimums: Vec<f64>,
    weights: Vec<f64>,
    /// All weights have been 1 so far; all demands without end. That is
    /// filled faster.
    is_unweighted: bool,
    is_greedy: bool,
    alive: Bits,
    free: Vec<u32>,
    /// Rates and levels, as of the last update.
    engine: Engine,
    touched: Vec<u32>,
    is_touched: Bits,
    changed: Vec<u32>,
    is_changed: Bits,
    /// The part of each capacity by which the rates at hand are off.
    error: f64,
    updates: u32,
    water: WaterLevel,
    rising: Vec<u32>,
    /// Flows of the link at hand, how far each could rise, and what stops it.
    elsewhere: Vec<(u32, f64, u32)>,
}

impl LiveProblem {
    /// Takes over a problem and solves it. The criterion must be one of the
    /// max-min family between flows.
    ///
    /// # Errors
    /// As [`crate::solve_with_terms`]; [`AllocError::NotIncremental`] for
    /// other criteria.
    pub fn new(problem: &Problem, terms: &Terms, criterion: Criterion) -> Result<Self, AllocError> {
        let family = [Criterion::MaxMin, Criterion::WeightedMaxMin, Criterion::InverseHop, Criterion::GeneralWeighted];
        if !family.contains(&criterion) {
            return Err(AllocError::NotIncremental { criterion });
        }
        crate::solve_rates_with_terms(problem, terms, criterion)?;
        let mut live = Self::empty(criterion, problem.links.iter().map(|link| link.capacity_bps).collect());
        let weights = flow_weights(problem, criterion);
        for (index, flow) in problem.flows.iter().enumerate() {
            let demand = terms.ceiling(problem, index).0;
            let minimum = if criterion == Criterion::GeneralWeighted { terms.min_rate_bps(index) } else { 0.0 };
            live.append(flow.route.iter().map(|&link| link as u32), demand, weights[index], minimum);
        }
        live.solve_anew();
        Ok(live)
    }

    /// The same from flat arrays, under general weighted fairness (plain
    /// max-min where weights and minimum rates are left empty).
    ///
    /// # Errors
    /// As [`crate::MaxMin::solve`].
    pub fn from_arrays(arrays: &Arrays) -> Result<Self, AllocError> {
        crate::MaxMin::default().solve(arrays)?;
        let mut live = Self::empty(Criterion::GeneralWeighted, arrays.capacities_bps.to_vec());
        let entry = |list: &[f64], flow: usize, otherwise: f64| list.get(flow).copied().unwrap_or(otherwise);
        for flow in 0..arrays.flows() {
            let route = &arrays.route_links[arrays.route_starts[flow] as usize..arrays.route_starts[flow + 1] as usize];
            live.append(
                route.iter().copied(),
                entry(arrays.demands_bps, flow, f64::INFINITY),
                entry(arrays.weights, flow, 1.0),
                entry(arrays.min_rates_bps, flow, 0.0),
            );
        }
        live.solve_anew();
        Ok(live)
    }

    fn empty(criterion: Criterion, capacities: Vec<f64>) -> Self {
        let links = capacities.len();
        let mut crossing = Pool::default();
        (0..links).for_each(|_| crossing.add_row());
        let mut is_touched = Bits::default();
        is_touched.reset(links);
        Self {
            criterion,
            promised: vec![0.0; links],
            excess: capacities.clone(),
            load: vec![0.0; links],
            capacities,
            routes: Pool::default(),
            crossing,
            demands: Vec::new(),
            wanted: Vec::new(),
            minimums: Vec::new(),
            weights: Vec::new(),
            is_unweighted: true,
            is_greedy: true,
            alive: Bits::default(),
            free: Vec::new(),
            engine: Engine::default(),
            touched: Vec::new(),
            is_touched,
            changed: Vec::new(),
            is_changed: Bits::default(),
            error: f64::INFINITY,
            updates: 0,
            water: WaterLevel::default(),
            rising: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    fn append(&mut self, route: impl Iterator<Item = u32>, demand: f64, weight: f64, minimum: f64) -> usize {
        let flow = match self.free.pop() {
            Some(flow) => flow as usize,
            None => self.add_place(),
        };
        self.routes.set(flow, route);
        let granted = minimum.min(demand);
        self.demands[flow] = demand;
        self.wanted[flow] = demand - granted;
        self.minimums[flow] = minimum;
        self.weights[flow] = weight;
        self.is_unweighted &= weight == 1.0;
        self.is_greedy &= demand.is_infinite();
        self.alive.insert(flow);
        for &link in (&self.routes).list(flow) {
            self.crossing.push(link as usize, flow as u32);
            self.promised[link as usize] += granted;
            self.excess[link as usize] -= granted;
        }
        self.note(flow);
        flow
    }

    fn add_place(&mut self) -> usize {
        let flow = self.demands.len();
        self.routes.add_row();
        self.demands.push(0.0);
        self.wanted.push(0.0);
        self.minimums.push(0.0);
        self.weights.push(1.0);
        self.engine.rates.push(0.0);
        self.engine.held_by.push(NONE);
        self.alive.grow(flow + 1);
        self.is_changed.grow(flow + 1);
        self.engine.frozen.grow(flow + 1);
        self.engine.frozen.insert(flow);
        flow
    }

    /// Notes that a flow and its links must be looked at again.
    fn note(&mut self, flow: usize) {
        if !self.is_changed.has(flow) {
            self.is_changed.insert(flow);
            self.changed.push(flow as u32);
        }
        for at in 0..(&self.routes).list(flow).len() {
            let link = (&self.routes).list(flow)[at];
            self.touch(link);
        }
    }

    fn touch(&mut self, link: u32) {
        if !self.is_touched.has(link as usize) {
            self.is_touched.insert(link as usize);
            self.touched.push(link);
        }
    }

    /// Brings the rates up to date with all changes since the last update.
    pub fn update(&mut self, precision: Precision) -> Update {
        match precision {
            Precision::Within(error) if error > 0.0 && self.error.is_finite() => self.update_within(error),
            _ => self.update_exactly(),
        }
    }

    /// Rate of a flow as of the last update, bit/s; zero if there is no such
    /// flow.
    pub fn rate_bps(&self, flow: usize) -> f64 {
        if !self.has(flow) {
            return 0.0;
        }
        match self.engine.held_by[flow] {
            NONE if self.engine.rates[flow] >= self.wanted[flow] => self.demands[flow],
            _ => self.engine.rates[flow] + self.minimums[flow].min(self.demands[flow]),
        }
    }

    /// The link that holds a flow as of the last update; `None` when it has
    /// its demand.
    pub fn held_by(&self, flow: usize) -> Option<usize> {
        self.engine.held_by.get(flow).and_then(|&link| (link != NONE).then_some(link as usize))
    }

    /// Whether there is a flow of this index.
    pub fn has(&self, flow: usize) -> bool {
        flow < self.demands.len() && self.alive.has(flow)
    }

    /// One more than the largest index a flow has had.
    pub fn indices(&self) -> usize {
        self.demands.len()
    }

    /// The part of its capacity by which each link would have to differ for
    /// the rates of the last update to be exactly fair, at most.
    pub fn capacity_error(&self) -> f64 {
        self.error
    }
}
