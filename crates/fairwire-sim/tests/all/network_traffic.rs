//! What flows get, and when: shares, transfers, pages, periods, random streams.

use crate::network_common::*;
use fairwire_core::{Bytes, Instant, Span};
use fairwire_laws::queue::Limit;
use fairwire_laws::transport::ControlChoice;
use fairwire_plan::*;

/// Hosts 2, 4, … send over the link from node 0 to node 1 to hosts 3, 5, …
fn gateway(law: &str, offers: &[Offer]) -> NetworkPlan {
    let mut plan = network(2 + 2 * offers.len());
    plan.links = vec![link(0, 1, 10, Span::from_millis(5)), link(1, 0, 10, Span::from_millis(5))];
    plan.links[0].queue = queue(law);
    plan.links[0].limit = Limit::Packets(200);
    for (index, offer) in offers.iter().enumerate() {
        let (source, sink, first) = (2 + 2 * index as u32, 3 + 2 * index as u32, plan.links.len() as u32);
        let ends = [(source, 0), (1, sink), (sink, 1), (0, source)];
        plan.links.extend(ends.map(|(from, to)| link(from, to, 100, Span::from_millis(1))));
        let name = format!("flow-{index}");
        plan.flows.push(flow(&name, &[first, 0, first + 1], &[first + 2, 1, first + 3], *offer));
    }
    plan
}

#[test]
fn red_gives_unresponsive_flows_shares_in_proportion_to_their_rates() {
    // [vrr-gateway] Fig. 3.
    let offers: Vec<_> = (0..10).map(|index| cbr(1_000 + 200 * index, 0.5)).collect();
    let mut plan = gateway("red", &offers);
    plan.duration = Span::from_millis(60_000);
    plan.warmup = Span::from_millis(10_000);
    let record = run(&plan);
    let shares: Vec<_> = (0..10).map(|index| goodput_mbps(&record, index)).collect();
    assert!((shares.iter().sum::<f64>() - 10.0).abs() < 0.01, "{shares:?}");
    for (index, share) in shares.iter().enumerate() {
        let expected = 10.0 * (1.0 + 0.2 * index as f64) / 19.0;
        // RED drops a little less of a flow whose packets find the average lower.
        assert!((share / expected - 1.0).abs() < 0.06, "flow {index}: {share} of {expected}");
    }
}

#[test]
fn one_reno_connection_saws() {
    // ns-2's single connection: 145 losses in 100 s, a period of 4.87 s, a window of 63 to 126.
    let mut plan = network(4);
    plan.links = vec![
        link(0, 1, 10, Span::from_millis(23)),
        link(2, 0, 100, Span::from_millis(1)),
        link(1, 3, 100, Span::from_millis(1)),
        link(3, 1, 100, Span::from_millis(1)),
        link(1, 0, 10, Span::from_millis(23)),
        link(0, 2, 100, Span::from_millis(1)),
    ];
    plan.links.iter_mut().for_each(|link| link.limit = Limit::Packets(5_000));
    plan.links[0].limit = Limit::Packets(61);
    let Offer::Tcp(mut tcp) = tcp("reno", Work::Unlimited) else { unreachable!() };
    tcp.settings.receive_window = 2_000;
    tcp.settings.granularity = Span::from_millis(10);
    plan.flows = vec![flow("reno", &[1, 0, 2], &[3, 4, 5], Offer::Tcp(tcp))];
    plan.duration = Span::from_millis(100_000);
    plan.warmup = Span::from_millis(20_000);
    let record = run(&plan);
    let flow = &record.flows[0];
    assert!((143..=147).contains(&flow.dropped), "{} losses", flow.dropped);
    assert!((goodput_mbps(&record, 0) - 9.99).abs() < 0.02, "{}", goodput_mbps(&record, 0));
    let steady: Vec<_> = flow.windows.iter().filter(|sample| sample.t.as_secs_f64() > 20.0).collect();
    let avoids = steady.iter().filter(|sample| sample.state == "congestion-avoidance");
    let windows: Vec<_> = avoids.map(|sample| sample.cwnd).collect();
    let (least, most) = windows.iter().fold((f64::MAX, 0.0f64), |(least, most), w| (least.min(*w), most.max(*w)));
    assert!((62.0..65.0).contains(&least) && (125.0..128.0).contains(&most), "{least}..{most}");
    let ends = |pair: &&[&WindowSample]| pair[0].state == "congestion-avoidance" && pair[1].state == "fast-recovery";
    let losses: Vec<_> = steady.windows(2).filter(ends).map(|pair| pair[1].t.as_secs_f64()).collect();
    let period = (losses[losses.len() - 1] - losses[0]) / (losses.len() - 1) as f64;
    assert!((period / 4.864 - 1.0).abs() < 0.01, "{period} s");
}

