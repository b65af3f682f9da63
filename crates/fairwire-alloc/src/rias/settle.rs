//! A RIAS-fair matrix by letting one family at a time take what it is due.
//!
//! The iteration only has to come near enough to tell what holds each flow;
//! the exact rates then follow from a linear system, and the checker tells
//! whether they are fair. So it is interrupted at growing intervals to try.

use super::chain::Chain;
use super::insatiable::{Insatiable, Shared};
use super::layout::{Family, Layout};
use crate::interrupt::look;

/// How far each move goes, and for how many sweeps. The more ingresses
/// answer to one another, the smaller the steps must be to come to rest
/// instead of chasing each other: on a ring where everybody sends to
/// everybody, about one over the number of flows an ingress has on a link.
const STEPS: [(f64, usize); 7] =
    [(1.0, 32), (0.5, 64), (0.25, 128), (0.125, 256), (0.0625, 512), (0.03, 1024), (0.01, 4096)];

/// Sweeps over all families from `start` and offers rates and holders to
/// `accept` after 1, 2, 4, 8 … sweeps with each step and once they stand
/// still. A holder is the slot that keeps a flow from more, `None` its demand.
pub(crate) fn settle<T>(
    layout: &Layout,
    start: &[f64],
    mut accept: impl FnMut(&[f64], &[Option<usize>]) -> Option<T>,
) -> Option<T> {
    let mut work = Work::new(layout, start);
    for (step, sweeps) in STEPS {
        for sweep in 1..=sweeps {
            let mut moved = 0.0_f64;
            for family in &layout.families {
                moved = moved.max(work.advance(family, step));
            }
            let stands_still = moved <= 1e-14 * step;
            if (stands_still || sweep.is_power_of_two())
                && let Some(accepted) = accept(&work.rates, &work.holders)
            {
                return Some(accepted);
            }
            if stands_still {
                break;
            }
        }
    }
    None
}

/// What would hold each flow if every family took what it is due while the
/// others stay as they are.
pub(crate) fn holders(layout: &Layout, rates: &[f64]) -> Vec<Option<usize>> {
    let mut work = Work::new(layout, rates);
    for family in &layout.families {
        work.advance(family, 0.0);
    }
    work.holders
}

struct Work<'a> {
    layout: &'a Layout<'a>,
    rates: Vec<f64>,
    holders: Vec<Option<usize>>,
    totals: Vec<f64>,
    budgets: Vec<f64>,
    due: Vec<f64>,
    filled: Vec<f64>,
    chain: Chain,
    insatiable: Insatiable,
    claims: Vec<f64>,
    minimums: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a> Work<'a> {
    fn new(layout: &'a Layout<'a>, start: &[f64]) -> Self {
        let slots = layout.slot_link.len();
        Self {
            layout,
            rates: start.to_vec(),
            holders: vec![None; start.len()],
            totals: layout.totals(start),
            budgets: vec![0.0; slots],
            due: vec![0.0; start.len()],
            filled: vec![0.0; slots],
            chain: Chain::default(),
            insatiable: Insatiable::default(),
            claims: Vec::new(),
            minimums: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Moves one family; returns the largest move relative to capacity.
    fn advance(&mut self, family: &Family, step: f64) -> f64 {
        look();
        let layout = self.layout;
        for slot in family.slots.clone() {
            self.budgets[slot] = self.budget(slot);
        }
        let flows = layout.family_flows(family);
        let mut moved = 0.0_f64;
        if family.is_chain {
            let (due, filled) = (&mut self.due, &mut self.filled);
            self.chain.fill(layout, family, &self.budgets, due, filled);
            for (position, &flow) in flows.iter().enumerate() {
                let due = self.due[family.flows.start + position];
                moved = moved.max(self.approach(flow, due, step));
                self.holders[flow] = self.chain.holder(position);
            }
        } else {
            for &flow in flows {
                look();
                let (due, holder) = self.due_inside(flow);
                moved = moved.max(self.approach(flow, due, step));
                self.holders[flow] = holder;
            }
        }
        for slot in family.slots.clone() {
            self.totals[slot] = layout.slot_flows.indices(slot).map(|flow| self.rates[flow]).sum();
        }
        moved
    }

    fn approach(&mut self, flow: usize, due: f64, step: f64) -> f64 {
        let change = step * (due - self.rates[flow]);
        self.rates[flow] += change;
        change.abs() / self.layout.narrowest(flow)
    }

    /// What the family of a slot could claim there were it insatiable.
    fn budget(&mut self, slot: usize) -> f64 {
        let layout = self.layout;
        let slots = layout.link_slots.row(layout.slot_link[slot]);
        self.claims.clear();
        self.minimums.clear();
        self.weights.clear();
        for &other in slots {
            self.claims.push(self.totals[other as usize]);
            self.minimums.push(layout.slot_minimum[other as usize]);
            self.weights.push(layout.slot_weight[other as usize]);
        }
        let at = slots.iter().position(|&other| other as usize == slot).unwrap_or(0);
        let shared = Shared {
            capacity: layout.slot_capacity(slot),
            claims: &self.claims,
            minimums: &self.minimums,
            weights: &self.weights,
        };
        self.insatiable.share(&shared, at)
    }

    /// What a flow could have inside the budgets were it insatiable, and what
    /// keeps it from more.
    fn due_inside(&mut self, flow: usize) -> (f64, Option<usize>) {
        let layout = self.layout;
        let mut due = layout.problem.flows[flow].demand_bps;
        let mut holder = None;
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
            let (claims, weights) = (&self.claims, &self.weights);
            let share = self.insatiable.share(&Shared { capacity: budget, claims, minimums: &[], weights }, at);
            if share < due {
                (due, holder) = (share, Some(slot));
            }
        }
        (due, holder)
    }
}
