//! What unbalanced traffic costs on two links, and how far rates swing.

use super::drawn;
use super::rates_seen::{
    allowed, at_ms, constant, finely, lasting, mean, plan_under, range, run_under, standard_deviation, vary_sizes,
    windowed,
};
use super::{Claim, Finding, Trouble, allocation::certified, expected_number};
use crate::runs::{self, Run};
use crate::tandem::unit_tandem;
use crate::tolerance::{round, rounded};
use crate::ways::Way;
use fairwire_alloc::Criterion;
use fairwire_core::{Instant, Span};
use fairwire_plan::{Detail, RingPlan};
use fairwire_results::{Curve, Figure};
use fairwire_sweep::side_by_side;
use serde_json::{Value, json};
use std::sync::Arc;

/// The papers' link, in Mb/s.
const LINK: f64 = 622.0;
/// The downstream flow of Fig. 9(a), in Mb/s.
const SMALL: f64 = 5.0;

/// Flows (1,3) and (2,3) that ask for these rates; `seconds` after one of warming up.
fn two_flows(
    name: &str,
    parameters: &str,
    demands_mbps: [f64; 2],
    packet_bytes: u16,
    seconds: f64,
) -> Result<RingPlan, Trouble> {
    let ends = [(1, 3), (2, 3)];
    let flows: Vec<_> = ends.into_iter().zip(demands_mbps).map(|(ends, mbps)| (ends, mbps, packet_bytes)).collect();
    unbalanced(name, parameters, &flows, seconds)
}

fn unbalanced(
    name: &str,
    parameters: &str,
    flows: &[((u16, u16), f64, u16)],
    seconds: f64,
) -> Result<RingPlan, Trouble> {
    let mut plan = plan_under(&runs::two_flow_am()?, name, parameters)?;
    let model = plan.flows.swap_remove(0);
    plan.flows = flows.iter().map(|&(ends, mbps, bytes)| constant(&model, ends, mbps, bytes)).collect();
    vary_sizes(&mut plan, 0.05);
    plan.warmup = Span::from_millis(1_000);
    let duration = plan.warmup + Span::from_nanos((seconds * 1e9) as u64);
    lasting(&mut plan, duration);
    Ok(plan)
}

/// Runs it, and shows what happens from one aging interval to the next.
fn seen_finely(mut plan: RingPlan, name: &str, parameters: &str) -> Result<Arc<Run>, Trouble> {
    finely(&mut plan);
    run_under(plan, name, parameters)
}

/// What the last link of two flows loses against the RIAS rates, as a part of these.
fn utilisation_lost(run: &Run, demands_mbps: [f64; 2]) -> Result<f64, Trouble> {
    let mut problem = unit_tandem(&[(1, 3), (2, 3)]);
    problem.flows.iter_mut().zip(demands_mbps).for_each(|(flow, mbps)| flow.demand_bps = mbps / LINK);
    let (_, fair) = certified(&problem, Criterion::Rias)?;
    Ok(1.0 - run.shares().iter().sum::<f64>() / fair.iter().sum::<f64>())
}

