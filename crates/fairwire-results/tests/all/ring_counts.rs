//! What is told of a ring by hand: what its sources offered, and what an event did to flows that were there.

use crate::support::{Played, play};
use fairwire_alloc::Limit;
use fairwire_core::{BitRate, Instant, Span, StationId};
use fairwire_plan::{Arrivals, Phase, RunRecord, TopologyChange};
use fairwire_results::measures::{EventSummary, Reference, event_summaries};
use fairwire_results::{Plan, Record, SummaryInput, summarise};

/// Two stations for 20 ms in rows of 100 µs, a packet of 1000 bytes a row and flow.
fn two_stations() -> (Played, RunRecord) {
    let mut played = play("two-stations", 20);
    let Record::Ring(mut record) = played.runs.remove(0).record else { panic!("a ring") };
    for flow in &mut record.flows {
        flow.delivered_bytes = vec![1_000; 200];
        flow.measured_bytes = 200_000;
    }
    (played, record)
}

/// Two of three packets found room in the station queue: 200 in 20 ms let onto the ring are 300 offered.
#[test]
fn what_a_station_queue_refused_was_offered() {
    let (mut played, mut record) = two_stations();
    let [mean_on, mean_off] = [Span::from_millis(1); 2];
    played.ring.flows[0].offer.datagrams_mut().unwrap().arrivals =
        Arrivals::ParetoOnOff { peak: BitRate::from_mbps(240), mean_on, mean_off, shape: 1.5 };
    let flow = &mut record.flows[0];
    (flow.offered, flow.refused, flow.entered, flow.measured_entered) = (600, 200, 400, 200);
    played.allocation.flows[0].limited_by = Limit::Demand;
    let (plan, record) = (Plan::from(played.ring), Record::Ring(record));
    let allocation = &played.allocation;
    let input = SummaryInput { plan: &plan, record: &record, allocation, law: "x", seed: 1, run: 0, wall_s: 0.0 };
    let flow = &summarise(&input).flows[0];
    assert!((flow.offered_bps.unwrap() - 120e6).abs() < 1e-3, "{:?}", flow.offered_bps);
    assert!((flow.ratio.unwrap() - 80.0 / 120.0).abs() < 1e-9, "all of it is due");
}

/// Something happens at 10 ms.
fn event(played: &Played, record: &RunRecord) -> EventSummary {
    between(played, record, [10, 20], true)
}

/// Something happens at one time, and the next thing at another, both in ms.
fn between(played: &Played, record: &RunRecord, [at, until]: [u64; 2], noticed: bool) -> EventSummary {
    let [at, until] = [at, until].map(|ms| Instant::from_nanos(ms * 1_000_000));
    let phase = Phase {
        event: 0,
        at,
        acts_at: at,
        again: false,
        noticed,
        until,
        ways: played.ring.flows.iter().map(|flow| Some(flow.ringlet)).collect(),
        folded: None,
    };
    let references = vec![vec![Reference::exactly(80e6); 2]];
    event_summaries(&played.ring, record, &[phase], &references).remove(0)
}

#[test]
fn only_flows_that_have_begun_can_fall_silent() {
    let (mut played, mut record) = two_stations();
    record.flows[0].delivered_bytes[100..150].fill(0);
    record.flows[1].delivered_bytes[100..120].fill(0);
    let told = event(&played, &record);
    assert_eq!((told.outage_ns, told.outage_flow.as_deref()), (Some(5_000_000), Some("there & back")));
    // By chance it may not have begun yet.
    played.ring.flows[0].start_jitter = Span::from_millis(11);
    let told = event(&played, &record);
    assert_eq!((told.outage_ns, told.outage_flow.as_deref()), (Some(2_000_000), Some("slow")));
}

#[test]
fn who_stops_before_the_next_event_does_not_fall_silent() {
    let (mut played, mut record) = two_stations();
    record.flows[0].delivered_bytes[150..].fill(0);
    record.flows[1].delivered_bytes[100..120].fill(0);
    assert_eq!(event(&played, &record).outage_flow.as_deref(), Some("there & back"));
    played.ring.flows[0].stop = Instant::from_nanos(15_000_000);
    assert_eq!(event(&played, &record).outage_flow.as_deref(), Some("slow"));
}

#[test]
fn of_flows_that_are_silent_equally_long_the_first_is_named() {
    let (played, mut record) = two_stations();
    record.flows.iter_mut().for_each(|flow| flow.delivered_bytes[100..120].fill(0));
    assert_eq!(event(&played, &record).outage_flow.as_deref(), Some("there & back"));
}

/// 80 packets at 80 Mb/s take 8 ms: the first window ends at 10 ms. What comes after the next event is another matter.
#[test]
fn rates_are_fair_again_until_the_next_event() {
    let (played, mut record) = two_stations();
    record.flows[0].delivered_bytes[150..].fill(500);
    let again = |until| between(&played, &record, [2, until], false).fair_again;
    assert_eq!((again(15).window_ns, again(15).ns), (8_000_000, Some(8_000_000)));
    assert_eq!(again(20).ns, None);
}

#[test]
fn a_ring_has_settled_when_its_last_station_has() {
    let (played, mut record) = two_stations();
    let change = |ms: u64, station: u16, settled: bool| TopologyChange {
        t: Instant::from_nanos(ms * 1_000_000),
        station: StationId(station),
        settled,
    };
    record.topology = vec![change(10, 0, false), change(11, 1, false), change(12, 0, true), change(14, 1, true)];
    assert_eq!(event(&played, &record).settled_ns, Some(4_000_000));
    record.topology.push(change(15, 0, false));
    assert_eq!(event(&played, &record).settled_ns, None, "one of them is not done yet");
}
