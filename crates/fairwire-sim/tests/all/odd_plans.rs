//! Plans at the edge of what makes sense.

use crate::common::{cbr, flow, law, random_plan, rate_bps, ring, ring_of, run, traffic};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span};
use fairwire_laws::ring::Datapath;
use fairwire_plan::*;
use fairwire_sim::*;

const BOTH: [EnginePath; 2] = [EnginePath::Windows, EnginePath::Events];

#[test]
fn a_ring_without_flows_does_nothing() {
    for (engine, name) in BOTH.into_iter().flat_map(|path| [(path, "fifo"), (path, "dvsr")]) {
        let record = run(&RingPlan { engine, detail: Detail::Full, ..ring(2) }, &law(name));
        assert_eq!((record.packet_hops, record.control_hops, record.flows.len(), record.links.len()), (0, 0, 0, 0));
        assert_eq!(record.duration, Span::from_millis(10));
    }
}

#[test]
fn flows_that_never_start_send_nothing() {
    for (engine, name) in BOTH.into_iter().flat_map(|path| [(path, "fifo"), (path, "dvsr")]) {
        for queues in [StationQueues::Single, StationQueues::PerDestination] {
            let mut plan = RingPlan { engine, station_queues: queues, ..ring(4) };
            let ways = [(Instant::NEVER, Instant::NEVER), (Instant::from_nanos(5), Instant::from_nanos(5))];
            let late = (Instant::from_nanos(11_000_000), Instant::NEVER);
            let backwards = (Instant::from_nanos(9), Instant::from_nanos(3));
            for (start, stop) in ways.into_iter().chain([late, backwards]) {
                for arrivals in [
                    Arrivals::Greedy,
                    cbr(1_000_000),
                    Arrivals::Poisson { rate: BitRate::from_mbps(1) },
                    on_off(BitRate::from_mbps(1)),
                ] {
                    plan.flows.push(FlowPlan { start, stop, ..flow(0, 2, arrivals) });
                    plan.flows.push(FlowPlan { start, stop, ..flow(1, 2, arrivals) });
                    plan.flows.push(FlowPlan { start, stop, ringlet: Ringlet::One, ..flow(1, 3, arrivals) });
                }
            }
            let record = run(&plan, &law(name));
            assert!(record.flows.iter().all(|flow| flow.offered == 0 && flow.delivered == 0));
        }
    }
}

fn on_off(peak: BitRate) -> Arrivals {
    Arrivals::ParetoOnOff { peak, mean_on: Span::from_millis(1), mean_off: Span::from_millis(1), shape: 1.5 }
}

#[test]
fn two_stations_are_a_ring() {
    for engine in BOTH {
        let mut plan = RingPlan { engine, ..ring_of(2, BitRate::from_mbps(100), Span::from_micros(5)) };
        plan.flows = vec![flow(0, 1, Arrivals::Greedy), flow(1, 0, Arrivals::Greedy)];
        for (from, to) in [(0, 1), (1, 0)] {
            plan.flows.push(FlowPlan { ringlet: Ringlet::One, ..flow(from, to, Arrivals::Greedy) });
        }
        for name in ["fifo", "dvsr"] {
            let record = run(&plan, &law(name));
            // All four links are full but for the first packet's time, propagation and control frames.
            (0..4).for_each(|flow| assert!(rate_bps(&record, flow) > 0.90 * 100e6, "{name}: {:?}", record.flows[flow]));
        }
    }
}

#[test]
fn a_run_of_no_length_is_empty_either_way() {
    let (mut plan, law) = random_plan(3);
    (plan.duration, plan.warmup) = (Span::ZERO, Span::ZERO);
    plan.flows.iter_mut().for_each(|flow| flow.start = Instant::ZERO);
    let records = BOTH.map(|engine| simulate(&RingPlan { engine, ..plan.clone() }, &law).unwrap());
    assert_eq!(records[0], records[1]);
    assert_eq!(records[0].packet_hops, 0);
}

#[test]
fn a_warm_up_as_long_as_the_run_measures_nothing() {
    let mut plan = ring(4);
    plan.flows = vec![flow(0, 2, cbr(100_000_000))];
    plan.warmup = plan.duration;
    let record = run(&plan, &law("dvsr"));
    assert!(record.flows[0].delivered > 0);
    assert_eq!(
        (record.flows[0].measured_bytes, record.flows[0].measured_entered, record.flows[0].delay.count),
        (0, 0, 0)
    );
    assert!(record.links.len() > 1 && record.links.iter().all(|link| link.measured_bytes == 0), "{:?}", record.links);
}

