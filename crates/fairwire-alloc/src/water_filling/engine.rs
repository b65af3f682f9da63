//! Progressive filling over flat arrays, with storage that can be used again.

use super::Network;
use super::bits::Bits;
use super::levels::Levels;
use crate::incidence::{Lists, Rows};

/// No link: the flow has its demand.
pub(crate) const NONE: u32 = u32::MAX;

/// What a link still has to give, and to whom.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LinkState {
    /// Capacity not taken by frozen flows.
    pub left: f64,
    /// Weight of the flows not frozen, as a running difference.
    pub weight: f64,
    /// Number of flows not frozen.
    pub active: u32,
}

impl LinkState {
    /// The level at which the link fills up as things stand; infinite when
    /// all its flows are frozen.
    #[inline]
    fn level(&self) -> f64 {
        match self.active {
            0 => f64::INFINITY,
            _ => self.left.max(0.0) / self.weight.max(f64::MIN_POSITIVE),
        }
    }
}

/// The state of a filling. `rates` and `held_by` are the answer when
/// [`Engine::run`] is done.
#[derive(Debug, Clone, Default)]
pub(crate) struct Engine {
    /// Rate of each flow.
    pub rates: Vec<f64>,
    /// Link that holds each flow, or [`NONE`].
    pub held_by: Vec<u32>,
    /// Level at which each link filled up; infinite for links with room.
    pub filled_at: Vec<f64>,
    pub links: Vec<LinkState>,
    pub frozen: Bits,
    levels: Levels,
    /// Flows of the link at hand that are not frozen.
    rising: Vec<u32>,
}

impl Engine {
    /// Everybody at zero.
    pub fn start(&mut self, network: &Network, crossing: Rows) {
        let flows = network.routes.len();
        self.clear(flows, network.capacities.len());
        for (link, state) in self.links.iter_mut().enumerate() {
            let on = crossing.row(link);
            *state = LinkState {
                left: network.capacities[link],
                weight: match network.weights {
                    [] => on.len() as f64,
                    weights => on.iter().map(|&flow| weights[flow as usize]).sum(),
                },
                active: on.len() as u32,
            };
        }
        self.line_up();
    }

    /// Nobody frozen, no link known.
    pub fn clear(&mut self, flows: usize, links: usize) {
        self.rates.clear();
        self.rates.resize(flows, 0.0);
        self.held_by.clear();
        self.held_by.resize(flows, NONE);
        self.frozen.reset(flows);
        self.links.clear();
        self.links.resize(links, LinkState::default());
        self.filled_at.clear();
        self.filled_at.resize(links, f64::INFINITY);
    }

    /// Puts all links that have rising flows in the order of their levels.
    pub fn line_up(&mut self) {
        let waiting = self.links.iter().enumerate().filter(|(_, state)| state.active > 0);
        self.levels.reset(waiting.map(|(link, state)| (state.level(), link as u32)));
    }

    /// Fills until everybody is held by a link or has its demand.
    pub fn run(&mut self, network: &Network, crossing: Rows) {
        self.fill_links(network, crossing);
        if !network.demands.is_empty() {
            // Who was held by no link has its demand.
            for (flow, rate) in self.rates.iter_mut().enumerate() {
                if !self.frozen.has(flow) {
                    *rate = network.demands[flow];
                }
            }
        }
    }

    /// Fills until no link holds any more flows; those left over can have
    /// their demand.
    pub fn fill_links<R: Lists, C: Lists>(&mut self, network: &Network<R>, crossing: C) {
        match (network.weights.is_empty(), network.demands.is_empty()) {
            (true, true) => self.fill::<false, false, R, C>(network, crossing),
            (true, false) => self.fill::<false, true, R, C>(network, crossing),
            (false, true) => self.fill::<true, false, R, C>(network, crossing),
            (false, false) => self.fill::<true, true, R, C>(network, crossing),
        }
    }

    fn fill<const WEIGHTED: bool, const DEMANDS: bool, R: Lists, C: Lists>(
        &mut self,
        network: &Network<R>,
        crossing: C,
    ) {
        while let Some((level, link)) = self.levels.lowest() {
            let now = self.links[link as usize].level();
            // Equal within rounding is equal: without the slack a link could
            // chase its own last digit.
            if now > level * (1.0 + 1e-12) {
                if now.is_finite() {
                    self.levels.raise_lowest(now);
                } else {
                    self.levels.remove_lowest();
                }
                continue;
            }
            let weight = self.gather::<WEIGHTED, R, C>(network, crossing, link);
            let state = &mut self.links[link as usize];
            if WEIGHTED {
                // In the running difference a light flow left over from heavy
                // ones would drown in rounding.
                state.weight = weight;
                let exact = state.level();
                if exact > level * (1.0 + 1e-9) {
                    self.levels.raise_lowest(exact);
                    continue;
                }
            }
            let level = self.links[link as usize].level();
            if DEMANDS && self.meet_demands::<WEIGHTED, R>(network, level) {
                // The others can have more; its turn may come later.
                let now = self.links[link as usize].level();
                self.levels.raise_lowest(now.max(level));
                continue;
            }
            self.filled_at[link as usize] = level;
            let mut rising = std::mem::take(&mut self.rising);
            for &flow in &rising {
                let weight = if WEIGHTED { network.weights[flow as usize] } else { 1.0 };
                self.freeze(network, flow, weight * level, weight);
                self.held_by[flow as usize] = link;
            }
            rising.clear();
            self.rising = rising;
            self.levels.remove_lowest();
        }
    }

    /// Collects the flows on a link that are not frozen; returns their weight.
    #[inline]
    fn gather<const WEIGHTED: bool, R: Lists, C: Lists>(
        &mut self,
        network: &Network<R>,
        crossing: C,
        link: u32,
    ) -> f64 {
        self.rising.clear();
        let mut weight = 0.0;
        for &flow in crossing.list(link as usize) {
            if !self.frozen.has(flow as usize) {
                self.rising.push(flow);
                if WEIGHTED {
                    weight += network.weights[flow as usize];
                }
            }
        }
        weight
    }

    /// Freezes those of the collected flows that want no more than `level`;
    /// tells whether there were any. No link of theirs fills up earlier.
    fn meet_demands<const WEIGHTED: bool, R: Lists>(&mut self, network: &Network<R>, level: f64) -> bool {
        let mut any = false;
        for at in 0..self.rising.len() {
            let flow = self.rising[at];
            let demand = network.demands[flow as usize];
            let weight = if WEIGHTED { network.weights[flow as usize] } else { 1.0 };
            if demand <= weight * level {
                self.freeze(network, flow, demand, weight);
                any = true;
            }
        }
        any
    }

    /// Gives a flow its rate and takes it from all its links.
    #[inline]
    pub fn freeze<R: Lists>(&mut self, network: &Network<R>, flow: u32, rate: f64, weight: f64) {
        self.rates[flow as usize] = rate;
        self.frozen.insert(flow as usize);
        for &link in network.routes.list(flow as usize) {
            let state = &mut self.links[link as usize];
            state.left -= rate;
            state.weight -= weight;
            state.active -= 1;
        }
    }
}
