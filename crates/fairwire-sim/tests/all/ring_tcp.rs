//! TCP over rings: how long it takes, what it gets, and that nothing of it is forgotten.

use crate::common::*;
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, Span, StationId};
use fairwire_laws::protection::Params;
use fairwire_laws::ring::{Datapath, RingLawChoice, dvsr};
use fairwire_laws::transport::ControlChoice;
use fairwire_plan::*;
use fairwire_sim::simulate_whole;

fn transfers(count: u64, size: u64, interval: Span) -> Work {
    Work::Transfers { count: Some(count), mean_interval: interval, size: TransferSize::Fixed(Bytes::new(size)) }
}

/// On the usual link of 622 Mb/s and 0.1 ms, in ns, without the fraction.
fn hop(bytes: u64) -> u64 {
    100_000 + bytes * 8_000 / 622
}

#[test]
fn a_segment_goes_there_on_one_ringlet_and_its_acknowledgement_back_on_the_other() {
    for (from, to, ringlet) in [(1, 3, Ringlet::Zero), (3, 1, Ringlet::One)] {
        let work = transfers(1, 1_000, Span::from_micros(10));
        let mut plan = RingPlan { flows: vec![connections(from, to, tcp("reno", work))], ..ring(6) };
        plan.flows[0].ringlet = ringlet;
        let record = run(&plan, &law("fifo"));
        let [Transfer { start, end, bytes, sent, .. }] = record.flows[0].transfers[..] else { panic!("one transfer") };
        assert_eq!((bytes, sent, record.flows[0].unfinished), (1_000, 1, 0));
        let expected = 2 * hop(1_000) + 2 * hop(40);
        assert!(end.since(start).as_nanos().abs_diff(expected) <= 4, "{} of {expected} ns", end.since(start));
        let sent: Vec<_> =
            record.links.iter().map(|link| (link.ringlet, link.station.0, link.measured_bytes)).collect();
        let back = ringlet.opposite();
        let mut expected = vec![(ringlet, from, 1_000), (ringlet, 2, 1_000), (back, 2, 40), (back, to, 40)];
        expected.sort_by_key(|(ringlet, station, _)| (ringlet.index(), *station));
        assert_eq!(sent, expected);
        assert_eq!(record.flows[0].delay.count, 1);
    }
}

#[test]
fn a_connection_without_loss_gets_its_window_each_round_trip() {
    let mut connection = tcp("newreno", Work::Unlimited);
    connection.settings.receive_window = 7;
    let duration = Span::from_millis(200);
    let warmup = Span::from_millis(20);
    let plan = RingPlan { flows: vec![connections(0, 2, connection)], duration, warmup, ..ring(5) };
    let record = run(&plan, &law("fifo"));
    let round_trip_ns = 2 * hop(1_000) + 2 * hop(40);
    let expected = 7.0 * 8_000.0 / (round_trip_ns as f64 * 1e-9);
    assert!((rate_bps(&record, 0) / expected - 1.0).abs() < 0.005, "{} of {expected}", rate_bps(&record, 0));
    assert_eq!((record.flows[0].retransmitted, record.flows[0].timeouts), (0, 0));
}

#[test]
fn acknowledgements_are_limited_as_any_flow() {
    // Station 2 sends to its neighbour on ringlet 1 what it has, and to the next but one what it
    // acknowledges; station 3 shares the link.
    let mut plan = ring(6);
    (plan.duration, plan.warmup) = (Span::from_millis(300), Span::from_millis(100));
    let mut connection = tcp("sack", Work::Unlimited);
    connection.settings.receive_window = 20;
    let greedy = |from, to| FlowPlan { ringlet: Ringlet::One, ..flow(from, to, Arrivals::Greedy) };
    plan.flows = vec![connections(0, 2, connection), greedy(2, 1), greedy(3, 0)];
    for name in ["dvsr", "dvsr-plus"] {
        let record = run(&plan, &law(name));
        let [tcp, own, other] = [0, 1, 2].map(|flow| rate_bps(&record, flow) / 622e6);
        // Each segment brings back a 25th of itself.
        assert!((0.1..0.5).contains(&tcp), "{name}: {tcp}");
        let acknowledgements = tcp * 0.04;
        assert!((own + acknowledgements - other).abs() < 0.01, "{name}: {own} and {acknowledgements} beside {other}");
        assert!(own + acknowledgements + other > 0.97, "{name}: {own} and {other}");
    }
}