#[test]
fn a_warm_up_is_left_out_of_all_measures() {
    let mut plan = ring_of(3, BitRate::from_mbps(8), Span::from_micros(1));
    plan.flows = vec![flow(0, 1, cbr(4_000_000))]; // one packet every 2 ms, 1 ms on the link
    plan.duration = Span::from_millis(20);
    plan.warmup = Span::from_millis(10);
    let record = run(&plan, &law("fifo"));
    let flow = &record.flows[0];
    assert_eq!((flow.offered, flow.entered, flow.delivered), (10, 10, 10));
    // Entered at 10, 12 … 18 ms; the packet of 8 ms was delivered at 9.001 ms.
    assert_eq!((flow.measured_entered, flow.measured_bytes, flow.delay.count), (5, 5_000, 5));
    assert_eq!(record.links[0].measured_bytes, 5_000);
}

/// A buffer that nothing fills is one, however large.
#[test]
fn the_largest_of_buffers_holds_what_a_large_one_holds() {
    let with = |engine, name, buffer| {
        let mut plan = RingPlan { engine, station_buffer: Bytes::new(buffer), ..ring(3) };
        for from in [0, 1] {
            plan.flows.push(flow(from, 2, Arrivals::Cbr { rate: BitRate::from_mbps(500), jitter: 0.5 }));
        }
        run(&plan, &law(name))
    };
    for (engine, name) in BOTH.into_iter().flat_map(|path| [(path, "fifo"), (path, "dvsr")]) {
        let large = with(engine, name, 1 << 40);
        assert!(large.flows.iter().all(|flow| flow.delivered > 0 && flow.refused == 0));
        assert!(large == with(engine, name, u64::MAX), "{name}");
    }
}

/// Slow rates and long times stay inside 64 bits.
#[test]
fn the_slowest_of_rates_do_no_harm() {
    let slow = BitRate::from_bps(1);
    for engine in BOTH {
        for name in ["fifo", "dvsr"] {
            let mut plan = RingPlan { engine, ..ring_of(3, slow, Span::from_nanos(1 << 40)) };
            plan.duration = Span::from_secs_f64(1e8);
            plan.window = Span::from_secs_f64(1e6);
            plan.station_buffer = Bytes::new(10_000_000);
            for arrivals in [
                Arrivals::Greedy,
                Arrivals::Cbr { rate: slow, jitter: 1.0 },
                Arrivals::Poisson { rate: slow },
                Arrivals::ParetoOnOff {
                    peak: BitRate::from_bps(4),
                    mean_on: Span::from_secs_f64(1e6),
                    mean_off: Span::from_secs_f64(1e6),
                    shape: 1.01,
                },
            ] {
                let offer = Offer::Datagrams(Traffic { arrivals, packet_bytes: 40_000, size_jitter: 0.6 });
                plan.flows.push(FlowPlan { offer, ..flow(0, 2, arrivals) });
                plan.flows.push(FlowPlan { offer, ringlet: Ringlet::One, ..flow(1, 2, arrivals) });
            }
            let record = run(&plan, &law(name));
            let delivered: u64 = record.flows.iter().map(|flow| flow.delivered).sum();
            assert!(delivered > 100, "{delivered}");
            assert!(record.flows.iter().all(|flow| flow.offered < 10_000));
        }
    }
}

/// So fast that a packet takes no whole nanosecond.
#[test]
fn the_fastest_of_links_keep_the_order() {
    let mut plan = ring_of(3, BitRate::from_bps(40_000_000_000_000), Span::from_nanos(700));
    plan.duration = Span::from_micros(50);
    plan.window = Span::from_micros(5);
    plan.flows = (0..3)
        .map(|from| flow(from, (from + 2) % 3, Arrivals::Poisson { rate: BitRate::from_mbps(4_000_000) }))
        .collect();
    let records = BOTH.map(|engine| run(&RingPlan { engine, ..plan.clone() }, &law("dvsr")));
    assert_eq!(records[0], records[1]);
    assert!(records[0].flows.iter().all(|flow| flow.delivered > 10_000));
}

