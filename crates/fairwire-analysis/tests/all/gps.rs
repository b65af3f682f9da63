//! The fluid fair server against the papers' examples and against its laws.

use fairwire_analysis::gps::{GpsServer, announced_rate};
use proptest::prelude::*;

fn unit(flows: usize) -> GpsServer {
    GpsServer::new(1.0, vec![1.0; flows])
}

#[test]
fn virtual_time_grows_at_the_fair_rate() {
    // [dvsr] Fig. 12: four greedy flows, then three.
    let mut server = unit(4);
    server.advance(8.0, &[0.25; 4]);
    assert!((server.virtual_time() - 2.0).abs() < 1e-12);
    let third = 1.0 / 3.0;
    server.advance(3.0, &[third, third, third, 0.0]);
    assert!((server.virtual_time() - 3.0).abs() < 1e-12);
    assert!(server.backlog().iter().all(|&backlog| backlog < 1e-12));
}

#[test]
fn the_worked_example_of_aggregated_feedback() {
    // [dvsr] Fig. 13.
    let mut server = unit(2);
    server.burst(0, 6.0);
    server.burst(1, 2.0);
    server.advance(4.0, &[0.0; 2]);
    assert_eq!(server.virtual_time(), 2.0);
    server.advance(4.0, &[0.0; 2]);
    assert_eq!(server.virtual_time(), 6.0);
    server.advance(2.0, &[0.0; 2]);
    assert_eq!((server.virtual_time(), server.served().iter().sum::<f64>()), (6.0, 8.0));
    assert!((announced_rate(1.0, 10.0, 6.0, 8.0) - 0.8).abs() < 1e-12);
}

#[test]
fn packets_that_meet_move_virtual_time_less() {
    let mut together = unit(2);
    together.burst(0, 1.0);
    together.burst(1, 1.0);
    together.advance(2.0, &[0.0; 2]);
    let mut apart = unit(2);
    for flow in 0..2 {
        apart.burst(flow, 1.0);
        apart.advance(1.0, &[0.0; 2]);
    }
    assert_eq!((together.virtual_time(), apart.virtual_time()), (1.0, 2.0));
    assert_eq!(together.served(), apart.served());
}

#[test]
fn weights_divide_the_link() {
    let mut server = GpsServer::new(10.0, vec![1.0, 4.0]);
    server.burst(0, 100.0);
    server.burst(1, 100.0);
    server.advance(5.0, &[0.0; 2]);
    assert_eq!(server.served(), [10.0, 40.0]);
    assert_eq!(server.virtual_time(), 10.0);
}

/// What happens in a piece of time: bursts, then rates for a while.
fn pieces(flows: usize) -> impl Strategy<Value = Vec<(Vec<f64>, Vec<f64>, f64)>> {
    let amount = || prop_oneof![2 => Just(0.0), 3 => 0.0..3.0f64];
    let piece = (prop::collection::vec(amount(), flows), prop::collection::vec(amount(), flows), 0.01..4.0f64);
    prop::collection::vec(piece, 1..12)
}

proptest! {
    #[test]
    fn a_server_with_work_works_and_loses_nothing(
        (weights, pieces) in (1..6usize).prop_flat_map(|flows| (prop::collection::vec(0.1..8.0f64, flows), pieces(flows)))
    ) {
        let mut server = GpsServer::new(1.0, weights.clone());
        let mut arrived = vec![0.0; weights.len()];
        for (bursts, rates, duration) in pieces {
            for (flow, amount) in bursts.iter().enumerate() {
                server.burst(flow, *amount);
                arrived[flow] += amount;
            }
            let (before, v) = (server.clone(), server.virtual_time());
            server.advance(duration, &rates);
            let offered: f64 = rates.iter().sum();
            let sent: f64 = server.served().iter().zip(before.served()).map(|(now, then)| now - then).sum();
            let waiting: f64 = before.backlog().iter().sum();
            // Work conservation: everything there was, or all that fits.
            if server.backlog().iter().sum::<f64>() > 1e-9 && offered <= 1.0 {
                prop_assert!((sent - duration).abs() < 1e-6);
            }
            prop_assert!(sent <= duration + 1e-9 && sent <= waiting + offered * duration + 1e-9);
            for flow in 0..weights.len() {
                arrived[flow] += rates[flow] * duration;
                let accounted = server.served()[flow] + server.backlog()[flow];
                prop_assert!((accounted - arrived[flow]).abs() < 1e-6);
                // Nobody gains more than virtual time; who waits all along gains exactly that.
                let gained = (server.served()[flow] - before.served()[flow]) / weights[flow];
                let grown = server.virtual_time() - v;
                prop_assert!(gained <= grown + 1e-9);
                if before.backlog()[flow] > (1.0 - rates[flow]) * duration + 1e-9 {
                    prop_assert!((gained - grown).abs() < 1e-6);
                }
            }
        }
    }
}
