//! What is fair in the network of [wmfqc] §5, solved centrally: the rates that its
//! switches should arrive at.

use super::{Claim, Finding, Trouble, expected_number, list, numbers};
use crate::catalogue::{defaults, number, topology_table};
use crate::tolerance::{compare, round, rounded};
use fairwire_alloc::{Criterion, Flow, Link, Problem, Terms, check_with_terms, max_min_shares, solve_with_terms};
use serde_json::json;
use toml::Value;

/// The network that the claims rebuild, its connections VC1, VC2 … and what each was promised,
/// all rates in cell/ms.
struct Rebuilt {
    links: Vec<Link>,
    routes: Vec<Vec<usize>>,
    min_rates: Vec<f64>,
    peak_rates: Vec<f64>,
    supported_rates: Vec<f64>,
}

/// Cells a millisecond of a link of so many Mb/s.
fn cells_per_ms(mbps: f64) -> Result<f64, Trouble> {
    let common = defaults("wmfqc-sim").ok_or("the catalogue tells nothing of [wmfqc]'s simulations")?;
    let bits = common.get("cell_bits").and_then(number).ok_or("the catalogue gives no `cell_bits`")?;
    Ok(mbps * 1e6 / bits / 1e3)
}

impl Rebuilt {
    fn read() -> Result<Self, Trouble> {
        let network = topology_table("wmfqc-fig3-inferred").ok_or("the catalogue gives no network")?;
        let common = defaults("wmfqc-sim").ok_or("the catalogue tells nothing of [wmfqc]'s simulations")?;
        let names: Vec<&str> = list(network, "link_names")?.iter().filter_map(Value::as_str).collect();
        let capacities = numbers(network, "link_mbps")?.into_iter().map(cells_per_ms);
        let links = names.iter().zip(capacities);
        let place = |name: &Value| names.iter().position(|link| Some(*link) == name.as_str());
        let route = |route: &Value| route.as_array()?.iter().map(place).collect::<Option<Vec<usize>>>();
        let routes: Option<Vec<Vec<usize>>> = list(network, "routes")?.iter().map(route).collect();
        Ok(Self {
            links: links
                .map(|(name, capacity)| Ok(Link { id: (*name).to_owned(), capacity_bps: capacity? }))
                .collect::<Result<_, Trouble>>()?,
            routes: routes.ok_or("a route of the catalogue crosses a link that is not there")?,
            min_rates: numbers(common, "mr_cells_per_ms")?,
            peak_rates: numbers(common, "pr_cells_per_ms")?,
            supported_rates: numbers(common, "sr_cells_per_ms")?,
        })
    }

    /// Rates while the connections of `active` send, the others zero: general weighted with each weight the
    /// minimum rate, or all alike without minimums.
    fn rates(&self, active: &[usize], weighted: bool) -> Result<Vec<f64>, Trouble> {
        let flow = |vc: &usize| Flow {
            id: format!("VC{}", vc + 1),
            ingress: 0,
            egress: 1,
            route: self.routes[*vc].clone(),
            demand_bps: f64::INFINITY,
            weight: if weighted { self.min_rates[*vc] } else { 1.0 },
        };
        let problem = Problem {
            nodes: vec!["sources".to_owned(), "destinations".to_owned()],
            ingress_weights: vec![1.0; 2],
            links: self.links.clone(),
            flows: active.iter().map(flow).collect(),
        };
        let of = |rates: &[f64]| active.iter().map(|vc| rates[*vc]).collect();
        let terms = Terms {
            min_rates_bps: if weighted { of(&self.min_rates) } else { Vec::new() },
            peak_rates_bps: of(&self.peak_rates),
            supported_rates_bps: of(&self.supported_rates),
            ..Terms::default()
        };
        let criterion = Criterion::GeneralWeighted;
        let allocation = solve_with_terms(&problem, &terms, criterion).map_err(|error| error.to_string())?;
        let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
        check_with_terms(&problem, &terms, criterion, &rates, 1e-9)
            .map_err(|violation| format!("the checker objects: {violation}"))?;
        Ok(rates)
    }
}

/// The claim's events one by one: who sends after each.
fn states(claim: &Claim) -> Result<Vec<Vec<usize>>, Trouble> {
    let mut active: Vec<usize> = Vec::new();
    let mut states = Vec::new();
    for event in list(&claim.expected, "events")? {
        let words = event.as_str().and_then(|event| event.strip_prefix("VC")?.split_once(' '));
        let (vc, what) = words.ok_or("an event of the catalogue has no connection")?;
        let vc = vc.parse::<usize>().map_err(|error| error.to_string())? - 1;
        active.retain(|other| *other != vc);
        if what == "on" {
            active.push(vc);
        }
        active.sort_unstable();
        states.push(active.clone());
    }
    Ok(states)
}

fn after_each_event(claim: &Claim, weighted: bool, note: &str) -> Result<Finding, Trouble> {
    let network = Rebuilt::read()?;
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for (state, row) in states(claim)?.iter().zip(list(&claim.expected, "derived_ar")?) {
        found.push(network.rates(state, weighted)?);
        let row: Vec<f64> = row.as_array().into_iter().flatten().filter_map(number).collect();
        expected.push(state.iter().map(|vc| row[*vc]).collect::<Vec<f64>>());
    }
    let comparison = compare(claim, &found.concat(), &expected.concat());
    let rows: Vec<Vec<f64>> = found.iter().map(|rates| rounded(rates)).collect();
    let measured = json!({ "ar_of_those_that_send": rows, "largest_difference": round(comparison.worst) });
    Ok(Finding::new(measured, comparison.holds && found.len() == expected.len(), note))
}

/// §5.1: after each event, without weights.
pub fn unweighted(claim: &Claim) -> Result<Finding, Trouble> {
    after_each_event(claim, false, "cell/ms, solved centrally and certified; what the switches do is not simulated yet")
}

/// §5.2: after each event, with minimum rates as weights.
pub fn weighted(claim: &Claim) -> Result<Finding, Trouble> {
    let note = "cell/ms, general weighted, solved centrally and certified; VC4 has its 60 = min(PR, SR) before VC3 ends, which is why it does \
                not answer to that. What the switches do is not simulated yet";
    after_each_event(claim, true, note)
}

/// §2.3, eq. (1).
pub fn equal_share(claim: &Claim) -> Result<Finding, Trouble> {
    let example = claim.expected.get("derived_example").and_then(Value::as_table).ok_or("there is no example")?;
    let abw = example.get("abw").and_then(number).ok_or("the example has no `abw`")?;
    let limits = numbers(example, "limits")?;
    let shares = max_min_shares(abw, &limits, &vec![1.0; limits.len()]);
    let comparison = compare(claim, &shares, &numbers(example, "shares")?);
    let note = "max-min shares of one link, where marks settle at once";
    Ok(Finding::new(json!({ "shares": rounded(&shares) }), comparison.holds, note))
}

/// §5.1: the unit.
pub fn cell_rate(claim: &Claim) -> Result<Finding, Trouble> {
    let cells = cells_per_ms(expected_number(claim, "mbps")?)?;
    let comparison = compare(claim, &[cells], &[expected_number(claim, "cells_per_ms")?]);
    Ok(Finding::new(json!({ "cells_per_ms": round(cells) }), comparison.holds, "50 Mb/s over 53 bytes"))
}
