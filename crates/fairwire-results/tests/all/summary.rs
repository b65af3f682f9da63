//! The summary of simulated runs: its JSON, and sums that must agree.

use fairwire_core::Ringlet;
use fairwire_results::{Record, SummaryInput, summarise};
use serde_json::Value;
use std::collections::BTreeSet;

/// The keys that programs rely on; others may join them.
const RUN_KEYS: [&str; 10] =
    ["law", "seed", "run", "flows", "time_to_fair", "oscillation", "jain", "utilisation", "packet_hops", "wall_s"];
const FLOW_KEYS: [&str; 8] =
    ["id", "rate_bps", "fair_rate_bps", "ratio", "loss", "delay_p50_ns", "delay_p95_ns", "delay_p99_ns"];

#[test]
fn the_json_has_every_promised_key() {
    let played = crate::support::play("parking-lot", 40);
    for run in &played.runs {
        let json = serde_json::to_value(&run.summary).expect("JSON");
        assert_has(&json, &RUN_KEYS);
        assert!(json["law"].is_string() && json["seed"].is_u64() && json["run"].is_u64() && json["wall_s"] == 0.25);
        assert!(json["packet_hops"].as_u64().expect("a whole number") > 0);
        let flows = json["flows"].as_array().expect("flows");
        assert_eq!(flows.len(), played.ring.flows.len());
        for (flow, planned) in flows.iter().zip(&played.ring.flows) {
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
    let played = crate::support::play("parking-lot", 40);
    let measured_s = (played.ring.duration - played.ring.warmup).as_secs_f64();
    for run in &played.runs {
        for (summary, record) in run.summary.flows.iter().zip(&run.record.ring().expect("a ring").flows) {
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
    let played = crate::support::play("both-ways", 300);
    for run in &played.runs {
        assert_eq!(run.summary.event_ns, 200_000_000);
        for fair in &run.summary.time_to_fair {
            let within_run = fair.ns.is_none_or(|ns| ns >= fair.window_ns && 200_000_000 + ns <= 300_000_000);
            assert!(within_run, "{fair:?}");
        }
    }
}

/// 200 rows of 100 µs with one packet of 1000 bytes each, which is 80 Mb/s;
/// the first flow keeps silent for 50 rows.
#[test]
fn a_run_by_hand_gives_the_numbers_by_hand() {
    let mut played = crate::support::play("two-stations", 20);
    let Record::Ring(mut record) = played.runs.remove(0).record else { panic!("a ring") };
    for (flow, silent) in record.flows.iter_mut().zip([50, 0]) {
        flow.delivered_bytes = (0..200).map(|row| if row < silent { 0 } else { 1000 }).collect();
        flow.measured_bytes = (200 - silent) * 1000;
        (flow.measured_entered, flow.measured_dropped) = (200, 4);
    }
    for link in &mut record.links {
        link.measured_bytes = if link.ringlet == Ringlet::One { 777_500 } else { 1_000 };
    }
    for fair in &mut played.allocation.flows {
        (fair.rate_bps, fair.low_bps, fair.high_bps) = (80e6, 80e6, 80e6);
    }
    let record = Record::Ring(record);
    let input = SummaryInput {
        plan: &played.plan,
        record: &record,
        allocation: &played.allocation,
        law: "by hand",
        seed: 1,
        run: 2,
        wall_s: 0.0,
    };
    let summary = summarise(&input);
    assert_eq!(summary.flows.iter().map(|flow| flow.rate_bps).collect::<Vec<_>>(), [60e6, 80e6]);
    assert_eq!(summary.flows.iter().map(|flow| flow.ratio).collect::<Vec<_>>(), [Some(0.75), Some(1.0)]);
    assert_eq!(summary.flows[0].loss, 0.02);
    // 80 packets take 8 ms; a window may hold 4 silent rows, so the first fair one begins with row 46.
    let [coarse, fine] = summary.time_to_fair[..] else { panic!("two tolerances") };
    assert_eq!((coarse.window_ns, coarse.ns), (8_000_000, Some(12_600_000)));
    // 400 packets take 40 ms, longer than the run.
    assert_eq!((fine.window_ns, fine.ns), (40_000_000, None));
    assert_eq!(summary.settling.ns, Some(12_600_000));
    // The first window holds 30 packets of 80.
    assert!((summary.oscillation - 50.0 / 622.0).abs() < 1e-12);
    assert!((summary.jain - 0.98).abs() < 1e-12);
    // 777.5 kB in 20 ms are 311 Mb/s.
    assert!((summary.utilisation - 0.5).abs() < 1e-12);
    assert!(summary.busiest_link.is_some_and(|link| link.starts_with("r1:")));
}

fn assert_has(object: &Value, keys: &[&str]) {
    let present: BTreeSet<_> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    for key in keys {
        assert!(present.contains(key), "{key} is missing in {present:?}");
    }
}
