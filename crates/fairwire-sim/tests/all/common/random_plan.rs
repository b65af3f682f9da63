//! Rings with everything a plan may hold, drawn at random.

use super::{cbr, random_tcp, ring, weight};
use fairwire_core::{BitRate, Bytes, Instant, RandomStream, Ringlet, ServiceClass, Span, StationId, Streams};
use fairwire_laws::ring::{Datapath, RingLawChoice, dvsr};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

/// The `number`th plan and law of a fixed endless list.
pub fn random_plan(number: u64) -> (RingPlan, RingLawChoice) {
    let mut draw = Streams::new(2004, number).component("plan");
    let mut minima = Streams::new(2004, number).component("minima");
    let stations = draw.random_range(2..=12);
    let packet = [64, 500, 1_000, 1_500][draw.random_range(0..4)];
    let mut plan = RingPlan {
        seed: number,
        duration: Span::from_micros(draw.random_range(500..4_000)),
        warmup: Span::from_micros(draw.random_range(0..500)),
        window: Span::from_micros(draw.random_range(1..900)),
        links: random_links(&mut draw, stations),
        stations: (0..stations)
            .map(|_| StationPlan { weight: random_weight(&mut draw), minimum: random_minimum(&mut minima) })
            .collect(),
        transit: random_transit(&mut draw),
        station_queues: if draw.random_bool(0.5) { StationQueues::PerDestination } else { StationQueues::Single },
        station_buffer: Bytes::new(draw.random_range(2_000..40_000)),
        ..ring(stations)
    };
    if number % 4 == 3 {
        plan.transit.shaper = Shaper::AddOnly;
    }
    let flows = draw.random_range(0..=3 * stations);
    plan.flows = (0..flows).map(|index| random_flow(&mut draw, index, stations, packet, plan.duration)).collect();
    if plan.transit.datapath != Datapath::Merged {
        plan.flows.iter_mut().for_each(|flow| give_class(&mut draw, flow));
    }
    // Where all is class C, packets take a shorter road through the station.
    if number.is_multiple_of(2) {
        plan.flows.iter_mut().for_each(|flow| (flow.class, flow.guaranteed) = (ServiceClass::C, BitRate::ZERO));
    }
    if number % 3 == 2 {
        add_tcp(&mut plan, number);
    }
    let law = random_law(&mut draw);
    if law.needs().limits_together && plan.transit.datapath == Datapath::Merged {
        plan.transit.datapath = Datapath::TransitFirst;
    }
    (plan, law)
}

/// Two flows in three become TCP, where their class allows it; some flows are made of several micro-flows.
fn add_tcp(plan: &mut RingPlan, number: u64) {
    let mut draw = Streams::new(2004, number).component("tcp");
    for (index, flow) in plan.flows.iter_mut().enumerate() {
        if draw.random_bool(0.66) && !flow.class.is_primary() {
            flow.offer = random_tcp(&mut draw, index);
        }
        flow.micro_flows = [1, 1, 2, 5][draw.random_range(0..4)];
        flow.start_jitter = Span::from_micros([0, 1, 500][draw.random_range(0..3)]);
    }
}

fn random_transit(draw: &mut RandomStream) -> TransitPlan {
    let datapaths =
        [Datapath::Merged, Datapath::Merged, Datapath::TransitFirst, Datapath::Alternating, Datapath::DualQueue];
    TransitPlan {
        datapath: datapaths[draw.random_range(0..datapaths.len())],
        buffer: Bytes::new(draw.random_range(5_000..60_000)),
        primary_buffer: Bytes::new(draw.random_range(5_000..60_000)),
        overflow: if draw.random_bool(0.5) { Overflow::Drop } else { Overflow::Hold },
        shaper: if draw.random_bool(0.7) { Shaper::AddAndTransit } else { Shaper::None },
    }
}

/// One flow in three is guaranteed a little: together less than the slowest link.
fn give_class(draw: &mut RandomStream, flow: &mut FlowPlan) {
    flow.class = ServiceClass::ALL[draw.random_range(0..4)];
    if flow.class != ServiceClass::C {
        flow.guaranteed = BitRate::from_bps(draw.random_range(100_000..1_300_000));
    }
}

