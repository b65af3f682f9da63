//! One congested link, as ns-2 simulates it: ten connections of Reno over RED or
//! drop-tail, ten senders of constant rate, and one connection's sawtooth.
//!
//! Prints what [vrr-gateway]'s set-up gives here beside what ns-2.35 gave.
//!
//! ```text
//! cargo run --release -p fairwire-sim --example gateway            # the tables, ten seeds
//! cargo run --release -p fairwire-sim --example gateway -- speed   # one run of 100 s, alone
//! ```

use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan::{
    Arrivals, Detail, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, NetworkRecord, Offer, TcpPlan,
    Traffic, Work,
};
use fairwire_sim::simulate_network;

/// ns-2.35, ten seeds: goodput in Mb/s over 20–100 s, and half the 95 % interval.
const NS2_W2B: [(f64, f64); 10] = [
    (1.24589, 0.0301),
    (1.24594, 0.0484),
    (1.25001, 0.03778),
    (1.26573, 0.03492),
    (0.90962, 0.02229),
    (0.94302, 0.02099),
    (0.92243, 0.03921),
    (0.73347, 0.02977),
    (0.7352, 0.03296),
    (0.74325, 0.02909),
];
const NS2_W2B_QUEUE: f64 = 42.983;

/// ns-2.35, ten seeds: goodput of the constant rates in Mb/s over 20–100 s.
const NS2_W2C: [(&str, [f64; 10]); 2] = [
    ("red", [0.5415, 0.6456, 0.7461, 0.8496, 0.9501, 1.0528, 1.1520, 1.2546, 1.3530, 1.4548]),
    ("droptail", [0.4989, 0.6040, 0.7098, 0.8268, 0.9359, 1.0476, 1.1684, 1.2811, 1.4019, 1.5256]),
];

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("speed") => {
            let record = simulate_network(&ten_connections("red", 1)).expect("a sound plan");
            println!("{} packet-hops", record.packet_hops);
        }
        _ => {
            single_connection();
            ten_connections_table();
            constant_rates_table();
        }
    }
}

fn ten_connections_table() {
    println!("W2b: ten connections of Reno over RED, goodput in Mb/s over 20..100 s, ten seeds");
    println!("flow  RTT ms   here      ±     ns-2      ±   off ns-2's interval");
    let records: Vec<_> = (1..=10).map(|seed| run(&ten_connections("red", seed))).collect();
    for (flow, (theirs, half)) in NS2_W2B.iter().enumerate() {
        let (mean, ours) = interval(records.iter().map(|record| goodput_mbps(record, flow)));
        let beyond = ((mean - theirs).abs() - half).max(0.0) / theirs;
        let rtt = [20, 40, 60][usize::from(flow >= 4) + usize::from(flow >= 7)];
        println!("{flow:4} {rtt:7} {mean:8.4} {ours:6.4} {theirs:8.4} {half:6.4} {:10.2} %", beyond * 100.0);
    }
    let (total, half) = interval(records.iter().map(|record| (0..10).map(|flow| goodput_mbps(record, flow)).sum()));
    println!("total        {total:8.4} {half:6.4}   9.9946 0.0015");
    let (queue, half) = interval(records.iter().map(|record| record.links[0].mean_packets));
    println!(
        "mean queue   {queue:8.3} {half:6.3} {NS2_W2B_QUEUE:8.3}  0.174 {:10.2} %",
        (queue / NS2_W2B_QUEUE - 1.0) * 100.0
    );
    let dropped = |record: &NetworkRecord| record.links[0].dropped.iter().sum::<u64>() as f64;
    let (drops, half) = interval(records.iter().map(dropped));
    println!("drops        {drops:8.1} {half:6.1}   1775.9   53.0");
    let hops: u64 = records.iter().map(|record| record.packet_hops).sum();
    println!("packet-hops of a run: {}\n", hops / 10);
}

fn constant_rates_table() {
    for (queue, theirs) in NS2_W2C {
        println!("W2c: ten constant rates over {queue}, Mb/s over 20..100 s, ten seeds: offered, here, ±, ns-2");
        let records: Vec<_> = (1..=10).map(|seed| run(&constant_rates(queue, seed))).collect();
        for flow in 0..10 {
            let (mean, half) = interval(records.iter().map(|record| goodput_mbps(record, flow)));
            let (offered, theirs) = (1.0 + 0.2 * flow as f64, theirs[flow]);
            let apart = (mean / theirs - 1.0) * 100.0;
            println!("{flow:4} {offered:5.1} {mean:8.4} {half:7.4} {theirs:8.4} {apart:6.2} %");
        }
        println!();
    }
}

