//! Fig. 9: one cycle of a swing in each mode.

use super::{AGGRESSIVE, CONSERVATIVE, Chosen, Constant, FORGETFUL, LINK};
use super::{allowed, cycle_lengths, expected_rate, falls, in_mbps, measured};
use crate::checks::drawn;
use crate::checks::rates_seen::mean;
use crate::checks::{Claim, Finding, Trouble, expected_number};
use crate::runs::Run;
use crate::tolerance::{round, rounded};
use fairwire_analysis::cycle::{AggressiveModel, ConservativeModel, Cycle, ModeParameters};
use fairwire_core::StationId;
use fairwire_plan::Detail;
use fairwire_results::{Curve, Figure};
use serde_json::json;

/// Fig. 9(a): the cycle's length.
pub fn aggressive_trace(claim: &Claim) -> Result<Finding, Trouble> {
    let [far, near] = [expected_rate(claim, "demand_mbps_1_3")?, expected_rate(claim, "demand_mbps_2_3")?];
    let model = AggressiveModel::two_flows(LINK * 1e6, near * 1e6, ModeParameters::default());
    let cycle = model.trace().map_err(|error| error.to_string())?.cycle;
    let flows = [Constant::new(1, 3, far), Constant::new(2, 3, near)];
    let run = measured(&flows, AGGRESSIVE, 4.0, Detail::Full)?;
    let seen = allowed(&run, 1);
    let lengths = cycle_lengths(&seen);
    let period_ms = mean(&lengths) * 0.1;
    let model_ms = cycle.period_s() * 1e3;
    let derived = expected_number(claim, "derived_cycle_ms_rampcoef64")?;
    let allowed = claim.tolerance.get("period_rel").and_then(toml::Value::as_float).unwrap_or(0.0);
    let near_enough = |value: f64, to: f64| (value - to).abs() <= allowed * to;
    let (low, high) = cycle.range_bps();
    let holds = lengths.len() >= 3 && near_enough(model_ms, derived) && near_enough(period_ms, model_ms);
    let queued = queued_at_onsets(&run, 2);
    let figure =
        both(claim, "what (1,3) is allowed", &seen, &cycle).at_place("a cycle, worked out from the paper", derived);
    let measured = json!({
        "simulated_queue_bytes_when_congestion_begins": round(mean(&queued)),
        "model_cycle_ms": round(model_ms), "simulated_cycle_ms": round(period_ms), "simulated_cycles": lengths.len(),
        "model_range_mbps": rounded(&[low / 1e6, high / 1e6]), "simulated_range_mbps": in_mbps(&seen),
    });
    Ok(Finding::new(measured, holds, AGGRESSIVE_NOTE).drawn(figure))
}

/// The simulated rate and the model's, each from the beginning of a cycle on, for two cycles of the model.
fn both(claim: &Claim, what: &str, seen: &[f64], model: &Cycle) -> Figure {
    let steps = 2 * model.rates_bps.len();
    let over_ms = |name: &str, rates: &mut dyn Iterator<Item = f64>| {
        let points = rates.take(steps).enumerate();
        let points = points.map(|(step, bps)| (step as f64 * model.aging_interval_s * 1e3, bps / 1e6));
        Curve { name: name.to_owned(), points: points.collect() }
    };
    let begin = falls(seen).first().copied().unwrap_or(0);
    Figure {
        title: drawn::title(claim, what),
        x: "ms".to_owned(),
        y: "Mb/s".to_owned(),
        curves: vec![
            over_ms("simulated", &mut seen[begin..].iter().copied()),
            over_ms("model", &mut model.rates_bps.iter().copied().cycle()),
        ],
        ..Figure::default()
    }
}

const AGGRESSIVE_NOTE: &str = "allowed rate of (1,3) in the packet simulator after 1 s beside the model, both with rampcoef 64 and a \
    threshold of 25 kB. In the law a filtered load above the link's rate is congestion, too ([dvsr] II-C), which the model leaves \
    out. A packet under way counts by the bytes that have left, so that no load is above the link's rate, and congestion \
    begins where the queue reaches its threshold";

