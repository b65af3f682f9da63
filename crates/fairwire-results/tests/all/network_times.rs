//! What a measure looks at: the time in which flows are there, after the warm-up, until the next change.

use crate::network::{allocation, at, plan, record};
use fairwire_alloc::{Allocation, FlowRate, Limit as HeldBy};
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::Waited;
use fairwire_plan::{NetworkPlan, NetworkRecord};
use fairwire_results::measures::{Change, LimitedBy, Reference, change_summaries, mean_reference};
use fairwire_results::{Plan, Record, RunSummary, SummaryInput, summarise};

fn summary(plan: &NetworkPlan, record: &NetworkRecord, allocation: &Allocation) -> RunSummary {
    let (plan, record) = (Plan::from(plan.clone()), Record::from(record.clone()));
    summarise(&SummaryInput { plan: &plan, record: &record, allocation, law: "x", seed: 1, run: 0, wall_s: 0.0 })
}

fn change(from: u64, until: Instant, rates_bps: [f64; 3]) -> Change {
    Change {
        at: at(from),
        events: Vec::new(),
        until,
        references: rates_bps.map(Reference::exactly).to_vec(),
        on: vec![true; 3],
        held_by: vec![None; 3],
        starts: Vec::new(),
    }
}

/// [vrr-gateway] §III: flows that are active in a stretch, and only whole stretches after the warm-up.
#[test]
fn jain_of_stretches_is_about_whole_ones_and_flows_that_are_there_throughout() {
    let (mut plan, mut record) = (plan(), record());
    // Alone in the first period, silent in the third though it is active: (1 + 0)² / (2 · 1).
    record.flows[1].active = vec![false, true, true, true];
    let indices = |plan: &NetworkPlan| summary(plan, &record, &allocation()).jain_windows.map(|told| told.indices);
    assert_eq!(indices(&plan), Some(vec![1.0, 0.5, 0.9]));
    plan.warmup = Span::from_millis(1_500);
    assert_eq!(indices(&plan), Some(vec![0.5, 0.9]), "half of the second period is warm-up");
    plan.warmup = Span::from_millis(1_000);
    plan.flows[0].stop = at(3_500);
    assert_eq!(indices(&plan), Some(vec![1.0, 0.5]), "the first flow stops within the fourth");
}

#[test]
fn a_flow_does_not_swing_by_having_begun() {
    let (mut plan, mut record, mut allocation) = (plan(), record(), allocation());
    // 80 packets at 160 Mb/s take 4 ms, so a window is one row.
    allocation.flows.iter_mut().for_each(|fair| fair.rate_bps = 160e6);
    record.flows[0].delivered_bytes = vec![0, 0, 0, 0, 10_000, 10_000, 10_000, 10_000];
    assert!(summary(&plan, &record, &allocation).flows[0].oscillation > 0.0);
    plan.flows[0].start = at(2_000);
    assert_eq!(summary(&plan, &record, &allocation).flows[0].oscillation, 0.0);
}

/// After a change at one second the first flow has its 160 Mb/s at once; the second one stops before the next change.
#[test]
fn who_stops_before_the_next_change_is_not_judged() {
    let (mut plan, mut record) = (plan(), record());
    record.flows[0].delivered_bytes = vec![10_000_000; 8];
    record.flows[1].delivered_bytes = vec![0, 0, 10_000_000, 10_000_000, 0, 0, 0, 0];
    plan.flows[2].start = at(4_000);
    let fair_again = |stop: u64, plan: &mut NetworkPlan| {
        plan.flows[1].stop = at(stop);
        let (plan, record) = (Plan::from(plan.clone()), Record::from(record.clone()));
        change_summaries(&plan, &record, &[change(1_000, at(3_000), [160e6; 3])])[0].fair_again_ns
    };
    assert_eq!(fair_again(3_000, &mut plan), None, "it is to have its rate up to the next change");
    assert_eq!(fair_again(2_000, &mut plan), Some(500_000_000));
}

#[test]
fn what_is_fair_on_average_is_so_in_the_time_that_is_measured() {
    let changes = [change(0, at(2_000), [100.0; 3]), change(2_000, Instant::NEVER, [40.0, 70.0, 0.0])];
    let mean = |flow| (mean_reference(&changes, flow, [at(1_000), at(4_000)]).rate_bps * 1e6).round() / 1e6;
    assert_eq!([0, 1, 2].map(mean), [60.0, 80.0, 33.333_333], "one second of the first, two of the second");
}

/// Over a full link: who has all that it asks for is held by its application, who has not by the link.
#[test]
fn a_full_link_holds_those_who_want_more() {
    let (plan, mut record, mut allocation) = (plan(), record(), allocation());
    // 1.5 Mb/s for three seconds.
    record.links[0].measured_bytes = 562_500;
    record.flows[0].measured_dropped = 0;
    let held = |allocation: &Allocation| summary(&plan, &record, allocation).flows[0].limited_by;
    assert_eq!(held(&allocation), Some(LimitedBy::Application));
    let link = HeldBy::Link { link: 0, why: String::new(), sharers: [].into() };
    allocation.flows[0] = FlowRate { limited_by: link, ..allocation.flows[0].clone() };
    assert_eq!(held(&allocation), Some(LimitedBy::Link));
}

/// A connection of which all arrives and nothing is acknowledged: told where answers had the time to come.
#[test]
fn answers_need_the_time_of_a_round_trip() {
    let (mut plan, mut record) = (plan(), record());
    record.flows[2].waited = Waited { congestion: Span::from_millis(10), ..Waited::default() };
    (record.flows[2].dropped, record.flows[2].lost, record.flows[2].measured_bytes) = (0, 0, 0);
    let held = |plan: &NetworkPlan| summary(plan, &record, &allocation()).flows[2].limited_by;
    assert_eq!(held(&plan), Some(LimitedBy::Acknowledgements));
    // There and back takes 20 ms, the longest of any flow.
    plan.duration = plan.warmup + Span::from_millis(40);
    assert_ne!(held(&plan), Some(LimitedBy::Acknowledgements), "the run ends with the first answers");
    plan.duration = plan.warmup + Span::from_millis(41);
    assert_eq!(held(&plan), Some(LimitedBy::Acknowledgements));
}
