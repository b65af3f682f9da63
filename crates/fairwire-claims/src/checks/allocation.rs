//! Reference allocations: the solvers against the numbers of the papers.

use super::drawn::{self, DERIVED, PRINTED};
use super::{Claim, Finding, Trouble, expected_number, expected_rates};
use crate::tandem::{flows_of, unit_tandem};
use crate::tolerance::{compare, round, rounded};
use fairwire_alloc::{Allocation, Criterion, Problem, check, max_min_shares, solve};
use fairwire_results::{Curve, Figure};
use serde_json::json;

/// Solves and has the independent checker agree.
pub fn certified(problem: &Problem, criterion: Criterion) -> Result<(Allocation, Vec<f64>), Trouble> {
    let allocation = solve(problem, criterion).map_err(|error| error.to_string())?;
    let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
    check(problem, criterion, &rates, 1e-9).map_err(|violation| format!("the checker objects: {violation}"))?;
    Ok((allocation, rates))
}

fn problem_of(claim: &Claim) -> Result<Problem, Trouble> {
    flows_of(claim).map(|flows| unit_tandem(&flows)).ok_or_else(|| "the catalogue gives no flows".to_owned())
}

fn rates_under(claim: &Claim, criterion: Criterion, key: &str) -> Result<Finding, Trouble> {
    let (allocation, rates) = certified(&problem_of(claim)?, criterion)?;
    let expected = expected_rates(claim, key)?;
    let comparison = compare(claim, &rates, &expected);
    let note = format!("{criterion} on unit links, certified; unique: {}", allocation.unique);
    let what = if criterion == Criterion::Rias { "RIAS rates".to_owned() } else { format!("{criterion} rates") };
    let figure = drawn::rates(claim, &what, &[("here", &rates)], &[(PRINTED, &expected)]);
    Ok(Finding::new(json!({ key: rounded(&rates) }), comparison.holds, note).drawn(figure))
}

/// RIAS rates of a topology.
pub fn rias(claim: &Claim) -> Result<Finding, Trouble> {
    rates_under(claim, Criterion::Rias, "rates")
}

/// Flow max-min rates of a topology.
pub fn max_min(claim: &Claim) -> Result<Finding, Trouble> {
    rates_under(claim, Criterion::MaxMin, "rates")
}

/// The paper's "proportional" rates are inverse-hop shares; the maximiser of the
/// sum of logarithms is told by its optimality conditions: x = 1 / (price of the
/// path), and only full links have a price.
pub fn inverse_hop_and_proportional(claim: &Claim) -> Result<Finding, Trouble> {
    let problem = problem_of(claim)?;
    let (_, rates) = certified(&problem, Criterion::InverseHop)?;
    let kelly = expected_rates(claim, "derived_kelly_optimum")?;
    let full: Vec<bool> = (0..problem.links.len())
        .map(|link| {
            let load: f64 =
                problem.flows.iter().zip(&kelly).filter(|(flow, _)| flow.route.contains(&link)).map(|(_, x)| x).sum();
            (load - 1.0).abs() < 1e-12
        })
        .collect();
    let one_price = problem.flows.iter().all(|flow| flow.route.iter().filter(|&&link| full[link]).count() == 1);
    let optimal = one_price && kelly.iter().all(|x| (x - kelly[0]).abs() < 1e-12);
    let expected = expected_rates(claim, "rates")?;
    let holds = compare(claim, &rates, &expected).holds && optimal;
    let note = "the printed rates are shares by the inverse of the hop count; the sum of logarithms is greatest at 1/4 \
                each, since all four cross one full link and no other link is full";
    let figure = drawn::rates(claim, "shares by the inverse of hops", &[("here", &rates)], &[(PRINTED, &expected)]);
    Ok(Finding::new(json!({ "rates": rounded(&rates), "derived_kelly_optimum": kelly }), holds, note).drawn(figure))
}

/// How much node 4 gets in all when it adds destinations.
pub fn spreading_reward(claim: &Claim) -> Result<Finding, Trouble> {
    let rias_total = expected_number(claim, "derived_node4_total_rias")?;
    let (mut totals, mut holds, mut curves) = (Vec::new(), true, [Vec::new(), Vec::new()]);
    for destinations in 1..=8 {
        let mut flows = vec![(1, 5), (2, 5), (3, 5)];
        flows.extend((0..destinations).map(|extra| (4, 5 + extra)));
        let problem = unit_tandem(&flows);
        let total = |criterion| certified(&problem, criterion).map(|(_, rates)| rates[3..].iter().sum::<f64>());
        let (max_min, rias) = (total(Criterion::MaxMin)?, total(Criterion::Rias)?);
        let m = destinations as f64;
        holds &= (max_min - m / (3.0 + m)).abs() < 1e-9 && (rias - rias_total).abs() < 1e-9;
        curves[0].push(max_min);
        curves[1].push(rias);
        totals.push(json!({ "m": destinations, "flow_maxmin": round(max_min), "rias": round(rias) }));
    }
    let [max_min, rias] = &curves;
    let formula: Vec<f64> = (1..=max_min.len()).map(|m| m as f64 / (3.0 + m as f64)).collect();
    let figure = Figure {
        title: drawn::title(claim, "what node 4 has in all"),
        x: "destinations of node 4".to_owned(),
        y: "part of the link".to_owned(),
        curves: vec![Curve::counted("flow max-min", 1, max_min), Curve::counted("RIAS", 1, rias)],
        printed: vec![
            Curve::counted(&format!("flow max-min, {DERIVED}"), 1, &formula),
            Curve::counted(&format!("RIAS, {DERIVED}"), 1, &vec![rias_total; formula.len()]),
        ],
        ..Figure::default()
    };
    Ok(Finding::new(json!({ "node4_total": totals }), holds, "1 to 8 destinations behind link 4").drawn(figure))
}

