//! What is fair in the network of [wmfqc] §5, solved centrally, beside what the switches tell.

use super::central::{Central, cells_per_ms};
use super::runs::{Scheme, Setting, Test};
use super::{Claim, Finding, Trouble, expected_number, list, numbers};
use crate::catalogue::number;
use crate::tolerance::{compare, round, rounded};
use fairwire_alloc::max_min_shares;
use fairwire_laws::rate::marking::Marking;
use serde_json::json;
use toml::Value;

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

fn after_each_event(claim: &Claim, setting: Setting, note: &str) -> Result<Finding, Trouble> {
    let network = Central::of_the_catalogue(setting != Setting::Equal)?;
    let seen = Test::new(setting, Scheme::Wmfqc).printed()?;
    let (mut found, mut expected, mut told) = (Vec::new(), Vec::new(), Vec::new());
    let rows = list(&claim.expected, "derived_ar")?;
    for ((state, row), end) in states(claim)?.iter().zip(rows).zip(seen.ends()) {
        found.push(network.rates(state)?);
        let row: Vec<f64> = row.as_array().into_iter().flatten().filter_map(number).collect();
        expected.push(state.iter().map(|vc| row[*vc]).collect::<Vec<f64>>());
        let allowed = seen.allowed_before(end);
        told.push(state.iter().map(|vc| cells_per_ms(allowed[*vc] / 1e6)).collect::<Result<Vec<f64>, _>>()?);
    }
    let solved = compare(claim, &found.concat(), &expected.concat());
    let simulated = compare(claim, &told.concat(), &expected.concat());
    let rows: Vec<Vec<f64>> = found.iter().map(|rates| rounded(rates)).collect();
    let measured = json!({
        "ar_of_those_that_send": rows, "largest_difference": round(solved.worst),
        "largest_difference_of_what_switches_tell": round(simulated.worst),
    });
    let holds = solved.holds && simulated.holds && found.len() == expected.len();
    Ok(Finding::new(measured, holds, note))
}

/// §5.1: after each event, without weights.
pub fn unweighted(claim: &Claim) -> Result<Finding, Trouble> {
    let note = "cell/ms, solved centrally and certified; beside them what WMFQC's switches have told in the packet simulator before the next event";
    after_each_event(claim, Setting::Equal, note)
}

/// §5.2: after each event, with minimum rates as weights.
pub fn weighted(claim: &Claim) -> Result<Finding, Trouble> {
    let note = "cell/ms, general weighted, solved centrally and certified; VC4 has its 60 = min(PR, SR) before VC3 ends, which is why it does \
                not answer to that. Beside them what WMFQC's switches have told in the packet simulator before the next event";
    after_each_event(claim, Setting::Wan, note)
}

/// §2.3, eq. (1).
pub fn equal_share(claim: &Claim) -> Result<Finding, Trouble> {
    let example = claim.expected.get("derived_example").and_then(Value::as_table).ok_or("there is no example")?;
    let abw = example.get("abw").and_then(number).ok_or("the example has no `abw`")?;
    let (limits, expected) = (numbers(example, "limits")?, numbers(example, "shares")?);
    let shares = max_min_shares(abw, &limits, &vec![1.0; limits.len()]);
    let mut marking = Marking::new();
    (0..).zip(&limits).for_each(|(flow, limit)| {
        marking.set(flow, *limit);
    });
    marking.settle(abw);
    let marked: Vec<f64> = (0..limits.len() as u32).filter_map(|flow| marking.share(flow)).collect();
    let holds = compare(claim, &shares, &expected).holds && compare(claim, &marked, &expected).holds;
    let note = "max-min shares of one link, and what the law's marks settle at";
    Ok(Finding::new(json!({ "shares": rounded(&shares), "by_marking": rounded(&marked) }), holds, note))
}

/// §5.1: the unit.
pub fn cell_rate(claim: &Claim) -> Result<Finding, Trouble> {
    let cells = cells_per_ms(expected_number(claim, "mbps")?)?;
    let comparison = compare(claim, &[cells], &[expected_number(claim, "cells_per_ms")?]);
    Ok(Finding::new(json!({ "cells_per_ms": round(cells) }), comparison.holds, "50 Mb/s over 53 bytes"))
}
