//! A run by hand in which a switch tells two flows their rates gives the numbers by hand.

use fairwire_alloc::{Allocation, Criterion, Flow, FlowRate, Limit as HeldBy, Link, LinkLoad, Problem, Uniqueness};
use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, RateLawChoice, SendingPlan, Terms};
use fairwire_plan::{
    AllowedRate, DelaySummary, Detail, NetworkEngine, NetworkFlowPlan, NetworkFlowRecord, NetworkLinkPlan,
    NetworkLinkRecord, NetworkPlan, NetworkRecord, Offer, PortRecord, RatePlan, RateRecord,
};
use fairwire_results::measures::{Change, Reference, change_summaries};
use fairwire_results::{
    Cells, Plan, Record, ReportInput, RunOutcome, RunSummary, SummaryInput, each_chunk, render, summarise,
};

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

fn plan() -> Plan {
    let link = NetworkLinkPlan {
        name: "line".to_owned(),
        from: 0,
        to: 1,
        capacity: BitRate::from_mbps(10),
        delay: Span::from_millis(1),
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue: QueueLawChoice::by_name("droptail").unwrap(),
        rate: Some(RateLawChoice::by_name("wmfqc").unwrap()),
        limit: Limit::Packets(100),
        mean_packet: Bytes::new(1_000),
        changes: Vec::new(),
    };
    let back = NetworkLinkPlan { name: "back".to_owned(), from: 1, to: 0, ..link.clone() };
    let sending = SendingPlan {
        packet_bytes: 1_000,
        control_every: 30,
        control_within: None,
        control_least: 0,
        first: FirstRate::Peak,
        on_change: OnChange::Keep,
        manner: Manner::Honest,
    };
    let terms = Terms { minimum_bps: 0.0, peak_bps: 10e6, supported_bps: 10e6, weight: 1.0 };
    let flow = |name: &str, start: u64, stop: u64| NetworkFlowPlan {
        name: name.to_owned(),
        route: vec![0],
        reverse_route: vec![1],
        weight: Weight::default(),
        micro_flows: 1,
        offer: Offer::Rate(RatePlan { sending, terms, size: None }),
        high_priority: false,
        start: at(start),
        start_jitter: Span::from_millis(if start > 0 { 3 } else { 0 }),
        stop: at(stop),
        activity: None,
    };
    Plan::Network(NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(100),
        warmup: Span::ZERO,
        window: Span::from_millis(10),
        nodes: 2,
        links: vec![link, back],
        flows: vec![flow("a", 0, 100), flow("b", 20, 60)],
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: NetworkEngine::Ahead,
        detail: Detail::Summary,
        check: false,
    })
}

/// The second flow comes on 2 ms late, and is answered first; after its stop the first one gets only near to what is fair.
fn record() -> Record {
    let flow = |sent: u64, control: u64, began: u64, steps: &[(u64, f64)]| NetworkFlowRecord {
        sent,
        retransmitted: 0,
        dropped: 0,
        lost: 0,
        marked: 0,
        arrived: sent,
        in_flight: 0,
        measured_sent: sent,
        measured_dropped: 0,
        measured_bytes: sent * 1_000,
        delivered_bytes: vec![0; 10],
        delay: DelaySummary::default(),
        timeouts: 0,
        waited: Default::default(),
        active: Vec::new(),
        transfers: Vec::new(),
        unfinished: 0,
        windows: Vec::new(),
        rate: Some(RateRecord {
            control_sent: control,
            control_returned: control,
            control_bytes: 53 * control,
            arrived_while_on: sent - 1,
            began: vec![at(began)],
            allowed: steps
                .iter()
                .map(|&(t, mbps)| AllowedRate { t: at(t), micro_flow: 0, rate_bps: mbps * 1e6 })
                .collect(),
            ..RateRecord::default()
        }),
    };
    let link = |deepest: u32, control: u64| NetworkLinkRecord {
        measured_bytes: 0,
        sent_bytes: Vec::new(),
        arrived: 1,
        dropped: [0, 4, 0],
        marked: 0,
        lost: 0,
        mean_packets: 0.0,
        mean_bytes: 0.0,
        deepest_packets: 0,
        waiting: DelaySummary::default(),
        waiting_packets: Vec::new(),
        dropped_in_row: Vec::new(),
        law: Vec::new(),
        port: Some(PortRecord {
            law: "wmfqc",
            deepest_packets: deepest,
            dropped: [4, 1],
            control,
            refused: [0, 0, 2, 0, 1, 0, 0],
            flows: 1,
        }),
    };
    Record::Network(NetworkRecord {
        duration: Span::from_millis(100),
        warmup: Span::ZERO,
        window: Span::from_millis(10),
        flows: vec![
            flow(90, 10, 0, &[(0, 10.0), (31, 5.2), (33, 5.0), (65, 9.7), (100, 0.0)]),
            flow(30, 20, 22, &[(22, 10.0), (28, 5.0), (60, 0.0)]),
        ],
        links: vec![link(7, 25), link(0, 0)],
        packet_hops: 120,
        violations: Vec::new(),
    })
}

