//! The arrays of a problem while they are looked at: shape, and what solvers take.

use crate::arrays::bad;
use crate::errors;
use fairwire_alloc::{
    AllocError, Arrays, Criterion, Flow, Link, MaxMin, Problem, Rates, Terms, is_promise, is_weight,
    solve_rates_with_terms, text,
};
use pyo3::{PyErr, PyResult};
use std::borrow::Cow;
use std::sync::Arc;

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
    pub names: &'a Arc<Names>,
}

/// The same with arrays of its own.
pub struct Copied {
    reals: [Vec<f64>; 8],
    indices: [Vec<u32>; 4],
    names: Arc<Names>,
}

impl Copied {
    /// The copies as slices.
    pub fn lent(&self) -> Question<'_> {
        let [
            capacities_bps,
            weights,
            demands_bps,
            minimums_bps,
            peaks_bps,
            supported_bps,
            ingress_weights,
            ingress_minimums_bps,
        ] = &self.reals;
        let [indptr, indices, ingress, egress] = &self.indices;
        Question {
            capacities_bps,
            indptr,
            indices,
            weights,
            demands_bps,
            minimums_bps,
            peaks_bps,
            supported_bps,
            ingress,
            egress,
            ingress_weights,
            ingress_minimums_bps,
            names: &self.names,
        }
    }
}

/// Where an answer is.
pub enum Solved {
    /// In the solver that took the arrays as they lie.
    ByMaxMin,
    /// Here.
    InFull(Rates),
}

impl Question<'_> {
    /// The same with copies of the arrays.
    pub fn copied(&self) -> Copied {
        let reals = [
            self.capacities_bps,
            self.weights,
            self.demands_bps,
            self.minimums_bps,
            self.peaks_bps,
            self.supported_bps,
            self.ingress_weights,
            self.ingress_minimums_bps,
        ];
        let indices = [self.indptr, self.indices, self.ingress, self.egress];
        Copied {
            reals: reals.map(<[f64]>::to_vec),
            indices: indices.map(<[u32]>::to_vec),
            names: Arc::clone(self.names),
        }
    }

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
            let (end, crossings) = (self.indptr[flows], text::count(self.indices.len(), "entry"));
            return refuse(format!("indptr ends with {end}, but indices has {crossings}"));
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
                return Err(wrong_length(name, found, flows, "flow"));
            }
        }
        let (links, named) = (self.capacities_bps.len(), self.names.links.as_ref().map_or(0, Vec::len));
        if named != 0 && named != links {
            return Err(wrong_length("link_names", named, links, "link"));
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

    /// The fair rates. From the arrays as they lie where the criterion allows it, else
    /// from a problem in full. Nothing is named unless something goes wrong: then it is
    /// told again with names.
    pub fn solve(&self, criterion: Criterion, max_min: &mut MaxMin) -> Result<Solved, AllocError> {
        if self.solve_as_it_lies(criterion, max_min) {
            return Ok(Solved::ByMaxMin);
        }
        let terms = self.terms();
        solve_rates_with_terms(&self.problem(false), &terms, criterion)
            .or_else(|_| solve_rates_with_terms(&self.problem(true), &terms, criterion))
            .map(Solved::InFull)
    }

    /// Whether arrays can be solved as they lie.
    pub fn as_it_lies(criterion: Criterion) -> bool {
        use Criterion::{GeneralWeighted, InverseHop, MaxMin, WeightedMaxMin};
        matches!(criterion, MaxMin | WeightedMaxMin | GeneralWeighted | InverseHop)
    }

    /// Solves without a copy of the routes; tells whether that was possible.
    fn solve_as_it_lies(&self, criterion: Criterion, max_min: &mut MaxMin) -> bool {
        let weights: Cow<'_, [f64]> = match criterion {
            Criterion::MaxMin => Cow::Borrowed(&[]),
            Criterion::WeightedMaxMin | Criterion::GeneralWeighted => Cow::Borrowed(self.weights),
            Criterion::InverseHop => Cow::Owned(self.inverse_hops()),
            _ => return false,
        };
        if !self.unheeded_makes_sense() {
            return false;
        }
        let Some(demands) = self.capped_demands() else { return false };
        let arrays = Arrays {
            capacities_bps: self.capacities_bps,
            route_starts: self.indptr,
            route_links: self.indices,
            demands_bps: &demands,
            weights: &weights,
            min_rates_bps: if criterion == Criterion::GeneralWeighted { self.minimums_bps } else { &[] },
        };
        max_min.solve(&arrays).is_ok()
    }

    /// Whether weights and promises are some, whether or not the criterion heeds them.
    fn unheeded_makes_sense(&self) -> bool {
        let weights = self.weights.iter().chain(self.ingress_weights);
        let promises = self.minimums_bps.iter().chain(self.ingress_minimums_bps);
        weights.copied().all(is_weight) && promises.copied().all(is_promise)
    }

    fn inverse_hops(&self) -> Vec<f64> {
        self.indptr.windows(2).map(|ends| 1.0 / f64::from(ends[1] - ends[0])).collect()
    }

    /// Demands lowered to peak and supported rates; none where these make no sense.
    fn capped_demands(&self) -> Option<Cow<'_, [f64]>> {
        if self.peaks_bps.is_empty() && self.supported_bps.is_empty() {
            return Some(Cow::Borrowed(self.demands_bps));
        }
        let capped = |flow: usize| {
            let entry = |list: &[f64], otherwise: f64| list.get(flow).copied().unwrap_or(otherwise);
            let (peak, supported) = (entry(self.peaks_bps, f64::INFINITY), entry(self.supported_bps, f64::INFINITY));
            let most = peak.min(supported);
            let fits = peak >= 0.0 && supported >= 0.0 && entry(self.minimums_bps, 0.0) <= most;
            fits.then(|| entry(self.demands_bps, f64::INFINITY).min(most))
        };
        (0..self.flows()).map(capped).collect::<Option<Vec<f64>>>().map(Cow::Owned)
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
        self.check_rates(rates)?;
        let links = self.capacities_bps.len();
        let mut loads = vec![0.0; links];
        for (flow, rate) in rates.iter().enumerate() {
            for &link in self.route(flow) {
                match loads.get_mut(link as usize) {
                    Some(load) => *load += rate,
                    None => {
                        let (flow, link) = (flow.to_string(), link as usize);
                        return Err(errors::alloc(&AllocError::UnknownLink { flow, link, links }));
                    }
                }
            }
        }
        Ok(loads)
    }

    /// One rate a flow.
    pub fn check_rates(&self, rates: &[f64]) -> PyResult<()> {
        match rates.len() == self.flows() {
            true => Ok(()),
            false => Err(wrong_length("rates_bps", rates.len(), self.flows(), "flow")),
        }
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

/// A list that does not have one entry each.
fn wrong_length(name: &str, found: usize, wanted: usize, noun: &str) -> PyErr {
    bad(format!("{name} has {} for {}", text::count(found, "entry"), text::count(wanted, noun)), "length")
}
