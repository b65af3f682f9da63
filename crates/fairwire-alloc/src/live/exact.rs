//! Exact updates: the filling is taken up where it first goes another way.
//!
//! Links fill up in the order of their levels. Below the lowest level at
//! which a touched link filled up or fills up now, everything goes as before;
//! what was frozen there stays frozen, and the rest is filled again.

use super::{LiveProblem, Update};
use crate::incidence::Lists;
use crate::water_filling::{NONE, Network};

/// Below the level found by this part, for rounding.
const MARGIN: f64 = 1e-9;
/// Updates after which running sums are made anew.
const FRESH_SUMS: u32 = 256;

impl LiveProblem {
    /// Fills from zero, whatever was before.
    pub(super) fn solve_anew(&mut self) {
        let (flows, links) = (self.demands.len(), self.capacities.len());
        self.engine.clear(flows, links);
        (0..flows).for_each(|flow| self.engine.frozen.insert(flow));
        self.load.iter_mut().for_each(|load| *load = 0.0);
        self.fill_from(0.0);
    }

    pub(super) fn update_exactly(&mut self) -> Update {
        let is_off = self.error != 0.0;
        if self.touched.is_empty() && !is_off {
            return Update { capacity_error: 0.0, looked_at: 0 };
        }
        self.updates += 1;
        if is_off || self.updates.is_multiple_of(FRESH_SUMS) {
            self.solve_anew();
        } else {
            let cut = self.first_difference() * (1.0 - MARGIN);
            self.fill_from(cut);
        }
        Update { capacity_error: 0.0, looked_at: self.rising.len() }
    }

    /// The lowest level at which a touched link filled up or would now.
    fn first_difference(&mut self) -> f64 {
        let mut lowest = f64::INFINITY;
        let mut water = std::mem::take(&mut self.water);
        for &link in &self.touched {
            let link = link as usize;
            let rises = |&flow: &u32| {
                let flow = flow as usize;
                let weight = self.weights[flow];
                let to = if self.is_changed.has(flow) { self.wanted[flow] } else { self.engine.rates[flow] };
                (to / weight, weight)
            };
            let now = water.of(self.excess[link], (&self.crossing).list(link).iter().map(rises));
            lowest = lowest.min(now).min(self.engine.filled_at[link]);
        }
        self.water = water;
        lowest
    }

    /// Thaws every flow at or above a level, and the changed ones, and fills
    /// again.
    fn fill_from(&mut self, cut: f64) {
        let engine = &mut self.engine;
        self.rising.clear();
        for (flow, (&rate, &weight)) in engine.rates.iter().zip(&self.weights).enumerate() {
            if rate >= cut * weight || self.is_changed.has(flow) {
                self.rising.push(flow as u32);
            }
        }
        for (link, state) in engine.links.iter_mut().enumerate() {
            (state.left, state.weight) = (self.excess[link] - self.load[link], 0.0);
        }
        engine.filled_at.iter_mut().filter(|level| **level >= cut).for_each(|level| *level = f64::INFINITY);
        for &flow in &self.rising {
            let flow = flow as usize;
            for &link in (&self.routes).list(flow) {
                let state = &mut engine.links[link as usize];
                state.left += engine.rates[flow];
                state.weight += self.weights[flow];
            }
            engine.rates[flow] = 0.0;
            engine.held_by[flow] = NONE;
            engine.frozen.remove(flow);
        }
        engine.line_up();
        let network = Network {
            capacities: &self.excess,
            routes: &self.routes,
            demands: if self.is_greedy { &[] } else { &self.wanted },
            weights: if self.is_unweighted { &[] } else { &self.weights },
        };
        engine.fill_links(&network, &self.crossing);
        for &flow in &self.rising {
            if !engine.frozen.has(flow as usize) {
                engine.freeze(&network, flow, self.wanted[flow as usize], self.weights[flow as usize]);
            }
        }
        for (link, state) in engine.links.iter().enumerate() {
            self.load[link] = self.excess[link] - state.left;
        }
        self.settle_notes();
        self.error = 0.0;
    }

    /// All that was noted has been dealt with.
    pub(super) fn settle_notes(&mut self) {
        for link in self.touched.drain(..) {
            self.is_touched.remove(link as usize);
        }
        for flow in self.changed.drain(..) {
            self.is_changed.remove(flow as usize);
        }
    }
}