fn changes() -> Vec<Change> {
    let change = |from: u64, until: Instant, event: &str, fair: [f64; 2], starts: &[usize]| Change {
        at: at(from),
        events: vec![event.to_owned()],
        until,
        references: fair.map(|mbps| Reference::exactly(mbps * 1e6)).to_vec(),
        on: fair.iter().map(|mbps| *mbps > 0.0).collect(),
        held_by: fair.iter().map(|mbps| (*mbps > 0.0).then_some(0)).collect(),
        starts: starts.iter().map(|&flow| (flow, at(from + 3))).collect(),
    };
    vec![
        change(0, at(20), "start of a", [10.0, 0.0], &[0]),
        change(20, at(60), "start of b", [5.0, 5.0], &[1]),
        change(60, Instant::NEVER, "stop of b", [10.0, 0.0], &[]),
    ]
}

fn allocation() -> Allocation {
    let rate = |bps: f64| FlowRate {
        rate_bps: bps,
        low_bps: bps,
        high_bps: bps,
        limited_by: HeldBy::Link { link: 0, why: String::new(), sharers: Default::default() },
    };
    Allocation {
        criterion: Criterion::GeneralWeighted,
        unique: Uniqueness::Yes,
        flows: vec![rate(5e6), rate(5e6)],
        links: vec![LinkLoad { load_bps: 10e6 }, LinkLoad { load_bps: 0.0 }],
    }
}

fn summary_of(plan: &Plan, record: &Record) -> RunSummary {
    let allocation = &allocation();
    summarise(&SummaryInput { plan, record, allocation, law: "wmfqc", seed: 1, run: 0, wall_s: 0.0 })
}

fn outcome() -> RunOutcome {
    let (plan, record) = (plan(), record());
    let mut summary = summary_of(&plan, &record);
    summary.follow_changes(&plan, &record, &changes());
    RunOutcome { law: "wmfqc".to_owned(), summary, record }
}

#[test]
fn responses_are_those_of_the_tables() {
    let summary = outcome().summary;
    let allowed: Vec<_> = summary.changes.iter().map(|change| change.allowed.as_ref().unwrap()).collect();
    let ms = |ms: u64| Some(ms * 1_000_000);
    assert_eq!(allowed[0].response_ns, [Some(0), None]);
    assert_eq!(allowed[0].slowest, None);
    // The second flow came on at 22 ms.
    assert_eq!(allowed[1].response_ns, [ms(11), ms(6)]);
    assert_eq!((allowed[1].response_max_ns, allowed[1].slowest.as_deref()), (ms(11), Some("a")));
    assert_eq!(allowed[2].response_ns, [ms(5), None]);
    let explicit = summary.explicit_rates.unwrap();
    assert_eq!(explicit.response_max_ns, ms(11));
    assert_eq!(explicit.response_mean_ns, Some(8e6), "the first change changed no allowed rate");
    assert_eq!(summary.flows[0].explicit_rate.unwrap().response_max_ns, ms(11));
    assert_eq!(summary.flows[1].explicit_rate.unwrap().response_max_ns, ms(6));
}

/// Both come on at 20 ms, up to 3 ms later by chance: the first one at 21 ms, the second one at 22 ms.
#[test]
fn where_several_flows_come_on_responses_count_from_the_last_of_them() {
    let Record::Network(mut record) = record() else { panic!("a network") };
    record.flows[0].rate.as_mut().unwrap().began.push(at(21));
    let mut changes = changes();
    changes[1].starts = vec![(0, at(23)), (1, at(23))];
    let summaries = change_summaries(&plan(), &Record::Network(record), &changes);
    let response_ns = &summaries[1].allowed.as_ref().unwrap().response_ns;
    assert_eq!(response_ns[..], [Some(11_000_000), Some(6_000_000)]);
}

#[test]
fn allowed_rates_are_held_against_the_fair_step() {
    let summary = outcome().summary;
    let allowed: Vec<_> = summary.changes.iter().map(|change| change.allowed.as_ref().unwrap()).collect();
    let times = |at: usize| allowed[at].time_to_fair.iter().map(|time| (time.within, time.ns)).collect::<Vec<_>>();
    assert_eq!(times(0), [(0.05, Some(0)), (0.01, Some(0))]);
    // 5.2 Mb/s from 31 ms on are within 5 % of 5 Mb/s, 5 Mb/s from 33 ms on within 1 %; counted from 22 ms.
    assert_eq!(times(1), [(0.05, Some(9_000_000)), (0.01, Some(11_000_000))]);
    assert_eq!(times(2), [(0.05, Some(5_000_000)), (0.01, None)]);
    assert!((allowed[2].error.unwrap() - 0.03).abs() < 1e-9);
    assert_eq!(allowed[1].rates_bps, [Some(5e6), Some(5e6)]);
    assert_eq!(allowed[2].held_by, [Some("line".to_owned()), None]);
}

