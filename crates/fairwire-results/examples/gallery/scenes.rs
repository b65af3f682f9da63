//! Rings to draw, built by hand.

use fairwire_alloc::{Flow, Link, Problem};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
use fairwire_plan::{
    Arrivals, ControlPlan, Detail, EnginePath, FlowPlan, LinkPlan, Offer, Overflow, RingPlan, StationPlan,
    StationQueues, Traffic, TransitPlan,
};

/// A ring and what to run on it.
pub struct Scene {
    /// Its folder.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it shows.
    pub description: &'static str,
    /// The ring.
    pub plan: RingPlan,
    /// The laws to compare.
    pub laws: &'static [&'static str],
    /// Runs a law.
    pub replications: u64,
}

/// Everything there is to draw.
pub fn all() -> Vec<Scene> {
    let both: &[&str] = &["dvsr", "fifo"];
    vec![
        Scene {
            name: "parking-lot",
            title: "Spatial reuse in the parallel parking lot",
            description: "Four stations send to the same hub over ever more crowded links; one of them also sends to its neighbour, where there is room to spare.",
            plan: parallel_parking_lot(),
            laws: both,
            replications: 1,
        },
        Scene {
            name: "both-ways",
            title: "Both ringlets, one small flow, one late",
            description: "",
            plan: both_ways(),
            laws: both,
            replications: 3,
        },
        Scene {
            name: "crowded",
            title: "Sixty-four stations, sixty-four flows",
            description: "Every station sends over one to fifteen links.",
            plan: crowded(),
            laws: both,
            replications: 1,
        },
        Scene {
            name: "two-stations",
            title: "A <small> ring & its \"pair\"",
            description: "",
            plan: two_stations(),
            laws: &["dvsr"],
            replications: 1,
        },
    ]
}

/// The smallest ring there is.
fn two_stations() -> RingPlan {
    let flows = vec![flow("there & back", Ringlet::Zero, 0, 1, None), flow("slow", Ringlet::One, 1, 0, Some(10))];
    ring(2, Span::from_millis(50), flows)
}

/// A ring of equal links, 622 Mb/s and 0.1 ms each, rows of 100 µs.
fn ring(stations: usize, duration: Span, flows: Vec<FlowPlan>) -> RingPlan {
    let link = LinkPlan { capacity: BitRate::from_mbps(622), delay: Span::from_micros(100) };
    RingPlan {
        seed: 7,
        run: 0,
        duration,
        warmup: Span::ZERO,
        window: Span::from_micros(100),
        links: [vec![link; stations], vec![link; stations]],
        stations: vec![StationPlan::default(); stations],
        transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
        station_queues: StationQueues::PerDestination,
        station_buffer: Bytes::new(1_000_000),
        flows,
        protection: None,
        demand_changes: Vec::new(),
        weight_changes: Vec::new(),
        capacity_changes: Vec::new(),
        control: ControlPlan::default(),
        engine: EnginePath::Auto,
        detail: Detail::Full,
        check: false,
    }
}

/// A flow of 1000-byte packets; `demand_mbps` of none is greedy.
fn flow(name: &str, ringlet: Ringlet, from: u16, to: u16, demand_mbps: Option<u64>) -> FlowPlan {
    let arrivals =
        demand_mbps.map_or(Arrivals::Greedy, |mbps| Arrivals::Cbr { rate: BitRate::from_mbps(mbps), jitter: 0.0 });
    FlowPlan {
        class: ServiceClass::C,
        strict_order: false,
        wrap_eligible: true,
        guaranteed: BitRate::ZERO,
        name: name.to_owned(),
        ringlet,
        from: StationId(from),
        to: StationId(to),
        weight: Weight::ONE,
        micro_flows: 1,
        offer: Offer::Datagrams(Traffic { arrivals, packet_bytes: 1000, size_jitter: 0.0 }),
        start_jitter: Span::ZERO,
        start: Instant::ZERO,
        stop: Instant::NEVER,
    }
}

/// Four stations send to a fifth, and one of them also to its neighbour.
fn parallel_parking_lot() -> RingPlan {
    let mut flows: Vec<_> =
        (1..5).map(|from| flow(&format!("to-hub-{from}"), Ringlet::Zero, from, 5, Some(622))).collect();
    flows.push(flow("neighbour", Ringlet::Zero, 1, 2, Some(622)));
    let plan = ring(10, Span::from_millis(5_000), flows);
    RingPlan { window: Span::from_millis(1), ..plan }
}

/// Flows on both ringlets, one with little to send, one that starts late.
fn both_ways() -> RingPlan {
    use Ringlet::{One, Zero};
    let mut late = flow("late", Zero, 2, 5, None);
    late.start = Instant::from_nanos(200_000_000);
    let flows = vec![
        flow("east-long", Zero, 0, 4, None),
        flow("east-short", Zero, 2, 3, None),
        late,
        flow("small", Zero, 3, 5, Some(50)),
        flow("west-long", One, 5, 1, None),
        flow("west-short", One, 3, 2, None),
        flow("across", One, 0, 4, None),
    ];
    ring(6, Span::from_millis(500), flows)
}

/// Every station of a large ring sends, over one to fifteen links.
fn crowded() -> RingPlan {
    let flows = (0..64_u16)
        .map(|from| {
            let hops = 1 + from * 7 % 15;
            flow(&format!("from-{from}"), Ringlet::Zero, from, (from + hops) % 64, None)
        })
        .collect();
    ring(64, Span::from_millis(1_000), flows)
}

/// The links and flows of a ring as a problem; late flows count as if always there.
pub fn problem(plan: &RingPlan) -> Problem {
    let stations = plan.stations.len();
    let link_of = |ringlet: Ringlet, station: usize| ringlet.index() * stations + station;
    let links = Ringlet::BOTH.into_iter().flat_map(|ringlet| {
        plan.links[ringlet.index()].iter().enumerate().map(move |(station, link)| Link {
            id: ringlet.link_name(station),
            capacity_bps: link.capacity.as_bps_f64(),
        })
    });
    let flows = plan.flows.iter().map(|flow| {
        let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), stations);
        let route = std::iter::successors(Some(flow.from.index()), |&at| Some(flow.ringlet.downstream(at, stations)));
        Flow {
            id: flow.name.clone(),
            ingress: flow.from.index(),
            egress: flow.to.index(),
            route: route.take(hops).map(|at| link_of(flow.ringlet, at)).collect(),
            demand_bps: flow.offer.mean_rate().map_or(f64::INFINITY, BitRate::as_bps_f64),
            weight: flow.weight.get(),
        }
    });
    Problem {
        nodes: (0..stations).map(|station| station.to_string()).collect(),
        ingress_weights: plan.stations.iter().map(|station| station.weight.get()).collect(),
        links: links.collect(),
        flows: flows.collect(),
    }
}
