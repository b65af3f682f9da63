//! What RIAS fairness is: its definition, its certificate, and the slides' procedure.

use super::allocation::certified;
use super::{Claim, Finding, Trouble, expected_rates};
use crate::catalogue::topology;
use crate::tandem::{flows_of, unit_tandem};
use crate::tolerance::{compare, rounded};
use fairwire_alloc::{Criterion, Problem, check, solve};
use fairwire_core::Streams;
use rand::RngExt;
use serde_json::json;

const INSTANCES: u64 = 500;

/// Tandems of 3 to 8 nodes with 2 to 10 different flows, half of them greedy.
fn random_tandem(instance: u64, all_greedy: bool) -> Problem {
    let mut rng = Streams::new(2003, instance).component("random tandem");
    let nodes = rng.random_range(3..=8);
    let mut flows: Vec<(usize, usize)> = Vec::new();
    for _ in 0..rng.random_range(2..=10) {
        let from = rng.random_range(0..nodes - 1);
        let flow = (from, rng.random_range(from + 1..nodes));
        if !flows.contains(&flow) {
            flows.push(flow);
        }
    }
    let mut problem = unit_tandem(&flows);
    for flow in &mut problem.flows {
        if !all_greedy && rng.random_bool(0.5) {
            flow.demand_bps = f64::from(rng.random_range(1..=100)) / 100.0;
        }
    }
    problem
}

/// Rate of ingress `ingress` on link `link`.
fn aggregate(problem: &Problem, rates: &[f64], ingress: usize, link: usize) -> f64 {
    let crossing =
        problem.flows.iter().zip(rates).filter(|(flow, _)| flow.ingress == ingress && flow.route.contains(&link));
    crossing.map(|(_, rate)| rate).sum()
}

/// [dvsr] §III-A: an ingress that wants more gets at least C/N where it is held.
pub fn minimum_guarantee(claim: &Claim) -> Result<Finding, Trouble> {
    let _ = claim;
    let mut least = f64::INFINITY;
    for instance in 0..INSTANCES {
        let problem = random_tandem(instance, false);
        let (_, rates) = certified(&problem, Criterion::Rias)?;
        for (flow, &rate) in problem.flows.iter().zip(&rates).filter(|(flow, rate)| **rate < flow.demand_bps - 1e-9) {
            // Some full link gives the flow's ingress its C/N; a flow cut short has one.
            let guaranteed = |link: &usize| {
                let ingresses = (0..problem.nodes.len()).filter(|&node| {
                    problem.flows.iter().any(|other| other.ingress == node && other.route.contains(link))
                });
                aggregate(&problem, &rates, flow.ingress, *link) * ingresses.count() as f64
            };
            let best = flow.route.iter().map(guaranteed).fold(0.0, f64::max);
            least = least.min(best);
            let _ = rate;
        }
    }
    let note = format!(
        "{INSTANCES} random tandems; the least of IA rate times ingresses at the best link of a flow cut short"
    );
    Ok(Finding::new(json!({ "least_multiple_of_C_over_N": crate::tolerance::round(least) }), least >= 1.0 - 1e-9, note))
}

/// Definition 1, literally: raising any flow must take rate from a flow that is
/// no larger, in the definition's own two senses.
pub fn definition(claim: &Claim) -> Result<Finding, Trouble> {
    let _ = claim;
    let (mut unique, mut not_unique, mut broken) = (0, 0, 0);
    for instance in 0..INSTANCES {
        let problem = random_tandem(instance, true);
        let (allocation, rates) = certified(&problem, Criterion::Rias)?;
        match allocation.unique {
            fairwire_alloc::Uniqueness::Yes => unique += 1,
            _ => not_unique += 1,
        }
        broken += u64::from((0..rates.len()).any(|flow| can_grow(&problem, &rates, flow)));
    }
    let note = format!("{INSTANCES} random tandems of greedy flows; uniqueness proved by two-sided bounds");
    let measured = json!({ "exists": true, "unique": unique, "not_unique_or_open": not_unique, "can_grow": broken });
    Ok(Finding::new(measured, broken == 0 && not_unique == 0, note))
}

