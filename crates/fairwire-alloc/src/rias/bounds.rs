//! Intervals that contain every RIAS-fair matrix.
//!
//! More traffic of the others means less for a family, so the map from the
//! others' aggregates to a family's own is antitone: applied to a lower bound
//! it gives an upper bound and the other way round. Where the two meet, the
//! fair matrix is unique, and that is proved without trusting an iteration.
//!
//! For a chain of routes the aggregates of a family grow with every budget,
//! so one max-min a family and round does. On a mesh that is not so (a wider
//! link can shift rate from one branch to another); there the map is applied
//! flow by flow, which is antitone on any network but closes more slowly.

use super::chain::Chain;
use super::insatiable::{Insatiable, Shared};
use super::layout::{Family, Layout};
use crate::interrupt::look;

/// Bounds this close, relative to capacity, are taken to have met.
pub(crate) const CLOSED: f64 = 1e-10;
/// Progress of all intervals together, relative to capacity, below which
/// bounds are left as they are …
const STALLED: f64 = 1e-12;
/// … and the number of rounds over which it is measured.
const PERIOD: usize = 4;
/// Rounds after which the work is left to the enumeration.
const MAX_ROUNDS: usize = 2000;

/// Rounds spent on bounds of single flows once the aggregates are bounded.
const MAX_FLOW_ROUNDS: usize = 64;

/// Two values a quantity lies between, for many quantities.
#[derive(Debug, Clone)]
pub(crate) struct Intervals {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

impl Intervals {
    /// Keeps the tighter of the bounds at hand and the ones given. Rounding
    /// may make them cross by a hair; then both become the middle.
    fn tighten(&mut self, at: usize, low: f64, high: f64) {
        self.low[at] = self.low[at].max(low);
        self.high[at] = self.high[at].min(high);
        if self.low[at] > self.high[at] {
            let middle = self.low[at].midpoint(self.high[at]);
            self.low[at] = middle;
            self.high[at] = middle;
        }
    }
}

/// What is known about all fair matrices at once.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Rate of each flow, bit/s.
    pub rates: Intervals,
    /// Every interval has closed: the fair matrix is unique.
    pub closed: bool,
}

/// Bounds on all RIAS-fair matrices of the problem.
pub(crate) fn bound(layout: &Layout) -> Bounds {
    let mut work = Work::new(layout);
    let mut openness = f64::INFINITY;
    for round in 1..=MAX_ROUNDS {
        work.tighten(Side::Low);
        work.tighten(Side::High);
        // Where one interval stays open for good, the others must still be
        // let close: the sum of all tells.
        let now: f64 = work.widths().sum();
        if now <= CLOSED / 100.0 || (round % PERIOD == 0 && openness - now <= STALLED) {
            break;
        }
        if round % PERIOD == 0 {
            openness = now;
        }
    }
    work.into_bounds()
}

struct Work<'a> {
    layout: &'a Layout<'a>,
    totals: Intervals,
    /// Maintained for mesh families only, until the end.
    rates: Intervals,
    /// Largest and smallest claim a family may have on each slot.
    budgets: Intervals,
    insatiable: Insatiable,
    chain: Chain,
    claims: Vec<f64>,
    minimums: Vec<f64>,
    weights: Vec<f64>,
    shares: Vec<f64>,
    /// Scratch by flow index.
    bound_of_flow: Vec<f64>,
    /// Scratch in the order of [`Layout::order`].
    ordered_rates: Vec<f64>,
    /// Scratch by slot.
    filled: Vec<f64>,
}

impl<'a> Work<'a> {
    fn new(layout: &'a Layout<'a>) -> Self {
        let slots = layout.slot_link.len();
        let flows = layout.problem.flows.len();
        let capacity: Vec<f64> = (0..slots).map(|slot| layout.slot_capacity(slot)).collect();
        let most: Vec<f64> =
            (0..flows).map(|flow| layout.problem.flows[flow].demand_bps.min(layout.narrowest(flow))).collect();
        Self {
            layout,
            totals: Intervals { low: vec![0.0; slots], high: capacity.clone() },
            rates: Intervals { low: vec![0.0; flows], high: most },
            budgets: Intervals { low: vec![0.0; slots], high: capacity },
            insatiable: Insatiable::default(),
            chain: Chain::default(),
            claims: Vec::new(),
            minimums: Vec::new(),
            weights: Vec::new(),
            shares: Vec::new(),
            bound_of_flow: vec![0.0; flows],
            ordered_rates: vec![0.0; flows],
            filled: vec![0.0; slots],
        }
    }

    /// Bounds of the others on one side give new bounds on the other side.
    fn tighten(&mut self, side: Side) {
        self.claim(side);
        let layout = self.layout;
        for family in &layout.families {
            look();
            if !family.is_chain {
                self.bound_flows(family);
                continue;
            }
            let budgets = match side {
                Side::Low => &self.budgets.low,
                Side::High => &self.budgets.high,
            };
            let (rates, totals) = (&mut self.ordered_rates, &mut self.filled);
            self.chain.fill(layout, family, budgets, rates, totals);
            for slot in family.slots.clone() {
                match side {
                    Side::Low => self.totals.tighten(slot, self.filled[slot], f64::INFINITY),
                    Side::High => self.totals.tighten(slot, 0.0, self.filled[slot]),
                }
            }
        }
    }

