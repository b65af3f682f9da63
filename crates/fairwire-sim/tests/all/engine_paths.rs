//! Whatever the plan: both ways through time give the same record, a record
//! repeats, books balance, and detail changes nothing that it should not.

use crate::common::{flow, law, random_plan, ring, run};
use fairwire_core::{Bytes, Span};
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::{Arrivals, Detail, EnginePath, RingPlan, RunRecord};
use fairwire_sim::{simulate, simulate_watched, simulate_whole};

const PLANS: u64 = 400;

fn on(path: EnginePath, plan: &RingPlan) -> RingPlan {
    RingPlan { engine: path, ..plan.clone() }
}

/// Says where two records differ first, rather than printing both.
fn assert_same(number: u64, one: &RunRecord, other: &RunRecord) {
    for (flow, (a, b)) in one.flows.iter().zip(&other.flows).enumerate() {
        assert_eq!(a, b, "plan {number}, flow {flow}");
    }
    for (a, b) in one.links.iter().zip(&other.links) {
        assert_eq!(a, b, "plan {number}");
    }
    for (a, b) in one.laws.iter().zip(&other.laws) {
        assert_eq!(a, b, "plan {number}");
    }
    assert_eq!(one, other, "plan {number}");
}

#[test]
fn windows_and_events_give_the_same_record() {
    let (mut busy, mut again, mut transfers) = (0, 0, 0);
    for number in 0..PLANS {
        let (plan, law) = random_plan(number);
        let plan = RingPlan { detail: Detail::Full, ..plan };
        let windows = simulate(&on(EnginePath::Windows, &plan), &law).unwrap();
        let events = simulate(&on(EnginePath::Events, &plan), &law).unwrap();
        assert_same(number, &windows, &events);
        // Nothing ends a row then, so that stations go on unseen for longer.
        let [windows_summary, events_summary] = [EnginePath::Windows, EnginePath::Events]
            .map(|path| simulate(&RingPlan { detail: Detail::Summary, ..on(path, &plan) }, &law).unwrap());
        assert_same(number, &windows_summary, &events_summary);
        // Nor does anybody look at what happens, so that laws at rest need not be asked, and where all is class C packets
        // take the short road through the station.
        let [windows_unchecked, events_unchecked] = [EnginePath::Windows, EnginePath::Events].map(|path| {
            simulate(&RingPlan { detail: Detail::Summary, check: false, ..on(path, &plan) }, &law).unwrap()
        });
        assert_same(number, &windows_unchecked, &windows_summary);
        assert_same(number, &events_unchecked, &windows_summary);
        busy += u64::from(windows.packet_hops > 500);
        again += u64::from(windows.flows.iter().any(|flow| flow.retransmitted > 0));
        transfers += u64::from(windows.flows.iter().any(|flow| !flow.transfers.is_empty()));
    }
    assert!(busy > PLANS / 2, "only {busy} plans carried much");
    assert!(again > PLANS / 12, "in only {again} plans TCP sent anything again");
    assert!(transfers > PLANS / 6, "in only {transfers} plans a transfer ended");
}

/// A ring that carries nothing but class C has a loop of its own, and a run that is checked goes without. All packets have
/// one size and thresholds are whole numbers of them, so that queues stand at a threshold time and again.
#[test]
fn a_checked_run_decides_as_the_short_loop_does() {
    for about in RingLawChoice::ALL {
        let law = law(about.name);
        let mut plan = RingPlan { duration: Span::from_millis(20), detail: Detail::Full, ..ring(6) };
        (plan.transit.datapath, plan.transit.buffer) = (Datapath::DualQueue, Bytes::new(64_000));
        plan.flows =
            [(0, 4), (1, 4), (2, 4), (3, 4), (3, 5)].map(|(from, to)| flow(from, to, Arrivals::Greedy)).to_vec();
        let [short, checked] = [false, true].map(|check| simulate(&RingPlan { check, ..plan.clone() }, &law).unwrap());
        assert_eq!(short.flows, checked.flows, "{}", about.name);
        assert_eq!(short.links, checked.links, "{}", about.name);
    }
}

#[test]
fn nothing_is_violated() {
    for number in 0..PLANS {
        let (plan, law) = random_plan(number);
        let record = simulate(&plan, &law).unwrap();
        assert!(record.violations.is_empty(), "plan {number}: {:?}", record.violations);
    }
}

#[test]
fn a_record_repeats_and_hangs_on_the_seed() {
    let mut moved = 0;
    for number in 0..PLANS / 3 {
        let (plan, law) = random_plan(number);
        let record = simulate(&plan, &law).unwrap();
        assert_same(number, &record, &simulate(&plan, &law).unwrap());
        let seed = simulate(&RingPlan { seed: plan.seed + 1_000_003, ..plan.clone() }, &law).unwrap();
        let run = simulate(&RingPlan { run: 1, ..plan.clone() }, &law).unwrap();
        let mut flows = plan.flows.iter().zip(&record.flows);
        if flows.any(|(flow, record)| {
            flow.offer.datagrams().is_some_and(|traffic| traffic.size_jitter > 0.1) && record.delivered > 100
        }) {
            assert!(record != seed && record != run && seed != run, "plan {number} ignores its seed or run");
            moved += 1;
        }
    }
    assert!(moved > PLANS / 12, "only {moved} plans were random enough to tell");
}

