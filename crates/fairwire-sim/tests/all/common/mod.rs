//! Plans for tests: by hand, and at random.
#![allow(dead_code, unused_imports, reason = "every test file uses some of it")]

mod events;
mod random_plan;
mod random_tcp;

pub use events::*;
pub use random_plan::random_plan;
pub use random_tcp::random_tcp;

use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan::*;
use fairwire_sim::*;

/// A ring of equal links with nothing to carry: 622 Mb/s, 0.1 ms, 10 ms long,
/// buffers of 200 kB, a queue for each destination.
pub fn ring(stations: usize) -> RingPlan {
    let link = LinkPlan { capacity: BitRate::from_mbps(622), delay: Span::from_micros(100) };
    RingPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(10),
        warmup: Span::ZERO,
        window: Span::from_millis(1),
        links: [vec![link; stations], vec![link; stations]],
        stations: vec![StationPlan::default(); stations],
        transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
        station_queues: StationQueues::PerDestination,
        station_buffer: Bytes::new(200_000),
        flows: Vec::new(),
        protection: None,
        demand_changes: Vec::new(),
        weight_changes: Vec::new(),
        capacity_changes: Vec::new(),
        control: ControlPlan::default(),
        engine: EnginePath::Auto,
        detail: Detail::Summary,
        check: true,
    }
}

/// The same with every link like this.
pub fn ring_of(stations: usize, capacity: BitRate, delay: Span) -> RingPlan {
    let link = LinkPlan { capacity, delay };
    RingPlan { links: [vec![link; stations], vec![link; stations]], ..ring(stations) }
}

/// A flow on ringlet 0 that lasts, of 1000-byte packets.
pub fn flow(from: u16, to: u16, arrivals: Arrivals) -> FlowPlan {
    FlowPlan {
        class: ServiceClass::C,
        guaranteed: BitRate::ZERO,
        strict_order: false,
        wrap_eligible: true,
        name: format!("{from}-{to}"),
        ringlet: Ringlet::Zero,
        from: StationId(from),
        to: StationId(to),
        weight: Weight::ONE,
        micro_flows: 1,
        offer: datagrams(arrivals, 1_000),
        start_jitter: Span::ZERO,
        start: Instant::ZERO,
        stop: Instant::NEVER,
    }
}

/// `packets` packets of 1000 bytes at consecutive nanoseconds from `start_ns` on.
pub fn burst(from: u16, to: u16, start_ns: u64, packets: u64) -> FlowPlan {
    burst_of(1_000, from, to, start_ns, packets)
}

/// The same in packets of `size` bytes.
pub fn burst_of(size: u16, from: u16, to: u16, start_ns: u64, packets: u64) -> FlowPlan {
    let arrivals = cbr(u64::from(size) * 8_000_000_000);
    FlowPlan {
        name: format!("{from}-{to} at {start_ns}"),
        start: Instant::from_nanos(start_ns),
        stop: Instant::from_nanos(start_ns + packets),
        offer: datagrams(arrivals, size),
        ..flow(from, to, arrivals)
    }
}

/// Packets of one size.
pub fn datagrams(arrivals: Arrivals, packet_bytes: u16) -> Offer {
    Offer::Datagrams(Traffic { arrivals, packet_bytes, size_jitter: 0.0 })
}

/// What a flow of datagrams offers, to be changed.
pub fn traffic(flow: &mut FlowPlan) -> &mut Traffic {
    flow.offer.datagrams_mut().expect("it is made of datagrams")
}

/// TCP with the usual [`settings`].
pub fn tcp(control: &str, work: Work) -> TcpPlan {
    TcpPlan { control: ControlChoice::by_name(control).unwrap(), settings: settings(), work }
}

/// Segments of 1000 bytes, an acknowledgement for each, windows of 64 segments, timeouts of
/// 0.2 s at least.
pub fn settings() -> TcpSettings {
    TcpSettings {
        segment: Bytes::new(1_000),
        ack: Bytes::new(40),
        receive_window: 64,
        initial_window: 2,
        initial_threshold: None,
        min_timeout: Span::from_millis(200),
        granularity: Span::from_millis(10),
        delayed_ack: None,
        ecn: false,
    }
}

/// A flow of TCP on ringlet 0.
pub fn connections(from: u16, to: u16, tcp: TcpPlan) -> FlowPlan {
    FlowPlan { name: format!("tcp {from}-{to}"), offer: Offer::Tcp(tcp), ..flow(from, to, Arrivals::Greedy) }
}

pub fn cbr(bps: u64) -> Arrivals {
    Arrivals::Cbr { rate: BitRate::from_bps(bps), jitter: 0.0 }
}

pub fn weight(value: f64) -> Weight {
    Weight::new(value).unwrap()
}

pub fn law(name: &str) -> RingLawChoice {
    RingLawChoice::by_name(name).unwrap()
}

/// The same flows, all of best effort.
pub fn best_effort(flows: &mut [FlowPlan]) {
    for flow in flows {
        (flow.class, flow.guaranteed) = (ServiceClass::C, BitRate::ZERO);
    }
}

/// Runs `plan` and insists that nothing was violated.
pub fn run(plan: &RingPlan, law: &RingLawChoice) -> RunRecord {
    let record = simulate(plan, law).unwrap();
    assert!(record.violations.is_empty(), "{:?}", record.violations);
    record
}

/// Mean rate of a flow over the measured time, in bit/s.
pub fn rate_bps(record: &RunRecord, flow: usize) -> f64 {
    let measured = (record.duration - record.warmup).as_secs_f64();
    record.flows[flow].measured_bytes as f64 * 8.0 / measured
}
