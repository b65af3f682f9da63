//! What a control packet costs: §2.3, §3.1 and §3.2 of [wmfqc], in steps that are counted.
//!
//! Times are for `fairwire-bench`: they depend on the machine, and a verdict must not.

use super::one_link::OneLink;
use super::rules::congestion_needs_the_length_alone;
use super::{Claim, Finding, Trouble, expected_number, margin};
use crate::tolerance::{round, rounded};
use fairwire_core::{RandomStream, Streams};
use fairwire_laws::rate::marking::Marking;
use fairwire_laws::rate::share_tree::ShareTree;
use rand::RngExt;
use serde_json::json;

/// A limit up to 100 Mb/s and a weight over four decades.
fn draw(rng: &mut RandomStream) -> (f64, f64) {
    (rng.random_range(0.0..100e6), 10f64.powf(rng.random_range(-2.0..2.0)))
}

/// The exponent of `steps` in `sizes`: slope of the line of least squares through the logarithms.
fn exponent(sizes: &[u32], steps: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> =
        sizes.iter().zip(steps).map(|(size, steps)| (f64::from(*size).ln(), steps.ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let (above, below) = points
        .iter()
        .fold((0.0, 0.0), |sum, point| (sum.0 + (point.0 - x) * (point.1 - y), sum.1 + (point.0 - x).powi(2)));
    above / below
}

/// §2.3: Max-Min looks at all flows.
pub fn max_min(_claim: &Claim) -> Result<Finding, Trouble> {
    /// The margins that the claim states in words.
    const EXPONENTS: std::ops::RangeInclusive<f64> = 0.85..=1.2;
    const CHANGES: u32 = 10;
    let sizes = [1_000u32, 10_000, 100_000, 1_000_000];
    let looks = sizes.map(|flows| {
        let mut rng = Streams::new(flows.into(), 0).component("flows");
        let mut marking = Marking::new();
        for flow in 0..flows {
            marking.set(flow, draw(&mut rng).0);
        }
        let abw = 0.5 * 50e6 * f64::from(flows);
        marking.settle(abw);
        let passes = (0..CHANGES).map(|_| {
            marking.set(rng.random_range(0..flows), draw(&mut rng).0);
            marking.settle(abw)
        });
        passes.sum::<usize>() as f64 / f64::from(CHANGES) * f64::from(flows)
    });
    let exponent = exponent(&sizes, &looks);
    let measured = json!({ "flows": sizes, "looks_at_flows": looks, "exponent": round(exponent) });
    let note = "looks at a flow for a control packet that changes a limit: passes until no mark changes, each over all flows. Looks are counted in \
                place of time, which depends on the machine";
    Ok(Finding::new(measured, EXPONENTS.contains(&exponent), note))
}

/// §3.1: WMFQC searches a tree.
pub fn tree(_claim: &Claim) -> Result<Finding, Trouble> {
    const CHANGES: u32 = 20_000;
    let sizes = [100u32, 1_000, 10_000, 100_000, 1_000_000];
    let (mut most, mut bounds, mut walked) = (Vec::new(), Vec::new(), Vec::new());
    for flows in sizes {
        let mut rng = Streams::new(flows.into(), 0).component("flows");
        let mut tree = ShareTree::<u64>::default();
        let mut limits: Vec<(f64, f64)> = Vec::new();
        for flow in 0..flows {
            limits.push(draw(&mut rng));
            let (limit, weight) = limits[flow as usize];
            tree.set(flow, limit, weight);
        }
        let excess = 0.5 * 50e6 * f64::from(flows);
        let mut largest = 0;
        for change in 0..CHANGES {
            let before = *tree.visits();
            let (limit, weight) = draw(&mut rng);
            let flow = rng.random_range(0..flows);
            // Every other change makes the flow tie with others.
            let limit = if change % 2 == 0 { limit } else { weight * 1e6 };
            tree.set(flow, limit, weight);
            tree.fair_share(excess);
            limits[flow as usize] = (limit, weight);
            largest = largest.max(*tree.visits() - before);
        }
        most.push(largest);
        bounds.push(4.0 * f64::from(flows).log2() + 8.0);
        walked.push(linear_steps(&limits, excess) as f64);
    }
    let holds = most.iter().zip(&bounds).all(|(most, bound)| *most as f64 <= *bound);
    let linear = exponent(&sizes, &walked);
    let measured = json!({
        "flows": sizes, "most_visited_nodes": most, "allowed_nodes": rounded(&bounds), "steps_of_the_printed_list": walked,
        "exponent_of_the_printed_list": round(linear),
    });
    let note = "most nodes that a control packet visits: its flow is put at its new place and the critical flow is searched, 20,000 random changes \
                each, half of which make limits tie. Beside them the flows that the printed list walks over until it finds the critical one";
    Ok(Finding::new(measured, holds && (0.85..=1.2).contains(&linear), note))
}

/// Flows that `Find_NFS` looks at as printed.
fn linear_steps(flows: &[(f64, f64)], excess: f64) -> usize {
    let mut list = flows.to_vec();
    list.sort_by(|(a, v), (b, w)| (a / v).total_cmp(&(b / w)));
    let mut weights: f64 = list.iter().map(|(_, weight)| weight).sum();
    let mut left = excess;
    for (step, (limit, weight)) in list.iter().enumerate() {
        if limit / weight >= left / weights {
            return step + 1;
        }
        (left, weights) = (left - limit, weights - weight);
    }
    list.len()
}

/// §3.2: queue control reads a length, and no bandwidth stays unused.
pub fn queue_control(claim: &Claim) -> Result<Finding, Trouble> {
    let flows = || vec![[10.0, 200.0, 200.0, 1.0], [5.0, 200.0, 200.0, 3.0]];
    let used = |law, flows| Ok::<f64, Trouble>(OneLink { law, capacity_mbps: 100.0, flows }.run()?.used);
    let wmfqc = used("{ name = \"wmfqc\" }", flows())?;
    let equal = vec![[0.0, 200.0, 200.0, 1.0]; 2];
    let early = used("{ name = \"erica-early\" }", equal.clone())?;
    let newer = used("{ name = \"erica\" }", equal)?;
    let sizes = [1u32, 10, 100, 1_000, 10_000];
    let alone = congestion_needs_the_length_alone(&sizes)?;
    let expected = [
        expected_number(claim, "wmfqc_steady_utilisation")?,
        expected_number(claim, "early_erica_steady_utilisation")?,
    ];
    let within = margin(claim, "abs")?;
    let holds = (wmfqc - expected[0]).abs() <= within && (early - expected[1]).abs() <= within && alone;
    let measured = json!({
        "wmfqc_steady_utilisation": round(wmfqc), "early_erica_steady_utilisation": round(early),
        "later_erica_steady_utilisation": round(newer), "flows": sizes, "decided_by_the_length_alone": alone,
    });
    let note = "two flows that could send more over a link of 100 Mb/s in the packet simulator, the second half of a second; and ports with up to \
                10,000 flows, whose control packets are marked by one comparison with Q_T, whatever else the port holds";
    Ok(Finding::new(measured, holds, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponent_is_that_of_the_steps() {
        let sizes = [10u32, 100, 1_000];
        let of = |steps: fn(f64) -> f64| exponent(&sizes, &sizes.map(|size| steps(f64::from(size))));
        assert!((of(|size| 3.0 * size * size) - 2.0).abs() < 1e-12);
        assert!(of(f64::ln) < 0.85, "a logarithm is not taken for a part of the flows");
    }

    #[test]
    fn the_printed_list_is_walked_up_to_the_critical_flow() {
        let flows = [(40.0, 1.0), (10.0, 1.0), (20.0, 1.0)];
        // θ is 20, 25, 30 with 60, and 5 with 15; with 71 all are constrained.
        assert_eq!([60.0, 15.0, 71.0].map(|excess| linear_steps(&flows, excess)), [3, 1, 3]);
        assert_eq!(linear_steps(&flows, 45.0), 2);
    }
}