#[test]
fn a_full_station_queue_refuses_segments_and_they_are_sent_again() {
    let mut plan = ring(6);
    (plan.duration, plan.station_buffer) = (Span::from_millis(500), Bytes::new(20_000));
    plan.flows = vec![connections(1, 4, tcp("reno", Work::Unlimited)), flow(2, 4, Arrivals::Greedy)];
    plan.flows[0].micro_flows = 3;
    let record = run(&plan, &law("dvsr"));
    let counts = &record.flows[0];
    assert!(counts.refused > 20 && counts.retransmitted > 20, "{} {}", counts.refused, counts.retransmitted);
    assert_eq!(counts.refused + counts.entered + waiting(counts), counts.offered);
    assert!(waiting(counts) <= 20);
    let windows = |number: u32| counts.windows.iter().filter(|sample| sample.micro_flow == number).count();
    assert_eq!([0, 1, 2, 3].map(windows), [0; 4], "nobody asked for them");
    let full = run(&RingPlan { detail: Detail::Full, ..plan }, &law("dvsr"));
    let windows = |number: u32| full.flows[0].windows.iter().filter(|sample| sample.micro_flow == number).count();
    assert_eq!([0, 1, 2, 3].map(windows), [499, 499, 499, 0]);
}

/// A transit queue of five packets drops connections and datagrams alike; what it drops in the warm-up is not measured.
#[test]
fn what_is_dropped_in_the_warm_up_is_not_measured() {
    let mut plan = ring(6);
    (plan.duration, plan.warmup) = (Span::from_millis(200), Span::from_millis(200));
    plan.transit = TransitPlan::merged(Bytes::new(5_000), Overflow::Drop);
    plan.flows = vec![connections(1, 4, tcp("reno", Work::Unlimited)), flow(2, 4, Arrivals::Greedy)];
    for counts in &run(&plan, &law("fifo")).flows {
        assert!(counts.dropped > 0 && counts.entered > 0, "{counts:?}");
        assert_eq!((counts.measured_dropped, counts.measured_entered), (0, 0));
    }
}

fn waiting(counts: &FlowRecord) -> u64 {
    counts.offered - counts.refused - counts.entered
}

/// Every law and every congestion control, over queues that hold but a few packets, beside bursts.
#[test]
fn a_transfer_always_completes() {
    let bursts = Arrivals::ParetoOnOff {
        peak: BitRate::from_mbps(300),
        mean_on: Span::from_millis(2),
        mean_off: Span::from_millis(3),
        shape: 1.5,
    };
    let mut lost = 0;
    for (number, about) in RingLawChoice::ALL.iter().enumerate() {
        let law = law(about.name);
        let mut plan = RingPlan { duration: Span::from_millis(10_000), station_buffer: Bytes::new(8_000), ..ring(6) };
        let datapaths = [Datapath::Merged, Datapath::TransitFirst, Datapath::DualQueue, Datapath::Alternating];
        plan.transit = TransitPlan::merged(Bytes::new(12_000), Overflow::Drop);
        plan.transit.datapath = datapaths[number % 4];
        if law.needs().limits_together && plan.transit.datapath == Datapath::Merged {
            plan.transit.datapath = Datapath::DualQueue;
        }
        if plan.transit.datapath == Datapath::DualQueue {
            plan.transit.buffer = Bytes::new(60_000);
        }
        plan.flows = vec![flow(1, 5, bursts), flow(2, 5, bursts), flow(3, 5, bursts)];
        for control in ControlChoice::ALL {
            let mut connection = tcp(control.name, transfers(4, 60_000, Span::from_millis(20)));
            connection.settings.min_timeout = Span::from_millis(5);
            connection.settings.granularity = Span::from_millis(1);
            connection.settings.delayed_ack = (number % 2 == 0).then_some(Span::from_millis(2));
            plan.flows.push(FlowPlan { name: control.name.to_owned(), ..connections(0, 5, connection) });
            plan.flows.push(FlowPlan { name: format!("{} 3-5", control.name), ..connections(3, 5, connection) });
        }
        let record = run(&plan, &law);
        for (planned, flow) in plan.flows.iter().zip(&record.flows).skip(3) {
            let ended = flow.transfers.iter().filter(|transfer| transfer.bytes == 60_000).count();
            assert_eq!((ended, flow.unfinished), (4, 0), "{} under {}", planned.name, about.name);
            assert_eq!(flow.measured_bytes, 240_000, "{} under {}", planned.name, about.name);
            lost += flow.retransmitted;
        }
    }
    assert!(lost > 1_000, "only {lost} segments were sent again");
}

/// [dvsr] §VII-A2: one station sends TCP alone, three send constant rates beyond their shares.
fn isolation(micro_flows: u32, law: &RingLawChoice) -> f64 {
    let mut plan = ring(10);
    (plan.duration, plan.check) = (Span::from_millis(2_500), false);
    plan.warmup = Span::from_millis(500);
    let mut connection = tcp("reno", Work::Unlimited);
    connection.settings.receive_window = 1_000;
    plan.flows = vec![connections(1, 5, connection)];
    plan.flows[0].micro_flows = micro_flows;
    plan.flows[0].start_jitter = Span::from_millis(100);
    for from in 2..5 {
        let mut other = flow(from, 5, cbr(186_600_000));
        traffic(&mut other).size_jitter = 0.05;
        plan.flows.push(other);
    }
    rate_bps(&run(&plan, law), 0) / 622e6
}

