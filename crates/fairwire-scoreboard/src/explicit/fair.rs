//! What flows should get between two steps.

use super::network::{Deed, Network};
use crate::ScoreError;
use crate::explicit::Sources;
use fairwire_alloc::{Criterion, Flow, Link, Problem, Terms as Promises, solve_rates_with_terms};
use fairwire_core::BitRate;
use fairwire_laws::rate::Terms;

/// A network from one step to the next.
#[derive(Clone, Debug)]
pub struct FairPhase {
    /// Which flows are on.
    pub on: Vec<bool>,
    /// What was agreed for them.
    pub terms: Vec<Terms>,
    /// What links carry.
    pub capacities: Vec<BitRate>,
    /// General-weighted fair rates in bit/s; 0 of flows that are off.
    pub fair_bps: Vec<f64>,
}

impl FairPhase {
    /// The phases of a network, the first one from the start on.
    ///
    /// # Errors
    /// [`ScoreError::Reference`] if there are no fair rates; no case of the board does that.
    pub fn all(case: &str, network: &Network) -> Result<Vec<Self>, ScoreError> {
        let mut phase = Self {
            on: network.flows.iter().map(|flow| flow.is_on).collect(),
            terms: network.flows.iter().map(|flow| flow.terms).collect(),
            capacities: network.links.iter().map(|link| link.capacity).collect(),
            fair_bps: Vec::new(),
        };
        let mut phases = Vec::with_capacity(network.steps.len() + 1);
        let none: &[Deed] = &[];
        for deeds in std::iter::once(none).chain(network.steps.iter().map(Vec::as_slice)) {
            deeds.iter().for_each(|deed| phase.apply(*deed));
            phase.fair_bps = phase.solve(case, network)?;
            phases.push(phase.clone());
        }
        Ok(phases)
    }

    fn apply(&mut self, deed: Deed) {
        match deed {
            Deed::Start(flow) => self.on[flow] = true,
            Deed::Stop(flow) => self.on[flow] = false,
            Deed::Terms(flow, terms) => self.terms[flow] = terms,
            Deed::Capacity(link, capacity) => self.capacities[link] = capacity,
        }
    }

    fn solve(&self, case: &str, network: &Network) -> Result<Vec<f64>, ScoreError> {
        let there: Vec<usize> = (0..network.flows.len()).filter(|flow| self.on[*flow]).collect();
        let link = |(number, capacity): (usize, &BitRate)| Link {
            id: format!("link {number}"),
            capacity_bps: capacity.as_bps_f64(),
        };
        let flow = |&flow: &usize| Flow {
            id: format!("flow {flow}"),
            ingress: 0,
            egress: 0,
            route: network.flows[flow].route.clone(),
            demand_bps: f64::INFINITY,
            weight: self.terms[flow].weight,
        };
        let problem = Problem {
            // Who sends from where makes no difference to this criterion.
            nodes: vec!["all".to_owned()],
            ingress_weights: vec![1.0],
            links: self.capacities.iter().enumerate().map(link).collect(),
            flows: there.iter().map(flow).collect(),
        };
        let of = |rate: fn(&Terms) -> f64| there.iter().map(|flow| rate(&self.terms[*flow])).collect();
        let promises = Promises {
            min_rates_bps: of(|terms| terms.minimum_bps),
            peak_rates_bps: of(|terms| terms.peak_bps),
            supported_rates_bps: of(|terms| terms.supported_bps),
            ingress_min_rates_bps: Vec::new(),
        };
        let rates = solve_rates_with_terms(&problem, &promises, Criterion::GeneralWeighted)
            .map_err(|source| ScoreError::Reference { case: case.to_owned(), source })?;
        let mut fair_bps = vec![0.0; network.flows.len()];
        there.iter().zip(rates.rates_bps).for_each(|(flow, rate)| fair_bps[*flow] = rate);
        Ok(fair_bps)
    }

    /// A loop in s: the longest round trip, and the time between two control packets of the slowest flow, both of flows
    /// that are on and have their fair rates.
    pub fn loop_s(&self, network: &Network, sources: &Sources) -> f64 {
        let on = || (0..network.flows.len()).filter(|flow| self.on[*flow]);
        let round_trips = on().map(|flow| network.round_trip_s(&network.flows[flow], &self.capacities));
        let slowest_bps = on().map(|flow| self.fair_bps[flow]).fold(f64::INFINITY, f64::min);
        round_trips.fold(0.0, f64::max) + sources.between_controls_s(network.packet_bytes, slowest_bps)
    }

    /// Packets a second that cross a link each when all flows have their fair rates, hosts' own links included.
    pub fn hops_per_s(&self, network: &Network) -> f64 {
        let packet_bits = f64::from(network.packet_bytes) * 8.0;
        let flows = network.flows.iter().zip(&self.fair_bps);
        flows.map(|(flow, fair)| fair / packet_bits * (flow.route.len() + 1) as f64).sum()
    }
}
