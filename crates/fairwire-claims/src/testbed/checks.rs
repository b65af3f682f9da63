//! Four claims on what the testbed showed.

use super::ring::{Flow, LONG_SPAN, PRINTED_SPAN, Testbed, feedback_byte, limiter_byte, middle, shown};
use super::{Carried, Carrier};
use crate::catalogue::{Claim, number};
use crate::checks::{expected_number, expected_rates};
use crate::reading::Reading;
use crate::row::Finding;
use crate::runs::Trouble;
use crate::tolerance::{round, rounded};
use fairwire_laws::ring::dvsr::{Encoding, Frame};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Counts compared as Table I is printed.
const AS_PRINTED: &str = "count-margin = 0.0\n";
const TWO: [Flow; 2] = [(1, 3, 58.0), (2, 3, 58.0)];
const THREE: [Flow; 3] = [(1, 4, 58.0), (2, 4, 58.0), (3, 4, 97.0)];
/// "Nearly 100 Mb/s", which is what an Ethernet at 100 Mb/s gives a program.
const UNBALANCED: [Flow; 2] = [(1, 3, 97.0), (2, 3, 42.0)];

/// What came out, and whether it is as near as the claim asks.
type Measured = Result<(Value, bool), Trouble>;

/// As printed, then with spans of half a millisecond, then with counts that may be a packet short.
fn each_way(flows: &[Flow], carrier: &dyn Carrier, measure: &dyn Fn(&Carried) -> Measured) -> Result<Finding, Trouble> {
    let run = |span, parameters| Testbed { flows, span, parameters }.run(carrier).and_then(|carried| measure(&carried));
    let (printed, holds) = run(PRINTED_SPAN, AS_PRINTED)?;
    let (long, holds_long) = run(LONG_SPAN, AS_PRINTED)?;
    let (margin, holds_margin) = run(PRINTED_SPAN, "")?;
    let few = "at T = 0.6 ms a link sends 7.5 packets of 1 kB a T: counts come out as 2 or 3 of them, and the largest share of such \
               counts is above their mean. Packets of 1 kB, as in the paper's simulations; their size is not printed";
    let long_why = "counts are of whole packets, and a T of 50 of them is the paper's own in its simulations (78)";
    let margin_why = "counts come in whole packets, so that two where 2.5 are due are no smaller demand";
    Ok(Finding::new(printed, holds, few)
        .tried(Reading::argued("spans of 0.5 ms, 50 packets a T", long_why).found(long, holds_long))
        .tried(
            Reading::of_the_product("`count-margin = 1`, `encoding = \"byte\"`", margin_why)
                .found(margin, holds_margin),
        ))
}

/// Whether a byte is as near as the claim asks.
fn is_byte(claim: &Claim, key: &str, byte: f64) -> Result<bool, Trouble> {
    let within = claim.tolerance.get("byte").and_then(number).unwrap_or(0.0);
    Ok((byte - expected_number(claim, key)?).abs() <= within)
}

fn mbps(carried: &Carried) -> Vec<f64> {
    carried.run.shares().into_iter().map(|share| share * carried.run.capacity() * 1e-6).collect()
}

/// 256 levels; and every limiter that a byte sets stands at one of them.
pub fn configuration(claim: &Claim, carrier: &dyn Carrier) -> Result<Finding, Trouble> {
    let levels: BTreeSet<u64> = (0..=100_000u32)
        .map(|part| {
            let mut frame = Frame::new(Encoding::Byte, 8);
            frame.set_fraction(3, f64::from(part) / 1e5);
            frame.fraction(3).to_bits()
        })
        .collect();
    let carried = Testbed { flows: &TWO, span: PRINTED_SPAN, parameters: AS_PRINTED }.run(carrier)?;
    let (run, plan) = (&carried.run, &carried.run.plan);
    let limits = shown(run, "allowed_rate_bps", 1, 3);
    let step = run.capacity() / 255.0;
    // Limits are whole bits a second.
    let is_level = |bps: f64| (bps - (bps / step).round() * step).abs() <= 1.0;
    let on_levels = limits.iter().all(|(_, bps)| is_level(*bps)) && !limits.is_empty();
    let visits = shown(run, "fair_rate_bps", 2, 2);
    let gaps: Vec<f64> = visits.windows(2).map(|pair| (pair[1].0.since(pair[0].0)).as_secs_f64() * 1e3).collect();
    let ring_ms: f64 = plan.links[0].iter().map(|link| link.delay.as_secs_f64() * 1e3).sum();
    let expected = expected_number(claim, "rate_byte_levels")?;
    let measured = json!({
        "nodes": plan.stations.len(), "interface_mbps": run.capacity() * 1e-6, "ring_propagation_ms": round(ring_ms),
        "rate_byte_levels": levels.len(), "limits_seen": limits.len(), "limits_at_a_level": on_levels,
        "visits_apart_ms": round(middle(gaps)?), "real": carried.how,
    });
    Ok(Finding::new(measured, levels.len() as f64 == expected && on_levels, ""))
}

/// Both flows get half.
pub fn two_flows(claim: &Claim, carrier: &dyn Carrier) -> Result<Finding, Trouble> {
    each_way(&TWO, carrier, &|carried| {
        let (byte, limiter) = (feedback_byte(&carried.run, 2)?, limiter_byte(&carried.run, TWO[0])?);
        let derived = limiter / 255.0 * carried.run.capacity() * 1e-6;
        let measured = json!({
            "feedback_byte_node2": byte, "derived_rate_mbps": round(derived), "throughput_mbps": rounded(&mbps(carried)),
            "real": carried.how,
        });
        Ok((measured, is_byte(claim, "feedback_byte_node2", byte)?))
    })
}

/// All three get a third.
pub fn three_flows(claim: &Claim, carrier: &dyn Carrier) -> Result<Finding, Trouble> {
    let mut finding = each_way(&THREE, carrier, &|carried| {
        let byte = feedback_byte(&carried.run, 3)?;
        let (rates, printed) = (mbps(carried), expected_rates(claim, "throughput_mbps")?);
        let within = claim.tolerance.get("mbps").and_then(number).unwrap_or(0.0);
        let near = rates.iter().zip(&printed).all(|(rate, printed)| (rate - printed).abs() <= within);
        let limiters = THREE.iter().map(|flow| limiter_byte(&carried.run, *flow)).collect::<Result<Vec<_>, _>>()?;
        let measured = json!({
            "feedback_byte": byte, "is_the_byte": is_byte(claim, "feedback_byte", byte)?, "throughput_mbps": rounded(&rates),
            "limiter_bytes": limiters, "real": carried.how,
        });
        Ok((measured, near && is_byte(claim, "feedback_byte", byte)?))
    })?;
    finding.note +=
        ". Limiters at 0x55 let 33.33 Mb/s pass each: 33.7 is more than that, and 32.6 less than what then is left";
    Ok(finding)
}

/// The upstream flow gets what the downstream one leaves.
pub fn unbalanced(claim: &Claim, carrier: &dyn Carrier) -> Result<Finding, Trouble> {
    each_way(&UNBALANCED, carrier, &|carried| {
        let limiter = limiter_byte(&carried.run, UNBALANCED[0])?;
        let measured = json!({
            "limiter_byte": limiter, "limiter_mbps": round(limiter / 255.0 * carried.run.capacity() * 1e-6),
            "throughput_mbps": rounded(&mbps(carried)), "real": carried.how,
        });
        Ok((measured, is_byte(claim, "limiter_byte", limiter)?))
    })
}
