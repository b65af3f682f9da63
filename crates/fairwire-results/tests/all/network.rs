//! A run of a network by hand gives the numbers by hand.

use fairwire_alloc::{Allocation, Criterion, FlowRate, Limit as HeldBy, LinkLoad, Uniqueness};
use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan::{
    Activity, Arrivals, DelaySummary, Detail, LinkChange, NetworkEngine, NetworkFlowPlan, NetworkFlowRecord,
    NetworkLinkPlan, NetworkLinkRecord, NetworkPlan, NetworkRecord, Offer, TcpPlan, Traffic, Transfer, TransferSize,
    Work,
};
use fairwire_results::{Plan, Record, RunSummary, SummaryInput, law_summaries, summarise};

const ROW: Span = Span::from_millis(500);
const ROWS: usize = 8;

pub fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

pub fn plan() -> NetworkPlan {
    let link = NetworkLinkPlan {
        name: "only".to_owned(),
        from: 0,
        to: 1,
        capacity: BitRate::from_mbps(1),
        delay: Span::from_millis(10),
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue: QueueLawChoice::by_name("droptail").expect("a known law"),
        rate: None,
        limit: Limit::Packets(10),
        mean_packet: Bytes::new(1_000),
        // Half of the three seconds that are measured have 1 Mb/s, the other half 2 Mb/s.
        changes: vec![LinkChange { at: at(2_500), capacity: BitRate::from_mbps(2) }],
    };
    let back = NetworkLinkPlan { name: "back".to_owned(), from: 1, to: 0, changes: Vec::new(), ..link.clone() };
    let settings = TcpSettings {
        segment: Bytes::new(500),
        ack: Bytes::new(40),
        receive_window: 64,
        initial_window: 2,
        initial_threshold: None,
        min_timeout: Span::from_millis(200),
        granularity: Span::from_millis(10),
        delayed_ack: None,
        ecn: false,
    };
    let control = ControlChoice::by_name("reno").expect("a known control");
    let work = Work::Transfers {
        count: None,
        mean_interval: Span::from_millis(100),
        size: TransferSize::Fixed(Bytes::new(9)),
    };
    let datagrams = Offer::Datagrams(Traffic { arrivals: Arrivals::Greedy, packet_bytes: 1_000, size_jitter: 0.0 });
    let flow = |name: &str, offer: Offer, micro_flows: u32, activity: Option<Activity>| NetworkFlowPlan {
        name: name.to_owned(),
        route: vec![0],
        reverse_route: if matches!(offer, Offer::Tcp(_)) { vec![1] } else { Vec::new() },
        weight: Weight::default(),
        micro_flows,
        offer,
        start: Instant::ZERO,
        start_jitter: Span::ZERO,
        stop: at(4_000),
        high_priority: false,
        activity,
    };
    let periods = Some(Activity { every: Span::from_millis(1_000), probability: 0.5 });
    NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(4_000),
        warmup: Span::from_millis(1_000),
        window: ROW,
        nodes: 2,
        links: vec![link, back],
        flows: vec![
            flow("steady", datagrams, 2, None),
            flow("fickle", datagrams, 1, periods),
            flow("fetch", Offer::Tcp(TcpPlan { control, settings, work }), 1, None),
        ],
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: NetworkEngine::Ahead,
        detail: Detail::Full,
        check: false,
    }
}

fn flow(bytes_a_row: [u32; ROWS], active: &[bool], transfers: Vec<Transfer>) -> NetworkFlowRecord {
    NetworkFlowRecord {
        sent: 1_000,
        retransmitted: 30,
        dropped: 40,
        lost: 10,
        marked: 5,
        arrived: 940,
        in_flight: 10,
        measured_sent: 500,
        measured_dropped: 25,
        measured_bytes: bytes_a_row[2..].iter().map(|&bytes| u64::from(bytes)).sum(),
        delivered_bytes: bytes_a_row.to_vec(),
        delay: DelaySummary::default(),
        timeouts: 3,
        waited: Default::default(),
        active: active.to_vec(),
        unfinished: 2,
        transfers,
        windows: Vec::new(),
        rate: None,
    }
}

