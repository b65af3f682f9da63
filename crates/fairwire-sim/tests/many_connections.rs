//! Queue laws under connections that come and go: what is kept is bounded by what is at work, and not by what ever was.

mod network_common;

use fairwire_core::{Instant, Span};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_plan::*;
use fairwire_sim::*;
use network_common::{cbr, flow, link, network, queue};

/// A connection comes every so often, and sends two packets, the second one later.
const EVERY: Span = Span::from_micros(500);
const LATER: Span = Span::from_millis(3);
const PACKET: u16 = 64;

/// Memory that this process holds, in bytes; none where nobody tells.
fn resident() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(told.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4_096)
}

/// Takes so many connections through a gateway that is a little too slow for them: memory after a quarter of them, and at the end.
fn memory_under(law: QueueLawChoice, connections: u64) -> [Option<u64>; 2] {
    let lasts = Span::from_nanos(EVERY.as_nanos() * connections) + Span::from_millis(100);
    let bottleneck = NetworkLinkPlan { queue: law, ..link(0, 1, 2, Span::from_millis(1)) };
    let flows = vec![flow("all", &[0], &[0], cbr(1_000, 0.0))];
    let plan = NetworkPlan {
        links: vec![bottleneck],
        flows,
        duration: lasts,
        warmup: Span::ZERO,
        window: lasts,
        detail: Detail::Summary,
        ..network(2)
    };
    let mut simulation = NetworkSimulation::carried(plan).expect("a sound plan");
    let (mut after_a_quarter, mut back) = (None, 0);
    for number in 0..connections {
        let begins = Instant::from_nanos(EVERY.as_nanos() * number);
        for at in [begins, begins + LATER] {
            // Numbers come again, as ports do, but not soon.
            let connection = (number % 4_000_000) as u32;
            let packet = BroughtPacket { number, size_bytes: PACKET, at, connection, ..BroughtPacket::default() };
            simulation.inject(0, packet).expect("it can be taken");
        }
        if number % 64 == 63 {
            simulation.advance(begins);
            back += simulation.deliveries().len() as u64;
        }
        if number == connections / 4 {
            after_a_quarter = resident();
        }
    }
    let at_the_end = resident();
    simulation.advance(Instant::NEVER);
    back += simulation.deliveries().len() as u64;
    assert_eq!(back + simulation.outstanding() as u64, 2 * connections, "each packet comes back once");
    [after_a_quarter, at_the_end]
}

fn all_laws_hold_no_more_after(connections: u64) {
    for about in QueueLawChoice::ALL {
        let law = queue(about.name);
        let [Some(before), Some(after)] = memory_under(law, connections) else { return };
        let grown = after.saturating_sub(before);
        println!(
            "{:<10} {:>6} kB after a quarter of {connections} connections, {:>6} kB after all",
            about.name,
            before >> 10,
            after >> 10
        );
        assert!(grown < 3 << 20, "{}: {grown} bytes more after {connections} connections", about.name);
    }
}

#[test]
fn memory_is_bounded_by_connections_at_work() {
    all_laws_hold_no_more_after(200_000);
}

/// As many as the laws are promised to stand.
#[test]
#[ignore = "takes minutes: ten million connections a law"]
fn memory_is_bounded_under_ten_million_connections() {
    all_laws_hold_no_more_after(10_000_000);
}