/// Abstract and I: up to 33 %.
pub fn worst_loss(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let rates = [1.0, SMALL, 12.0, 30.0, 75.0, 150.0, 250.0, 311.0, 450.0, 600.0, LINK];
    // Below the conservative mode's threshold nobody is held back.
    let crowded = |pair: &[f64; 2]| pair[0] + pair[1] > 0.8 * LINK;
    let pairs: Vec<[f64; 2]> =
        rates.iter().flat_map(|&far| rates.iter().map(move |&near| [far, near])).filter(crowded).collect();
    let worst = |name: &str, packet_bytes: u16| -> Result<(f64, [f64; 2]), Trouble> {
        let one = |demands: &[f64; 2]| -> Result<(f64, [f64; 2]), Trouble> {
            let mut plan = two_flows(name, &way.of(name), *demands, packet_bytes, 1.0)?;
            plan.detail = Detail::Summary;
            Ok((utilisation_lost(&*run_under(plan, name, &way.of(name))?, *demands)?, *demands))
        };
        let all = side_by_side(&pairs, one)?;
        all.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).ok_or_else(|| "no pairs".to_owned())
    };
    let (am, cm) = (worst("rpr-aggressive", 1_000)?, worst("rpr-conservative", 1_000)?);
    let (cm_active, dvsr) = (worst("rpr-conservative", 50)?, worst("dvsr", 1_000)?);
    let largest = am.0.max(cm.0).max(cm_active.0);
    let allowed = claim.tolerance.get("abs").and_then(toml::Value::as_float).unwrap_or(0.0);
    let holds = (largest - expected_number(claim, "max_loss")?).abs() <= allowed
        && dvsr.0 <= expected_number(claim, "dvsr_loss")?;
    let shown = |(loss, demands): (f64, [f64; 2])| json!({ "loss": round(loss), "demands_mbps": demands });
    let measured = json!({
        "max_loss": round(largest), "dvsr_loss": round(dvsr.0), "aggressive": shown(am), "conservative": shown(cm),
        "conservative_with_packets_of_50_bytes": shown(cm_active), "dvsr": shown(dvsr), "pairs": pairs.len(),
    });
    let note = "what the last link carries after 1 s against the sum of the fair rates, worst over a grid of both demands. Packets of \
                1000 B, and for the conservative mode also of 50 B, with which small flows are active in every aging interval";
    let names = ["aggressive", "conservative", "the same, 50 B", "DVSR"].map(str::to_owned).to_vec();
    let losses = [am.0, cm.0, cm_active.0, dvsr.0].map(|loss| loss.max(0.0));
    let title = drawn::title(claim, "the most that two flows lose");
    let figure = drawn::bars(title, names, "part of what is fair", &[("here", &losses)], &[])
        .with_point("the paper, DVSR", (4.0, expected_number(claim, "dvsr_loss")?))
        .at_level("the paper, RPR", expected_number(claim, "max_loss")?);
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// Abstract: 0.1 % against up to 100 %.
pub fn ranges(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let settled = at_ms(1_000);
    let mut curves = Vec::new();
    let mut seen = |name: &str| {
        let run = seen_finely(two_flows(name, &way.of(name), [LINK, SMALL], 1_000, 3.0)?, name, &way.of(name))?;
        let end = Instant::ZERO + run.record.duration;
        curves.push(drawn::throughput(&run, 0, name, Span::from_millis(1), [1_000.0, 1_200.0], 0.0));
        let throughput: Vec<f64> =
            [1, 10, 100].iter().map(|&ms| range(&windowed(&run, 0, Span::from_millis(ms), settled, end))).collect();
        Ok::<_, Trouble>((range(&allowed(&run, 0, settled)), throughput))
    };
    let (dvsr, rpr) = (seen("dvsr")?, seen("rpr-aggressive")?);
    let allowed_off = claim.tolerance.get("abs").and_then(toml::Value::as_float).unwrap_or(0.0);
    let at_least = expected_number(claim, "rpr_range_at_least")?;
    let of_dvsr = dvsr.1[1];
    let holds =
        (of_dvsr - expected_number(claim, "dvsr_range")?).abs() <= allowed_off && rpr.0 >= at_least - allowed_off;
    let measured = json!({
        "dvsr_range": round(of_dvsr), "rpr_range": round(rpr.0),
        "dvsr_throughput_in_1_10_100_ms": rounded(&dvsr.1), "rpr_throughput_in_1_10_100_ms": rounded(&rpr.1),
        "dvsr_limit": round(dvsr.0), "rpr_limit": round(rpr.0),
    });
    let note = "flow (1,3) from 1 s to 4 s, 622 and 5 Mb/s, parts of capacity. DVSR's range is that of throughput in windows of 10 ms (a \
                packet in 1 ms is 1.3 %); RPR's that of what the station is allowed, which its throughput follows";
    let figure = Figure {
        title: drawn::title(claim, "throughput of (1,3) beside 5 Mb/s"),
        x: "ms".to_owned(),
        y: "Mb/s in windows of 1 ms".to_owned(),
        curves,
        ..Figure::default()
    };
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// Slides, scenario II and backup: Gandalf swings across the link, at up to 15 %.
pub fn gandalf(claim: &Claim) -> Result<Finding, Trouble> {
    let near = [1.0, SMALL, 20.0, 50.0, 75.0, 100.0, 150.0, 200.0, 250.0];
    let loss = |&mbps: &f64| -> Result<(f64, f64), Trouble> {
        let run = seen_finely(two_flows("rpr-aggressive", "", [LINK, mbps], 1_000, 2.0)?, "rpr-aggressive", "")?;
        Ok((1.0 - run.shares()[0] * LINK / (LINK - mbps).max(LINK / 2.0), range(&allowed(&run, 0, at_ms(1_000)))))
    };
    let seen = side_by_side(&near, loss)?;
    let (losses, swings): (Vec<f64>, Vec<f64>) = seen.into_iter().unzip();
    let largest = losses.iter().copied().fold(0.0, f64::max);
    let swing = swings[1];
    let found = [swing, largest];
    let keys = ["swing_of_capacity", "max_throughput_loss"];
    let expected = keys.iter().map(|key| expected_number(claim, key)).collect::<Result<Vec<_>, _>>()?;
    let holds = crate::tolerance::compare(claim, &found, &expected).holds;
    let measured = json!({
        "swing_of_capacity": round(swing), "max_throughput_loss": round(largest),
        "near_mbps": near, "losses": rounded(&losses), "swings": rounded(&swings),
    });
    let figure = Figure {
        title: drawn::title(claim, "what (1,3) loses, and how far its limit swings"),
        x: "rate of (2,3), Mb/s".to_owned(),
        y: "part of the fair rate; part of capacity".to_owned(),
        curves: vec![Curve::over("loss", &near, &losses), Curve::over("swing", &near, &swings)],
        ..Figure::default()
    };
    let figure =
        figure.with_point("the slides, swing", (SMALL, expected[0])).at_level("the slides, largest loss", expected[1]);
    let note = "flow (1,3) asks for the link; swing of what it is allowed beside 5 Mb/s downstream, after 1 s; largest loss against its \
                fair rate over the rates downstream";
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// Slides, backup: Aladdin swings where small flows meet a large one.
pub fn aladdin(claim: &Claim) -> Result<Finding, Trouble> {
    let (large, small, hub) = (700.0, 15.0, 5u16);
    let cases = [("small flows downstream", 1u16), ("small flows upstream", 4)];
    let mut measured = serde_json::Map::new();
    let (mut holds, mut curves) = (false, Vec::new());
    for (name, from) in cases {
        let flow = |station: u16| {
            let (mbps, bytes) = if station == from { (large, 1_000) } else { (small, 100) };
            ((station, hub), mbps, bytes)
        };
        let flows: Vec<_> = (1..hub).map(flow).collect();
        let run = seen_finely(unbalanced("rpr-conservative", "", &flows, 2.0)?, "rpr-conservative", "")?;
        let index = usize::from(from) - 1;
        let throughput = windowed(&run, index, Span::from_millis(1), at_ms(1_000), Instant::ZERO + run.record.duration);
        curves.push(drawn::throughput(&run, index, name, Span::from_millis(1), [1_000.0, 1_200.0], 0.0));
        let deviation = standard_deviation(&throughput);
        holds |= deviation > 0.05;
        let shown: Value = json!({
            "standard_deviation": round(deviation), "range": round(range(&throughput)), "mean": round(mean(&throughput)),
            "of_what_it_is_allowed": round(standard_deviation(&allowed(&run, index, at_ms(1_000)))),
        });
        measured.insert(name.to_owned(), shown);
    }
    let note = "one flow of 700 Mb/s and three of 15 Mb/s to station 5, packets of 1000 and 100 B; throughput of the large flow in \
                windows of 1 ms after 1 s, as parts of capacity";
    let figure = Figure {
        title: drawn::title(claim, "throughput of the large flow"),
        x: "ms".to_owned(),
        y: "Mb/s in windows of 1 ms".to_owned(),
        curves,
        ..Figure::default()
    };
    Ok(Finding::new(Value::Object(measured), holds, note).drawn(figure))
}