#[test]
fn a_transfer_completes_when_the_path_lets_anything_through() {
    for (index, control) in ControlChoice::ALL.iter().enumerate() {
        let size = TransferSize::Fixed(Bytes::new(50_500));
        let work = Work::Transfers { count: Some(20), mean_interval: Span::from_millis(200), size };
        let mut plan = network(2);
        plan.seed = index as u64;
        plan.links = vec![link(0, 1, 10, Span::from_millis(2)), link(1, 0, 10, Span::from_millis(2))];
        for link in &mut plan.links {
            link.random_loss = 0.3;
            link.reordering = Span::from_millis(5);
        }
        plan.flows = vec![flow("it", &[0], &[1], tcp(control.name, work))];
        plan.duration = Span::from_millis(4 * 3_600 * 1_000);
        plan.detail = Detail::Summary;
        let record = run(&plan);
        let flow = &record.flows[0];
        assert_eq!((flow.transfers.len(), flow.unfinished), (20, 0), "{}", control.name);
        assert_eq!(flow.measured_bytes, 20 * 50_500, "{}", control.name);
        assert!(flow.transfers.is_sorted_by_key(|transfer| transfer.end));
        assert!(flow.transfers.iter().all(|transfer| transfer.bytes == 50_500 && transfer.sent >= 51));
        let sent: u64 = flow.transfers.iter().map(|transfer| u64::from(transfer.sent)).sum();
        assert_eq!(sent, flow.sent);
        assert!(flow.lost as f64 / flow.sent as f64 > 0.25 && flow.timeouts > 0);
    }
}

#[test]
fn transfers_come_at_the_times_of_a_poisson_process_and_have_the_mean_size() {
    let size = TransferSize::Exponential(Bytes::new(20_000));
    let work = Work::Transfers { count: None, mean_interval: Span::from_millis(50), size };
    let mut plan = gateway("droptail", &[tcp("reno", work)]);
    plan.duration = Span::from_millis(200_000);
    plan.detail = Detail::Summary;
    let transfers = &run(&plan).flows[0].transfers;
    assert!((3_750..4_250).contains(&transfers.len()), "{}", transfers.len());
    let mean = transfers.iter().map(|transfer| transfer.bytes as f64).sum::<f64>() / transfers.len() as f64;
    assert!((mean / 20_000.0 - 1.0).abs() < 0.06, "{mean}");
    assert!(transfers.iter().all(|transfer| transfer.bytes >= 40));
    let mut starts: Vec<_> = transfers.iter().map(|transfer| transfer.start.as_secs_f64()).collect();
    starts.sort_by(f64::total_cmp);
    let long = starts.windows(2).filter(|pair| pair[1] - pair[0] > 0.1).count() as f64 / starts.len() as f64;
    assert!((long - (-2.0f64).exp()).abs() < 0.02, "{long} of the intervals exceed twice the mean");
}

#[test]
fn a_user_reads_pages_one_after_the_other() {
    let work = Work::Web {
        pages: Some(200),
        mean_think_time: Span::from_millis(500),
        mean_objects: 3.0,
        mean_gap: Span::from_millis(10),
        size: TransferSize::Pareto { mean: Bytes::new(12_000), shape: 1.2 },
    };
    let mut plan = gateway("red", &[tcp("newreno", work)]);
    plan.duration = Span::from_millis(400_000);
    plan.detail = Detail::Summary;
    let flow = &run(&plan).flows[0];
    assert_eq!(flow.unfinished, 0);
    assert!((500..700).contains(&flow.transfers.len()), "{} objects of 200 pages", flow.transfers.len());
    // One after the other: none begins before the one before it has ended.
    assert!(flow.transfers.windows(2).all(|pair| pair[1].start >= pair[0].end));
    let pauses = flow.transfers.windows(2).map(|pair| pair[1].start.since(pair[0].end).as_secs_f64());
    let mean_pause = pauses.sum::<f64>() / (flow.transfers.len() - 1) as f64;
    assert!((mean_pause - (0.5 + 2.0 * 0.01) / 3.0).abs() < 0.03, "{mean_pause}");
}