/// Counting flows lets one node take half.
pub fn ingress_egress_granularity(claim: &Claim) -> Result<Finding, Trouble> {
    let problem = problem_of(claim)?;
    let (_, flow_rates) = certified(&problem, Criterion::IngressEgress)?;
    let (_, rias) = certified(&problem, Criterion::Rias)?;
    let node4 =
        |rates: &[f64]| problem.flows.iter().zip(rates).filter(|(flow, _)| flow.ingress == 4).map(|(_, x)| x).sum();
    let measured = [flow_rates[0], node4(&flow_rates), node4(&rias)];
    let keys = ["flow_maxmin_rate_each", "node4_total_flow_maxmin", "node4_total_rias"];
    let expected = keys.iter().map(|key| expected_number(claim, key)).collect::<Result<Vec<_>, _>>()?;
    let names = ["each pair", "node 4, by pairs", "node 4, RIAS"].map(str::to_owned).to_vec();
    let shown = [("here", &measured[..])];
    let figure = drawn::bars(drawn::title(claim, "rates"), names, "part of the link", &shown, &[(PRINTED, &expected)]);
    // The catalogue writes 1/6 with ten digits.
    let holds = measured.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-9 + 1e-10);
    let measured = json!({ keys[0]: round(measured[0]), keys[1]: round(measured[1]), keys[2]: round(measured[2]) });
    Ok(Finding::new(measured, holds, "each (ingress, egress) pair counted once").drawn(figure))
}

/// Farther nodes get less under inverse-hop sharing.
pub fn penalises_distance(claim: &Claim) -> Result<Finding, Trouble> {
    let (_, rates) = certified(&problem_of(claim)?, Criterion::InverseHop)?;
    let holds = rates.windows(2).all(|pair| pair[0] < pair[1]);
    let figure = drawn::rates(claim, "shares by the inverse of hops", &[("here", &rates)], &[]);
    Ok(Finding::new(json!({ "rates": rounded(&rates) }), holds, "inverse-hop shares, farthest node first")
        .drawn(figure))
}

/// The unbalanced parking lot for slow last senders.
pub fn slow_last_sender(claim: &Claim) -> Result<Finding, Trouble> {
    let mut holds = true;
    let mut measured = Vec::new();
    for d in [0.0, 0.01, 0.1, 0.2, 0.249] {
        let mut problem = problem_of(claim)?;
        problem.flows[3].demand_bps = d;
        let (_, rates) = certified(&problem, Criterion::Rias)?;
        let third = (1.0 - d) / 3.0;
        holds &= rates.iter().zip([third, third, third, d]).all(|(x, y)| (x - y).abs() < 1e-9);
        measured.push(json!({ "d": d, "rates": rounded(&rates) }));
    }
    Ok(Finding::new(json!(measured), holds, "demands of (4,5) from 0 to just below 1/4"))
}

/// Max-min shares of one link.
pub fn local_fair_share(claim: &Claim) -> Result<Finding, Trouble> {
    let example = claim.expected.get("derived_example").and_then(|value| value.as_table());
    let list = |key| {
        let values = example.and_then(|table| table.get(key)).and_then(|value| value.as_array());
        values.map(|values| values.iter().filter_map(toml::Value::as_float).collect::<Vec<_>>())
    };
    let (Some(demands), Some(expected)) = (list("demands"), list("shares")) else {
        return Err("the catalogue gives no example".to_owned());
    };
    let shares = max_min_shares(1.0, &demands, &vec![1.0; demands.len()]);
    Ok(Finding::new(json!({ "shares": rounded(&shares) }), compare(claim, &shares, &expected).holds, ""))
}

/// Two steps to the upstream parallel lot's rates: link by link first, then the rest.
pub fn upstream_parallel_in_two_steps(claim: &Claim) -> Result<Finding, Trouble> {
    let problem = problem_of(claim)?;
    let (_, rates) = certified(&problem, Criterion::Rias)?;
    // Step 1 on link 2: ingresses 1 and 2 with endless demand.
    let first = max_min_shares(1.0, &[f64::INFINITY; 2], &[1.0; 2])[0];
    let after_one = expected_number(claim, "rate_1_3_after_step_1")?;
    let expected = expected_rates(claim, "rates")?;
    let holds = compare(claim, &rates, &expected).holds && (first - after_one).abs() < 1e-9;
    let measured = json!({ "rates": rounded(&rates), "rate_1_3_after_step_1": round(first) });
    let figure = drawn::rates(claim, "RIAS rates", &[("here", &rates)], &[(PRINTED, &expected)]);
    Ok(Finding::new(measured, holds, "certified").drawn(figure))
}
