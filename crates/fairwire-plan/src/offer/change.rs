//! What a flow offers becomes another rate on the way.

use super::{Arrivals, Offer};
use crate::error::PlanError;
use fairwire_core::{BitRate, Instant};

/// From some time on every micro-flow of a flow offers another mean rate, in the same pattern: its source begins anew then,
/// with the random numbers that follow. A flow without end in a network offers it at a constant rate from then on. What
/// has not begun by then begins at its own time, and what has stopped stays silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemandChange {
    /// From when on. Of several changes of a flow at one instant the last one counts.
    pub at: Instant,
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// Bits per second; at zero it is silent.
    pub demand: BitRate,
}

impl DemandChange {
    /// Finds what is wrong with the change of a flow of this name and offer; none if there is no such flow.
    pub(crate) fn check(&self, flow: Option<(&str, &Offer)>, greedy_can: bool) -> Result<(), PlanError> {
        let wrong = match flow {
            None => format!("the demand of flow {} is to change, and there is none", self.flow),
            Some((name, offer)) => match offer.steadfast(greedy_can) {
                None => return Ok(()),
                Some(why) => format!("the demand of flow {name} cannot change: it {why}"),
            },
        };
        Err(PlanError::Range(wrong))
    }
}

impl Offer {
    /// Why what is offered cannot change its rate, if it cannot; `greedy_can` where sources without end have a rate.
    pub fn steadfast(&self, greedy_can: bool) -> Option<&'static str> {
        match self.datagrams().map(|traffic| traffic.arrivals) {
            Some(Arrivals::Cbr { .. } | Arrivals::Poisson { .. }) => None,
            Some(Arrivals::Greedy) if greedy_can => None,
            Some(Arrivals::Greedy) => Some("sends without end, as its station allows"),
            Some(Arrivals::ParetoOnOff { .. }) => Some("is on and off by chance"),
            None if self.tcp().is_some() => Some("is made of TCP connections"),
            None => Some("sends at the rate that switches tell"),
        }
    }
}

impl Arrivals {
    /// The same pattern at another mean rate above zero; at a constant one, of demand without end. None of a pattern that has
    /// none to change.
    pub fn at_rate(&self, rate: BitRate) -> Option<Self> {
        match *self {
            Self::Greedy => Some(Self::Cbr { rate, jitter: 0.0 }),
            Self::Cbr { jitter, .. } => Some(Self::Cbr { rate, jitter }),
            Self::Poisson { .. } => Some(Self::Poisson { rate }),
            Self::ParetoOnOff { .. } => None,
        }
    }
}