#[test]
fn a_silent_flow_offers_nothing_and_begins_anew() {
    let every = Span::from_millis(20_000);
    let mut plan = gateway("vrr", &[tcp("reno", Work::Unlimited), cbr(1_000, 0.5), cbr(20_000, 0.5)]);
    plan.flows[2].stop = Instant::ZERO;
    plan.flows.iter_mut().for_each(|flow| flow.activity = Some(Activity { every, probability: 0.6 }));
    plan.duration = Span::from_millis(1_000_000);
    plan.window = Span::from_millis(1_000);
    plan.detail = Detail::Summary;
    let record = run(&plan);
    for flow in &record.flows[..2] {
        assert_eq!(flow.active.len(), 50);
        let active = flow.active.iter().filter(|active| **active).count();
        assert!((20..=40).contains(&active), "{active} of 50 periods at 0.6");
        for (period, active) in flow.active.iter().enumerate() {
            // What is in flight as a period begins has two seconds to get there.
            let rows = &flow.delivered_bytes[20 * period + 2..20 * (period + 1)];
            assert_eq!(rows.iter().any(|bytes| *bytes > 0), *active, "period {period}");
            assert!(rows.iter().all(|bytes| (*bytes > 0) == *active), "period {period}: {rows:?}");
        }
    }
    assert_ne!(record.flows[0].active, record.flows[1].active);
    assert_eq!(record.flows[2].sent, 0);
}

#[test]
fn a_stopped_connection_delivers_what_it_has_sent() {
    let mut plan = gateway("droptail", &[tcp("sack", Work::Unlimited)]);
    plan.flows[0].stop = Instant::from_nanos(5_000_000_000);
    plan.links[0].random_loss = 0.05;
    plan.duration = Span::from_millis(20_000);
    let flow = &run(&plan).flows[0];
    assert_eq!(flow.in_flight, 0);
    let new = flow.sent - flow.retransmitted;
    assert_eq!(flow.measured_bytes, new * 1_000);
    assert!(flow.delivered_bytes[800..].iter().all(|bytes| *bytes == 0) && new > 100);
    assert_eq!((flow.transfers.len(), flow.unfinished), (0, 0), "no transfer: it had no size");
}

/// There and back takes 14 ms and what four segments take: nothing new leaves after the stop, and no timeout ends it.
#[test]
fn a_connection_makes_nothing_after_its_stop() {
    let Offer::Tcp(mut tcp) = tcp("reno", Work::Unlimited) else { unreachable!() };
    tcp.settings.receive_window = 4;
    let mut plan = gateway("droptail", &[Offer::Tcp(tcp)]);
    plan.flows[0].stop = Instant::from_nanos(500_000_000);
    let rows = &run(&plan).flows[0].delivered_bytes;
    assert!(rows[10..50].iter().any(|bytes| *bytes > 0));
    assert!(rows[52..].iter().all(|bytes| *bytes == 0), "{rows:?}");
}

/// Sizes of a Pareto distribution: none below mean · (shape − 1) / shape, half of them below that times 2^(1 / shape).
#[test]
fn pareto_sizes_have_the_mean_and_the_least_of_their_shape() {
    let size = TransferSize::Pareto { mean: Bytes::new(20_000), shape: 2.5 };
    let work = Work::Transfers { count: None, mean_interval: Span::from_millis(50), size };
    let mut plan = gateway("droptail", &[tcp("reno", work)]);
    plan.duration = Span::from_millis(100_000);
    plan.detail = Detail::Summary;
    let mut bytes: Vec<u64> = run(&plan).flows[0].transfers.iter().map(|transfer| transfer.bytes).collect();
    bytes.sort_unstable();
    assert!((12_000..12_100).contains(&bytes[0]), "{}", bytes[0]);
    let median = bytes[bytes.len() / 2] as f64 / (12_000.0 * 2f64.powf(0.4));
    let mean = bytes.iter().sum::<u64>() as f64 / bytes.len() as f64 / 20_000.0;
    assert!((median - 1.0).abs() < 0.04 && (mean - 1.0).abs() < 0.08, "{median} {mean}");
}