#[test]
fn dvsr_keeps_the_fair_share_of_a_station_that_sends_tcp_alone() {
    for micro_flows in [1, 2, 20] {
        let share = isolation(micro_flows, &law("dvsr"));
        assert!((0.245..0.255).contains(&share), "{share} of 0.25 with {micro_flows} connections");
    }
    let fifo = isolation(20, &law("fifo"));
    assert!(fifo < 0.15, "{fifo} without a law");
}

/// Counted as printed, the queue before the hub stands full, and few connections lose too much there.
#[test]
fn without_a_margin_few_connections_do_not_take_their_share() {
    let printed =
        RingLawChoice::dvsr(dvsr::Params { count_margin: dvsr::Packets::clamped(0.0), ..dvsr::Params::default() });
    let (many, few) = (isolation(20, &printed), isolation(2, &printed));
    assert!((0.235..0.26).contains(&many), "{many} of 0.25");
    assert!(few > 0.1 && few < many - 0.05, "{few} with two connections, {many} with twenty");
}

#[test]
fn tcp_outlives_a_cut_and_comes_back_after_its_mend() {
    let at = |ms| Instant::ZERO + Span::from_millis(ms);
    let two = StationId(2);
    let events = vec![
        RingEvent { at: at(200), change: RingChange::Cut(two) },
        RingEvent { at: at(500), change: RingChange::Restore(two) },
    ];
    let params = Params { wait_to_restore: Span::from_millis(50), ..Params::default() };
    let mut plan = RingPlan { duration: Span::from_millis(1_000), ..ring(8) };
    plan.protection = Some(ProtectionPlan { params, events });
    let mut connection = tcp("sack", Work::Unlimited);
    connection.settings.min_timeout = Span::from_millis(20);
    connection.settings.granularity = Span::from_millis(1);
    // Both directions: what acknowledges the one waits beside what the other sends.
    plan.flows = vec![connections(1, 4, connection), connections(4, 1, connection), connections(0, 2, connection)];
    plan.flows[1].ringlet = Ringlet::One;
    for name in ["dvsr", "fifo", "rpr-2004-conservative"] {
        if law(name).needs().limits_together {
            plan.transit.datapath = Datapath::DualQueue;
        }
        let record = both_ways(&plan, &law(name));
        for (planned, flow) in plan.flows.iter().zip(&record.flows) {
            let mean = |from: usize, to: usize| {
                let bytes: u64 = flow.delivered_bytes[from..to].iter().map(|bytes| u64::from(*bytes)).sum();
                bytes as f64 * 8.0 / (to - from) as f64
            };
            let [before, cut, after] = [mean(50, 200), mean(300, 500), mean(700, 1_000)];
            assert!(cut > 0.1 * before && after > 0.5 * before, "{name} {}: {before} {cut} {after}", planned.name);
        }
        assert!(record.flows[0].lost > 0 && record.flows[0].retransmitted > 0);
    }
}

/// The record, which is the same whichever way the engine takes.
fn both_ways(plan: &RingPlan, law: &RingLawChoice) -> RunRecord {
    let [windows, events] = [EnginePath::Windows, EnginePath::Events].map(|engine| {
        let plan = RingPlan { engine, ..plan.clone() };
        run(&plan, law)
    });
    assert!(windows == events, "{windows:?}\n\n{events:?}");
    windows
}

#[test]
fn whoever_watches_is_asked_in_the_middle_of_an_instant() {
    for engine in [EnginePath::Windows, EnginePath::Events] {
        let many = FlowPlan { micro_flows: 20_000, ..connections(0, 2, tcp("reno", Work::Unlimited)) };
        let plan = RingPlan { flows: vec![many], engine, check: false, ..ring(4) };
        let mut asked = 0;
        let whole = simulate_whole(&plan, &law("fifo"), &mut |done| {
            asked += u32::from(done == 0.0);
            true
        });
        assert_eq!(format!("{:?}", whole.unwrap().unwrap()), format!("{:?}", run(&plan, &law("fifo"))));
        // Four times while they are built, and four times while all begin.
        assert!(asked >= 8, "asked {asked} times before anything was over");
        let mut left = 6;
        let ended = simulate_whole(&plan, &law("fifo"), &mut |_| {
            left -= 1;
            left > 0
        });
        assert!(ended.unwrap().is_none() && left == 0);
    }
}
