//! Stations that hold back on rings that are cut and mended: what enters is lost on dead wires and at edges, and
//! nowhere else.

use crate::common::*;
use fairwire_core::{BitRate, Bytes, RandomStream, Span, Streams};
use fairwire_laws::protection::{Params, ProtectionMode, burst_bytes, report_bytes};
use fairwire_laws::ring::{RingLawChoice, dvsr};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

/// The smallest buffer that is large enough for packets and frames of these sizes.
fn holding(stations: usize, packet: u64, frame: u64) -> TransitPlan {
    let bytes = 4 * packet + frame + burst_bytes() + stations as u64 * report_bytes();
    TransitPlan::merged(Bytes::new(bytes), Overflow::Hold)
}

/// A random ring of equal links, each at most `longest` ns long, whose stations hold back, with cuts, mends and losses.
fn random_holding_plan(number: u64, mode: ProtectionMode, longest: u64, duration: Span) -> (RingPlan, RingLawChoice) {
    let mut draw: RandomStream = Streams::new(8018, number).component("holding");
    let (mut plan, law) = loop {
        let (plan, law) = random_steerable_plan(&mut draw, |_| true, duration);
        if !law.needs().limits_together {
            break (plan, law); // Stations of the other laws wait for transit, and hold nothing back.
        }
    };
    best_effort(&mut plan.flows);
    let (stations, capacity) = (plan.stations.len(), plan.links[0][0].capacity);
    for link in plan.links.iter_mut().flatten() {
        *link = LinkPlan { capacity, delay: Span::from_nanos(draw.random_range(1..=longest)) };
    }
    let largest = plan.flows.iter().map(|flow| flow.offer.largest_packet().get()).max().unwrap_or(0);
    plan.transit = holding(stations, largest, 64 + 24 * stations as u64);
    let changes =
        [RingChange::Cut, RingChange::Restore, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
    let events = random_events(&mut draw, stations, 6, &changes, duration.as_nanos() / 4 * 3);
    let params =
        Params { mode, wait_to_restore: Span::from_millis(4), stability: Span::from_millis(3), ..Params::default() };
    plan.protection = Some(ProtectionPlan { params, events });
    (plan, law)
}

/// From rings of a microsecond a lap on, where the control frames of some laws are most of what there is.
fn lose_nothing(mode: ProtectionMode) {
    let (mut overloaded, mut cut) = (0, 0);
    for (longest, plans, ms) in [(100, 12, 16), (1_000, 24, 24), (50_000, 12, 40)] {
        for number in 0..plans {
            let (plan, law) = random_holding_plan(number, mode, longest, Span::from_millis(ms));
            let name = format!("plan {number} of {longest} ns under {}", law.about().name);
            let record = run_both(&plan, &law, &name);
            assert!(record.flows.iter().all(|flow| flow.dropped == 0), "{name}");
            cut += u64::from(record.flows.iter().any(|flow| flow.lost > 0));
            let mut free = plan.clone();
            free.transit.overflow = Overflow::Drop;
            overloaded += u64::from(simulate(&free, &law).unwrap().flows.iter().any(|flow| flow.dropped > 0));
        }
    }
    assert!(overloaded > 10 && cut > 10, "{overloaded} plans lose packets where none holds back, {cut} on dead wires");
}

#[test]
fn where_sources_steer_nothing_is_dropped_in_transit() {
    lose_nothing(ProtectionMode::Steer);
}

#[test]
fn where_stations_wrap_nothing_is_dropped_in_transit() {
    lose_nothing(ProtectionMode::Wrap);
}

/// Frames of all stations take a tenth of a link at most, however short the lap.
#[test]
fn own_frames_of_stations_leave_the_links_to_packets() {
    let law = RingLawChoice::dvsr(dvsr::Params { signalling: dvsr::Signalling::PerNode, ..Default::default() });
    for stations in [2, 5, 12] {
        let mut plan = ring_of(stations, BitRate::from_mbps(100), Span::from_nanos(100));
        plan.flows = vec![flow(0, 1, Arrivals::Greedy)];
        let record = run(&plan, &law);
        let told = record.links.iter().map(|link| link.control_bytes).max().unwrap();
        let could = 100_000_000 / 8 / 100; // in 10 ms
        assert!((could / 25..could / 9).contains(&told), "{stations} stations: {told} of {could} bytes");
    }
}
