//! Changes, one by one: flows come and go, wishes and capacities change.

use super::refuse::{validate_demand, validate_minimum, validate_weight};
use super::{LiveFlow, LiveProblem};
use crate::incidence::Lists;
use crate::problem::{TOO_LARGE_BPS, is_finite_positive};
use crate::water_filling::NONE;
use crate::{AllocError, Criterion};

impl LiveProblem {
    /// Adds a flow; returns its index.
    ///
    /// # Errors
    /// What [`Problem::validate`] says of a flow, named by the index it would
    /// get; [`AllocError::InfeasibleMinimums`] if its minimum rate does not
    /// fit. Nothing is changed then.
    pub fn add_flow(&mut self, flow: &LiveFlow) -> Result<usize, AllocError> {
        let index = self.free.last().map_or(self.demands.len(), |&free| free as usize);
        self.validate_route(index, &flow.route)?;
        validate_demand(index, flow.demand_bps)?;
        validate_weight(index, flow.weight)?;
        let minimum = self.minimum(flow.min_rate_bps);
        validate_minimum(index, minimum)?;
        let granted = minimum.min(flow.demand_bps);
        flow.route.iter().try_for_each(|&link| self.has_room(link, granted, index))?;
        let weight = match self.criterion {
            Criterion::MaxMin => 1.0,
            Criterion::InverseHop => 1.0 / flow.route.len() as f64,
            _ => flow.weight,
        };
        Ok(self.append(flow.route.iter().map(|&link| link as u32), flow.demand_bps, weight, minimum))
    }

    /// Takes a flow out.
    ///
    /// # Errors
    /// [`AllocError::UnknownFlow`].
    pub fn remove_flow(&mut self, flow: usize) -> Result<(), AllocError> {
        self.find(flow)?;
        self.note(flow);
        let granted = self.minimums[flow].min(self.demands[flow]);
        for at in 0..(&self.routes).list(flow).len() {
            let link = (&self.routes).list(flow)[at] as usize;
            self.crossing.remove(link, flow as u32);
            self.promised[link] -= granted;
            self.excess[link] = self.capacities[link] - self.promised[link];
            self.load[link] -= self.engine.rates[flow];
        }
        self.routes.clear(flow);
        (self.demands[flow], self.wanted[flow], self.minimums[flow]) = (0.0, 0.0, 0.0);
        self.engine.rates[flow] = 0.0;
        self.engine.held_by[flow] = NONE;
        self.alive.remove(flow);
        self.free.push(flow as u32);
        Ok(())
    }

    /// Changes the demand of a flow, bit/s.
    ///
    /// # Errors
    /// [`AllocError::UnknownFlow`], [`AllocError::Demand`],
    /// [`AllocError::TooLarge`], [`AllocError::InfeasibleMinimums`].
    pub fn set_demand(&mut self, flow: usize, demand_bps: f64) -> Result<(), AllocError> {
        self.find(flow)?;
        validate_demand(flow, demand_bps)?;
        self.grant(flow, demand_bps, self.minimums[flow])
    }

    /// Changes the minimum rate of a flow, bit/s.
    ///
    /// # Errors
    /// [`AllocError::UnknownFlow`], [`AllocError::Term`],
    /// [`AllocError::InfeasibleMinimums`].
    pub fn set_min_rate(&mut self, flow: usize, min_rate_bps: f64) -> Result<(), AllocError> {
        self.find(flow)?;
        let minimum = self.minimum(min_rate_bps);
        validate_minimum(flow, minimum)?;
        self.grant(flow, self.demands[flow], minimum)
    }

    fn grant(&mut self, flow: usize, demand: f64, minimum: f64) -> Result<(), AllocError> {
        let before = self.minimums[flow].min(self.demands[flow]);
        let more = minimum.min(demand) - before;
        if more > 0.0 {
            let route: Vec<u32> = (&self.routes).list(flow).to_vec();
            route.iter().try_for_each(|&link| self.has_room(link as usize, more, flow))?;
        }
        self.demands[flow] = demand;
        self.is_greedy &= demand.is_infinite();
        self.minimums[flow] = minimum;
        self.wanted[flow] = demand - minimum.min(demand);
        for &link in (&self.routes).list(flow) {
            let link = link as usize;
            self.promised[link] += more;
            self.excess[link] = self.capacities[link] - self.promised[link];
        }
        self.note(flow);
        Ok(())
    }

    /// Changes the weight of a flow; max-min and inverse-hop do not heed it.
    ///
    /// # Errors
    /// [`AllocError::UnknownFlow`], [`AllocError::FlowWeight`].
    pub fn set_weight(&mut self, flow: usize, weight: f64) -> Result<(), AllocError> {
        self.find(flow)?;
        validate_weight(flow, weight)?;
        if matches!(self.criterion, Criterion::WeightedMaxMin | Criterion::GeneralWeighted) {
            self.weights[flow] = weight;
            self.is_unweighted &= weight == 1.0;
            self.note(flow);
        }
        Ok(())
    }

    /// Changes the capacity of a link, bit/s.
    ///
    /// # Errors
    /// [`AllocError::UnknownLink`], [`AllocError::Capacity`],
    /// [`AllocError::TooLarge`], [`AllocError::InfeasibleMinimums`].
    pub fn set_capacity(&mut self, link: usize, capacity_bps: f64) -> Result<(), AllocError> {
        let Some(&before) = self.capacities.get(link) else {
            return Err(AllocError::UnknownLink { flow: "any".into(), link, links: self.capacities.len() });
        };
        if !is_finite_positive(capacity_bps) {
            return Err(AllocError::Capacity { link: link.to_string(), capacity_bps });
        }
        if capacity_bps >= TOO_LARGE_BPS {
            return Err(AllocError::TooLarge { what: "link", name: link.to_string(), rate_bps: capacity_bps });
        }
        self.capacities[link] = capacity_bps;
        if let Err(error) = self.has_room(link, 0.0, NONE as usize) {
            self.capacities[link] = before;
            return Err(error);
        }
        self.excess[link] = capacity_bps - self.promised[link];
        self.touch(link as u32);
        Ok(())
    }

    fn find(&self, flow: usize) -> Result<(), AllocError> {
        if self.has(flow) { Ok(()) } else { Err(AllocError::UnknownFlow { flow }) }
    }

    /// Minimum rates count under general weighted fairness only.
    fn minimum(&self, given: f64) -> f64 {
        if self.criterion == Criterion::GeneralWeighted { given } else { 0.0 }
    }
}