/// What waits in a station's transit queue, in bytes, whenever it becomes congested.
fn queued_at_onsets(run: &Run, station: usize) -> Vec<f64> {
    let Some(link) = run.record.links.iter().find(|link| link.station == StationId(station as u16)) else {
        return Vec::new();
    };
    let row_at = |sample: &&fairwire_plan::LawSample| (sample.t.as_nanos() / run.record.window.as_nanos()) as usize;
    let begin = fairwire_core::Instant::ZERO + run.record.warmup;
    let shown: Vec<&fairwire_plan::LawSample> = run
        .record
        .laws
        .iter()
        .filter(|sample| sample.name == "congested" && sample.station == link.station && sample.t >= begin)
        .collect();
    let onsets = shown.windows(2).filter(|pair| pair[0].value < 0.5 && pair[1].value > 0.5);
    onsets.filter_map(|pair| link.waiting_bytes.get(row_at(&pair[1]))).map(|&bytes| f64::from(bytes)).collect()
}

/// Fig. 9(b): where the cycle begins, and the filtered load at which it ends.
pub fn conservative_trace(claim: &Claim) -> Result<Finding, Trouble> {
    let [far, near] = [expected_rate(claim, "demand_mbps_1_3")?, expected_rate(claim, "demand_mbps_2_3")?];
    let model = ConservativeModel::two_flows(LINK * 1e6, far * 1e6, near * 1e6, ModeParameters::default());
    let trace = model.trace().map_err(|error| error.to_string())?;
    let simulated = |law: Chosen| {
        let flows = [Constant { packet_bytes: 100, ..Constant::new(1, 3, far) }, Constant::new(2, 3, near)];
        measured(&flows, law, 3.0, Detail::Full)
    };
    let run = simulated(CONSERVATIVE)?;
    let seen = allowed(&run, 2);
    let lengths = cycle_lengths(&seen);
    let forgetful = in_mbps(&allowed(&*simulated(FORGETFUL)?, 2));
    let period_ms = mean(&lengths) * 0.1;
    let begin = seen.iter().copied().fold(f64::INFINITY, f64::min) / 1e6;
    let reset = loads_at_resets(&run, 2);
    let reset = mean(&reset) / 1e6;
    let expected =
        [expected_number(claim, "cycle_start_mbps")?, expected_number(claim, "filtered_total_at_reset_mbps")?];
    let allowed = claim.tolerance.get("rel").and_then(toml::Value::as_float).unwrap_or(0.0);
    let model_values = [trace.cycle.rates_bps[0] / 1e6, trace.filtered_at_reset_bps / 1e6];
    let close = |found: [f64; 2]| found.iter().zip(expected).all(|(x, y)| (x - y).abs() <= allowed * y);
    let holds = lengths.len() >= 3 && close(model_values) && close([begin, reset]);
    let measured = json!({
        "model_cycle_start_mbps": round(model_values[0]), "model_filtered_total_at_reset_mbps": round(model_values[1]),
        "model_cycle_ms": round(trace.cycle.period_s() * 1e3),
        "simulated_cycle_start_mbps": round(begin), "simulated_filtered_total_at_reset_mbps": round(reset),
        "simulated_cycle_ms": round(period_ms), "simulated_cycles": lengths.len(),
        "simulated_range_mbps_if_active_is_the_last_interval_alone": forgetful,
    });
    let note = "allowed rate of (2,3) in the packet simulator after 1 s beside the model. The far flow sends packets of 100 B, one \
                every 0.16 ms, and the law counts as active who sent in the last 64 aging intervals of 0.1 ms. If only the last \
                one counts, as printed, the far flow is not always counted when congestion begins";
    let figure = both(claim, "what (2,3) is allowed", &seen, &trace.cycle);
    Ok(Finding::new(measured, holds, note).drawn(figure.at_level("the paper, where a cycle begins", expected[0])))
}

/// The filtered load of a station's link, in bit/s, whenever it becomes congested.
fn loads_at_resets(run: &Run, station: usize) -> Vec<f64> {
    let begin = fairwire_core::Instant::ZERO + run.record.warmup;
    let series = |name: &str| -> Vec<f64> {
        let of =
            run.record.laws.iter().filter(|sample| {
                sample.name == name && sample.station == StationId(station as u16) && sample.t >= begin
            });
        of.map(|sample| sample.value).collect()
    };
    let (congested, add, forward) = (series("congested"), series("add_rate_bps"), series("forward_rate_bps"));
    let begins = (1..congested.len()).filter(|&step| congested[step] > 0.5 && congested[step - 1] < 0.5);
    begins.filter_map(|step| Some(add.get(step)? + forward.get(step)?)).collect()
}
