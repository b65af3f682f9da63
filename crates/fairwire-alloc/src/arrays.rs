//! Max-min for large networks: flat arrays in, flat arrays out.

use crate::AllocError;
use crate::incidence::{Incidence, Rows};
use crate::problem::{TOO_LARGE_BPS, is_finite_positive, is_weight};
use crate::water_filling::{Engine, NONE, Network};

/// A network as flat arrays; nothing is copied.
///
/// The routes are in compressed rows, as in a sparse matrix with one row a
/// flow and one column a link: flow f crosses the links
/// `route_links[route_starts[f]..route_starts[f + 1]]`, each at most once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arrays<'a> {
    /// Capacity of each link, bit/s; positive and below 2^53.
    pub capacities_bps: &'a [f64],
    /// Where the route of each flow starts, and where the last one ends.
    pub route_starts: &'a [u32],
    /// Link indices of all routes, one route after the other.
    pub route_links: &'a [u32],
    /// Demand of each flow, bit/s, possibly infinite; empty if all are.
    pub demands_bps: &'a [f64],
    /// Weight of each flow, from [`crate::LEAST_WEIGHT`] to
    /// [`crate::LARGEST_WEIGHT`]; empty if all are 1.
    pub weights: &'a [f64],
    /// Guaranteed rate of each flow, bit/s; empty if nobody is promised any.
    pub min_rates_bps: &'a [f64],
}

impl Arrays<'_> {
    /// Number of flows.
    pub fn flows(&self) -> usize {
        self.route_starts.len().saturating_sub(1)
    }

    fn routes(&self) -> Rows<'_> {
        Rows { starts: self.route_starts, items: self.route_links }
    }
}

/// Weighted max-min rates of [`Arrays`], with minimum rates granted first.
/// Keeps its storage from one solve to the next.
#[derive(Debug, Clone, Default)]
pub struct MaxMin {
    engine: Engine,
    crossing: Incidence,
    /// How many routes cross each link, and which was the last.
    seen: Vec<(u32, u32)>,
    excess: Vec<f64>,
    wanted: Vec<f64>,
}

impl MaxMin {
    /// No link: the flow has its demand. See [`Self::held_by`].
    pub const NO_LINK: u32 = NONE;

    /// Solves; the answer is in [`Self::rates_bps`] and [`Self::held_by`].
    ///
    /// # Errors
    /// As [`crate::Problem::validate`] and [`crate::Terms::validate`], with
    /// flows and links named by index; [`AllocError::Rows`] if the rows do
    /// not fit together; [`AllocError::InfeasibleMinimums`].
    pub fn solve(&mut self, arrays: &Arrays) -> Result<(), AllocError> {
        self.validate(arrays)?;
        self.crossing.starts.clear();
        self.crossing.starts.extend([0, 0]);
        self.crossing.starts.extend(self.seen.iter().map(|&(count, _)| count));
        arrays.routes().transpose_counted(&mut self.crossing);

        let mut network = Network {
            capacities: arrays.capacities_bps,
            routes: arrays.routes(),
            demands: arrays.demands_bps,
            weights: arrays.weights,
        };
        if !arrays.min_rates_bps.is_empty() {
            self.set_minimums_aside(arrays)?;
            network.capacities = &self.excess;
            network.demands = &self.wanted;
        }
        self.engine.start(&network, self.crossing.rows());
        self.engine.run(&network, self.crossing.rows());
        for (flow, minimum) in arrays.min_rates_bps.iter().enumerate() {
            let demand = arrays.demands_bps.get(flow).copied().unwrap_or(f64::INFINITY);
            let rate = &mut self.engine.rates[flow];
            *rate = if self.engine.held_by[flow] == NONE { demand } else { *rate + minimum.min(demand) };
        }
        Ok(())
    }

    /// Rate of each flow of the last problem solved, bit/s.
    pub fn rates_bps(&self) -> &[f64] {
        &self.engine.rates
    }

    /// Index of the link that holds each flow, or [`Self::NO_LINK`] for a flow
    /// that has its demand.
    pub fn held_by(&self) -> &[u32] {
        &self.engine.held_by
    }