fn single_connection() {
    let plan = one_connection();
    let record = run(&plan);
    let flow = &record.flows[0];
    let dropped = &record.links[0].dropped_in_row;
    let first = dropped.iter().position(|drops| *drops > 0).unwrap_or(0) as f64 * 0.01;
    let seen =
        flow.windows.iter().find(|sample| sample.state != "slow-start").map_or(0.0, |sample| sample.t.as_secs_f64());
    let peak = flow.windows.iter().filter(|sample| sample.t.as_secs_f64() < seen).map(|sample| sample.cwnd);
    let peak = peak.fold(0.0, f64::max);
    let windows: Vec<_> = flow.windows.iter().filter(|sample| sample.t.as_secs_f64() > 20.0).collect();
    let steady = windows.iter().filter(|sample| sample.state == "congestion-avoidance");
    let (least, most) =
        steady.fold((f64::MAX, 0.0f64), |(least, most), sample| (least.min(sample.cwnd), most.max(sample.cwnd)));
    let recoveries: Vec<f64> = windows
        .windows(2)
        .filter(|pair| pair[0].state == "congestion-avoidance" && pair[1].state != "congestion-avoidance")
        .map(|pair| pair[1].t.as_secs_f64())
        .collect();
    let period = match recoveries.as_slice() {
        [first, .., last] => (last - first) / (recoveries.len() - 1) as f64,
        _ => f64::NAN,
    };
    println!("One Reno connection, 50 ms, 62 packets of drop-tail: here, ns-2");
    // ns-2's connection spends a first round trip on its SYN.
    println!("first loss    {first:.2} s, noticed at {seen:.2} s, 0.41 s");
    println!("first peak    {peak:.0} packets, 244");
    println!("losses        {}, 145", flow.dropped);
    println!("sawtooth      {least:.1}..{most:.1} packets, 63..126");
    println!("period        {period:.3} s, 4.864 s");
    println!("goodput       {:.4} Mb/s, 9.9945 Mb/s", goodput_mbps(&record, 0));
    println!("timeouts      {}\n", flow.timeouts);
}

fn run(plan: &NetworkPlan) -> NetworkRecord {
    let record = simulate_network(plan).expect("a sound plan");
    assert_eq!(record.violations, Vec::<String>::new());
    record
}

fn goodput_mbps(record: &NetworkRecord, flow: usize) -> f64 {
    let seconds = (record.duration.as_nanos() - record.warmup.as_nanos()) as f64 * 1e-9;
    record.flows[flow].measured_bytes as f64 * 8e-6 / seconds
}

/// Mean and half the 95 % interval of ten values (Student's t with nine degrees of freedom).
fn interval(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<_> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 2.262 * (variance / count).sqrt())
}

/// Ten connections with round trips of 20, 40 and 60 ms.
fn ten_connections(queue: &str, seed: u64) -> NetworkPlan {
    let tcp = TcpPlan { control: reno(), settings: settings(64), work: Work::Unlimited };
    let access_ms = [4, 4, 4, 4, 14, 14, 14, 24, 24, 24];
    gateway(queue, seed, access_ms.map(|delay_ms| (delay_ms, Offer::Tcp(tcp))))
}

/// Ten senders of 1.0, 1.2 … 2.8 Mb/s; every interval is uniform in ± half of its length.
fn constant_rates(queue: &str, seed: u64) -> NetworkPlan {
    let offer = |flow: u64| {
        let arrivals = Arrivals::Cbr { rate: BitRate::from_bps(1_000_000 + flow * 200_000), jitter: 0.5 };
        Offer::Datagrams(Traffic { arrivals, packet_bytes: 1_000, size_jitter: 0.0 })
    };
    gateway(queue, seed, std::array::from_fn(|flow| (1, offer(flow as u64))))
}

