//! Congestion domains as stations of the packet ring see them: who heads one, who is its tail, and what the loop between
//! both takes.

use crate::common::{cbr, event, flow, law, ring_of, run};
use fairwire_core::{BitRate, Bytes, Instant, Span, StationId};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::ring::Datapath;
use fairwire_plan::*;

const HOP: Span = Span::from_micros(300);

/// Stations 1 to 4 send to 5 without end, so the link of 4 is the crowded one.
fn lot() -> RingPlan {
    let mut plan = RingPlan {
        duration: Span::from_millis(400),
        warmup: Span::from_millis(200),
        detail: Detail::Full,
        flows: (1..5).map(|from| flow(from, 5, cbr(622_000_000))).collect(),
        ..ring_of(8, BitRate::from_mbps(622), HOP)
    };
    plan.transit = TransitPlan { datapath: Datapath::DualQueue, buffer: Bytes::new(256_000), ..plan.transit };
    plan
}

/// What `station` showed by this name after the warm-up, and about whom.
fn shown(record: &RunRecord, station: u16, name: &str) -> Vec<(u16, f64)> {
    let is_it = |sample: &&LawSample| {
        sample.station == StationId(station) && sample.name == name && sample.t.as_nanos() > 200_000_000
    };
    record.laws.iter().filter(is_it).map(|sample| (sample.about.0, sample.value)).collect()
}

fn values(record: &RunRecord, station: u16, name: &str) -> Vec<f64> {
    shown(record, station, name).into_iter().map(|(_, value)| value).collect()
}

#[test]
fn head_and_tail_of_a_domain_are_those_of_the_crowded_link() {
    for name in ["rpr-conservative-enhanced", "rpr-2004-conservative"] {
        let record = run(&lot(), &law(name));
        let tails = shown(&record, 4, "tail_hops");
        assert!(!tails.is_empty() && tails.iter().all(|tail| *tail == (1, 3.0)), "{name}: {tails:?}");
        for station in 1..4 {
            let heads = shown(&record, station, "head_hops");
            let is_four = |head: &(u16, f64)| *head == (4, f64::from(4 - station));
            assert!(!heads.is_empty() && heads.iter().all(is_four), "{name}: {station}: {heads:?}");
        }
        assert!(shown(&record, 0, "tail_hops").is_empty() && shown(&record, 5, "head_hops").is_empty(), "{name}");
    }
}

/// Two or three hops up ahead of all data and as many down: at most a packet in transmission at each, and the frames
/// themselves. Station 2 takes itself for the tail as long as it forwards less than is told from downstream.
#[test]
fn the_loop_between_head_and_tail_is_measured() {
    let record = run(&lot(), &law("rpr-2004-conservative"));
    let is_loop_of = |hops: u64, lrtt: f64| {
        let (around, waits) = (HOP * 2 * hops, Span::from_micros(2 * hops * 14));
        (around.as_nanos() as f64..(around + waits).as_nanos() as f64).contains(&lrtt)
    };
    let (loops, differences) = (values(&record, 4, "lrtt_ns"), values(&record, 4, "fdd_ns"));
    assert!(loops.iter().all(|lrtt| is_loop_of(2, *lrtt) || is_loop_of(3, *lrtt)), "{loops:?}");
    assert!(loops.iter().any(|lrtt| is_loop_of(3, *lrtt)), "{loops:?}");
    // What waits in three secondary queues at most, and on a loaded ring some does.
    let longest = differences.iter().copied().fold(0.0, f64::max);
    assert!(longest > 0.0 && longest < 3.0 * 256_000.0 * 8.0 / 622e6 * 1e9, "{differences:?}");
    // Each name has a value a window, so those of one instant need not stand beside each other.
    let trips = values(&record, 4, "frtt_ns");
    let is_sum = |trip: &f64| loops.iter().any(|lrtt| (0.0..2.0 * longest).contains(&(trip - lrtt)));
    assert!(!trips.is_empty() && trips.iter().all(is_sum), "{longest}: {trips:?}");
    assert!(trips.iter().any(|trip| !loops.contains(trip)), "{trips:?}");
}

/// Where stations wrap, laws see an open ring as one ringlet of twice as many places; people read stations.
#[test]
fn heads_and_tails_are_stations_where_the_ring_is_open() {
    let mut plan = lot();
    plan.flows = (1..4).map(|from| flow(from, 4, cbr(622_000_000))).collect();
    let params = Params { mode: ProtectionMode::Wrap, ..Params::default() };
    let cut = event(Instant::from_nanos(50_000_000), RingChange::Cut(StationId(5)));
    plan.protection = Some(ProtectionPlan { params, events: vec![cut] });
    let record = run(&plan, &law("rpr-2004-conservative"));
    let tails = shown(&record, 3, "tail_hops");
    assert!(!tails.is_empty() && tails.iter().all(|tail| [(1, 2.0), (2, 1.0)].contains(tail)), "{tails:?}");
    for station in 1..3 {
        let heads = shown(&record, station, "head_hops");
        assert!(!heads.is_empty() && heads.iter().all(|head| *head == (3, f64::from(3 - station))), "{heads:?}");
    }
}
