//! Fair rates of a network of explicit rates, solved centrally and certified by the checker.

use super::{Trouble, list, numbers};
use crate::catalogue::{defaults, number, topology_table};
use fairwire_alloc::{Criterion, Flow, Link, Problem, Terms, check_with_terms, solve_with_terms};
use fairwire_plan::{NetworkPlan, Offer};
use toml::Value;

/// Links, routes, and what each flow was promised, all rates in one unit.
pub struct Central {
    links: Vec<Link>,
    routes: Vec<Vec<usize>>,
    weights: Vec<f64>,
    min_rates: Vec<f64>,
    peak_rates: Vec<f64>,
    supported_rates: Vec<f64>,
}

/// Cells a millisecond of a link of so many Mb/s.
pub fn cells_per_ms(mbps: f64) -> Result<f64, Trouble> {
    let common = defaults("wmfqc-sim").ok_or("the catalogue tells nothing of [wmfqc]'s simulations")?;
    let bits = common.get("cell_bits").and_then(number).ok_or("the catalogue gives no `cell_bits`")?;
    Ok(mbps * 1e6 / bits / 1e3)
}

impl Central {
    /// The network that the claims rebuild, in cell/ms: with minimums, which are weights as well, or all alike.
    pub fn of_the_catalogue(weighted: bool) -> Result<Self, Trouble> {
        let network = topology_table("wmfqc-fig3-inferred").ok_or("the catalogue gives no network")?;
        let common = defaults("wmfqc-sim").ok_or("the catalogue tells nothing of [wmfqc]'s simulations")?;
        let names: Vec<&str> = list(network, "link_names")?.iter().filter_map(Value::as_str).collect();
        let capacities = numbers(network, "link_mbps")?.into_iter().map(cells_per_ms);
        let links = names.iter().zip(capacities);
        let place = |name: &Value| names.iter().position(|link| Some(*link) == name.as_str());
        let route = |route: &Value| route.as_array()?.iter().map(place).collect::<Option<Vec<usize>>>();
        let routes: Option<Vec<Vec<usize>>> = list(network, "routes")?.iter().map(route).collect();
        let minimums = numbers(common, "mr_cells_per_ms")?;
        let alike = |value: f64| vec![value; minimums.len()];
        Ok(Self {
            links: links
                .map(|(name, capacity)| Ok(Link { id: (*name).to_owned(), capacity_bps: capacity? }))
                .collect::<Result<_, Trouble>>()?,
            routes: routes.ok_or("a route of the catalogue crosses a link that is not there")?,
            weights: if weighted { minimums.clone() } else { alike(1.0) },
            min_rates: if weighted { minimums } else { alike(0.0) },
            peak_rates: numbers(common, "pr_cells_per_ms")?,
            supported_rates: numbers(common, "sr_cells_per_ms")?,
        })
    }

    /// A plan whose flows are told their rates, in bit/s.
    pub fn of(plan: &NetworkPlan) -> Result<Self, Trouble> {
        let terms = plan.flows.iter().map(|flow| match &flow.offer {
            Offer::Rate(rate) => Ok(rate.terms),
            _ => Err(format!("{} is not told its rate", flow.name)),
        });
        let terms = terms.collect::<Result<Vec<_>, Trouble>>()?;
        let link = |link: &fairwire_plan::NetworkLinkPlan| Link {
            id: link.name.clone(),
            capacity_bps: link.capacity.as_bps_f64(),
        };
        Ok(Self {
            links: plan.links.iter().map(link).collect(),
            routes: plan.flows.iter().map(|flow| flow.route.iter().map(|link| *link as usize).collect()).collect(),
            weights: terms.iter().map(|terms| terms.weight).collect(),
            min_rates: terms.iter().map(|terms| terms.minimum_bps).collect(),
            peak_rates: terms.iter().map(|terms| terms.peak_bps).collect(),
            supported_rates: terms.iter().map(|terms| terms.supported_bps).collect(),
        })
    }

    /// The same where links are used to this part only.
    pub fn scaled(mut self, part: f64) -> Self {
        self.links.iter_mut().for_each(|link| link.capacity_bps *= part);
        self
    }

    /// General weighted rates while the flows of `active` send, in their order.
    pub fn rates(&self, active: &[usize]) -> Result<Vec<f64>, Trouble> {
        let (problem, terms) = self.problem(active);
        let allocation =
            solve_with_terms(&problem, &terms, Criterion::GeneralWeighted).map_err(|error| error.to_string())?;
        let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
        self.certify(active, &rates, 1e-9).map_err(|violation| format!("the checker objects: {violation}"))?;
        Ok(rates)
    }

    /// Asks the checker, which shares no code with the solver, whether these `rates` are general weighted fair.
    pub fn certify(&self, active: &[usize], rates: &[f64], within: f64) -> Result<(), Trouble> {
        let (problem, terms) = self.problem(active);
        check_with_terms(&problem, &terms, Criterion::GeneralWeighted, rates, within)
            .map_err(|violation| violation.to_string())
    }

    /// The minimum rate of a flow, and the least of its peak and supported rate.
    pub fn ends_of(&self, flow: usize) -> [f64; 2] {
        [self.min_rates[flow], self.peak_rates[flow].min(self.supported_rates[flow])]
    }

    fn problem(&self, active: &[usize]) -> (Problem, Terms) {
        let flow = |flow: &usize| Flow {
            id: format!("VC{}", flow + 1),
            ingress: 0,
            egress: 1,
            route: self.routes[*flow].clone(),
            demand_bps: f64::INFINITY,
            weight: self.weights[*flow],
        };
        let problem = Problem {
            nodes: vec!["sources".to_owned(), "destinations".to_owned()],
            ingress_weights: vec![1.0; 2],
            links: self.links.clone(),
            flows: active.iter().map(flow).collect(),
        };
        let of = |rates: &[f64]| active.iter().map(|flow| rates[*flow]).collect();
        let terms = Terms {
            min_rates_bps: of(&self.min_rates),
            peak_rates_bps: of(&self.peak_rates),
            supported_rates_bps: of(&self.supported_rates),
            ..Terms::default()
        };
        (problem, terms)
    }
}
