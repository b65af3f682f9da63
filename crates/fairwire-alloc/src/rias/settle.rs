//! A RIAS-fair matrix by letting one family at a time take what it is due.
//!
//! The iteration only has to come near enough for the limits to be read off;
//! the exact rates then follow from the linear system, and the checker tells
//! whether they are fair. So it is interrupted at growing intervals to try.

use super::chain::Chain;
use super::insatiable::Insatiable;
use super::layout::{Family, Layout};

/// Sweeps after which the search is given up.
const MAX_SWEEPS: usize = 4096;

/// Sweeps over all families from `start`, moving each by `step` of the way
/// (1 is all the way; less damps the rare chase), and offers the rates to
/// `accept` after 1, 2, 4, 8 … sweeps and once they stand still.
pub(crate) fn settle<T>(
    layout: &Layout,
    start: &[f64],
    step: f64,
    mut accept: impl FnMut(&[f64]) -> Option<T>,
) -> Option<T> {
    let mut work = Work::new(layout, start);
    let mut next_offer = 1;
    for sweep in 1..=MAX_SWEEPS {
        let mut moved = 0.0_f64;
        for family in &layout.families {
            moved = moved.max(work.advance(family, step));
        }
        let stands_still = moved <= 1e-14 * step;
        if stands_still || sweep == next_offer {
            next_offer *= 2;
            if let Some(accepted) = accept(&work.rates) {
                return Some(accepted);
            }
        }
        if stands_still {
            return None;
        }
    }
    None
}

struct Work<'a> {
    layout: &'a Layout<'a>,
    rates: Vec<f64>,
    totals: Vec<f64>,
    budgets: Vec<f64>,
    due: Vec<f64>,
    filled: Vec<f64>,
    chain: Chain,
    insatiable: Insatiable,
    claims: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a> Work<'a> {
    fn new(layout: &'a Layout<'a>, start: &[f64]) -> Self {
        let slots = layout.slot_link.len();
        Self {
            layout,
            rates: start.to_vec(),
            totals: layout.totals(start),
            budgets: vec![0.0; slots],
            due: vec![0.0; start.len()],
            filled: vec![0.0; slots],
            chain: Chain::default(),
            insatiable: Insatiable::default(),
            claims: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Moves one family; returns the largest move relative to capacity.
    fn advance(&mut self, family: &Family, step: f64) -> f64 {
        let layout = self.layout;
        for slot in family.slots.clone() {
            self.budgets[slot] = self.budget(slot);
        }
        let flows = layout.family_flows(family);
        if family.is_chain {
            let (due, filled) = (&mut self.due, &mut self.filled);
            self.chain.fill(layout, family, &self.budgets, due, filled);
        } else {
            for (position, &flow) in family.flows.clone().zip(flows) {
                self.due[position] = self.due_inside(flow);
                // The siblings must see the move at once.
                let change = step * (self.due[position] - self.rates[flow]);
                self.due[position] = self.rates[flow] + change;
                std::mem::swap(&mut self.rates[flow], &mut self.due[position]);
            }
            for (position, &flow) in family.flows.clone().zip(flows) {
                std::mem::swap(&mut self.rates[flow], &mut self.due[position]);
            }
        }
        let step = if family.is_chain { step } else { 1.0 };
        let mut moved = 0.0_f64;
        for (position, &flow) in family.flows.clone().zip(flows) {
            let change = step * (self.due[position] - self.rates[flow]);
            moved = moved.max(change.abs() / layout.narrowest(flow));
            self.rates[flow] += change;
        }
        for slot in family.slots.clone() {
            self.totals[slot] =
                layout.slot_flows.indices(slot).map(|flow| self.rates[flow]).sum();
        }
        moved
    }

    /// What the family of a slot could claim there were it insatiable.
    fn budget(&mut self, slot: usize) -> f64 {
        let layout = self.layout;
        let slots = layout.link_slots.row(layout.slot_link[slot]);
        self.claims.clear();
        self.weights.clear();
        for &other in slots {
            self.claims.push(self.totals[other as usize]);
            self.weights.push(layout.slot_weight[other as usize]);
        }
        let at = slots.iter().position(|&other| other as usize == slot).unwrap_or(0);
        self.insatiable.share(layout.slot_capacity(slot), &self.claims, &self.weights, at)
    }

    /// What a flow could have inside the budgets were it insatiable.
    fn due_inside(&mut self, flow: usize) -> f64 {
        let layout = self.layout;
        let mut due = layout.problem.flows[flow].demand_bps;
        for slot in layout.flow_slots.indices(flow) {
            self.claims.clear();
            self.weights.clear();
            let mut at = 0;
            for (position, own) in layout.slot_flows.indices(slot).enumerate() {
                if own == flow {
                    at = position;
                }
                self.claims.push(self.rates[own]);
                self.weights.push(layout.problem.flows[own].weight);
            }
            let budget = self.budgets[slot];
            due = due.min(self.insatiable.share(budget, &self.claims, &self.weights, at));
        }
        due
    }
}
