//! The models of the swings, against the values that the papers' parameters give.

use fairwire_analysis::AnalysisError;
use fairwire_analysis::cycle::{
    AggressiveModel, ConservativeModel, ModeParameters, loss_against_downstream_rate, loss_against_flows,
};

const CAPACITY: f64 = 622e6;

#[test]
fn the_aggressive_cycle_goes_through_its_parts_in_order() {
    let trace = AggressiveModel::two_flows(CAPACITY, 5e6, ModeParameters::default()).trace().expect("a cycle");
    let rates = &trace.cycle.rates_bps;
    assert_eq!(rates[0], 5e6);
    assert!(rates.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(rates[trace.last_fair_step] <= 617e6 && rates[trace.last_fair_step + 1] > 617e6);
    assert_eq!(trace.queue_begins_step, trace.last_fair_step + 1);
    assert!(
        trace.queue_bytes[trace.threshold_step] >= 25_000.0 && trace.queue_bytes[trace.threshold_step - 1] < 25_000.0
    );
    assert_eq!(rates.len() - 1, trace.threshold_step + 1, "one step until the message has come");
    // ln(617/5)/ln(64/63) = 305.8 steps of climbing, then 200 kb at under 500 b a step.
    assert_eq!(trace.last_fair_step, 305);
    assert!((trace.cycle.period_s() - 77e-3).abs() < 1e-3, "{}", trace.cycle.period_s());
}

#[test]
fn a_step_that_is_just_fair_is_the_last_fair_one() {
    // [dvsr] §IV-B1: K is the last step with r_k ≤ R. Half of what is missing to 1000 a step: 500, 750, 875.
    let parameters = ModeParameters { rampcoef: 2.0, threshold_bytes: 0.0, ..ModeParameters::default() };
    let model = AggressiveModel { fair_bps: 750.0, ..AggressiveModel::two_flows(1_000.0, 0.0, parameters) };
    let trace = model.trace().expect("a cycle");
    assert_eq!(trace.cycle.rates_bps[..4], [0.0, 500.0, 750.0, 875.0]);
    assert_eq!((trace.last_fair_step, trace.queue_begins_step), (2, 3));
}

#[test]
fn the_aggressive_loss_rises_and_falls() {
    let rates: Vec<f64> = (1..=311).map(|mbps| f64::from(mbps) * 1e6).collect();
    let losses = loss_against_downstream_rate(CAPACITY, &rates, ModeParameters::default()).expect("cycles");
    let peak = losses.iter().map(|loss| loss.clipped).fold(0.0, f64::max);
    assert!((peak - 0.19).abs() < 0.005, "{peak}");
    let top = losses.iter().position(|loss| loss.clipped == peak).expect("it is one of them");
    assert!(losses[..=top].windows(2).all(|pair| pair[0].clipped <= pair[1].clipped + 0.01));
    assert!(losses[top..].windows(2).all(|pair| pair[1].clipped <= pair[0].clipped + 0.01));
    assert_eq!(losses.last().expect("311 Mb/s").clipped, 0.0, "balanced flows lose nothing");
    // A queue of two packets: the printed 26 %.
    let short = ModeParameters { threshold_bytes: 2_000.0, ..ModeParameters::default() };
    let short = loss_against_downstream_rate(CAPACITY, &rates, short).expect("cycles");
    let peak = short.iter().map(|loss| loss.normalised).fold(0.0, f64::max);
    assert!((peak - 0.262).abs() < 0.002, "{peak}");
}

#[test]
fn the_conservative_cycle_begins_at_half_and_ends_at_the_threshold() {
    let trace = ConservativeModel::two_flows(CAPACITY, 5e6, 600e6, ModeParameters::default()).trace().expect("a cycle");
    assert_eq!(trace.cycle.rates_bps[0], 311e6);
    let last = trace.filtered_bps.len() - 1;
    assert!(trace.filtered_at_reset_bps >= 497.6e6 && trace.filtered_bps[last - 1] < 497.6e6);
    assert!(trace.filtered_at_reset_bps < 497.6e6 * 1.01);
}

#[test]
fn the_conservative_share_holds_until_the_filtered_load_is_below_the_threshold() {
    // The share and the others come to 780 of 1000, so the filter needs a while to forget the end of the last cycle.
    let parameters = ModeParameters { rampcoef: 2.0, lpcoef: 8.0, ..ModeParameters::default() };
    let (capacity_bps, share, threshold) = (1_000.0, 500.0, 800.0);
    let model = ConservativeModel {
        capacity_bps,
        active: 2,
        others_bps: 280.0,
        demand_bps: f64::INFINITY,
        fair_bps: 720.0,
        parameters,
    };
    let trace = model.trace().expect("a cycle");
    let (rates, loads) = (&trace.cycle.rates_bps, &trace.filtered_bps);
    let held = loads.iter().take_while(|load| **load >= threshold).count();
    assert!(held > 4, "{loads:?}");
    for step in 1..rates.len() {
        let climbed = rates[step - 1] + (capacity_bps - rates[step - 1]) / 2.0;
        assert_eq!(rates[step], if step <= held { share } else { climbed }, "{step}");
    }
    let last = loads.len() - 1;
    assert!(loads[held..last].iter().all(|load| *load < threshold) && loads[last] >= threshold);
}

#[test]
fn the_conservative_loss_grows_with_the_number_of_flows() {
    let losses = loss_against_flows(CAPACITY, 605e6, 5e6, &[2, 3, 4, 5, 6], ModeParameters::default()).expect("cycles");
    for (loss, expected) in losses.iter().zip([0.226, 0.262, 0.279, 0.292, 0.299]) {
        // With five flows two cycles of 134 and 135 steps take turns: 0.292 and 0.290.
        assert!((loss.mean - expected).abs() < 0.0025, "{loss:?} {expected}");
        assert!(loss.normalised > loss.mean && loss.clipped >= loss.normalised);
    }
}

#[test]
fn where_nothing_is_congested_there_is_no_cycle() {
    let all_parameters = ModeParameters::default();
    let model = AggressiveModel { demand_bps: 600e6, ..AggressiveModel::two_flows(CAPACITY, 5e6, all_parameters) };
    assert_eq!(model.trace(), Err(AnalysisError::NeverCongested));
    let small = ConservativeModel::two_flows(CAPACITY, 5e6, 400e6, all_parameters);
    assert_eq!(small.trace(), Err(AnalysisError::NeverCongested));
    // Throttled to a half, these two still fill more than the threshold.
    let large = ConservativeModel::two_flows(CAPACITY, 250e6, 600e6, all_parameters);
    assert_eq!(large.trace(), Err(AnalysisError::NeverCongested));
    let tiny = AggressiveModel::two_flows(CAPACITY, 1e-3, all_parameters);
    assert!(matches!(tiny.trace(), Err(AnalysisError::EndlessCycle(_))));
    let bad = AggressiveModel::two_flows(CAPACITY, 5e6, ModeParameters { rampcoef: 1.0, ..all_parameters });
    assert!(matches!(bad.trace(), Err(AnalysisError::Parameter { name: "rampcoef", .. })));
}

/// What is asked of parameters is met at the bound, and not just beyond it.
#[test]
fn parameters_keep_their_bounds() {
    let parameters = ModeParameters::default();
    let aggressive = |capacity_bps, fair_bps, lowest_bps| {
        let model = AggressiveModel::two_flows(CAPACITY, 5e6, parameters);
        let trace = AggressiveModel { capacity_bps, fair_bps, lowest_bps, ..model }.trace();
        trace.err().and_then(|error| match error {
            AnalysisError::Parameter { name, .. } => Some(name),
            _ => None,
        })
    };
    assert_eq!(aggressive(CAPACITY, 617e6, 0.0), None);
    assert_eq!(aggressive(CAPACITY, CAPACITY, 5e6), None, "nobody else sends");
    assert_eq!(aggressive(0.0, 617e6, 5e6), Some("capacity_bps"));
    assert_eq!(aggressive(CAPACITY, 0.0, 5e6), Some("fair_bps"));
    assert_eq!(aggressive(CAPACITY, CAPACITY + 1.0, 5e6), Some("fair_bps"));
    assert_eq!(aggressive(CAPACITY, 617e6, -1.0), Some("lowest_bps"));
    let conservative = |active, others_bps, fair_bps| {
        let model = ConservativeModel::two_flows(CAPACITY, 5e6, 600e6, parameters);
        let trace = ConservativeModel { active, others_bps, fair_bps, ..model }.trace();
        trace.err().and_then(|error| match error {
            AnalysisError::Parameter { name, .. } => Some(name),
            _ => None,
        })
    };
    assert_eq!(conservative(2, 5e6, 600e6), None);
    assert_eq!(conservative(2, 0.0, 600e6), None);
    assert_eq!(conservative(1, 5e6, 600e6), None, "alone it is never congested, which is no mistake");
    assert_eq!(conservative(0, 5e6, 600e6), Some("active"));
    assert_eq!(conservative(2, -1.0, 600e6), Some("others_bps"));
    assert_eq!(conservative(2, 5e6, 0.0), Some("fair_bps"));
}

/// [dvsr] Fig. 9(b): downstream gets what it wants, or what the small flow leaves of the link.
#[test]
fn the_downstream_flow_is_due_no_more_than_is_left() {
    let fair = |upstream, downstream| {
        ConservativeModel::two_flows(CAPACITY, upstream, downstream, ModeParameters::default()).fair_bps
    };
    assert_eq!(fair(5e6, 600e6), 600e6);
    assert_eq!(fair(5e6, 620e6), 617e6);
}