    fn validate(&mut self, arrays: &Arrays) -> Result<(), AllocError> {
        let (flows, links) = (arrays.flows(), arrays.capacities_bps.len());
        for (what, list) in [
            ("demands", arrays.demands_bps),
            ("weights", arrays.weights),
            ("minimum rates for flows", arrays.min_rates_bps),
        ] {
            if !list.is_empty() && list.len() != flows {
                return Err(AllocError::TermCount { what, given: list.len(), wanted: flows });
            }
        }
        if let Some(link) = arrays.capacities_bps.iter().position(|&c| !(is_finite_positive(c) && c < TOO_LARGE_BPS)) {
            let (link, capacity_bps) = (link.to_string(), arrays.capacities_bps[link]);
            return Err(if is_finite_positive(capacity_bps) {
                AllocError::TooLarge { what: "link", name: link, rate_bps: capacity_bps }
            } else {
                AllocError::Capacity { link, capacity_bps }
            });
        }
        if let Some(flow) = arrays.demands_bps.iter().position(|&demand| demand.is_nan() || demand < 0.0) {
            return Err(AllocError::Demand { flow: flow.to_string(), demand_bps: arrays.demands_bps[flow] });
        }
        if let Some(flow) = arrays.demands_bps.iter().position(|&demand| demand.is_finite() && demand >= TOO_LARGE_BPS)
        {
            let (name, rate_bps) = (flow.to_string(), arrays.demands_bps[flow]);
            return Err(AllocError::TooLarge { what: "flow", name, rate_bps });
        }
        if let Some(flow) = arrays.weights.iter().position(|&weight| !is_weight(weight)) {
            return Err(AllocError::FlowWeight { flow: flow.to_string(), weight: arrays.weights[flow] });
        }
        if let Some(flow) = arrays.min_rates_bps.iter().position(|minimum| !(0.0..TOO_LARGE_BPS).contains(minimum)) {
            let (of, rate_bps) = (format!("flow {flow}"), arrays.min_rates_bps[flow]);
            return Err(AllocError::Term { what: "minimum rate", of, rate_bps });
        }
        self.count_crossings(arrays, flows, links)
    }

    /// Counts the routes over each link, and checks every route on the way.
    fn count_crossings(&mut self, arrays: &Arrays, flows: usize, links: usize) -> Result<(), AllocError> {
        let starts = arrays.route_starts;
        let ends = starts.last().map_or(0, |&end| end as usize);
        if starts.first().is_some_and(|&start| start != 0) || ends != arrays.route_links.len() {
            return Err(AllocError::Rows { ends, items: arrays.route_links.len() });
        }
        self.seen.clear();
        self.seen.resize(links, (0, NONE));
        let mut from = 0;
        for flow in 0..flows {
            let to = starts[flow + 1] as usize;
            if to <= from {
                return Err(match to == from {
                    true => AllocError::EmptyRoute { flow: flow.to_string() },
                    false => AllocError::Rows { ends: to, items: from },
                });
            }
            let route = arrays.route_links.get(from..to).ok_or(AllocError::Rows { ends: to, items: ends })?;
            for &link in route {
                let Some((count, last)) = self.seen.get_mut(link as usize) else {
                    return Err(AllocError::UnknownLink { flow: flow.to_string(), link: link as usize, links });
                };
                if *last == flow as u32 {
                    return Err(AllocError::RepeatedLink { flow: flow.to_string(), link: link.to_string() });
                }
                *last = flow as u32;
                *count += 1;
            }
            from = to;
        }
        Ok(())
    }

    /// Takes what is promised out of capacities and demands.
    fn set_minimums_aside(&mut self, arrays: &Arrays) -> Result<(), AllocError> {
        let demand = |flow: usize| arrays.demands_bps.get(flow).copied().unwrap_or(f64::INFINITY);
        let granted = |flow: usize| arrays.min_rates_bps[flow].min(demand(flow));
        self.excess.clear();
        self.excess.extend_from_slice(arrays.capacities_bps);
        self.wanted.clear();
        for flow in 0..arrays.flows() {
            let granted = granted(flow);
            self.wanted.push(demand(flow) - granted);
            if granted > 0.0 {
                arrays.routes().row(flow).iter().for_each(|&link| self.excess[link as usize] -= granted);
            }
        }
        for (link, excess) in self.excess.iter_mut().enumerate() {
            let capacity_bps = arrays.capacities_bps[link];
            if *excess < -1e-12 * capacity_bps {
                let mut here: Vec<usize> = self.crossing.indices(link).collect();
                here.sort_by(|&a, &b| granted(b).total_cmp(&granted(a)).then(a.cmp(&b)));
                let mut promised_bps = 0.0;
                let enough = here.iter().position(|&flow| {
                    promised_bps += granted(flow);
                    promised_bps > capacity_bps * (1.0 + 1e-12)
                });
                here.truncate(enough.map_or(here.len(), |last| last + 1));
                return Err(AllocError::InfeasibleMinimums {
                    link: link.to_string(),
                    capacity_bps,
                    promised_bps,
                    flows: here.iter().map(usize::to_string).collect(),
                });
            }
            *excess = excess.max(0.0);
        }
        Ok(())
    }
}