    /// Recomputes the budgets on one side from the totals on the other.
    fn claim(&mut self, side: Side) {
        let layout = self.layout;
        for (link, of_link) in layout.problem.links.iter().enumerate() {
            look();
            let slots = layout.link_slots.row(link);
            let (totals, budgets) = match side {
                Side::Low => (&self.totals.high, &mut self.budgets.low),
                Side::High => (&self.totals.low, &mut self.budgets.high),
            };
            self.claims.clear();
            self.minimums.clear();
            self.weights.clear();
            for &slot in slots {
                self.claims.push(totals[slot as usize]);
                self.minimums.push(layout.slot_minimum[slot as usize]);
                self.weights.push(layout.slot_weight[slot as usize]);
            }
            let shared = Shared {
                capacity: of_link.capacity_bps,
                claims: &self.claims,
                minimums: &self.minimums,
                weights: &self.weights,
            };
            self.insatiable.shares(&shared, &mut self.shares);
            for (&slot, &share) in slots.iter().zip(&self.shares) {
                budgets[slot as usize] = share;
            }
        }
    }

    /// One round of the map flow by flow, inside the budgets at hand.
    fn bound_flows(&mut self, family: &Family) {
        let layout = self.layout;
        for side in [Side::Low, Side::High] {
            let flows = layout.family_flows(family);
            for &flow in flows {
                self.bound_of_flow[flow] = layout.problem.flows[flow].demand_bps;
            }
            for slot in family.slots.clone() {
                look();
                let (budget, others) = match side {
                    Side::Low => (self.budgets.low[slot], &self.rates.high),
                    Side::High => (self.budgets.high[slot], &self.rates.low),
                };
                self.claims.clear();
                self.weights.clear();
                for flow in layout.slot_flows.indices(slot) {
                    self.claims.push(others[flow]);
                    self.weights.push(layout.problem.flows[flow].weight);
                }
                let (claims, weights) = (&self.claims, &self.weights);
                let shared = Shared { capacity: budget, claims, minimums: &[], weights };
                self.insatiable.shares(&shared, &mut self.shares);
                for (flow, &share) in layout.slot_flows.indices(slot).zip(&self.shares) {
                    self.bound_of_flow[flow] = self.bound_of_flow[flow].min(share);
                }
            }
            for &flow in flows {
                let bound = self.bound_of_flow[flow];
                match side {
                    Side::Low => self.rates.tighten(flow, bound, f64::INFINITY),
                    Side::High => self.rates.tighten(flow, 0.0, bound),
                }
            }
        }
        self.reconcile(family);
    }

    /// Lets flows and aggregates of one family bound each other.
    fn reconcile(&mut self, family: &Family) {
        for slot in family.slots.clone() {
            let flows = || self.layout.slot_flows.indices(slot);
            let low: f64 = flows().map(|flow| self.rates.low[flow]).sum();
            let high: f64 = flows().map(|flow| self.rates.high[flow]).sum();
            self.totals.tighten(slot, low, high.min(self.budgets.high[slot]));
            let (least, most) = (self.totals.low[slot], self.totals.high[slot]);
            for flow in self.layout.slot_flows.indices(slot) {
                let (own_low, own_high) = (self.rates.low[flow], self.rates.high[flow]);
                let floor = least - (high - own_high);
                let ceiling = most - (low - own_low);
                self.rates.tighten(flow, floor, ceiling.max(own_low));
            }
        }
    }

    /// Width of every interval, relative to capacity.
    fn widths(&self) -> impl Iterator<Item = f64> {
        let totals = (0..self.totals.low.len())
            .map(|slot| (self.totals.high[slot] - self.totals.low[slot]) / self.layout.slot_capacity(slot));
        let mesh = self.layout.families.iter().filter(|family| !family.is_chain);
        let rates = mesh
            .flat_map(|family| self.layout.family_flows(family))
            .map(|&flow| (self.rates.high[flow] - self.rates.low[flow]) / self.layout.narrowest(flow));
        totals.chain(rates)
    }

    fn into_bounds(mut self) -> Bounds {
        let closed = self.widths().all(|width| width <= CLOSED);
        if closed {
            self.close_rates();
        } else {
            self.claim(Side::Low);
            self.claim(Side::High);
            let mut openness = f64::INFINITY;
            for _ in 0..MAX_FLOW_ROUNDS {
                for family in &self.layout.families {
                    self.bound_flows(family);
                }
                let (low, high) = (&self.rates.low, &self.rates.high);
                let widths = low.iter().zip(high).enumerate();
                let now: f64 = widths.map(|(flow, (low, high))| (high - low) / self.layout.narrowest(flow)).sum();
                if openness - now <= 1e-3 * now {
                    break;
                }
                openness = now;
            }
        }
        Bounds { rates: self.rates, closed }
    }

    /// With all aggregates known the rates follow.
    fn close_rates(&mut self) {
        for (low, high) in self.totals.low.iter_mut().zip(&mut self.totals.high) {
            let middle = low.midpoint(*high);
            *low = middle;
            *high = middle;
        }
        self.claim(Side::High);
        for family in &self.layout.families {
            if family.is_chain {
                self.chain.fill(self.layout, family, &self.budgets.high, &mut self.ordered_rates, &mut self.filled);
                let range = family.flows.clone();
                let filled = &self.ordered_rates[range];
                for (&flow, &rate) in self.layout.family_flows(family).iter().zip(filled) {
                    self.rates.low[flow] = rate;
                    self.rates.high[flow] = rate;
                }
            }
        }
        for (low, high) in self.rates.low.iter_mut().zip(&mut self.rates.high) {
            let middle = low.midpoint(*high);
            *low = middle;
            *high = middle;
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Low,
    High,
}
