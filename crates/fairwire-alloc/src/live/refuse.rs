//! Changes that make no sense, refused before anything is changed.

use super::LiveProblem;
use crate::AllocError;
use crate::incidence::Lists;
use crate::problem::{TOO_LARGE_BPS, is_weight};
use crate::water_filling::NONE;

impl LiveProblem {
    pub(super) fn validate_route(&self, index: usize, route: &[usize]) -> Result<(), AllocError> {
        let flow = || index.to_string();
        if route.is_empty() {
            return Err(AllocError::EmptyRoute { flow: flow() });
        }
        let links = self.capacities.len();
        for (at, &link) in route.iter().enumerate() {
            if link >= links {
                return Err(AllocError::UnknownLink { flow: flow(), link, links });
            }
            if route[..at].contains(&link) {
                return Err(AllocError::RepeatedLink { flow: flow(), link: link.to_string() });
            }
        }
        Ok(())
    }

    /// Whether `more` can be promised on a link besides what is.
    pub(super) fn has_room(&self, link: usize, more: f64, flow: usize) -> Result<(), AllocError> {
        let capacity_bps = self.capacities[link];
        if self.promised[link] + more <= capacity_bps * (1.0 + 1e-12) {
            return Ok(());
        }
        let mut here: Vec<(f64, usize)> = (&self.crossing)
            .list(link)
            .iter()
            .map(|&other| other as usize)
            .map(|other| {
                let granted = self.minimums[other].min(self.demands[other]);
                (if other == flow { granted + more } else { granted }, other)
            })
            .collect();
        if flow != NONE as usize && !here.iter().any(|&(_, other)| other == flow) {
            here.push((more, flow));
        }
        here.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut promised_bps = 0.0;
        let last = here.iter().position(|&(granted, _)| {
            promised_bps += granted;
            promised_bps > capacity_bps * (1.0 + 1e-12)
        });
        here.truncate(last.map_or(here.len(), |last| last + 1));
        Err(AllocError::InfeasibleMinimums {
            link: link.to_string(),
            capacity_bps,
            promised_bps,
            flows: here.iter().map(|(_, flow)| flow.to_string()).collect(),
        })
    }
}

pub(super) fn validate_demand(flow: usize, demand_bps: f64) -> Result<(), AllocError> {
    if demand_bps.is_nan() || demand_bps < 0.0 {
        return Err(AllocError::Demand { flow: flow.to_string(), demand_bps });
    }
    if demand_bps.is_finite() && demand_bps >= TOO_LARGE_BPS {
        return Err(AllocError::TooLarge { what: "flow", name: flow.to_string(), rate_bps: demand_bps });
    }
    Ok(())
}

pub(super) fn validate_weight(flow: usize, weight: f64) -> Result<(), AllocError> {
    if is_weight(weight) { Ok(()) } else { Err(AllocError::FlowWeight { flow: flow.to_string(), weight }) }
}

pub(super) fn validate_minimum(flow: usize, rate_bps: f64) -> Result<(), AllocError> {
    if (0.0..TOO_LARGE_BPS).contains(&rate_bps) {
        return Ok(());
    }
    Err(AllocError::Term { what: "minimum rate", of: format!("flow {flow}"), rate_bps })
}