#[test]
fn control_packets_and_ports_are_counted() {
    let summary = outcome().summary;
    let flow = summary.flows[1].explicit_rate.unwrap();
    assert_eq!((flow.control_share, flow.arrived_while_on, flow.control_bytes), (0.4, 29, 1060));
    assert_eq!((flow.allowed_rate_bps, summary.flows[0].explicit_rate.unwrap().allowed_rate_bps), (0.0, 9.7e6));
    let explicit = summary.explicit_rates.unwrap();
    assert_eq!(explicit.control_share, 30.0 / 150.0);
    assert_eq!((explicit.deepest_queue_packets, explicit.refused, explicit.dropped), (7, 6, 10));
    let port = summary.links[0].port.as_ref().unwrap();
    assert_eq!((port.dropped_too_long, port.dropped_above_allowed, port.control, port.flows), (4, 1, 25, 1));
    let refused: Vec<_> = port.refused_by.iter().map(|kind| (kind.reason, kind.packets)).collect();
    assert_eq!(refused, [("field", 2), ("unknown-flow", 1)]);
}

/// Of flow b 30 packets are data, and 20 control packets of its own.
#[test]
fn what_ports_send_by_themselves_is_control_too() {
    let noticed = |packets: u64| {
        let Record::Network(mut record) = record() else { panic!("a network") };
        record.flows[1].rate.as_mut().unwrap().control_noticed = packets;
        let summary = summary_of(&plan(), &Record::Network(record));
        (summary.flows[1].explicit_rate.unwrap().control_share, summary.explicit_rates.unwrap().control_share)
    };
    assert_eq!(noticed(0), (20.0 / 50.0, 30.0 / 150.0));
    assert_eq!(noticed(30), (50.0 / 80.0, 60.0 / 180.0));
}

fn page(outcome: RunOutcome) -> String {
    let link = |id: &str| Link { id: id.to_owned(), capacity_bps: 10e6 };
    let flow = |id: &str| Flow {
        id: id.to_owned(),
        ingress: 0,
        egress: 1,
        route: vec![0],
        demand_bps: f64::INFINITY,
        weight: 1.0,
    };
    let problem = Problem {
        nodes: vec!["x".to_owned(), "y".to_owned()],
        ingress_weights: vec![1.0; 2],
        links: vec![link("line"), link("back")],
        flows: vec![flow("a"), flow("b")],
    };
    render(&ReportInput {
        title: "Told rates",
        description: "",
        scenario_text: "",
        scenario_sha256: "00ff",
        plan: &plan(),
        allocation: &allocation(),
        problem: &problem,
        runs: &[outcome],
        promises: &[],
    })
}

#[test]
fn the_report_tells_the_worst_of_all_changes() {
    let mut outcome = outcome();
    for (change, error) in outcome.summary.changes.iter_mut().zip([0.2, 0.3, 0.1]) {
        let allowed = change.allowed.as_mut().unwrap();
        allowed.error = Some(error);
        allowed.time_to_fair.iter_mut().for_each(|time| time.ns = None);
    }
    let page = page(outcome);
    assert!(page.contains("After 3 of 3 changes not all allowed rates come within 5 %"), "{page}");
    assert!(page.contains("the worst is 30 % off"), "{page}");
}

#[test]
fn the_report_tells_the_slowest_of_all_changes() {
    let mut outcome = outcome();
    assert!(page(outcome.clone()).contains("rates 9 ms after each of 3 changes at the latest"));
    outcome.summary.changes.truncate(2);
    assert!(page(outcome.clone()).contains("rates 9 ms after each of 2 changes at the latest"));
    outcome.summary.changes.remove(0);
    assert!(page(outcome).contains("rates 9 ms after the change at the latest"));
}

#[test]
fn the_tables_have_a_row_each() {
    let (plan, outcome) = (plan(), outcome());
    let rows = |table: &str| {
        let mut rows = 0;
        let columns = fairwire_results::columns().iter().filter(|column| column.table == table).count();
        each_chunk::<()>(table, &plan, &outcome, |chunk| {
            assert_eq!(chunk.cells.len(), columns, "{table}");
            rows += chunk.rows;
            Ok(())
        })
        .unwrap();
        rows
    };
    assert_eq!(["explicit_rates", "allowed_rates", "responses", "ports"].map(rows), [2, 8, 4, 2]);
    let mut seen = Vec::new();
    let read = each_chunk::<()>("responses", &plan, &outcome, |chunk| {
        seen.push(chunk.cells[8].clone());
        Ok(())
    });
    assert_eq!(read, Ok(()));
    assert_eq!(seen[1], Cells::Reals(vec![5e6, 5e6]), "allowed rates after the start of b");
}