/// Two transfers, and measured from somewhere between them: the sender waits for its application from there on.
#[test]
fn what_a_sender_waited_for_counts_after_the_warm_up() {
    let size = TransferSize::Fixed(Bytes::new(10_000));
    let work = Work::Transfers { count: Some(2), mean_interval: Span::from_millis(2_000), size };
    let mut plan = gateway("droptail", &[tcp("reno", work)]);
    plan.duration = Span::from_millis(60_000);
    let [first, second] = run(&plan).flows[0].transfers[..] else { panic!("two transfers") };
    let pause = second.start.since(first.end);
    assert!(pause > Span::from_millis(10), "they are apart");
    let warmup = first.end.since(Instant::ZERO) + Span::from_nanos(pause.as_nanos() / 2);
    plan.warmup = warmup;
    let waited = run(&plan).flows[0].waited.application;
    let idle = second.start.since(Instant::ZERO + warmup);
    // With all of it sent it waits so, too, for a round trip of 14 ms and some packets.
    assert!((idle..idle + Span::from_millis(20)).contains(&waited), "{waited} of {idle}");
}

/// A connection without end has something under way from its first segment on.
#[test]
fn who_is_never_done_waits_to_the_end_of_the_run() {
    let mut plan = gateway("droptail", &[tcp("reno", Work::Unlimited)]);
    plan.duration = Span::from_millis(3_000);
    plan.warmup = Span::from_millis(1_000);
    assert_eq!(run(&plan).flows[0].waited.busy(), Span::from_millis(2_000));
}

#[test]
fn what_is_lost_in_the_warm_up_is_not_measured() {
    let mut plan = gateway("droptail", &[cbr(5_000, 0.5), cbr(20_000, 0.0)]);
    plan.links[0].random_loss = 0.2;
    plan.links[0].limit = Limit::Packets(5);
    plan.warmup = Span::from_millis(990);
    let flows = run(&plan).flows;
    for flow in &flows {
        // The packets of 10 ms among those of a second, and some that entered before.
        assert!(flow.lost + flow.dropped > 100 && flow.measured_dropped < (flow.lost + flow.dropped) / 20, "{flow:?}");
    }
    plan.warmup = plan.duration;
    assert!(run(&plan).flows.iter().all(|flow| (flow.measured_sent, flow.measured_dropped) == (0, 0)));
    // The first packet leaves as the run begins. Without a warm-up it is measured, too.
    plan.links[2].random_loss = 0.999;
    plan.warmup = Span::ZERO;
    let flow = &run(&plan).flows[0];
    assert!(flow.lost > 0 && flow.measured_dropped == flow.lost + flow.dropped, "{flow:?}");
}

#[test]
fn nobody_draws_from_anothers_stream() {
    let mut plan = gateway("red", &[cbr(3_000, 0.5), cbr(2_000, 0.5)]);
    let before = run(&plan);
    // Another flow elsewhere, declared first, and another lossy link.
    plan.links.push(NetworkLinkPlan { random_loss: 0.5, ..link(3, 4, 10, Span::ZERO) });
    let elsewhere = plan.links.len() as u32 - 1;
    plan.flows.insert(0, flow("another", &[elsewhere], &[], cbr(3_000, 0.5)));
    let after = run(&plan);
    assert_eq!(before.flows[..], after.flows[1..]);
    assert_eq!(before.links[..], after.links[..before.links.len()]);
    assert!(after.flows[0].lost > 50);
}

#[test]
fn delayed_acknowledgements_halve_their_number() {
    let Offer::Tcp(mut tcp) = tcp("reno", Work::Unlimited) else { unreachable!() };
    tcp.settings.delayed_ack = Some(Span::from_millis(100));
    tcp.settings.receive_window = 20;
    let mut plan = gateway("droptail", &[Offer::Tcp(tcp)]);
    plan.duration = Span::from_millis(20_000);
    let record = run(&plan);
    let acks = record.links[1].arrived as f64 / record.links[0].arrived as f64;
    assert!((0.49..0.51).contains(&acks), "{acks} acknowledgements a segment");
    assert_eq!(record.flows[0].retransmitted, 0);
}