#[test]
fn plans_that_cannot_run_are_refused_with_a_reason() {
    let good = || RingPlan { flows: vec![flow(0, 1, Arrivals::Greedy)], ..ring(3) };
    assert_eq!(good().validate(), Ok(()));
    let refuse = |change: &dyn Fn(&mut RingPlan)| {
        let mut plan = good();
        change(&mut plan);
        let error = plan.validate().expect_err("it cannot run");
        assert_eq!(simulate(&plan, &law("fifo")), Err(error.clone()));
        error.to_string()
    };
    assert_eq!(refuse(&|plan| plan.stations.truncate(1)), "a ring has from 2 to 16384 stations, not 1");
    assert_eq!(refuse(&|plan| plan.links[1].truncate(2)), "ringlet 1 has 2 links for 3 stations");
    assert_eq!(refuse(&|plan| plan.links[0][1].capacity = BitRate::ZERO), "a link of ringlet 0 has no capacity");
    assert_eq!(refuse(&|plan| plan.window = Span::from_nanos(999)), "the window is 999 ns, below 1 us");
    assert_eq!(refuse(&|plan| plan.warmup = Span::from_millis(11)), "the warm-up outlasts the run");
    assert!(refuse(&|plan| plan.flows[0].to = plan.flows[0].from).contains("two different stations"));
    assert!(refuse(&|plan| traffic(&mut plan.flows[0]).packet_bytes = 0).contains("at least one byte"));
    assert!(refuse(&|plan| traffic(&mut plan.flows[0]).size_jitter = f64::NAN).contains("size jitter"));
    let large = |plan: &mut RingPlan| {
        (traffic(&mut plan.flows[0]).packet_bytes, traffic(&mut plan.flows[0]).size_jitter) = (60_000, 0.1)
    };
    assert!(refuse(&large).contains("more than 65535 bytes"));
    let arrivals = |arrivals| refuse(&move |plan: &mut RingPlan| traffic(&mut plan.flows[0]).arrivals = arrivals);
    assert!(arrivals(cbr(0)).contains("offers nothing"));
    assert!(arrivals(Arrivals::Cbr { rate: BitRate::from_mbps(1), jitter: f64::NAN }).contains("from 0 to 1"));
    for shape in [1.0, f64::NAN, f64::INFINITY] {
        let on_off = Arrivals::ParetoOnOff {
            peak: BitRate::from_mbps(1),
            mean_on: Span::from_millis(1),
            mean_off: Span::from_millis(1),
            shape,
        };
        assert!(arrivals(on_off).contains("finite shape above 1"), "{shape}");
    }
}

/// Something of every link is left for what is not reserved.
#[test]
fn all_of_a_link_cannot_be_reserved() {
    let reserving = |bps: u64| {
        let (class, guaranteed) = (ServiceClass::A0, BitRate::from_bps(bps));
        let mut plan = RingPlan { flows: vec![FlowPlan { class, guaranteed, ..flow(0, 1, cbr(1_000)) }], ..ring(3) };
        plan.transit.datapath = Datapath::DualQueue;
        plan.validate().map_err(|error| error.to_string())
    };
    assert_eq!(reserving(621_999_999), Ok(()));
    assert_eq!(reserving(622_000_000), Err("class A0 reserves 622 Mb/s of links of 622 Mb/s on ringlet 0".to_owned()));
}

/// Rows are 32 bits wide: a row that could hold more is refused, not wrapped around.
#[test]
fn rows_that_could_overflow_are_refused() {
    let mut plan = ring_of(2, BitRate::from_mbps(100_000), Span::from_micros(1));
    plan.duration = Span::from_secs_f64(2.0);
    plan.window = Span::from_secs_f64(1.0);
    assert!(simulate(&plan, &law("fifo")).is_err_and(|error| error.to_string().contains("window")));
    plan.window = Span::from_millis(300);
    plan.duration = Span::from_millis(1);
    assert!(simulate(&plan, &law("fifo")).is_ok());
}

/// Random sizes with intervals of the widest swing never go back in time: an interval
/// below zero would overflow, which only a build with overflow checks notices.
#[test]
fn full_jitter_with_mixed_sizes_keeps_time() {
    let arrivals = Arrivals::Cbr { rate: BitRate::from_bps(7_777_777_777), jitter: 1.0 };
    let mut plan = ring_of(2, BitRate::from_mbps(10_000), Span::from_micros(1));
    plan.flows = vec![flow(0, 1, arrivals)];
    plan.flows[0].offer = Offer::Datagrams(Traffic { arrivals, packet_bytes: 3, size_jitter: 0.7 });
    let record = run(&plan, &law("fifo"));
    let (flow, bytes) = (&record.flows[0], rate_bps(&record, 0));
    assert!((bytes / 7_777_777_777.0 - 1.0).abs() < 0.01, "{bytes} b/s in {} packets", flow.delivered);
}
