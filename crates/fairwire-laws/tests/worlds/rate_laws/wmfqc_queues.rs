//! Queue control of WMFQC, on random networks where sources begin at their peak rates.

use crate::rate_laws::world::World;
use crate::rate_laws::world::random::{Draw, Trial};
use fairwire_laws::rate::{Admission, FirstRate, Packets, RateLawChoice, Refusal, wmfqc};

const Q_T: u32 = 30;
const Q_D: u32 = 50;

fn trials() -> impl Iterator<Item = Trial> {
    let draw = Draw { most_flows: 24, changes: 3, first: FirstRate::Peak, fall: 0.5, ..Draw::default() };
    (0..7).map(move |seed| Trial::draw(seed, &draw))
}

fn world(trial: &Trial) -> World {
    let params = wmfqc::Params { q_t: Packets(Q_T), q_d: Packets(Q_D), ..Default::default() };
    World::new(&RateLawChoice::wmfqc(params), &trial.plan)
}

#[test]
fn data_stop_at_q_d_and_a_steady_queue_is_no_longer_than_q_t() {
    let mut was_long = false;
    for trial in trials() {
        let mut world = world(&trial);
        for phase in &trial.phases {
            world.run(phase.to);
            for port in &world.ports {
                assert!(port.longest_with_data <= Q_D as usize + 1);
                assert!(port.queued() <= Q_T as usize + 1, "{} packets at the end of a phase", port.queued());
                assert!(port.dropped.iter().all(|(_, why)| *why == Admission::TooLong));
                was_long |= !port.dropped.is_empty();
            }
        }
    }
    assert!(was_long, "no queue was long");
}

#[test]
fn nobody_falls_below_his_minimum_and_nobody_stays_silent() {
    let mut was_told_to_stop = false;
    for trial in trials() {
        let mut world = world(&trial);
        for phase in &trial.phases {
            world.run(phase.to);
            for (flow, fair) in phase.fair.iter().enumerate() {
                let flow = &world.flows[flow];
                if fair.is_some_and(|fair| fair > 0.0) {
                    assert!(flow.sender.allowed_bps() > 0.0, "silent at the end of a phase");
                }
                let minimum_bps = flow.plan.terms.minimum_bps;
                was_told_to_stop |= flow.rates.iter().any(|(_, rate)| *rate == 0.0);
                assert!(flow.rates.last().is_none_or(|(_, rate)| *rate >= minimum_bps));
            }
        }
    }
    assert!(was_told_to_stop);
}

/// Data are dropped; of control packets only those come to nothing that come back when their flow is over.
#[test]
fn control_packets_get_through_whatever_data_do() {
    let mut dropped = 0;
    for trial in trials() {
        let mut world = world(&trial);
        world.run(trial.phases.last().expect("there are phases").to);
        dropped += world.dropped();
        for flow in &world.flows {
            assert!(flow.refused.iter().all(|why| *why == Refusal::UnknownFlow), "{:?}", flow.refused);
        }
    }
    assert!(dropped > 0);
}
