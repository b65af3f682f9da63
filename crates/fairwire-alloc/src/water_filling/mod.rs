//! Max-min over a network: raise all rates together, freeze what is held.
//!
//! Progressive filling (`[wmfqc] §II` calls the result max-min fair) without
//! rounds: the *level* of a link is the rate per unit of weight at which it
//! fills up. Levels never sink while flows freeze below them, so an old level
//! is a lower bound, corrected when its turn comes. A demand counts when a
//! link that its flow crosses comes up at that level or above; so demands
//! need no order of their own. Cost: O(P + K log L) for P crossings of flows
//! over L links that come up K times, a few times each.

mod bits;
mod engine;
mod levels;

pub(crate) use bits::Bits;
pub(crate) use engine::{Engine, NONE};

use crate::incidence::Rows;

/// Capacities, and flows with routes over them.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a, R = Rows<'a>> {
    /// Capacity of each link.
    pub capacities: &'a [f64],
    /// Links of each flow.
    pub routes: R,
    /// The most each flow takes, possibly infinite; empty if all are.
    pub demands: &'a [f64],
    /// Weight of each flow; empty if all are 1.
    pub weights: &'a [f64],
}

/// Rates, and the link that holds each flow (`None`: it has its demand).
pub(crate) struct Filled {
    pub rates: Vec<f64>,
    pub bottleneck: Vec<Option<usize>>,
}

/// Weighted max-min rates of `network`.
pub(crate) fn fill(network: &Network) -> Filled {
    let crossing = network.routes.transposed(network.capacities.len());
    let mut engine = Engine::default();
    engine.start(network, crossing.rows());
    engine.run(network, crossing.rows());
    let bottleneck = engine.held_by.iter().map(|&link| (link != NONE).then_some(link as usize)).collect();
    Filled { rates: std::mem::take(&mut engine.rates), bottleneck }
}
