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

/// [dvsr] §III-A: an ingress that wants more gets at least C/N at its bottleneck,
/// the full link where no other ingress is ahead of it.
pub fn minimum_guarantee(_claim: &Claim) -> Result<Finding, Trouble> {
    let (mut least, mut bottlenecks) = (f64::INFINITY, 0);
    for instance in 0..INSTANCES {
        let problem = random_tandem(instance, false);
        let (_, rates) = certified(&problem, Criterion::Rias)?;
        let hungry = problem.flows.iter().zip(&rates).filter(|(flow, rate)| **rate < flow.demand_bps - 1e-9);
        for (flow, _) in hungry {
            for &link in &flow.route {
                let present: Vec<f64> = (0..problem.nodes.len())
                    .filter(|node| {
                        problem.flows.iter().any(|other| other.ingress == *node && other.route.contains(&link))
                    })
                    .map(|node| aggregate(&problem, &rates, node, link))
                    .collect();
                let mine = aggregate(&problem, &rates, flow.ingress, link);
                let full = present.iter().sum::<f64>() > 1.0 - 1e-9;
                if full && present.iter().all(|other| *other <= mine + 1e-9) {
                    least = least.min(mine * present.len() as f64);
                    bottlenecks += 1;
                }
            }
        }
    }
    let measured = json!({ "least_multiple_of_C_over_N": crate::tolerance::round(least), "bottlenecks": bottlenecks });
    let note = format!("{INSTANCES} random tandems; IA rate times ingresses at every bottleneck of a flow cut short");
    Ok(Finding::new(measured, bottlenecks > 0 && least >= 1.0 - 1e-9, note))
}

/// Definition 1: a flow must not gain though everybody whom the definition lets
/// it take from gave up all.
pub fn definition(_claim: &Claim) -> Result<Finding, Trouble> {
    let (mut unique, mut open, mut can_gain) = (0, 0, 0);
    for instance in 0..INSTANCES {
        let problem = random_tandem(instance, true);
        let (allocation, rates) = certified(&problem, Criterion::Rias)?;
        match allocation.unique {
            fairwire_alloc::Uniqueness::Yes => unique += 1,
            _ => open += 1,
        }
        can_gain += u64::from((0..rates.len()).any(|flow| can_grow(&problem, &rates, flow)));
    }
    let note = format!("{INSTANCES} random tandems of greedy flows; uniqueness proved by two-sided bounds");
    let measured =
        json!({ "exists": can_gain == 0, "unique": unique, "not_unique_or_open": open, "can_grow": can_gain });
    Ok(Finding::new(measured, can_gain == 0 && open == 0, note))
}

/// Whether `flow` fits more rate on its whole route once all flows that it need
/// not spare are gone. It must spare one of its own ingress that is no larger,
/// and one of another ingress whose aggregate is no larger on a link they share.
fn can_grow(problem: &Problem, rates: &[f64], flow: usize) -> bool {
    let me = &problem.flows[flow];
    let spared = |other: usize| {
        let them = &problem.flows[other];
        if them.ingress == me.ingress {
            return rates[other] <= rates[flow] + 1e-9;
        }
        let shared = them.route.iter().filter(|link| me.route.contains(link));
        let no_larger = |link: &&usize| {
            aggregate(problem, rates, them.ingress, **link) <= aggregate(problem, rates, me.ingress, **link) + 1e-9
        };
        shared.into_iter().any(|link| no_larger(&link))
    };
    let stay: Vec<bool> = (0..rates.len()).map(|other| other == flow || spared(other)).collect();
    me.route.iter().all(|link| {
        let crossing = (0..rates.len()).filter(|&other| stay[other] && problem.flows[other].route.contains(link));
        crossing.map(|other| rates[other]).sum::<f64>() < 1.0 - 1e-9
    })
}

/// The certificate holds for the solver's answer and fails once rate is moved.
pub fn certificate(_claim: &Claim) -> Result<Finding, Trouble> {
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
