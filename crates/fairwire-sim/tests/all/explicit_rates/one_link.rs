//! Flows over one access link each and one bottleneck of 100 Mb/s.

use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, RateLawChoice, SendingPlan, Terms};
use fairwire_plan::{
    Arrivals, Detail, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, NetworkRecord, Offer, RatePlan,
    Traffic,
};
use fairwire_sim::simulate_network;

pub const MBPS: f64 = 1e6;

pub fn ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

/// Terms in Mb/s.
pub fn terms(minimum: f64, weight: f64) -> Terms {
    Terms { minimum_bps: minimum * MBPS, peak_bps: 200.0 * MBPS, supported_bps: 200.0 * MBPS, weight }
}

pub fn told(terms: Terms) -> Offer {
    let sending = SendingPlan {
        packet_bytes: 1_000,
        control_every: 30,
        control_within: None,
        control_least: 0,
        first: FirstRate::Minimum,
        on_change: OnChange::Reschedule,
        manner: Manner::Honest,
    };
    Offer::Rate(RatePlan { sending, terms, size: None })
}

pub fn cbr(mbps: u64) -> Offer {
    let arrivals = Arrivals::Cbr { rate: BitRate::from_mbps(mbps), jitter: 0.0 };
    Offer::Datagrams(Traffic { arrivals, packet_bytes: 1_000, size_jitter: 0.0 })
}

/// 200 ms of WMFQC over these flows. Node 0 is the far end, 1 the switch, the others are sources.
pub fn plan(offers: &[(Offer, bool)]) -> NetworkPlan {
    let link = |name: String, (from, to): (u32, u32), mbps: u64, law: bool| NetworkLinkPlan {
        name,
        from,
        to,
        capacity: BitRate::from_mbps(mbps),
        delay: Span::from_millis(1),
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue: QueueLawChoice::by_name("droptail").unwrap(),
        rate: law.then(|| RateLawChoice::by_name("wmfqc").unwrap()),
        limit: Limit::Packets(1_000),
        mean_packet: Bytes::new(1_000),
        changes: Vec::new(),
    };
    let mut links = vec![link("bottleneck".into(), (1, 0), 100, true), link("back".into(), (0, 1), 100, false)];
    let mut flows = Vec::new();
    for (number, (offer, high_priority)) in offers.iter().enumerate() {
        let (host, place) = (number as u32 + 2, links.len() as u32);
        links.push(link(format!("in{number}"), (host, 1), 1_000, false));
        links.push(link(format!("out{number}"), (1, host), 1_000, false));
        flows.push(NetworkFlowPlan {
            name: format!("f{number}"),
            route: vec![place, 0],
            reverse_route: vec![1, place + 1],
            weight: Weight::ONE,
            micro_flows: 1,
            offer: *offer,
            high_priority: *high_priority,
            start: Instant::ZERO,
            start_jitter: Span::ZERO,
            stop: Instant::NEVER,
            activity: None,
        });
    }
    NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(200),
        warmup: Span::from_millis(100),
        window: Span::from_millis(1),
        nodes: offers.len() + 2,
        links,
        flows,
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: NetworkEngine::Ahead,
        detail: Detail::Summary,
        check: true,
    }
}

/// The record, the same by either engine, in which all adds up.
pub fn run(plan: &NetworkPlan) -> NetworkRecord {
    let record = simulate_network(plan).unwrap();
    assert_eq!(record.violations, Vec::<String>::new());
    let events = simulate_network(&NetworkPlan { engine: NetworkEngine::Events, ..plan.clone() }).unwrap();
    assert!(record == events, "both ways through time give the same");
    record
}

/// What a flow is allowed just before `at`, in Mb/s.
pub fn allowed(record: &NetworkRecord, flow: usize, at: Instant) -> f64 {
    let changes = record.flows[flow].rate.iter().flat_map(|rate| &rate.allowed);
    changes.take_while(|allowed| allowed.t < at).last().map_or(0.0, |allowed| allowed.rate_bps / MBPS)
}

/// Goodput of a flow after the warm-up, in Mb/s.
pub fn goodput(record: &NetworkRecord, flow: usize) -> f64 {
    record.flows[flow].measured_bytes as f64 * 8.0 / 0.1 / MBPS
}

#[test]
fn a_flow_meets_one_law_and_comes_back_as_it_went() {
    let refused = |change: &dyn Fn(&mut NetworkPlan)| {
        let mut plan = plan(&[(told(terms(1.0, 1.0)), false)]);
        assert_eq!(plan.validate(), Ok(()));
        change(&mut plan);
        plan.validate().unwrap_err().to_string()
    };
    let other = Some(RateLawChoice::by_name("max-min-marking").unwrap());
    let two = refused(&|plan| plan.links[2].rate.clone_from(&other));
    assert_eq!(two, "flow f0: links on its way speak max-min-marking and wmfqc");
    let none = refused(&|plan| plan.links[0].rate = None);
    assert_eq!(none, "flow f0: no link on its way tells it a rate");
    let elsewhere = refused(&|plan| {
        let detour =
            |from: u32, to: u32| NetworkLinkPlan { name: format!("{from}-{to}"), from, to, ..plan.links[1].clone() };
        let detour = [detour(0, 3), detour(3, 1)];
        plan.links.extend(detour);
        plan.nodes = 4;
        plan.flows[0].reverse_route = vec![4, 5, 3];
    });
    assert_eq!(elsewhere, "flow f0: control packets must come back over the nodes that they went over");
}