pub fn record() -> NetworkRecord {
    let transfer =
        |start: u64, end: u64| Transfer { start: at(start), end: at(end), bytes: 9, sent: 1, retransmitted: 0 };
    let transfers = vec![transfer(500, 1_500), transfer(1_000, 1_100), transfer(2_000, 2_200), transfer(2_000, 2_600)];
    let link = |arrived: u64, measured_bytes: u64| NetworkLinkRecord {
        measured_bytes,
        sent_bytes: vec![0; ROWS],
        arrived,
        dropped: [30, 7, 3],
        marked: 5,
        lost: 10,
        mean_packets: 4.5,
        mean_bytes: 4_500.0,
        deepest_packets: 10,
        waiting: DelaySummary { count: 9, mean_ns: 5e6, p50_ns: 4, p95_ns: 5, p99_ns: 6, max_ns: 7 },
        waiting_packets: vec![4; ROWS],
        dropped_in_row: vec![5; ROWS],
        law: Vec::new(),
        port: None,
    };
    NetworkRecord {
        duration: Span::from_millis(4_000),
        warmup: Span::from_millis(1_000),
        window: ROW,
        flows: vec![
            flow([10_000; ROWS], &[], Vec::new()),
            // Active in the second and fourth period; each of its parts gets what one of the others' two gets, then twice that.
            flow([0, 0, 5_000, 5_000, 0, 0, 10_000, 10_000], &[false, true, false, true], Vec::new()),
            flow([1_000; ROWS], &[], transfers),
        ],
        links: vec![link(1_000, 281_250), link(0, 0)],
        packet_hops: 12,
        violations: Vec::new(),
    }
}

pub fn allocation() -> Allocation {
    let fair = |rate_bps: f64| FlowRate { rate_bps, low_bps: rate_bps, high_bps: rate_bps, limited_by: HeldBy::Demand };
    Allocation {
        criterion: Criterion::WeightedMaxMin,
        unique: Uniqueness::Yes,
        flows: vec![fair(160e3), fair(80e3), fair(16e3)],
        links: vec![LinkLoad { load_bps: 0.0 }; 2],
    }
}

#[test]
fn a_run_by_hand_gives_the_numbers_by_hand() {
    let (plan, record, allocation) = (Plan::from(plan()), Record::from(record()), allocation());
    let outline = plan.outline();
    assert_eq!(outline.base_time, Span::from_millis(20), "there and back");
    assert_eq!(outline.links[0].measured_capacity_bps, 1.5e6);
    assert_eq!(outline.flows.iter().map(|flow| flow.share).collect::<Vec<_>>(), [2.0, 1.0, 1.0]);
    let input =
        SummaryInput { plan: &plan, record: &record, allocation: &allocation, law: "x", seed: 1, run: 0, wall_s: 0.0 };
    let summary = summarise(&input);
    // 10 kB every half second are 160 kb/s; 30 kB in three seconds are 80 kb/s.
    assert_eq!(summary.flows.iter().map(|flow| flow.rate_bps).collect::<Vec<_>>(), [160e3, 80e3, 16e3]);
    assert_eq!((summary.jain, summary.flows[0].loss, summary.flows[0].dropped), (1.0, 0.05, 50));
    assert_eq!((summary.flows[0].retransmitted, summary.flows[0].timeouts), (Some(30), Some(3)));
    // Second period: 1 to 1 for each part. Third: alone. Fourth: 1 to 2, which is (1 + 2)² / (2 · 5).
    let windows = summary.jain_windows.as_ref().expect("two periods with two flows");
    assert_eq!((windows.window_ns, &windows.indices[..]), (1_000_000_000, &[1.0, 0.9][..]));
    assert!((windows.mean - 0.95).abs() < 1e-12);
    // 281.25 kB in three seconds are 750 kb/s, half of the mean capacity.
    assert_eq!((summary.utilisation, summary.busiest_link.as_deref()), (0.5, Some("only")));
    let [link] = &summary.links[..] else { panic!("nothing came to the other link") };
    assert_eq!((link.utilisation, link.dropped, link.dropped_early, link.waiting_p95_ns), (0.5, 40, 7, Some(5)));
    // 100, 200 and 600 ms; one that began in the warm-up does not count.
    let transfers = summary.flows[2].transfers.expect("transfers");
    assert_eq!((transfers.count, transfers.unfinished), (3, 2));
    assert_eq!([transfers.p50_s, transfers.p90_s].map(|time| (time.unwrap() * 1e9).round()), [2e8, 6e8]);
    assert!(
        (transfers.mean_s.unwrap() - 0.3).abs() < 1e-12 && (transfers.std_s.unwrap() - 0.07f64.sqrt()).abs() < 1e-12
    );
    assert!(summary.flows[0].transfers.is_none());
}

