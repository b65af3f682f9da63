//! Networks for tests: by hand, and at random.
#![allow(dead_code, unused_imports, reason = "every test file uses some of it")]

mod random_network;

pub use random_network::random_network;

use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan::*;
use fairwire_sim::*;

/// An empty network of so many nodes, for 1 s.
pub fn network(nodes: usize) -> NetworkPlan {
    NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(1_000),
        warmup: Span::ZERO,
        window: Span::from_millis(10),
        nodes,
        links: Vec::new(),
        flows: Vec::new(),
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: NetworkEngine::Ahead,
        detail: Detail::Full,
        check: true,
    }
}

/// A drop-tail link with room for 100 packets.
pub fn link(from: u32, to: u32, mbps: u64, delay: Span) -> NetworkLinkPlan {
    NetworkLinkPlan {
        name: format!("{from}-{to}"),
        from,
        to,
        capacity: BitRate::from_mbps(mbps),
        delay,
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue: queue("droptail"),
        rate: None,
        limit: Limit::Packets(100),
        mean_packet: Bytes::new(1_000),
        changes: Vec::new(),
    }
}

pub fn queue(name: &str) -> QueueLawChoice {
    QueueLawChoice::by_name(name).expect("it is in the list")
}

/// A flow from time zero to the end.
pub fn flow(name: &str, route: &[u32], reverse_route: &[u32], offer: Offer) -> NetworkFlowPlan {
    NetworkFlowPlan {
        name: name.to_owned(),
        route: route.to_vec(),
        reverse_route: reverse_route.to_vec(),
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

/// Packets of 1000 bytes at a constant rate.
pub fn cbr(kbps: u64, jitter: f64) -> Offer {
    let arrivals = Arrivals::Cbr { rate: BitRate::from_bps(kbps * 1_000), jitter };
    Offer::Datagrams(Traffic { arrivals, packet_bytes: 1_000, size_jitter: 0.0 })
}

pub fn tcp(control: &str, work: Work) -> Offer {
    let control = ControlChoice::by_name(control).expect("it is in the list");
    Offer::Tcp(TcpPlan { control, settings: settings(), work })
}

/// Segments of 1000 bytes, acknowledgements of 40, every segment acknowledged at once.
pub fn settings() -> TcpSettings {
    TcpSettings {
        segment: Bytes::new(1_000),
        ack: Bytes::new(40),
        receive_window: 1_000,
        initial_window: 2,
        initial_threshold: None,
        min_timeout: Span::from_millis(200),
        granularity: Span::from_millis(1),
        delayed_ack: None,
        ecn: false,
    }
}

/// Simulates a plan that must break no invariant.
pub fn run(plan: &NetworkPlan) -> NetworkRecord {
    let record = simulate_network(plan).expect("a sound plan");
    assert_eq!(record.violations, Vec::<String>::new());
    record
}

/// After the warm-up.
pub fn goodput_mbps(record: &NetworkRecord, flow: usize) -> f64 {
    let measured = record.duration.as_nanos() - record.warmup.as_nanos();
    record.flows[flow].measured_bytes as f64 * 8e3 / measured as f64
}
