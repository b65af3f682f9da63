//! The summary of simulated runs: its JSON, and sums that must agree.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;

/// The keys that programs rely on; others may join them.
const RUN_KEYS: [&str; 10] =
    ["law", "seed", "run", "flows", "time_to_fair", "oscillation", "jain", "utilisation", "packet_hops", "wall_s"];
const FLOW_KEYS: [&str; 8] =
    ["id", "rate_bps", "fair_rate_bps", "ratio", "loss", "delay_p50_ns", "delay_p95_ns", "delay_p99_ns"];

#[test]
fn the_json_has_every_promised_key() {
    let played = support::play("parking-lot", 40);
    for run in &played.runs {
        let json = serde_json::to_value(&run.summary).expect("JSON");
        assert_has(&json, &RUN_KEYS);
        assert!(json["law"].is_string() && json["seed"].is_u64() && json["run"].is_u64() && json["wall_s"] == 0.25);
        assert!(json["packet_hops"].as_u64().expect("a whole number") > 0);
        let flows = json["flows"].as_array().expect("flows");
        assert_eq!(flows.len(), played.plan.flows.len());
        for (flow, planned) in flows.iter().zip(&played.plan.flows) {
            assert_has(flow, &FLOW_KEYS);
            assert_eq!(flow["id"], planned.name);
        }
        let fair = json["time_to_fair"].as_array().expect("time to fair");
        assert_eq!(fair.iter().map(|entry| entry["within"].as_f64()).collect::<Vec<_>>(), [Some(0.05), Some(0.01)]);
        fair.iter().for_each(|entry| assert_has(entry, &["within", "window_ns", "ns"]));
        assert!(fair[0]["window_ns"].as_u64() < fair[1]["window_ns"].as_u64());
    }
}

#[test]
fn rates_are_what_was_delivered_after_the_warm_up() {
    let played = support::play("parking-lot", 40);
    let measured_s = (played.plan.duration - played.plan.warmup).as_secs_f64();
    for run in &played.runs {
        for (summary, record) in run.summary.flows.iter().zip(&run.record.flows) {
            assert_eq!(summary.rate_bps, record.measured_bytes as f64 * 8.0 / measured_s);
            let ratio = summary.ratio.expect("a fair rate above zero");
            assert!((ratio - summary.rate_bps / summary.fair_rate_bps).abs() < 1e-6 * ratio.max(1.0));
            assert!((0.0..=1.0).contains(&summary.loss));
            assert_eq!(summary.delay_p50_ns.is_some(), record.delay.count > 0);
        }
        assert!(run.summary.jain > 0.0 && run.summary.jain <= 1.0 + 1e-12);
        assert!(run.summary.utilisation > 0.9 && run.summary.utilisation <= 1.0 + 1e-3);
    }
}

#[test]
fn times_count_from_the_last_start() {
    let played = support::play("both-ways", 300);
    for run in &played.runs {
        assert_eq!(run.summary.event_ns, 200_000_000);
        for fair in &run.summary.time_to_fair {
            let within_run = fair.ns.is_none_or(|ns| ns >= fair.window_ns && 200_000_000 + ns <= 300_000_000);
            assert!(within_run, "{fair:?}");
        }
    }
}

fn assert_has(object: &Value, keys: &[&str]) {
    let present: BTreeSet<_> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    for key in keys {
        assert!(present.contains(key), "{key} is missing in {present:?}");
    }
}
