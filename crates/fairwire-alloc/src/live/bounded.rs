//! Updates within an error: changes are followed only as far as they matter.
//!
//! Every link has a level, infinite if it holds nobody, and every flow has
//! the least of the levels along its route, or its demand. Such rates are
//! exactly max-min fair for links whose capacity is what they carry. So a
//! link whose load is as near to its capacity as asked for can stay as it
//! is; any other gets a new level, and the change goes on from there. The
//! lowest levels come first, as they do not depend on the higher ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{LiveProblem, Update};
use crate::incidence::Lists;
use crate::water_filling::NONE;

/// Changes are followed to this part of the error asked for: errors of links
/// add up in the rates of flows, and so most rates keep within it too.
const FOLLOWED: f64 = 0.5;

/// Looks at links after which an exact update is the shorter way, for each
/// link there is.
const PATIENCE: usize = 4;

impl LiveProblem {
    pub(super) fn update_within(&mut self, error: f64) -> Update {
        let error = FOLLOWED * error;
        let mut queue = BinaryHeap::new();
        for at in 0..self.changed.len() {
            self.reset_rate(self.changed[at] as usize);
        }
        for &link in &self.touched {
            queue.push(Reverse((self.key(link), link)));
        }
        let mut first = self.touched.len();
        let mut looks = 0;
        while let Some(Reverse((_, link))) = queue.pop() {
            // Touched links may hold a flow that has no rate yet.
            let is_touched = self.is_touched.has(link as usize);
            if is_touched {
                self.is_touched.remove(link as usize);
                first -= 1;
            } else if self.is_near(link, error) {
                continue;
            }
            looks += 1;
            if looks > PATIENCE * (self.capacities.len() + 64) {
                self.error = f64::INFINITY;
                return self.update_exactly();
            }
            self.level_anew(link, error, &mut queue);
        }
        debug_assert_eq!(first, 0);
        self.settle_notes();
        self.error = self.error.max(error);
        Update { capacity_error: self.error, looked_at: looks }
    }

    /// A changed flow starts with what its links would let it have, or with
    /// nothing if none of them holds anybody.
    fn reset_rate(&mut self, flow: usize) {
        if !self.alive.has(flow) {
            return;
        }
        let (level, link) = self.level_along(flow, NONE);
        let rate = self.wanted[flow].min(self.weights[flow] * level);
        self.give(flow, if rate.is_finite() { rate } else { 0.0 }, link);
    }

    /// The least level along a route, but for one link, and where it is.
    fn level_along(&self, flow: usize, but: u32) -> (f64, u32) {
        let mut least = (f64::INFINITY, NONE);
        for &link in (&self.routes).list(flow) {
            let level = self.engine.filled_at[link as usize];
            if link != but && level < least.0 {
                least = (level, link);
            }
        }
        least
    }

    fn give(&mut self, flow: usize, rate: f64, held_by: u32) {
        let change = rate - self.engine.rates[flow];
        self.engine.rates[flow] = rate;
        self.engine.held_by[flow] = if rate >= self.wanted[flow] { NONE } else { held_by };
        if change != 0.0 {
            for &link in (&self.routes).list(flow) {
                self.load[link as usize] += change;
            }
        }
    }

    /// Whether the capacity of a link need not differ by more than `error`.
    fn is_near(&self, link: u32, error: f64) -> bool {
        let link = link as usize;
        let over = self.load[link] - self.excess[link];
        let slack = error * self.capacities[link];
        over <= slack && (self.engine.filled_at[link].is_infinite() || over >= -slack)
    }

    /// Where a link stands in the order of work.
    fn key(&self, link: u32) -> u64 {
        let level = self.engine.filled_at[link as usize];
        let share = self.excess[link as usize].max(0.0) / (&self.crossing).list(link as usize).len().max(1) as f64;
        // Floats that are zero or more are in the order of their bits.
        (if level.is_finite() { level } else { share }).max(0.0).to_bits()
    }

    /// Gives a link the level at which it is full, and its flows their rates.
    fn level_anew(&mut self, link: u32, error: f64, queue: &mut BinaryHeap<Reverse<(u64, u32)>>) {
        let mut water = std::mem::take(&mut self.water);
        let mut elsewhere = std::mem::take(&mut self.elsewhere);
        elsewhere.clear();
        for &flow in (&self.crossing).list(link as usize) {
            let at = flow as usize;
            let by = self.engine.held_by[at];
            elsewhere.push(if by == link || self.is_changed.has(at) {
                let (level, by) = self.level_along(at, link);
                (flow, level.min(self.wanted[at] / self.weights[at]), by)
            } else {
                // What holds it elsewhere shows in its rate.
                (flow, self.engine.rates[at] / self.weights[at], by)
            });
        }
        let users = elsewhere.iter().map(|&(flow, level, _)| (level, self.weights[flow as usize]));
        let level = water.of(self.excess[link as usize], users);
        self.engine.filled_at[link as usize] = level;
        for &(flow, cap, by) in &elsewhere {
            let at = flow as usize;
            if level >= cap && by == self.engine.held_by[at] && !self.is_changed.has(at) {
                // Held elsewhere before and after.
                continue;
            }
            let (rate, by) = if level < cap { (level, link) } else { (cap, by) };
            let rate = (rate * self.weights[at]).min(self.wanted[at]);
            let changes = rate != self.engine.rates[at];
            self.give(at, rate, by);
            if changes {
                for &other in (&self.routes).list(at) {
                    if other != link && !self.is_near(other, error) {
                        queue.push(Reverse((self.key(other), other)));
                    }
                }
            }
        }
        (self.water, self.elsewhere) = (water, elsewhere);
    }
}
