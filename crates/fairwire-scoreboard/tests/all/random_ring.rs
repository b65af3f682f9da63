//! The random rings are what their documentation says, and always the same.

use fairwire_alloc::{Criterion, check};
use fairwire_scenario::{Scenario, format};
use fairwire_scoreboard::RandomRing;
use rayon::prelude::*;
use std::collections::BTreeSet;

fn rings(numbers: std::ops::Range<u64>) -> Vec<RandomRing> {
    numbers.into_par_iter().map(|number| RandomRing::new(number).unwrap()).collect()
}

#[test]
fn every_ring_is_within_its_ranges() {
    for ring in rings(0..200) {
        let (plan, number) = (ring.plan(), ring.number);
        plan.validate().unwrap();
        assert!(ring.scenario.warnings().is_empty(), "ring {number}");
        let stations = plan.stations.len();
        assert!((4..=64).contains(&stations));
        let link = plan.links[0][0];
        assert!(plan.links.iter().flatten().all(|other| *other == link));
        assert!((50_000..=2_000_000).contains(&link.delay.as_nanos()));
        let lap_s = link.delay.as_secs_f64() * stations as f64;
        let packets = link.capacity.as_bps_f64() * lap_s / 8_000.0;
        assert!((packets - 100.0).abs() < 1e-3, "ring {number}: {packets} packets a lap");
        assert!((stations / 2..=3 * stations / 2).contains(&plan.flows.len()));
        let pairs: BTreeSet<_> = plan.flows.iter().map(|flow| (flow.from, flow.to)).collect();
        assert_eq!(pairs.len(), plan.flows.len());
        for flow in &plan.flows {
            assert!(flow.ringlet.hops(flow.from.index(), flow.to.index(), stations) <= stations / 2);
            let part = flow.offer.mean_rate().map(|rate| rate.as_bps_f64() / link.capacity.as_bps_f64());
            assert!(part.is_none_or(|part| (0.0099..=1.0001).contains(&part)));
        }
    }
}

#[test]
fn a_fair_law_can_be_told_from_one_that_is_off_by_a_percent() {
    for ring in rings(0..10) {
        let (plan, rates) = (ring.plan(), ring.reference().unwrap().rates_bps);
        check(&ring.scenario.problem(), Criterion::Rias, &rates, 1e-9).unwrap();
        let measured = plan.duration - plan.warmup;
        assert_eq!(measured, plan.warmup);
        assert!(measured.as_nanos() / plan.window.as_nanos() >= 500);
        for rate in rates {
            assert!(rate * measured.as_secs_f64() / 8_000.0 > 999.0, "ring {}", ring.number);
        }
    }
}

#[test]
fn a_ring_read_back_from_its_file_is_the_same_ring() {
    for ring in rings(0..20) {
        let read = Scenario::parse("again.toml", &ring.toml).unwrap();
        assert_eq!(read.ring_plan(0), ring.scenario.ring_plan(0));
        assert_eq!(format(&ring.toml).unwrap(), ring.toml, "written as the formatter would");
        assert_eq!(RandomRing::new(ring.number).unwrap().toml, ring.toml);
    }
    let other = RandomRing::of_experiment(1, 0).unwrap();
    assert_ne!(other.toml, RandomRing::new(0).unwrap().toml);
}

#[test]
fn half_of_the_demands_are_endless_and_both_ringlets_are_used() {
    let flows: Vec<_> = rings(0..200).iter().flat_map(|ring| ring.plan().flows).collect();
    let part = |count: usize| count as f64 / flows.len() as f64;
    let endless = part(flows.iter().filter(|flow| flow.offer.is_greedy()).count());
    assert!((endless - 0.5).abs() < 0.02, "{endless}");
    let first = part(flows.iter().filter(|flow| flow.ringlet.index() == 0).count());
    assert!((first - 0.5).abs() < 0.03, "{first}");
}