/// Half the rings have equal links, some have links without length, some are too short for windows.
fn random_links(draw: &mut RandomStream, stations: usize) -> [Vec<LinkPlan>; 2] {
    let equal = draw.random_bool(0.5);
    let longest = [100, 5_000, 50_000, 200_000][draw.random_range(0..4)];
    let some_without_length = draw.random_bool(0.25);
    let shared = random_link(draw, longest, false);
    Ringlet::BOTH.map(|_| {
        (0..stations).map(|_| if equal { shared } else { random_link(draw, longest, some_without_length) }).collect()
    })
}

fn random_link(draw: &mut RandomStream, longest_ns: u64, may_be_zero: bool) -> LinkPlan {
    let delay = if may_be_zero && draw.random_bool(0.3) { 0 } else { draw.random_range(1..=longest_ns) };
    LinkPlan { capacity: BitRate::from_mbps(draw.random_range(50..1_000)), delay: Span::from_nanos(delay) }
}

fn random_weight(draw: &mut RandomStream) -> fairwire_core::Weight {
    if draw.random_bool(0.5) { weight(1.0) } else { weight(draw.random_range(0.25..8.0)) }
}

fn random_minimum(draw: &mut RandomStream) -> BitRate {
    if draw.random_bool(0.8) { BitRate::ZERO } else { BitRate::from_bps(draw.random_range(1..300_000_000)) }
}

fn random_flow(draw: &mut RandomStream, index: usize, stations: usize, packet: u16, duration: Span) -> FlowPlan {
    let from = draw.random_range(0..stations);
    let to = (from + draw.random_range(1..stations)) % stations;
    let end = duration.as_nanos();
    let start = if draw.random_bool(0.5) { 0 } else { draw.random_range(0..end + end / 4) };
    let stop = if draw.random_bool(0.5) { u64::MAX } else { draw.random_range(0..end + end / 4) };
    FlowPlan {
        class: ServiceClass::C,
        guaranteed: BitRate::ZERO,
        strict_order: false,
        wrap_eligible: true,
        name: format!("flow-{index}"),
        ringlet: Ringlet::BOTH[draw.random_range(0..2)],
        from: StationId(from as u16),
        to: StationId(to as u16),
        weight: random_weight(draw),
        micro_flows: 1,
        offer: Offer::Datagrams(Traffic {
            arrivals: random_arrivals(draw),
            packet_bytes: packet,
            size_jitter: if draw.random_bool(0.5) { 0.0 } else { draw.random_range(0.0..0.99) },
        }),
        start: Instant::from_nanos(start),
        start_jitter: Span::ZERO,
        stop: Instant::from_nanos(stop),
    }
}

fn random_arrivals(draw: &mut RandomStream) -> Arrivals {
    let rate = BitRate::from_mbps(draw.random_range(1..800));
    match draw.random_range(0..5) {
        0 => Arrivals::Greedy,
        1 => cbr(rate.as_bps()),
        2 => Arrivals::Cbr { rate, jitter: [0.1, 0.5, 1.0][draw.random_range(0..3)] },
        3 => Arrivals::Poisson { rate },
        _ => Arrivals::ParetoOnOff {
            peak: rate,
            mean_on: Span::from_micros(draw.random_range(1..300)),
            mean_off: Span::from_micros(draw.random_range(0..300)),
            shape: draw.random_range(1.1..3.0),
        },
    }
}

fn random_law(draw: &mut RandomStream) -> RingLawChoice {
    if draw.random_bool(0.6) {
        let laws = RingLawChoice::ALL;
        return RingLawChoice::by_name(laws[draw.random_range(0..laws.len())].name).unwrap();
    }
    RingLawChoice::dvsr(dvsr::Params {
        suballocation: [dvsr::Suballocation::Demand, dvsr::Suballocation::Equal][draw.random_range(0..2)],
        encoding: [dvsr::Encoding::Exact, dvsr::Encoding::Byte][draw.random_range(0..2)],
        signalling: [dvsr::Signalling::Circulating, dvsr::Signalling::PerNode][draw.random_range(0..2)],
        count_margin: dvsr::Packets::clamped([1.0, 0.0, 2.5][draw.random_range(0..3)]),
        headroom: dvsr::Headroom::clamped([0.0, 0.0, 0.02][draw.random_range(0..3)]),
        quota: [dvsr::Quota::Exact, dvsr::Quota::WholePackets][draw.random_range(0..2)],
        min_interval: Span::from_micros([0, 0, 50, 700][draw.random_range(0..4)]),
    })
}
