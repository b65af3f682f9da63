//! Progressive filling over flat arrays, with storage that can be used again.

use super::Network;
use super::bits::Bits;
use super::levels::Levels;
use crate::incidence::{Lists, Rows};
use crate::interrupt::look;

/// No link: the flow has its demand.
pub(crate) const NONE: u32 = u32::MAX;

/// What a link still has to give, and to whom: sixteen bytes, as freezing a
/// flow is mostly a matter of fetching these for its links.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LinkState {
    /// Capacity not taken by frozen flows.
    pub left: f64,
    /// Weight of the flows not frozen, as a running difference. Without
    /// weights that is their number and exact. With weights it is kept a
    /// little too large, so that a level is never too high.
    pub weight: f64,
}

/// By this part, more than what rounding can do to a running difference.
const TOO_LARGE: f64 = 1e-12;

impl LinkState {
    /// The level at which the link fills up as things stand, or a little less;
    /// infinite when all its flows are known to be frozen.
    #[inline]
    fn level(&self) -> f64 {
        if self.weight > 0.0 { self.left.max(0.0) / self.weight } else { f64::INFINITY }
    }
}

/// So many rounds of filling take well below a second.
const ROUNDS_A_LOOK: u64 = 1 << 10;

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
        let waiting = self.links.iter().enumerate().filter(|(_, state)| state.weight > 0.0);
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
        if WEIGHTED {
            self.links.iter_mut().for_each(|state| state.weight *= 1.0 + TOO_LARGE);
        }
        for round in 1_u64.. {
            // A round takes less time than many a look.
            if round.is_multiple_of(ROUNDS_A_LOOK) {
                look();
            }
            let Some((level, link)) = self.levels.lowest() else { break };
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
            if self.rising.is_empty() {
                self.levels.remove_lowest();
                continue;
            }
            let state = &mut self.links[link as usize];
            state.weight = if WEIGHTED { weight * (1.0 + TOO_LARGE) } else { weight };
            let exact = state.left.max(0.0) / weight;
            if WEIGHTED && exact > level * (1.0 + 1e-9) {
                // In the running difference a light flow left over from heavy
                // ones has drowned in rounding.
                self.levels.raise_lowest(exact);
                continue;
            }
            if DEMANDS && self.meet_demands::<WEIGHTED, R>(network, exact) {
                // The others can have more; its turn may come later.
                let now = self.links[link as usize].level();
                self.levels.raise_lowest(now.max(level));
                continue;
            }
            self.filled_at[link as usize] = exact;
            let rising = std::mem::take(&mut self.rising);
            for &flow in &rising {
                let weight = if WEIGHTED { network.weights[flow as usize] } else { 1.0 };
                self.freeze(network, flow, weight * exact, weight);
                self.held_by[flow as usize] = link;
            }
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
        let on = crossing.list(link as usize);
        // Written always and counted if rising: which it is cannot be foreseen.
        self.rising.resize(on.len(), 0);
        let mut rising = 0;
        for &flow in on {
            self.rising[rising] = flow;
            rising += usize::from(!self.frozen.has(flow as usize));
        }
        self.rising.truncate(rising);
        if WEIGHTED { self.rising.iter().map(|&flow| network.weights[flow as usize]).sum() } else { rising as f64 }
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
        }
    }
}
