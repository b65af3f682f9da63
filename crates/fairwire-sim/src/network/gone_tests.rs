//! A queue's law hears of micro-flows that send no more, once their packets have left.

use super::engine::Network;
use crate::brought::Feed;
use crate::report::{Ending, Wanted};
use fairwire_core::{BitRate, Bytes, FlowId, Instant, Span, Weight};
use fairwire_laws::queue::{AnyQueueLaw, Limit, QueueLawChoice, vrr};
use fairwire_plan::{Arrivals, Detail, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, Offer, Traffic};

/// When the run ends, in ns.
const END: u64 = 2_000_000_000;

/// Two streams of 6 Mb/s each over 8 Mb/s and then 10 Mb/s, for 2 s; the first stops at `stop`. VRR never forgives.
fn plan(engine: NetworkEngine, stop: Instant) -> NetworkPlan {
    let strikes =
        vrr::Params { strike_ends: vrr::StrikeEnds::Never, min_th: 2.0, max_th: 10.0, w_q: 0.5, ..Default::default() };
    let link = |from: u32, mbps: u64, queue: QueueLawChoice| NetworkLinkPlan {
        name: format!("{from}"),
        from,
        to: from + 1,
        capacity: BitRate::from_mbps(mbps),
        delay: Span::from_millis(3),
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue,
        rate: None,
        limit: Limit::Packets(50),
        mean_packet: Bytes::new(1_000),
        changes: Vec::new(),
    };
    let flow = |name: &str, stop: Instant| NetworkFlowPlan {
        name: name.to_owned(),
        route: vec![0, 1],
        reverse_route: Vec::new(),
        weight: Weight::ONE,
        micro_flows: 1,
        offer: Offer::Datagrams(Traffic {
            arrivals: Arrivals::Cbr { rate: BitRate::from_mbps(6), jitter: 0.2 },
            packet_bytes: 1_000,
            size_jitter: 0.0,
        }),
        start: Instant::ZERO,
        start_jitter: Span::ZERO,
        stop,
        high_priority: false,
        activity: None,
    };
    NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_nanos(END),
        warmup: Span::ZERO,
        window: Span::from_millis(10),
        nodes: 3,
        links: vec![
            link(0, 8, QueueLawChoice::vrr(strikes)),
            link(1, 10, QueueLawChoice::by_name("droptail").unwrap()),
        ],
        flows: vec![flow("first", stop), flow("second", Instant::NEVER)],
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine,
        detail: Detail::Summary,
        check: true,
    }
}

#[test]
fn strikes_end_with_their_flow() {
    for engine in [NetworkEngine::Ahead, NetworkEngine::Events] {
        let is_struck = |stop: Instant| {
            let mut network = Network::new(&plan(engine, stop), Feed::Nothing, &Wanted::new(&mut |_| true));
            network.walk(END, END, Ending::Tidy, &mut |_| true);
            let AnyQueueLaw::vrr(law) = &network.links[0].common.law else { unreachable!("the plan says vrr") };
            [0, 1].map(|flow| law.is_struck(FlowId(flow)))
        };
        assert_eq!(is_struck(Instant::NEVER), [true, true], "both are struck while both go on");
        assert_eq!(is_struck(Instant::ZERO + Span::from_millis(1_500)), [false, true]);
    }
}
