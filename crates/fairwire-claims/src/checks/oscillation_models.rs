//! When and how RPR's modes swing, from the propositions and the models alone.

use super::drawn::{self, PRINTED};
use super::{Claim, Finding, Trouble, allocation::certified, expected_number};
use crate::tandem::{flows_of, unit_tandem};
use crate::tolerance::{round, rounded};
use fairwire_alloc::Criterion;
use fairwire_analysis::cycle::Loss;
use fairwire_analysis::oscillation::{LinkAnalysis, links};
use fairwire_core::Streams;
use fairwire_results::Figure;
use rand::RngExt;
use serde_json::json;

/// A rate that the papers call ε, as a part of capacity: 5 of 622 Mb/s.
const SMALL: f64 = 5.0 / 622.0;
const LOW_THRESHOLD: f64 = 0.8;

/// The claim's topology with these demands, link by link.
fn analysed(claim: &Claim, demands: &[f64]) -> Result<Vec<LinkAnalysis>, Trouble> {
    let flows = flows_of(claim).ok_or("the catalogue gives no flows")?;
    let mut problem = unit_tandem(&flows);
    problem.flows.iter_mut().zip(demands).for_each(|(flow, demand)| flow.demand_bps = *demand);
    let (_, fair) = certified(&problem, Criterion::Rias)?;
    links(&problem, &fair, LOW_THRESHOLD).map_err(|error| error.to_string())
}

/// The only swing in aggressive mode: its link and its range.
fn the_aggressive_swing(all: &[LinkAnalysis]) -> Result<(usize, f64, f64), Trouble> {
    let swings: Vec<(usize, f64, f64)> = all
        .iter()
        .flat_map(|link| link.aggressive.flows.iter().filter_map(|flow| Some((link.link, flow.range_bps()?))))
        .map(|(link, (low, high))| (link, low, high))
        .collect();
    match swings.as_slice() {
        [one] => Ok(*one),
        other => Err(format!("one flow should swing on one link, not {}", other.len())),
    }
}

fn near(claim: &Claim, pairs: &[(f64, f64)]) -> bool {
    let allowed = claim.tolerance.get("abs_of_capacity").and_then(toml::Value::as_float).unwrap_or(0.0);
    pairs.iter().all(|(measured, expected)| (measured - expected).abs() <= allowed)
}

/// Between which rates a flow swings.
fn range(claim: &Claim, found: [f64; 2], printed: [f64; 2]) -> Figure {
    let names = ["lowest", "highest"].map(str::to_owned).to_vec();
    let title = drawn::title(claim, "between which rates the flow swings");
    drawn::bars(title, names, "part of the link", &[("here", &found)], &[(PRINTED, &printed)])
}

/// Fig. 7: from ε to C − ε.
pub fn two_flow_swing(claim: &Claim) -> Result<Finding, Trouble> {
    let (link, low, high) = the_aggressive_swing(&analysed(claim, &[1.0, SMALL])?)?;
    let holds = near(claim, &[(low, SMALL), (high, 1.0 - SMALL)]);
    let measured = json!({ "low": round(low), "high": round(high), "epsilon": round(SMALL), "link": link });
    let figure = range(claim, [low, high], [SMALL, 1.0 - SMALL]);
    Ok(Finding::new(measured, holds, "Proposition 2 on the certified RIAS rates, epsilon 5 of 622 Mb/s").drawn(figure))
}

/// Fig. 8: flow (1,3) between a quarter and three quarters.
pub fn equal_demands_swing(claim: &Claim) -> Result<Finding, Trouble> {
    let (link, low, high) = the_aggressive_swing(&analysed(claim, &[1.0; 5])?)?;
    let expected = [expected_number(claim, "low")?, expected_number(claim, "high")?];
    let holds = near(claim, &[(low, expected[0]), (high, expected[1])]);
    let measured = json!({ "low": round(low), "high": round(high), "link": link });
    let note = "Proposition 2 on the certified RIAS rates; no other flow swings on any link";
    Ok(Finding::new(measured, holds, note).drawn(range(claim, [low, high], expected)))
}

/// §IV-A2: from C/2 to the threshold less ε.
pub fn conservative_swing(claim: &Claim) -> Result<Finding, Trouble> {
    let all = analysed(claim, &[SMALL, 1.0])?;
    let link = all.iter().find(|link| link.conservative.oscillates()).ok_or("nothing swings")?;
    let verdict = &link.conservative;
    let ranges: Vec<(f64, f64)> = verdict.ingresses.iter().filter_map(|ingress| verdict.range_bps(ingress)).collect();
    let [(low, high)] = ranges[..] else { return Err("one flow should swing".into()) };
    let expected = [expected_number(claim, "low")?, LOW_THRESHOLD - SMALL];
    let holds = near(claim, &[(low, expected[0]), (high, expected[1])]);
    let printed = verdict.throttled_load_bps > verdict.low_threshold_bps;
    let measured = json!({
        "low": round(low), "high": round(high), "throttled_load": round(verdict.throttled_load_bps),
        "printed_condition_holds": printed,
    });
    let note = "Proposition 3 with its sign put right: throttled to C/2 the link carries less than the threshold, so congestion \
                clears. As printed, the second condition does not hold in the paper's own example";
    Ok(Finding::new(measured, holds, note).drawn(range(claim, [low, high], expected)))
}

/// Eq. (7) on made-up cycles, against a sum of its own.
pub fn loss_formula(claim: &Claim) -> Result<Finding, Trouble> {
    let allowed = claim.tolerance.get("abs").and_then(toml::Value::as_float).unwrap_or(0.0);
    let mut rng = Streams::new(1, 0).component("made-up cycles");
    let mut worst = 0.0f64;
    for _ in 0..1_000 {
        let rates: Vec<f64> = (0..rng.random_range(2..200)).map(|_| rng.random_range(0.0..1.0)).collect();
        let fair = rng.random_range(0.1..1.0);
        // N R + R less all rates, over N: summed another way than the formula is.
        let steps = (rates.len() - 1) as f64;
        let expected = fair + (fair - rates.iter().rev().sum::<f64>()) / steps;
        worst = worst.max((Loss::of(&rates, fair).printed_bps - expected).abs());
    }
    let made_up = Loss::of(&[2.0, 6.0, 12.0], 10.0);
    let examples = [made_up.printed_bps, made_up.normalised, made_up.clipped, made_up.mean];
    let holds = worst <= allowed && (made_up.printed_bps - 5.0).abs() <= allowed;
    let measured = json!({
        "worst": worst, "example_rates": [2, 6, 12], "example_fair": 10,
        "example_printed_normalised_clipped_mean": rounded(&examples),
    });
    let note = "the printed sum has N + 1 terms over N; beside it the model reports it over R, with rates above R clipped to R, \
                and over N + 1";
    Ok(Finding::new(measured, holds, note))
}
