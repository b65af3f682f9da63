//! The arrays of a problem while they are looked at: shape, and what solvers take.

use crate::arrays::bad;
use fairwire_alloc::{AllocError, Criterion, Flow, Link, Problem, Rates, Terms, solve_rates_with_terms};
use pyo3::PyResult;

/// What explanations call things; their numbers where there are none.
#[derive(Default)]
pub struct Names {
    pub flows: Option<Vec<String>>,
    pub links: Option<Vec<String>>,
    pub nodes: Option<Vec<String>>,
}

/// A problem as slices; lists that are not given are empty.
pub struct Question<'a> {
    pub capacities_bps: &'a [f64],
    pub indptr: &'a [u32],
    pub indices: &'a [u32],
    pub weights: &'a [f64],
    pub demands_bps: &'a [f64],
    pub minimums_bps: &'a [f64],
    pub peaks_bps: &'a [f64],
    pub supported_bps: &'a [f64],
    pub ingress: &'a [u32],
    pub egress: &'a [u32],
    pub ingress_weights: &'a [f64],
    pub ingress_minimums_bps: &'a [f64],
    pub names: &'a Names,
}

impl Question<'_> {
    /// The number of flows.
    pub fn flows(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    /// Routes that lie where `indptr` says, and one entry a flow in each list that is given.
    pub fn check_shape(&self) -> PyResult<()> {
        let flows = self.flows();
        let refuse = |message: String| Err(bad(message, "indptr"));
        if self.indptr.first() != Some(&0) {
            return refuse("indptr begins with 0 and has one entry more than there are flows".to_owned());
        }
        if let Some(flow) = self.indptr.windows(2).position(|ends| ends[0] > ends[1]) {
            return refuse(format!("indptr falls after flow {flow}; a route ends where the next begins"));
        }
        if self.indptr[flows] as usize != self.indices.len() {
            let (end, crossings) = (self.indptr[flows], self.indices.len());
            return refuse(format!("indptr ends with {end}, but indices has {crossings} entries"));
        }
        let lists = [
            ("weights", self.weights.len()),
            ("demands_bps", self.demands_bps.len()),
            ("minimums_bps", self.minimums_bps.len()),
            ("peaks_bps", self.peaks_bps.len()),
            ("supported_bps", self.supported_bps.len()),
            ("ingress", self.ingress.len()),
            ("egress", self.egress.len()),
            ("flow_names", self.names.flows.as_ref().map_or(0, Vec::len)),
        ];
        for (name, found) in lists {
            if found != 0 && found != flows {
                return Err(bad(format!("{name} has {found} entries for {flows} flows"), "length"));
            }
        }
        let (links, named) = (self.capacities_bps.len(), self.names.links.as_ref().map_or(0, Vec::len));
        if named != 0 && named != links {
            return Err(bad(format!("link_names has {named} entries for {links} links"), "length"));
        }
        Ok(())
    }

    /// Criteria that speak of ingresses have to know them.
    pub fn check_ends(&self, criterion: Criterion) -> PyResult<()> {
        let asks_ingress = matches!(criterion, Criterion::Rias | Criterion::RiasIterative | Criterion::IngressEgress);
        if asks_ingress && self.ingress.is_empty() && self.flows() > 0 {
            return Err(bad(
                format!("{criterion} asks where each flow enters: give `ingress`, a node a flow"),
                "ingress",
            ));
        }
        if criterion == Criterion::IngressEgress && self.egress.is_empty() && self.flows() > 0 {
            return Err(bad(
                format!("{criterion} asks where each flow leaves: give `egress`, a node a flow"),
                "egress",
            ));
        }
        Ok(())
    }

    /// The fair rates. Nothing is named unless something goes wrong: then it is told again with names.
    pub fn solve(&self, criterion: Criterion) -> Result<Rates, AllocError> {
        let terms = self.terms();
        solve_rates_with_terms(&self.problem(false), &terms, criterion)
            .or_else(|_| solve_rates_with_terms(&self.problem(true), &terms, criterion))
    }

    /// What is promised and what limits flows besides their demands.
    pub fn terms(&self) -> Terms {
        Terms {
            min_rates_bps: self.minimums_bps.to_vec(),
            peak_rates_bps: self.peaks_bps.to_vec(),
            supported_rates_bps: self.supported_bps.to_vec(),
            ingress_min_rates_bps: self.ingress_minimums_bps.to_vec(),
        }
    }

    /// The problem in full, with or without the names of things.
    pub fn problem(&self, named: bool) -> Problem {
        let name = |names: &Option<Vec<String>>, index: usize| match names {
            _ if !named => String::new(),
            Some(names) => names.get(index).cloned().unwrap_or_else(|| index.to_string()),
            None => index.to_string(),
        };
        let nodes = self.nodes();
        let link = |(index, &capacity_bps): (usize, &f64)| Link { id: name(&self.names.links, index), capacity_bps };
        let flow = |flow: usize| Flow {
            id: name(&self.names.flows, flow),
            ingress: self.ingress.get(flow).map_or(0, |&node| node as usize),
            egress: self.egress.get(flow).map_or(0, |&node| node as usize),
            route: self.route(flow).iter().map(|&link| link as usize).collect(),
            demand_bps: self.demands_bps.get(flow).copied().unwrap_or(f64::INFINITY),
            weight: self.weights.get(flow).copied().unwrap_or(1.0),
        };
        Problem {
            nodes: (0..nodes).map(|node| name(&self.names.nodes, node)).collect(),
            ingress_weights: if self.ingress_weights.is_empty() {
                vec![1.0; nodes]
            } else {
                self.ingress_weights.to_vec()
            },
            links: self.capacities_bps.iter().enumerate().map(link).collect(),
            flows: (0..self.flows()).map(flow).collect(),
        }
    }

    /// What each link carries at the given rates, bit/s.
    pub fn loads(&self, rates: &[f64]) -> PyResult<Vec<f64>> {
        let (flows, links) = (self.flows(), self.capacities_bps.len());
        if rates.len() != flows {
            return Err(bad(format!("rates_bps has {} entries for {flows} flows", rates.len()), "length"));
        }
        let mut loads = vec![0.0; links];
        for (flow, rate) in rates.iter().enumerate() {
            for &link in self.route(flow) {
                match loads.get_mut(link as usize) {
                    Some(load) => *load += rate,
                    None => {
                        let message =
                            format!("flow {flow}: the route uses link index {link}, but there are only {links} links");
                        return Err(bad(message, "unknown-link"));
                    }
                }
            }
        }
        Ok(loads)
    }

    fn route(&self, flow: usize) -> &[u32] {
        &self.indices[self.indptr[flow] as usize..self.indptr[flow + 1] as usize]
    }

    /// As many nodes as names, weights or minimums say, else as flows name.
    fn nodes(&self) -> usize {
        let said = [
            self.names.nodes.as_ref().map_or(0, Vec::len),
            self.ingress_weights.len(),
            self.ingress_minimums_bps.len(),
        ];
        if let Some(&nodes) = said.iter().find(|&&nodes| nodes > 0) {
            return nodes;
        }
        // A node far beyond the number of flows is a slip, and refused as unknown.
        let most = (1 << 20) + 16 * self.flows();
        let ends = self.ingress.iter().chain(self.egress).map(|&node| node as usize);
        ends.filter(|&node| node < most).max().map_or(1, |node| node + 1)
    }
}
