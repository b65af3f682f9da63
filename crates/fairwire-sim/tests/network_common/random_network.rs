//! Networks with everything a plan may hold, drawn at random.

use super::{flow, link, network, settings};
use fairwire_core::{BitRate, Bytes, Instant, RandomStream, Span, Streams};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

/// The `number`th of a fixed endless list: a row of nodes with links both ways, and flows
/// of all kinds between them. Over the list every queue law and every control turns up.
pub fn random_network(number: u64) -> NetworkPlan {
    let mut draw = Streams::new(2_002, number).component("network");
    let nodes = draw.random_range(2..=7u32);
    let mut plan = NetworkPlan {
        seed: number,
        duration: Span::from_millis(draw.random_range(200..3_000)),
        warmup: Span::from_millis(draw.random_range(0..200)),
        window: Span::from_micros(draw.random_range(500..90_000)),
        detail: if draw.random_bool(0.5) { Detail::Full } else { Detail::Summary },
        ..network(nodes as usize)
    };
    // Few different delays and rates, so that much happens at the same instant.
    for node in 0..nodes - 1 {
        let law = QueueLawChoice::ALL[(number as usize + node as usize) % QueueLawChoice::ALL.len()].name;
        plan.links.push(random_link(&mut draw, node, node + 1, law));
        plan.links.push(random_link(&mut draw, node + 1, node, "droptail"));
    }
    for index in 0..draw.random_range(1..=8) {
        plan.flows.push(random_flow(&mut draw, index, nodes, plan.duration));
    }
    plan
}

fn random_link(draw: &mut RandomStream, from: u32, to: u32, law: &str) -> NetworkLinkPlan {
    let delay = Span::from_micros([0, 1, 500, 5_000][draw.random_range(0..4)]);
    let mut link = link(from, to, [1, 5, 10, 100][draw.random_range(0..4)], delay);
    link.queue = QueueLawChoice::by_name(law).expect("it is in the list");
    if let QueueLawChoice::red(params) = &mut link.queue {
        (params.ecn, params.min_th, params.max_th) = (draw.random_bool(0.5), 2.0, 20.0);
    }
    link.limit = match draw.random_range(0..3) {
        0 => Limit::Bytes(Bytes::new(draw.random_range(3_000..60_000))),
        _ => Limit::Packets(draw.random_range(1..60)),
    };
    if draw.random_bool(0.2) {
        link.reordering = Span::from_micros(draw.random_range(1..20_000));
    }
    if draw.random_bool(0.3) {
        link.random_loss = draw.random_range(0.0..0.3);
    }
    if draw.random_bool(0.3) {
        let change =
            |at_ms: u64| LinkChange { at: Instant::from_nanos(at_ms * 1_000_000), capacity: BitRate::from_mbps(2) };
        link.changes = vec![change(draw.random_range(0..400)), change(draw.random_range(400..900))];
        link.changes[1].capacity = BitRate::from_mbps(20);
    }
    link
}

fn random_flow(draw: &mut RandomStream, index: usize, nodes: u32, duration: Span) -> NetworkFlowPlan {
    let (one, other) = (draw.random_range(0..nodes), draw.random_range(0..nodes - 1));
    let (from, to) = (one, if other >= one { other + 1 } else { other });
    let up = |from: u32, to: u32| (from..to).map(|node| 2 * node).collect::<Vec<_>>();
    let down = |from: u32, to: u32| (to..from).rev().map(|node| 2 * node + 1).collect::<Vec<_>>();
    let (route, reverse) = if from < to { (up(from, to), down(to, from)) } else { (down(from, to), up(to, from)) };
    let offer = if draw.random_bool(0.4) { random_datagrams(draw) } else { random_tcp(draw, index) };
    let start = draw.random_range(0..100_000_000);
    let mut flow = flow(&format!("flow-{index}"), &route, &reverse, offer);
    flow.micro_flows = [1, 1, 2, 5][draw.random_range(0..4)];
    flow.start = Instant::from_nanos(start * draw.random_range(0..2));
    flow.start_jitter = Span::from_micros([0, 1, 50_000][draw.random_range(0..3)]);
    if draw.random_bool(0.3) {
        flow.stop = Instant::from_nanos(draw.random_range(start..duration.as_nanos() + start));
    }
    if draw.random_bool(0.3) {
        let every = Span::from_millis(draw.random_range(20..400));
        flow.activity = Some(Activity { every, probability: 0.6 });
    }
    flow
}

fn random_datagrams(draw: &mut RandomStream) -> Offer {
    let rate = BitRate::from_bps(draw.random_range(50_000..8_000_000));
    let arrivals = match draw.random_range(0..5) {
        0 => Arrivals::Poisson { rate },
        1 => Arrivals::Greedy,
        2 => Arrivals::ParetoOnOff {
            peak: rate,
            mean_on: Span::from_millis(20),
            mean_off: Span::from_millis(30),
            shape: 1.5,
        },
        _ => Arrivals::Cbr { rate, jitter: [0.0, 0.5][draw.random_range(0..2)] },
    };
    Offer::Datagrams(Traffic { arrivals, packet_bytes: 1_000, size_jitter: [0.0, 0.3][draw.random_range(0..2)] })
}

fn random_tcp(draw: &mut RandomStream, index: usize) -> Offer {
    let controls = ControlChoice::ALL;
    let control = controls[(index + draw.random_range(0..controls.len())) % controls.len()].name;
    let size = match draw.random_range(0..3) {
        0 => TransferSize::Fixed(Bytes::new(draw.random_range(1..50_000))),
        1 => TransferSize::Exponential(Bytes::new(20_000)),
        _ => TransferSize::Pareto { mean: Bytes::new(20_000), shape: 1.2 },
    };
    let work = match draw.random_range(0..4) {
        0 => Work::Transfers {
            count: [None, Some(3)][draw.random_range(0..2)],
            mean_interval: Span::from_millis(draw.random_range(5..200)),
            size,
        },
        1 => Work::Web {
            pages: [None, Some(2)][draw.random_range(0..2)],
            mean_think_time: Span::from_millis(50),
            mean_objects: draw.random_range(1.0..4.0),
            mean_gap: Span::from_millis(5),
            size,
        },
        _ => Work::Unlimited,
    };
    let settings = TcpSettings {
        receive_window: draw.random_range(1..200),
        initial_window: draw.random_range(1..11),
        delayed_ack: [None, None, Some(Span::from_millis(40))][draw.random_range(0..3)],
        ecn: draw.random_bool(0.3),
        ..settings()
    };
    Offer::Tcp(TcpPlan { control: ControlChoice::by_name(control).expect("it is in the list"), settings, work })
}
