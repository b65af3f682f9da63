//! What flows and ingresses have been promised, and what they may have at most.

use crate::{AllocError, Problem};

/// The promises and ceilings that stand beside a [`Problem`].
///
/// Each list has one entry a flow (or a node), or is empty: then nobody is
/// promised anything, and nobody is held by it. Which criterion heeds what:
///
/// | list | heeded by |
/// | --- | --- |
/// | `min_rates_bps` | general-weighted |
/// | `peak_rates_bps`, `supported_rates_bps` | every criterion, like a demand |
/// | `ingress_min_rates_bps` | rias |
///
/// The rates of a flow are those of `[wmfqc] §II`: minimum, peak and
/// supported rate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    /// Guaranteed rate of each flow, bit/s; what a flow does not demand of it
    /// is free for others.
    pub min_rates_bps: Vec<f64>,
    /// What each flow may send at most, bit/s, possibly infinite.
    pub peak_rates_bps: Vec<f64>,
    /// What the equipment along each flow's way lets through, bit/s, possibly
    /// infinite.
    pub supported_rates_bps: Vec<f64>,
    /// Guaranteed rate of each node as an ingress on every link that its
    /// flows cross, bit/s; what they do not demand of it is free for others.
    pub ingress_min_rates_bps: Vec<f64>,
}

/// What sets the most that a flow can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ceiling {
    /// It asks for no more.
    Demand,
    /// It may not send more.
    Peak,
    /// The equipment lets no more through.
    Supported,
}

impl Ceiling {
    /// As answers call it: `demand`, `peak` or `supported`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Demand => "demand",
            Self::Peak => "peak",
            Self::Supported => "supported",
        }
    }
}

impl Terms {
    /// Checks the lists against the problem they belong to.
    ///
    /// # Errors
    /// A list of the wrong length, a rate that is none, or a minimum above
    /// the peak or supported rate of its flow. Whether all minimums fit into
    /// the links is for the solvers to say.
    pub fn validate(&self, problem: &Problem) -> Result<(), AllocError> {
        let flows = problem.flows.len();
        let count = |what: &'static str, given: usize, wanted: usize| {
            if given == 0 || given == wanted { Ok(()) } else { Err(AllocError::TermCount { what, given, wanted }) }
        };
        count("minimum rates for flows", self.min_rates_bps.len(), flows)?;
        count("peak rates", self.peak_rates_bps.len(), flows)?;
        count("supported rates", self.supported_rates_bps.len(), flows)?;
        count("minimum rates for ingresses", self.ingress_min_rates_bps.len(), problem.nodes.len())?;
        for (index, flow) in problem.flows.iter().enumerate() {
            self.validate_flow(index).map_err(|(what, rate_bps)| AllocError::Term {
                what,
                of: flow.id.clone(),
                rate_bps,
            })?;
            let (min_bps, most_bps) = (self.min_rate_bps(index), self.cap_bps(index));
            if min_bps > most_bps {
                return Err(AllocError::MinimumOverPeak { flow: flow.id.clone(), min_bps, most_bps });
            }
        }
        for (node, &rate_bps) in problem.nodes.iter().zip(&self.ingress_min_rates_bps) {
            if !is_promise(rate_bps) {
                return Err(AllocError::Term { what: "minimum rate", of: node.clone(), rate_bps });
            }
        }
        Ok(())
    }

    fn validate_flow(&self, flow: usize) -> Result<(), (&'static str, f64)> {
        let promise = self.min_rate_bps(flow);
        if !is_promise(promise) {
            return Err(("minimum rate", promise));
        }
        for (what, list) in [("peak rate", &self.peak_rates_bps), ("supported rate", &self.supported_rates_bps)] {
            let rate = entry(list, flow, f64::INFINITY);
            if rate.is_nan() || rate < 0.0 {
                return Err((what, rate));
            }
        }
        Ok(())
    }

    /// Guaranteed rate of a flow, bit/s; zero if nothing is said.
    pub fn min_rate_bps(&self, flow: usize) -> f64 {
        entry(&self.min_rates_bps, flow, 0.0)
    }

    /// The most that a flow can have whatever the links carry, bit/s, and
    /// what sets it.
    pub fn ceiling(&self, problem: &Problem, flow: usize) -> (f64, Ceiling) {
        let demand = (problem.flows[flow].demand_bps, Ceiling::Demand);
        let peak = (entry(&self.peak_rates_bps, flow, f64::INFINITY), Ceiling::Peak);
        let supported = (entry(&self.supported_rates_bps, flow, f64::INFINITY), Ceiling::Supported);
        [peak, supported].into_iter().fold(demand, |least, other| if other.0 < least.0 { other } else { least })
    }

    /// The problem with every demand lowered to the flow's ceiling.
    pub(crate) fn capped(&self, problem: &Problem) -> Problem {
        let mut capped = problem.clone();
        for (index, flow) in capped.flows.iter_mut().enumerate() {
            flow.demand_bps = flow.demand_bps.min(self.cap_bps(index));
        }
        capped
    }

    /// Whether any flow has a ceiling besides its demand.
    pub(crate) fn caps_anybody(&self) -> bool {
        !self.peak_rates_bps.is_empty() || !self.supported_rates_bps.is_empty()
    }

    fn cap_bps(&self, flow: usize) -> f64 {
        entry(&self.peak_rates_bps, flow, f64::INFINITY).min(entry(&self.supported_rates_bps, flow, f64::INFINITY))
    }
}

fn entry(list: &[f64], at: usize, otherwise: f64) -> f64 {
    list.get(at).copied().unwrap_or(otherwise)
}

/// Whether a value can be what is promised, bit/s: finite, from 0 on and below 2^53.
pub fn is_promise(rate: f64) -> bool {
    (0.0..crate::problem::TOO_LARGE_BPS).contains(&rate)
}