/// Hosts with links of 100 Mb/s on both sides of a link of 10 Mb/s and 5 ms.
fn gateway(queue: &str, seed: u64, flows: [(u64, Offer); 10]) -> NetworkPlan {
    let mut links = vec![
        link("bottleneck", 0, 1, 10, 5, queue, if queue == "droptail" { ns2_room(200) } else { 200 }),
        link("back", 1, 0, 10, 5, "droptail", 1_000),
    ];
    let flow_plan = |(index, (delay_ms, offer)): (usize, (u64, Offer))| {
        let (source, sink) = (2 + 2 * index as u32, 3 + 2 * index as u32);
        let first = links.len() as u32;
        for (name, from, to, delay_ms) in
            [("in", source, 0, delay_ms), ("out", 1, sink, 1), ("sink", sink, 1, 1), ("source", 0, source, delay_ms)]
        {
            links.push(link(&format!("{name}-{index}"), from, to, 100, delay_ms, "droptail", 1_000));
        }
        NetworkFlowPlan {
            start_jitter: Span::from_millis(1_000),
            ..flow(&format!("flow-{index}"), vec![first, 0, first + 1], vec![first + 2, 1, first + 3], offer)
        }
    };
    let flows = flows.into_iter().enumerate().map(flow_plan).collect();
    NetworkPlan { flows, nodes: 22, ..plan(links, seed) }
}

/// One connection of 50 ms through 10 Mb/s with room for 62 packets.
fn one_connection() -> NetworkPlan {
    let links = vec![
        link("bottleneck", 0, 1, 10, 23, "droptail", ns2_room(62)),
        link("in", 2, 0, 100, 1, "droptail", 5_000),
        link("out", 1, 3, 100, 1, "droptail", 5_000),
        link("sink", 3, 1, 100, 1, "droptail", 5_000),
        link("back", 1, 0, 10, 23, "droptail", 5_000),
        link("source", 0, 2, 100, 1, "droptail", 5_000),
    ];
    let tcp = TcpPlan { control: reno(), settings: settings(2_000), work: Work::Unlimited };
    let flows = vec![flow("flow", vec![1, 0, 2], vec![3, 4, 5], Offer::Tcp(tcp))];
    NetworkPlan { flows, nodes: 4, detail: Detail::Full, window: Span::from_millis(10), ..plan(links, 1) }
}

/// A drop-tail queue of ns-2 drops the packet that would fill it.
fn ns2_room(limit: u32) -> u32 {
    limit - 1
}

fn reno() -> ControlChoice {
    let mut reno = ControlChoice::by_name("reno").expect("it is in the list");
    if let ControlChoice::reno(params) = &mut reno {
        params.limited_transmit = LIMITED_TRANSMIT; // ns-2's singledup_.
    }
    reno
}

/// ns-2.35's default (`singledup_`).
const LIMITED_TRANSMIT: bool = true;

/// As ns-2 has them: 1000 bytes with headers, two segments at first, every segment
/// acknowledged at once.
fn settings(receive_window: u32) -> TcpSettings {
    TcpSettings {
        segment: Bytes::new(1_000),
        ack: Bytes::new(40),
        receive_window,
        initial_window: 2,
        initial_threshold: None,
        min_timeout: Span::from_millis(200),
        granularity: Span::from_millis(10),
        delayed_ack: None,
        ecn: false,
    }
}

fn link(name: &str, from: u32, to: u32, mbps: u64, delay_ms: u64, queue: &str, packets: u32) -> NetworkLinkPlan {
    NetworkLinkPlan {
        name: name.to_owned(),
        from,
        to,
        capacity: BitRate::from_mbps(mbps),
        delay: Span::from_millis(delay_ms),
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue: QueueLawChoice::by_name(queue).expect("it is in the list"),
        rate: None,
        limit: Limit::Packets(packets),
        mean_packet: Bytes::new(1_000),
        changes: Vec::new(),
    }
}

fn flow(name: &str, route: Vec<u32>, reverse_route: Vec<u32>, offer: Offer) -> NetworkFlowPlan {
    NetworkFlowPlan {
        name: name.to_owned(),
        route,
        reverse_route,
        weight: Weight::ONE,
        micro_flows: 1,
        offer,
        start: Instant::ZERO,
        start_jitter: Span::ZERO,
        stop: Instant::NEVER,
        high_priority: false,
        activity: None,
    }
}

fn plan(links: Vec<NetworkLinkPlan>, seed: u64) -> NetworkPlan {
    NetworkPlan {
        seed,
        run: 0,
        duration: Span::from_millis(100_000),
        warmup: Span::from_millis(20_000),
        window: Span::from_millis(100),
        nodes: 0,
        links,
        flows: Vec::new(),
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: NetworkEngine::Ahead,
        detail: Detail::Summary,
        check: false,
    }
}