/// Whether `flow` could have more at the expense of larger flows only: on each
/// full link of its route somebody must be ahead of it, whom the definition
/// lets it take from.
fn can_grow(problem: &Problem, rates: &[f64], flow: usize) -> bool {
    let me = &problem.flows[flow];
    if rates[flow] >= me.demand_bps - 1e-9 {
        return false;
    }
    me.route.iter().all(|&link| {
        let load: f64 = (0..problem.nodes.len()).map(|node| aggregate(problem, rates, node, link)).sum();
        let mine = aggregate(problem, rates, me.ingress, link);
        let may_take_from = |other: usize| {
            let them = &problem.flows[other];
            let crosses = other != flow && them.route.contains(&link) && rates[other] > 1e-9;
            let smaller = if them.ingress == me.ingress {
                rates[other] <= rates[flow] + 1e-9
            } else {
                aggregate(problem, rates, them.ingress, link) <= mine + 1e-9
            };
            crosses && !smaller
        };
        load < 1.0 - 1e-9 || (0..rates.len()).any(may_take_from)
    })
}

/// The certificate holds for the solver's answer and fails once rate is moved.
pub fn certificate(claim: &Claim) -> Result<Finding, Trouble> {
    let _ = claim;
    let (mut moved, mut rejected) = (0, 0);
    for instance in 0..INSTANCES {
        let problem = random_tandem(instance, true);
        let (_, rates) = certified(&problem, Criterion::Rias)?;
        for flow in 0..rates.len() {
            let mut perturbed = rates.clone();
            perturbed[flow] *= 0.99;
            let victim = (flow + 1) % rates.len();
            perturbed[victim] += rates[flow] * 0.01;
            if victim != flow {
                moved += 1;
                rejected += u64::from(check(&problem, Criterion::Rias, &perturbed, 1e-9).is_err());
            }
        }
    }
    let measured = json!({ "certificate_holds_for_solver": true, "moved": moved, "rejected": rejected });
    Ok(Finding::new(
        measured,
        moved == rejected,
        format!("{INSTANCES} random tandems; one hundredth of a flow's rate moved to another"),
    ))
}

/// The three-step construction agrees with the certificate on the slides' cases.
pub fn three_steps(claim: &Claim) -> Result<Finding, Trouble> {
    let names = claim.scenario.get("topology").and_then(|value| value.as_array()).cloned().unwrap_or_default();
    let (mut agree, mut worst) = (0, 0.0f64);
    for name in &names {
        let flows = name.as_str().and_then(topology).ok_or("the catalogue names an unknown topology")?;
        let problem = unit_tandem(&flows);
        let (_, exact) = certified(&problem, Criterion::Rias)?;
        let steps = solve(&problem, Criterion::RiasIterative).map_err(|error| error.to_string())?;
        let distance =
            steps.flows.iter().zip(&exact).map(|(step, exact)| (step.rate_bps - exact).abs()).fold(0.0, f64::max);
        agree += u64::from(distance < 1e-6);
        worst = worst.max(distance);
    }
    let measured = json!({ "topologies": names.len(), "agree": agree, "largest_distance": worst });
    Ok(Finding::new(measured, agree as usize == names.len(), "rounds accumulated until nothing is left to give"))
}

/// Where it does not.
pub fn three_steps_fail(claim: &Claim) -> Result<Finding, Trouble> {
    let problem = unit_tandem(&flows_of(claim).ok_or("the catalogue gives no flows")?);
    let (_, exact) = certified(&problem, Criterion::Rias)?;
    let steps = solve(&problem, Criterion::RiasIterative).map_err(|error| error.to_string())?;
    let steps: Vec<f64> = steps.flows.iter().map(|flow| flow.rate_bps).collect();
    let holds = compare(claim, &exact, &expected_rates(claim, "derived_rias")?).holds
        && compare(claim, &steps, &expected_rates(claim, "derived_literal_iteration")?).holds
        && check(&problem, Criterion::Rias, &steps, 1e-6).is_err();
    let measured = json!({ "derived_rias": rounded(&exact), "derived_literal_iteration": rounded(&steps) });
    Ok(Finding::new(measured, holds, "the certificate rejects the iteration's answer"))
}