#[test]
fn a_summary_has_the_flows_of_a_full_record() {
    for number in 0..PLANS / 3 {
        let (plan, law) = random_plan(number);
        let record = |detail, check| simulate(&RingPlan { detail, check, ..plan.clone() }, &law).unwrap();
        let full = record(Detail::Full, true);
        let summary = record(Detail::Summary, false);
        let without_windows =
            |flow: &fairwire_plan::FlowRecord| fairwire_plan::FlowRecord { windows: Vec::new(), ..flow.clone() };
        let flows: Vec<_> = full.flows.iter().map(without_windows).collect();
        assert!(flows == summary.flows, "plan {number}");
        assert_eq!((full.packet_hops, full.control_hops), (summary.packet_hops, summary.control_hops));
        assert!(summary.laws.is_empty());
        for (a, b) in full.links.iter().zip(&summary.links) {
            assert_eq!((a.measured_bytes, a.dropped, a.deepest), (b.measured_bytes, b.dropped, b.deepest));
            assert!(b.sent_bytes.is_empty() && b.waiting_bytes.is_empty() && b.deepest_bytes.is_empty());
        }
    }
}

#[test]
fn counts_and_series_add_up() {
    for number in 0..PLANS / 3 {
        let (mut plan, law) = random_plan(number);
        (plan.detail, plan.warmup) = (Detail::Full, Default::default());
        let record = run(&plan, &law);
        let rows = plan.duration.as_nanos().div_ceil(plan.window.as_nanos()) as usize;
        for flow in &record.flows {
            assert!(flow.offered >= flow.refused + flow.entered, "plan {number}");
            assert!(flow.entered >= flow.dropped + flow.delivered, "plan {number}");
            assert!(flow.retransmitted <= flow.offered, "plan {number}");
            assert_eq!((flow.measured_entered, flow.measured_dropped), (flow.entered, flow.dropped));
            assert_eq!(flow.delay.count, flow.delivered);
            assert_eq!(flow.delivered_bytes.len(), rows);
            assert_eq!(flow.delivered_bytes.iter().map(|&row| u64::from(row)).sum::<u64>(), flow.measured_bytes);
        }
        let dropped: u64 = record.flows.iter().map(|flow| flow.dropped).sum();
        let on_links = record.links.iter().map(|link| link.dropped).sum::<u64>();
        // No flow of the record counts acknowledgements.
        let acknowledged = plan.flows.iter().any(|flow| flow.offer.tcp().is_some());
        assert!(on_links == dropped || (acknowledged && on_links > dropped), "plan {number}");
        for link in &record.links {
            assert_eq!(link.sent_bytes.iter().map(|&row| u64::from(row)).sum::<u64>(), link.measured_bytes);
            assert_eq!((link.waiting_bytes.len(), link.deepest_bytes.len()), (rows, rows));
            assert_eq!(u64::from(*link.deepest_bytes.iter().max().unwrap()), link.deepest.get());
            assert!(link.waiting_bytes.iter().zip(&link.deepest_bytes).all(|(waiting, deepest)| waiting <= deepest));
        }
    }
}

#[test]
fn a_watcher_sees_the_run_pass_and_may_end_it() {
    for path in [EnginePath::Windows, EnginePath::Events] {
        let (plan, law) = (0..).map(random_plan).find(|(plan, _)| plan.flows.len() > 10).unwrap();
        let plan = on(path, &plan);
        let mut seen = Vec::new();
        let whole = simulate_watched(&plan, &law, &mut |done| {
            seen.push(done);
            true
        });
        assert_eq!(whole.unwrap(), simulate(&plan, &law).unwrap());
        assert!(seen.len() > 10 && seen.is_sorted() && seen.iter().all(|done| (0.0..=1.0).contains(done)));
        let half = simulate_watched(&plan, &law, &mut |done| done < 0.5).unwrap();
        assert!(half.duration < plan.duration && half.violations.is_empty(), "{:?}", half.violations);
        let shorter = RingPlan { duration: half.duration, ..plan };
        assert_eq!(half, simulate(&shorter, &law).unwrap(), "ending early is as if the plan were shorter");
    }
}

#[test]
fn a_run_that_counts_only_as_a_whole_ends_as_soon_as_nobody_wants_it() {
    for path in [EnginePath::Windows, EnginePath::Events] {
        let (plan, law) = (0..).map(random_plan).find(|(plan, _)| plan.flows.len() > 10).unwrap();
        let mut plan = on(path, &plan);
        assert_eq!(simulate_whole(&plan, &law, &mut |_| true), simulate(&plan, &law).map(Some));
        // The watcher is asked while these are built, too.
        plan.flows[0].micro_flows = 20_000;
        let mut before = 0;
        for enough in [1, 3, 8] {
            let mut asked = 0;
            let record = simulate_whole(&plan, &law, &mut |done| {
                asked += 1;
                before += u32::from(done == 0.0);
                asked < enough
            });
            assert_eq!((record, asked), (Ok(None), enough));
        }
        assert!(before >= 7, "asked {before} times before the run began");
    }
}