/// 500 packets of 1000 B in three seconds are 1.33 Mb/s; the fair rate is set to 2 Mb/s.
#[test]
fn a_flow_that_is_on_and_off_is_compared_with_what_it_offered_where_all_of_that_is_due() {
    let (plan, mut record) = (Plan::from(plan()), record());
    record.flows[1].measured_bytes = 400_000;
    let record = Record::from(record);
    let fickle = |limited_by: HeldBy| {
        let mut allocation = allocation();
        allocation.flows[1] = FlowRate { rate_bps: 2e6, low_bps: 2e6, high_bps: 2e6, limited_by };
        let input = SummaryInput {
            plan: &plan,
            record: &record,
            allocation: &allocation,
            law: "x",
            seed: 1,
            run: 0,
            wall_s: 0.0,
        };
        let mut summary = summarise(&input);
        assert_eq!([0, 2].map(|flow| summary.flows[flow].offered_bps), [None; 2], "one is steady, one uses TCP");
        summary.flows.remove(1)
    };
    let satisfied = fickle(HeldBy::Demand);
    assert!((satisfied.offered_bps.unwrap() - 4e6 / 3.0).abs() < 1e-6);
    assert_eq!((satisfied.fair_rate_bps, satisfied.ratio.map(|ratio| (ratio * 1e9).round())), (2e6, Some(8e8)));
    let held = fickle(HeldBy::Link { link: 0, why: String::new(), sharers: [].into() });
    assert_eq!(held.ratio.map(|ratio| (ratio * 1e9).round()), Some(533_333_333.0));
}

/// Flows with periods of one and of two seconds: each is asked about its own.
#[test]
fn stretches_are_the_shortest_periods_and_every_flow_has_its_own() {
    let (mut plan, mut record) = (plan(), record());
    plan.flows[0].activity = Some(Activity { every: Span::from_millis(2_000), probability: 0.5 });
    let mut indices = |active: [bool; 2]| {
        record.flows[0].active = active.to_vec();
        let (plan, record) = (Plan::from(plan.clone()), Record::from(record.clone()));
        let summary = SummaryInput {
            plan: &plan,
            record: &record,
            allocation: &allocation(),
            law: "x",
            seed: 1,
            run: 0,
            wall_s: 0.0,
        };
        summarise(&summary).jain_windows.map(|windows| windows.indices)
    };
    assert_eq!(indices([true, true]), Some(vec![1.0, 0.9]), "as if it had no periods");
    assert_eq!(indices([true, false]), None, "one stretch with both is too few");
}

#[test]
fn replications_become_means_with_intervals() {
    let (plan, record, allocation) = (Plan::from(plan()), Record::from(record()), allocation());
    let run = |run: u64, rate_bps: f64| {
        let mut summary = summarise(&SummaryInput {
            plan: &plan,
            record: &record,
            allocation: &allocation,
            law: if run < 3 { "a" } else { "b" },
            seed: 1,
            run,
            wall_s: 0.0,
        });
        summary.flows[0].rate_bps = rate_bps;
        summary
    };
    let runs = [run(0, 1.0), run(1, 2.0), run(2, 3.0), run(3, 7.0)];
    let summaries = law_summaries(&runs.iter().collect::<Vec<_>>());
    let [a, b] = &summaries[..] else { panic!("two laws") };
    assert_eq!((a.law.as_str(), a.runs, b.law.as_str(), b.runs), ("a", 3, "b", 1));
    // t(0.975, 2) = 4.302653, the deviation is 1.
    assert_eq!(a.flows[0].rate_bps.mean, 2.0);
    assert!((a.flows[0].rate_bps.half_width.unwrap() - 4.302_652_73 / 3f64.sqrt()).abs() < 1e-6);
    assert_eq!((b.flows[0].rate_bps.mean, b.flows[0].rate_bps.half_width), (7.0, None));
    assert_eq!(a.links.len(), 1);
    assert_eq!((a.links[0].mean_queue_packets.mean, a.links[0].mean_queue_packets.half_width), (4.5, Some(0.0)));
}

/// A mean time of transfers is told where every run finished some.
#[test]
fn replications_are_taken_together_link_by_link_and_only_where_all_have_a_value() {
    let (plan, allocation) = (Plan::from(plan()), allocation());
    let mut record = record();
    record.links[1] = record.links[0].clone();
    record.links[1].mean_packets = 9.0;
    let record = Record::from(record);
    let input =
        SummaryInput { plan: &plan, record: &record, allocation: &allocation, law: "x", seed: 1, run: 0, wall_s: 0.0 };
    let (one, mut other) = (summarise(&input), summarise(&input));
    let together = |runs: [&RunSummary; 2]| law_summaries(&runs).remove(0);
    let both = together([&one, &other]);
    assert_eq!(both.links.iter().map(|link| link.mean_queue_packets.mean).collect::<Vec<_>>(), [4.5, 9.0]);
    assert!((both.flows[2].transfer_mean_s.unwrap().mean - 0.3).abs() < 1e-12);
    other.flows[2].transfers.as_mut().unwrap().mean_s = None;
    assert_eq!(together([&one, &other]).flows[2].transfer_mean_s, None);
}
